"""Cards that are entities of their own (CardKit): made, sent once, and changed by numbered calls."""

import json
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import quote

from hongyan.adapters.lark.cards import STREAM_ELEMENT, card_content
from hongyan.adapters.lark.client import Call, LarkClient
from hongyan.adapters.lark.wire import CardMade, Wire
from hongyan.domain.cards import Card
from hongyan.domain.identity import MessageId
from hongyan.domain.messages import Outbound

__all__ = ["CardKit", "Poster"]

Poster = Callable[[Outbound, dict[str, object]], Awaitable[MessageId]]


class CardKit:
    """The port CardStreams of one App; `post` sends the message that shows a card."""

    def __init__(self, client: LarkClient, post: Poster) -> None:
        self._client, self._post = client, post

    async def create(self, card: Card) -> str:
        """Make an entity; see `CardStreams.create`."""
        body: dict[str, object] = {"type": "card_json", "data": card_content(card, streaming=True)}
        call = Call("cardkit.card.create", "POST", _CARDS, body=body, writes=True)
        return (await self._client.call(call, CardMade)).card_id

    async def send(self, entity: str, at: Outbound) -> MessageId:
        """Post an entity; see `CardStreams.send`."""
        content = json.dumps({"type": "card", "data": {"card_id": entity}})
        return await self._post(at, {"msg_type": "interactive", "content": content, "uuid": at.key})

    async def update(self, entity: str, sequence: int, card: Card, *, streaming: bool) -> None:
        """Replace the whole card; see `CardStreams.update`."""
        drawn = {"type": "card_json", "data": card_content(card, streaming=streaming)}
        body: dict[str, object] = {"card": drawn, "sequence": sequence}
        await self._client.call(Call("cardkit.card.update", "PUT", _path(entity), body=body, writes=True), Wire)

    async def type_on(self, entity: str, sequence: int, text: str) -> None:
        """Stream text; see `CardStreams.type_on`."""
        body: dict[str, object] = {"content": text, "sequence": sequence}
        path = f"{_path(entity)}/elements/{STREAM_ELEMENT}/content"
        await self._client.call(Call("cardkit.element.content", "PUT", path, body=body, writes=True), Wire)


def _path(entity: str) -> str:
    return f"{_CARDS}/{quote(entity, safe='')}"


_CARDS: Final = "/open-apis/cardkit/v1/cards"
