"""`session`, `send` and `turn`: work with an agent from this terminal."""

import time
import uuid
from collections.abc import Mapping
from typing import Annotated, Final

import typer

from hongyan.domain.conversations import TERMINAL, HoldReason, TurnState, WaitHint
from hongyan.entrypoints.cli.call import Call, command, group
from hongyan.entrypoints.cli.gateway import Gateway, at
from hongyan.entrypoints.cli.outcome import Failure
from hongyan.entrypoints.cli.records import Record, record, records
from hongyan.entrypoints.cli.screen import facts, line, print_json, table
from hongyan.entrypoints.cli.words import known, say

__all__ = ["register"]

LOOK_AGAIN_SECONDS: Final = 0.25
WAIT_SECONDS: Final = 3_600  # a person who waits longer looks at the session instead
COLUMNS: Final = ("session_id", "state", "executor", "queued")
OVER: Final = frozenset(TERMINAL)


def register(root: typer.Typer) -> None:
    """Add the commands."""
    session = group("session", root)
    command(session, "list", "help.session.list")(list_sessions)
    command(session, "show", "help.session.show")(show_session)
    command(session, "new", "help.session.new")(new_session)
    command(session, "close", "help.session.close")(close_session)
    command(root, "send", "help.send")(send)
    turn = group("turn", root)
    command(turn, "show", "help.turn.show")(show_turn)
    command(turn, "stop", "help.turn.stop")(stop_turn)
    command(turn, "steer", "help.turn.steer")(steer_turn)


SessionArgument = Annotated[str, typer.Argument(metavar="SESSION")]
TurnArgument = Annotated[str, typer.Argument(metavar="TURN")]


def list_sessions(
    call: Call,
    binding: Annotated[str | None, typer.Option("--binding", metavar="ID", help=say("option.binding"))] = None,
) -> None:
    """List the Sessions, newest first."""
    with call.gateway() as gateway:
        found = records(gateway.get("/sessions", {"binding_id": binding} if binding else None), "sessions")
    if not call.answered([one.fields for one in found]):
        table(
            [*(say(key) for key in COLUMNS), say("opened_at")],
            [[*(one.text(key) for key in COLUMNS), one.moment("opened_at")] for one in found],
        )


def show_session(
    call: Call,
    session: SessionArgument,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help=say("option.limit"))] = 50,
) -> None:
    """Print a Session's transcript and what its open Turns wait for."""
    with call.gateway() as gateway:
        found = record(gateway.get(at("sessions", session), {"message_limit": limit}))
    if call.answered(found.fields):
        return
    facts([(say(key), found.text(key)) for key in COLUMNS])
    for message in found.records("messages"):
        line()
        line(f"{known('speaker', message.text('speaker'))}  {message.moment('at')}")
        line(message.text("text"))
    for turn in found.records("turns"):
        line()
        line(f"{turn.text('turn_id')}: {_state(turn)}")


def new_session(
    call: Call,
    workspace: Annotated[str, typer.Option("--workspace", metavar="NAME", help=say("option.workspace"))],
    executor: Annotated[str, typer.Option("--executor", metavar="NAME", help=say("option.executor"))],
) -> None:
    """Open a Session of a workspace that is written to from this machine only."""
    with call.gateway() as gateway:
        opened = gateway.post("/sessions", {"workspace": workspace, "executor": executor})
    if not call.answered(opened):
        line(say("session.opened", session=record(opened).text("session_id")))


def close_session(call: Call, session: SessionArgument) -> None:
    """Close a Session for new input."""
    with call.gateway() as gateway:
        closed = gateway.delete(at("sessions", session))
    if not call.answered(closed):
        line(say("session.closed", session=session))


def send(
    call: Call,
    session: SessionArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT")],
    client_turn_id: Annotated[
        str | None, typer.Option("--client-turn-id", metavar="ID", help=say("option.client_turn_id"))
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help=say("option.wait"))] = False,
) -> None:
    """Send a text to a Session; with `--wait` until its Turn has ended."""
    key = client_turn_id or uuid.uuid4().hex
    with call.gateway() as gateway:
        path = f"{at('sessions', session)}/turns"
        accepted = record(_send(gateway, path, {"message": text, "client_turn_id": key}))
        if wait:
            _show_end(call, _until_over(gateway, accepted.text("turn_id")))
        elif not call.answered(accepted.fields):
            turn = record(gateway.get(at("turns", accepted.text("turn_id"))))
            line(say("sent", turn=accepted.text("turn_id"), state=_state(turn)))


