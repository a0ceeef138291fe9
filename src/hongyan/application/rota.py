"""Who is served next: chats take turns, so that one with much to say makes no other wait."""

from collections.abc import Iterable
from typing import Final

from hongyan.domain.deliveries import Part
from hongyan.domain.identity import AppId, ChatId

__all__ = ["Rota"]

KEPT: Final = 1_024  # chats whose turn is remembered; the one served longest ago is forgotten first


class Rota:
    """Remembers when each chat was served last. Within a chat the order of the parts stays what it is."""

    def __init__(self) -> None:
        self._served: dict[tuple[AppId, ChatId], int] = {}
        self._count = 0

    def in_turn(self, parts: Iterable[Part]) -> list[Part]:
        """Put parts of chats that were served longer ago first."""
        return sorted(parts, key=lambda part: self._served.get((part.app, part.chat_id), 0))

    def serve(self, part: Part) -> None:
        """Note that the chat of a part was served now."""
        place = (part.app, part.chat_id)
        self._count += 1
        self._served.pop(place, None)
        self._served[place] = self._count
        if len(self._served) > KEPT:
            del self._served[next(iter(self._served))]
