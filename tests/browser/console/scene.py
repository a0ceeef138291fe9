"""A real gateway with a simulated platform and the rehearsal agent, its console served on a loopback port."""

import asyncio
import contextlib
import json
import shlex
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from playwright.async_api import Locator, Page, expect
from starlette.types import ASGIApp
from tests.harness.world import World, open_world

from feishu_simulator.faults import Effect
from hongyan.application.decide import decide
from hongyan.application.end_turn import hold_turn
from hongyan.application.send_text import send_text
from hongyan.application.sessions import open_local_session
from hongyan.domain.changes import Changes, Update, insert
from hongyan.domain.conversations import HoldReason
from hongyan.domain.decisions import Outcome, ask_steps
from hongyan.domain.identity import TurnId
from hongyan.entrypoints.daemon.doors import Door, bind_port
from hongyan.entrypoints.web.access import Access
from hongyan.entrypoints.web.app import create_app
from hongyan.ports import queries

TICK_MS: Final = 50
expect.set_options(timeout=20_000)  # an agent program starts within it, also on a busy machine


@dataclass(slots=True)
class Process:
    """The process around the gateway, as the web asks of it."""

    home: Path
    version: str = "1.2.3"
    pid: int = 4711
    started_at: int = 1_700_000_000_000
    simulator_url: str | None = None
    simulator_link: str | None = None

    def at_leave(self, callback: Callable[[], None]) -> None:
        """Nothing stops here, so nobody has to be told."""

    def stop(self) -> None:
        """Nothing stops here."""


@dataclass(slots=True)
class Console:
    """What a test acts on: the world behind the page, and the way in."""

    world: World
    access: Access
    app: ASGIApp
    door: Door

    async def close_door(self) -> None:
        """Let the page find nobody at the gateway's address."""
        await self.door.close()

    async def open_door(self) -> None:
        """Answer at the same address again."""
        self.door = Door(self.app, bind_port("127.0.0.1", self.access.port))
        await self.door.open()

    async def begin_anew(self) -> None:
        """Answer at the same address as the next process would, which knows no browser of this one."""
        self.access = Access(self.access.port)
        self.app = create_app(self.world.gateway, Process(self.world.home), self.access)
        await self.open_door()

    def link(self, where: str = "") -> str:
        """Give a fresh one-time link."""
        return self.access.new_link() + where

    async def local(self, executor: str = "rehearsal") -> str:
        """Open a Session of this machine."""
        return (await open_local_session(self.world.gateway.desk, "work", executor)).id

    def open_gate(self, *, fails: bool = False) -> None:
        """Let the agent program of the executor `gated` start, or end at once."""
        (self.world.agent_state / "gate").write_text("no" if fails else "")

    def shut_gate(self) -> None:
        """Let the next agent program of the executor `gated` wait."""
        (self.world.agent_state / "gate").unlink()

    async def binding_becomes(self, audience: str) -> None:
        """Let the place of this machine's Sessions be another kind of place."""
        change = Update("bindings", {"audience": "local"}, {"audience": audience})
        await self.world.gateway.desk.store.commit(Changes("become", (change,)))

    async def asked(self) -> str:
        """Wait until an agent asks, and give the decision's id."""
        await self.world.until_rows("SELECT 1 FROM decisions WHERE state = 'asked'")
        return str((await self.world.rows("SELECT id FROM decisions WHERE state = 'asked'"))[0][0])

    async def decide(self, identity: str, outcome: Outcome, where: str = "card", by: str = "owner") -> None:
        """Decide on another surface."""
        await decide(self.world.gateway.desk, identity, outcome, by, where)

    async def without_arguments(self, identity: str) -> None:
        """Let a request have come without its arguments."""
        change = Update("decisions", {"id": identity}, {"arguments": ""})
        await self.world.gateway.desk.store.commit(Changes("strip", (change,)))

    async def outcome_becomes_unknown(self) -> None:
        """Hold the Turn that runs: nobody knows what its agent did."""
        rows = await self.world.rows("SELECT id FROM turns WHERE state = 'running'")
        await hold_turn(self.world.gateway.desk, TurnId(rows[0][0]), HoldReason.UPSTREAM_UNKNOWN)
        await self.world.until_rows("SELECT 1 FROM turns WHERE state = 'held'")

    async def platform_goes_away(self) -> None:
        """Cut the long connection and let no other be opened."""
        connections = self.world.platform.connections
        self.world.fault("endpoint", Effect(http_status=503), times=1_000)
        for connection in list(connections.all.values()):
            if connection.live:
                connections.cut(connection.connection_id, 1006)
        await self.world.until(lambda: self.world.gateway.listeners()[0].state != "listening")

    async def owner_is_called(self, name: str) -> None:
        """Give the owner another name."""
        change = Update("owners", {"app": self.world.app_id}, {"name": name})
        await self.world.gateway.desk.store.commit(Changes("rename", (change,)))

    async def outcome(self, identity: str) -> str:
        """Give what was decided."""
        decision = await self.world.gateway.desk.store.one(queries.DECISION, id=identity)
        assert decision is not None
        return decision.outcome


