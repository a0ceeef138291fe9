"""Send a text into a Session from this machine; the answer stays in the transcript."""

from dataclasses import dataclass, replace

from hongyan.application.desk import LANES, Desk, decide_again
from hongyan.domain.changes import Changes, insert
from hongyan.domain.conversations import Input, Turn, append_turn, new_turn, turn_id
from hongyan.domain.errors import NotFoundError, RefusedError
from hongyan.domain.identity import RequestId, TurnId, derive
from hongyan.domain.messages import MessageKind, content_hash
from hongyan.domain.requests import LocalSource, Origin, Request, capture_local
from hongyan.domain.steering import objection_to_write
from hongyan.ports import queries

__all__ = ["SentText", "accepted_text", "queue_text", "send_text"]


@dataclass(frozen=True, slots=True)
class SentText:
    """The Turn of a text, and whether this call made it."""

    turn: Turn
    created: bool


async def send_text(desk: Desk, session_id: str, text: str, client_turn_id: str) -> SentText:
    """Queue a text. Safe to repeat: the same id and text gives the same Turn, also after it or its Session ended.

    Raise NotFoundError, or RefusedError `turn.conflict` (same id, other text), `session.closed`, `queue.full`,
    `binding.revoked`, `session.group` (everybody in a topic may read along, so what is said there is said there).
    """
    if not text.strip():
        raise RefusedError("turn.empty", "there is no text to send")
    return await queue_text(desk, session_id, text, client_turn_id)


async def queue_text(desk: Desk, session_id: str, text: str, client_turn_id: str, code: str = "") -> SentText:
    """Queue a text as `send_text` does; `code` says why it waits when it was meant for a Turn that runs."""
    result = await decide_again(desk, lambda: _decide(desk, _Sending(session_id, text, client_turn_id, code)))
    desk.wakeup.wake(LANES)
    return result


async def accepted_text(desk: Desk, identity: RequestId, text: str) -> Request | None:
    """Give the request that the same words made before. Raise RefusedError `turn.conflict` when the words differ."""
    known = await desk.store.one(queries.REQUEST, id=identity)
    if known is not None and known.text_hash != content_hash(MessageKind.TEXT, text):
        raise RefusedError("turn.conflict", "this client_turn_id was used for another text", hint="Use a new id.")
    return known


@dataclass(frozen=True, slots=True)
class _Sending:
    """One text on its way into a queue."""

    session_id: str
    text: str
    client_turn_id: str
    code: str


async def _decide(desk: Desk, sending: _Sending) -> tuple[Changes | None, SentText]:
    request_id = RequestId(derive("req", sending.session_id, sending.client_turn_id))
    known = await accepted_text(desk, request_id, sending.text)
    if known is not None and known.turn_id is not None:
        return None, SentText(await _turn_of(desk, known, known.turn_id), created=False)
    session = await desk.store.one(queries.SESSION, id=sending.session_id)
    if session is None:
        raise NotFoundError("session", sending.session_id, hint="`hongyan session list` shows them.")
    binding = await desk.store.one(queries.BINDING, id=session.binding_id)
    objection = objection_to_write(session.state, binding)
    if objection is not None or binding is None:
        raise objection or AssertionError("without a binding there is an objection")
    if session.queued >= desk.options.queue_turns:
        raise RefusedError("queue.full", f"{session.queued} messages already wait here", hint="Try again later.")
    stamp, said = desk.stamp(), Input(request_id, sending.client_turn_id, Origin.CONSOLE, sending.text)
    turn = new_turn(said, session.id, binding, stamp.now)
    source = LocalSource(request_id, binding.app, session.place_id, said.text, binding.id, session.id, turn.id)
    request = replace(capture_local(source, stamp.now, stamp.seq), code=sending.code)
    return (
        Changes("send_text", (insert("requests", request), *append_turn(turn, desk.options.queue_turns))),
        SentText(turn, created=True),
    )


async def _turn_of(desk: Desk, request: Request, newest: TurnId) -> Turn:
    """Give the Turn that the words made first, or the one that they were said into."""
    first = await desk.store.one(queries.TURN, id=turn_id(request.id))
    turn = first or await desk.store.one(queries.TURN, id=newest)
    if turn is None:
        raise AssertionError("a request names a Turn that exists")
    return turn
