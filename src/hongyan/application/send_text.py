"""Send a text into a Session from this machine; the answer stays in the transcript."""

from dataclasses import dataclass

from hongyan.application.desk import LANES, Desk, decide_again
from hongyan.domain.bindings import Audience
from hongyan.domain.changes import Changes, insert
from hongyan.domain.conversations import Input, SessionState, Turn, append_turn, new_turn, payload_hash, turn_id
from hongyan.domain.errors import NotFoundError, RefusedError
from hongyan.domain.identity import RequestId, derive
from hongyan.domain.requests import LocalSource, Origin, capture_local
from hongyan.ports import queries

__all__ = ["SentText", "send_text"]


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
    result = await decide_again(desk, lambda: _decide(desk, session_id, text, client_turn_id))
    desk.wakeup.wake(LANES)
    return result


async def _decide(desk: Desk, session_id: str, text: str, client_turn_id: str) -> tuple[Changes | None, SentText]:
    request_id = RequestId(derive("req", session_id, client_turn_id))
    known = await desk.store.one(queries.TURN, id=turn_id(request_id))
    if known is not None:
        if known.payload_hash != payload_hash(text):
            raise RefusedError("turn.conflict", "this client_turn_id was used for another text", hint="Use a new id.")
        return None, SentText(known, created=False)
    session = await desk.store.one(queries.SESSION, id=session_id)
    if session is None:
        raise NotFoundError("session", session_id, hint="`hongyan session list` shows them.")
    binding = await desk.store.one(queries.BINDING, id=session.binding_id)
    if session.state is SessionState.CLOSED:
        raise RefusedError("session.closed", "this session is closed", hint="Open another one.")
    if binding is None or binding.state.value != "live":
        raise RefusedError("binding.revoked", "the binding of this session is revoked")
    if binding.audience is Audience.GROUP_TOPIC:
        raise RefusedError("session.group", "a group topic is written to in its chat", hint="Write there.")
    if session.queued >= desk.options.queue_turns:
        raise RefusedError("queue.full", f"{session.queued} messages already wait here", hint="Try again later.")
    stamp = desk.stamp()
    turn = new_turn(Input(request_id, client_turn_id, Origin.CONSOLE, text), session.id, binding, stamp.now)
    source = LocalSource(request_id, binding.app, session.place_id, text, binding.id, session.id, turn.id)
    request = capture_local(source, stamp.now, stamp.seq)
    return (
        Changes("send_text", (insert("requests", request), *append_turn(turn, desk.options.queue_turns))),
        SentText(turn, created=True),
    )
