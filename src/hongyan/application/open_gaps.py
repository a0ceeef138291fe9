"""Which missing messages are on record, known without asking the store."""

from collections.abc import Iterable

from hongyan.domain.changes import ONE_OR_NONE, Change, Delete
from hongyan.domain.identity import RequestId

__all__ = ["OpenGaps"]


class OpenGaps:
    """The ids of missing messages, so that accepting any other message costs nothing more.

    An id is added before its row is committed and may stay after it: the row decides, this only saves a step.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._ids: set[str] = set(known)

    def add(self, ids: Iterable[RequestId]) -> None:
        """Note messages whose rows are about to be written."""
        self._ids.update(ids)

    def forget(self, request: RequestId) -> None:
        """Note that a message is in the journal; harmless when it was not missing."""
        self._ids.discard(request)

    def closing(self, request: RequestId) -> tuple[Change, ...]:
        """Plan the end of the gap that the acceptance of this message closes; nothing for a message not missing."""
        return (Delete("gaps", {"id": request}, ONE_OR_NONE),) if request in self._ids else ()