@asynccontextmanager
async def console(home: Path) -> AsyncIterator[Console]:
    """Serve the console of a bound world, whose time flows as it does on the wall."""
    async with open_world(home, bound=False) as world:
        gate = shlex.quote(str(world.agent_state / "gate"))
        program = shlex.join(world.executors["rehearsal"])
        waits = f"until [ -e {gate} ]; do sleep 0.05; done; [ -s {gate} ] && exit 9; exec {program}"
        world.executors["gated"] = ["/bin/sh", "-c", waits]
        await world.start()
        await world.bind()
        listening = bind_port("127.0.0.1", 0)
        access = Access(int(listening.getsockname()[1]))
        app = create_app(world.gateway, Process(home), access)
        house = Console(world, access, app, Door(app, listening))
        await house.door.open()
        flow = asyncio.create_task(_flow(world))
        try:
            yield house
        finally:
            flow.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await flow
            await house.close_door()
            listening.close()


async def _flow(world: World) -> None:
    while True:
        await asyncio.sleep(TICK_MS / 1_000)
        await world.advance(TICK_MS)


async def history(house: Console, session: str, amount: int) -> None:
    """Give a Session a past: one answered Turn, many times over."""
    desk = house.world.gateway.desk
    first = (await send_text(desk, session, "message 1", "1")).turn
    await house.world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    model = await desk.store.one(queries.TURN, id=first.id)
    assert model is not None
    turns = [
        replace(model, id=TurnId(f"turn_{n}"), client_turn_id=str(n), text=f"message {n}", position=n, request_id=None)
        for n in range(2, amount + 1)
    ]
    place = Update("sessions", {"id": session}, {"next_position": amount})
    await desk.store.commit(Changes("past", (*(insert("turns", one) for one in turns), place)))


async def ready(page: Page) -> None:
    """Wait until the page has drawn itself."""
    await expect(page.locator("html[data-ready=true]")).to_be_attached()


async def enter(page: Page, session: str) -> None:
    """Open a conversation."""
    await ready(page)
    await page.evaluate("id => { location.hash = `#/c/${id}`; }", session)
    await expect(page.locator("#conversation")).to_be_visible()


async def write(page: Page, text: str) -> None:
    """Write a text and send it."""
    await page.locator("#words").fill(text)
    await page.locator("#words").press("Enter")


def turn(page: Page, text: str) -> Locator:
    """Find the Turn of a text."""
    return page.locator("article.turn").filter(has=page.locator(".said-text", has_text=text)).last


EDIT: Final = {
    "path": "src/outbox/retry.py",
    "old_string": "async def retry_part(part: Part, now: Instant) -> Outcome:\n    key = entropy.uuid()\n"
    "    return await writer.send(part, key)\n",
    "new_string": "async def retry_part(part: Part, now: Instant) -> Outcome:\n"
    "    if now - part.first_attempt > KEY_WINDOW:\n"
    "        return Outcome.unknown(part)\n    return await writer.send(part, part.uuid)\n",
}


async def an_edit_is_asked(house: Console, session: str, client_turn_id: str) -> str:
    """Put an edit beside what the agent asks, as an agent that edits would ask for it; give its id."""
    rows = await house.world.rows("SELECT id FROM turns WHERE client_turn_id = :id", id=client_turn_id)
    desk = house.world.gateway.desk
    open_now = (await desk.store.all(queries.OPEN_DECISIONS))[0]
    stamp = desk.stamp()
    edit = replace(
        open_now,
        id=f"dec_{session[-8:]}",
        turn_id=TurnId(rows[0][0]),
        subject="Edit src/outbox/retry.py",
        risk="writes",
        reason="Keep the part's own key for every attempt, and stop after 50 minutes.",
        arguments=json.dumps(EDIT),
        call_id="edit-1",
        asked_at=stamp.now,
        seq=stamp.seq,
    )
    await desk.store.commit(Changes("ask", ask_steps(edit)))
    return edit.id
