"""Find the Session that a place writes to now, or plan the next one; close it for new input."""

from dataclasses import dataclass

from hongyan.application.desk import Desk
from hongyan.domain.bindings import Binding, Place
from hongyan.domain.changes import ONE_OR_NONE, Change, Update, insert
from hongyan.domain.conversations import Session, SessionState, session_id
from hongyan.ports import queries

__all__ = ["FoundSession", "close_session", "find_session", "next_session"]


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A Session, and the steps that make it exist; none when it does already."""

    session: Session
    steps: tuple[Change, ...]


async def find_session(desk: Desk, place: Place, binding: Binding) -> FoundSession:
    """Give the place's current Session of this binding, or plan the next generation."""
    if place.session_id is not None:
        session = await desk.store.one(queries.SESSION, id=place.session_id)
        if session and session.state is not SessionState.CLOSED and session.binding_id == binding.id:
            return FoundSession(session, ())
    return next_session(desk, place, binding)


def next_session(desk: Desk, place: Place, binding: Binding) -> FoundSession:
    """Plan the place's next Session, which becomes its current one."""
    generation = place.generation + 1
    session = Session(
        id=session_id(place.id, binding.id, generation),
        place_id=place.id,
        binding_id=binding.id,
        workspace_id=binding.workspace_id,
        executor=binding.executor,
        upstream="",
        state=SessionState.READY,
        lane=None,
        epoch=0,
        next_position=0,
        queued=0,
        opened_at=desk.clock.now(),
        closed_at=0,
    )
    pointer = Update(
        "places",
        {"id": place.id, "generation": place.generation, "session_id": place.session_id},
        {"session_id": session.id, "generation": generation},
    )
    return FoundSession(session, (insert("sessions", session), pointer))


def close_session(session: Session, now: int) -> tuple[Change, ...]:
    """Plan the end of a Session for new input; what it accepted still finishes."""
    return (
        Update(
            "sessions",
            {"id": session.id, "state": session.state.value},
            {"state": SessionState.CLOSED.value, "closed_at": now},
        ),
        Update("places", {"id": session.place_id, "session_id": session.id}, {"session_id": None}, ONE_OR_NONE),
    )