def _send(gateway: Gateway, path: str, body: Mapping[str, object]) -> object:
    try:
        return gateway.post(path, body)
    except Failure as failure:
        if failure.code == "gateway.unknown_outcome":
            failure.hint = say("send_again", key=str(body["client_turn_id"]))
        raise


def _until_over(gateway: Gateway, turn_id: str) -> Record:
    """Look at a Turn until it has ended. Raise Failure when it is held, or still runs after an hour."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        turn = record(gateway.get(at("turns", turn_id)))
        if turn.text("state") in OVER:
            return turn
        if turn.text("state") == TurnState.HELD:
            raise _held(turn)
        if time.monotonic() > deadline:
            raise Failure("turn.not_ended", say("turn.not_ended"), say("turn.look", turn=turn_id), retryable=True)
        time.sleep(LOOK_AGAIN_SECONDS)


def _held(turn: Record) -> Failure:
    login = turn.text("hold_reason") in {HoldReason.LOGIN, HoldReason.QUOTA}
    code = "agent.held" if login else "turn.held"
    return Failure(code, say("held", turn=turn.text("turn_id"), reason=_reason(turn)), say("held.mend"))


def _show_end(call: Call, turn: Record) -> None:
    """Print the answer of an ended Turn. Raise Failure when it ended otherwise."""
    state = turn.text("state")
    if state != TurnState.COMPLETED:
        code = turn.text("code") or f"turn.{state}"
        sentence = say("turn.ended", turn=turn.text("turn_id"), state=known("turn", state))
        raise Failure(code, f"{sentence} {turn.text('detail')}".strip(), say("turn.look", turn=turn.text("turn_id")))
    if not call.answered(turn.fields):
        line(turn.text("answer"))


def show_turn(call: Call, turn: TurnArgument) -> None:
    """Show one Turn."""
    with call.gateway() as gateway:
        found = record(gateway.get(at("turns", turn)))
    if call.answered(found.fields):
        return
    facts(
        [
            (say("turn"), found.text("turn_id")),
            (say("session_id"), found.text("session_id")),
            (say("state"), _state(found)),
            (say("problem"), f"{found.text('detail')} {found.text('code')}".strip()),
            (say("queued_at"), found.moment("queued_at")),
            (say("ended_at"), found.moment("ended_at")),
        ]
    )
    if answer := found.text("answer"):
        line()
        line(answer)


def stop_turn(call: Call, turn: TurnArgument) -> None:
    """Ask for a Turn to stop, and say what is known of it."""
    with call.gateway() as gateway:
        stopped = record(gateway.post(f"{at('turns', turn)}/stop"))
    if call.as_json:
        print_json(stopped.fields)
    else:
        line(f"{turn}: {known('turn', stopped.text('state'))}")


def steer_turn(
    call: Call,
    turn: TurnArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT")],
    client_turn_id: Annotated[
        str | None, typer.Option("--client-turn-id", metavar="ID", help=say("option.client_turn_id"))
    ] = None,
) -> None:
    """Say something to a Turn that runs, and say whether it took it or it waits behind it."""
    key = client_turn_id or uuid.uuid4().hex
    with call.gateway() as gateway:
        said = record(_send(gateway, f"{at('turns', turn)}/steer", {"message": text, "client_turn_id": key}))
    if call.answered(said.fields):
        return
    if said.text("outcome") == "steered":
        line(say("steered", turn=turn))
    else:
        line(say("steer.queued", turn=said.text("turn_id"), reason=known("steer", said.text("reason"))))


def _state(turn: Record) -> str:
    """Say where a Turn stands and, while it waits, what for."""
    state = known("turn", turn.text("state"))
    hint = turn.text("waits_for")
    if turn.text("state") == TurnState.HELD:
        return f"{state}: {_reason(turn)}"
    waits = turn.text("state") in {TurnState.QUEUED, TurnState.CLAIMED, TurnState.STARTING}
    return f"{state}, {known('wait', hint or WaitHint.NONE_KNOWN)}" if waits else state


def _reason(turn: Record) -> str:
    return known("hold", turn.text("hold_reason") or HoldReason.UPSTREAM_UNKNOWN)
