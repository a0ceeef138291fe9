"""Open, look at and close Sessions from this machine."""

from dataclasses import dataclass
from typing import Final

from hongyan.application.desk import Desk, decide_again
from hongyan.application.open_session import close_session, next_session
from hongyan.application.steer_turn import can_steer
from hongyan.application.transcripts import read_messages
from hongyan.domain.bindings import Audience, Binding, BindingState, Place, Role, Scope
from hongyan.domain.changes import ONE_OR_NONE, Changes, insert
from hongyan.domain.conversations import Message, Session, SessionState, Turn, WaitHint, wait_hint
from hongyan.domain.errors import BlockedError, NotFoundError
from hongyan.domain.identity import AppId, BindingId, ChatId, OpenId, derive, place_id
from hongyan.domain.workspaces import usable
from hongyan.ports import queries

__all__ = ["SessionView", "TurnView", "close_local_session", "open_local_session", "view_session", "view_turn"]

LOCAL_APP: Final = AppId("local")


@dataclass(frozen=True, slots=True)
class TurnView:
    """A Turn with what it waits for, as far as it was observed, and whether its agent takes words while it works."""

    turn: Turn
    hint: WaitHint
    can_steer: bool = False


@dataclass(frozen=True, slots=True)
class SessionView:
    """A Session with a page of its transcript (oldest first) and its Turns that have not ended.

    `cursor` leads to the entries before these, None at the beginning.
    """

    session: Session
    messages: tuple[Message, ...]
    cursor: str | None
    turns: tuple[TurnView, ...]


async def view_session(desk: Desk, session_id: str, message_limit: int = 50, cursor: str | None = None) -> SessionView:
    """Read a Session. Raise NotFoundError, or RefusedError `cursor.foreign` for a cursor of another one."""
    session = await desk.store.one(queries.SESSION, id=session_id)
    if session is None:
        raise NotFoundError("session", session_id, hint="`hongyan session list` shows them.")
    page = await read_messages(desk, session_id, message_limit, cursor)
    turns = await desk.store.all(queries.TURNS_OF_SESSION, session_id=session_id)
    holder = next((turn for turn in turns if turn.id == session.lane), None)
    views = tuple(TurnView(turn, wait_hint(turn, session, holder), can_steer(desk, turn.id)) for turn in turns)
    open_turns = tuple(view for view in views if view.hint is not WaitHint.ENDED)
    return SessionView(session, page.messages, page.cursor, open_turns)


async def view_turn(desk: Desk, turn_id: str) -> TurnView:
    """Read a Turn. Raise NotFoundError."""
    turn = await desk.store.one(queries.TURN, id=turn_id)
    session = await desk.store.one(queries.SESSION, id=turn.session_id) if turn else None
    if turn is None or session is None:
        raise NotFoundError("turn", turn_id)
    holder = await desk.store.one(queries.TURN, id=session.lane) if session.lane else None
    return TurnView(turn, wait_hint(turn, session, holder), can_steer(desk, turn.id))


async def open_local_session(desk: Desk, workspace: str, executor: str) -> Session:
    """Open a Session of a workspace that is written to from this machine only.

    Raise NotFoundError for an unknown workspace or executor, BlockedError `workspace.unavailable`.
    """
    if executor not in desk.options.executors:
        raise NotFoundError("executor", executor, hint="`hongyan doctor` lists the configured ones.")
    known = await desk.store.one(queries.WORKSPACE_BY_NAME, name=workspace)
    if known is None:
        raise NotFoundError("workspace", workspace, hint="`hongyan workspace list` shows them.")
    if not usable(known, desk.folders.look(known.path)):
        raise BlockedError("workspace.unavailable", f"{known.path} is no longer the folder that was authorised")
    binding = Binding(
        id=BindingId(derive("bind", LOCAL_APP, known.id, executor)),
        app=LOCAL_APP,
        audience=Audience.LOCAL,
        chat_id=ChatId(""),
        owner=OpenId(""),
        role=Role.PROJECT,
        workspace_id=known.id,
        executor=executor,
        grant_kind=known.grant_kind,
        scope=Scope.HOST_DEFAULT,
        state=BindingState.LIVE,
        revision=1,
        created_at=desk.clock.now(),
    )
    return await decide_again(desk, lambda: _open(desk, binding))


async def _open(desk: Desk, binding: Binding) -> tuple[Changes, Session]:
    identity = place_id(binding.app, binding.chat_id, binding.id)
    fresh = Place(identity, binding.app, binding.chat_id, binding.id, binding.id, None, None, 0)
    place = await desk.store.one(queries.PLACE, id=identity) or fresh
    found = next_session(desk, place, binding)
    here = (insert("bindings", binding, ONE_OR_NONE), insert("places", fresh, ONE_OR_NONE))
    return Changes("open_local_session", (*here, *found.steps)), found.session


async def close_local_session(desk: Desk, session_id: str) -> Session:
    """Close a Session for new input; what it accepted still finishes. Closing a closed one changes nothing."""

    async def decide() -> tuple[Changes | None, Session]:
        session = await desk.store.one(queries.SESSION, id=session_id)
        if session is None:
            raise NotFoundError("session", session_id, hint="`hongyan session list` shows them.")
        if session.state is SessionState.CLOSED:
            return None, session
        return Changes("close_session", close_session(session, desk.clock.now())), session

    return await decide_again(desk, decide)
