"""Carry out a chat command and freeze its reply; it neither opens a session nor calls a model."""

from collections.abc import Mapping
from dataclasses import dataclass

from hongyan.application.describe_place import describe_place
from hongyan.application.desk import Desk
from hongyan.application.open_session import close_session
from hongyan.application.routes import route_of
from hongyan.application.show_owed import list_on_card
from hongyan.application.stop_turn import plan_stop
from hongyan.domain.bindings import Binding, Place
from hongyan.domain.changes import Change, Require, Value
from hongyan.domain.commands import Command, CommandName
from hongyan.domain.deliveries import Phase, Words, say
from hongyan.domain.notices import Notice, language_of, sentence
from hongyan.domain.requests import ClosedAs, Request, RequestEvent, admit_as
from hongyan.ports import queries

__all__ = ["SeenCommand", "carry_out_command"]


@dataclass(frozen=True, slots=True)
class SeenCommand:
    """A command as it was read back, and where it was given."""

    request: Request
    binding: Binding | None
    place: Place | None
    command: Command
    text: str


async def carry_out_command(desk: Desk, seen: SeenCommand, read: Mapping[str, Value]) -> tuple[Change, ...]:
    """Plan the command's effect and its reply in one transaction; a duplicate of the message finds it done.

    `/stop` plans no reply when the agent must confirm first: the reply follows when it did. That to `/owed` is a card.
    """
    binding = seen.binding
    become = admit_as(
        seen.request,
        RequestEvent.BECOME_COMMAND,
        **read,
        command=seen.command.name.value,
        binding_id=binding.id if binding else None,
    )
    fence = (Require("bindings", {"id": binding.id, "revision": binding.revision, "state": "live"}),) if binding else ()
    effect, notice, detail = await _effect(desk, seen)
    if notice is None:
        return (become, *fence, *effect)
    words = sentence(notice, language_of(seen.text), detail)
    reply = say(route_of(seen.request, binding), Words(Phase.REPLY, words, ClosedAs.ANSWERED), desk.stamp())
    return (become, *fence, *effect, *reply)


async def _effect(desk: Desk, seen: SeenCommand) -> tuple[tuple[Change, ...], Notice | None, str]:
    match seen.command.name:
        case CommandName.HELP:
            return (), Notice.HELP, ""
        case CommandName.STATUS:
            return (), Notice.STATUS, await describe_place(desk, seen.place, seen.binding, language_of(seen.text))
        case CommandName.NEW:
            return await _new(desk, seen)
        case CommandName.STOP:
            return await _stop(desk, seen)
        case CommandName.OWED:
            listed = await list_on_card(desk, seen.request, seen.binding, language_of(seen.text))
            return listed, None if listed else Notice.OWED_NOTHING, ""


async def _new(desk: Desk, seen: SeenCommand) -> tuple[tuple[Change, ...], Notice, str]:
    place = seen.place
    session = await desk.store.one(queries.SESSION, id=place.session_id) if place and place.session_id else None
    if session is None:
        return (), Notice.NEW_DONE, ""
    left = session.queued + (1 if session.lane else 0)
    steps = close_session(session, desk.clock.now())
    return (steps, Notice.NEW_STILL_RUNNING, str(left)) if left else (steps, Notice.NEW_DONE, "")


async def _stop(desk: Desk, seen: SeenCommand) -> tuple[tuple[Change, ...], Notice | None, str]:
    if seen.request.target_turn is None:
        return (), Notice.STOP_NOTHING, ""
    plan = await plan_stop(desk, seen.request.target_turn, "owner")
    return plan.steps, plan.notice, ""
