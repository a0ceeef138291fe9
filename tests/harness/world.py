"""A gateway, a simulated platform and the people on it, in one process and one time."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from feishu_simulator import Simulator, SimulatorSettings
from feishu_simulator.announcements import PRIVATE_MESSAGES
from feishu_simulator.clicks import Click
from feishu_simulator.delivery import EventState
from feishu_simulator.faults import Effect, Match
from feishu_simulator.model import App
from feishu_simulator.model import Message as Said
from feishu_simulator.rest.routes import ROUTES
from hongyan.application.configure import BindingWish, add_binding, add_workspace, set_policy
from hongyan.application.desk import ADMISSION, LANES, OUTBOX, Desk
from hongyan.application.pair_owner import begin_pairing, confirm_pairing
from hongyan.application.read_ledger import count_ledger, read_ledger
from hongyan.bootstrap import Gateway, Wiring, open_gateway
from hongyan.config import load_settings
from hongyan.domain.bindings import Audience, Binding, Role, Scope
from hongyan.domain.changes import Changes
from hongyan.domain.identity import AppId
from hongyan.domain.ledger import Ledger
from hongyan.domain.surfaces import OWN_CHAIN
from hongyan.domain.workspaces import Grant
from hongyan.ports.agents import Agents
from hongyan.ports.hosts import Host
from tests.harness.agents import quick_agent
from tests.harness.clock import ManualClock
from tests.harness.crash import Crash, Pause
from tests.harness.disk import Disk
from tests.harness.entropy import SeededEntropy
from tests.harness.kill_points import wrap_ports
from tests.harness.shown_card import CARD, ShownCard, see_card
from tests.harness.waiting import stacks
from tests.harness.world_files import read_rows, write_configuration

__all__ = ["Crash", "Pause", "World", "open_world"]

OPEN_CLASSES: Final = ("captured", "admitted", "queued", "active", "delivering")
PATIENCE_SECONDS: Final = 20.0
_FLOW_MS: Final = 100
_FASTEST_FLOW_MS: Final = 2_000
_SILENT_STEPS: Final = 10  # of 50 ms each: then nothing is in flight that longer steps could let run into a time-out
_OPEN_WRITES: Final = """
SELECT (SELECT count(*) FROM cards WHERE state <> 'closed' AND :cards) + (
  SELECT count(*) FROM parts
  WHERE state IN ('planned', 'intended', 'written') OR (state = 'unknown' AND next_at IS NOT NULL))
"""  # in one look: what moves from one to the other meanwhile must not be missed
_FLOWING_STEPS: Final = 600


class World:
    """What a scenario acts on and looks at. Made by `open_world`."""

    def __init__(self, home: Path, simulator: Simulator, seed: int) -> None:
        self.home, self.simulator = home, simulator
        self.platform = simulator.platform
        self.clock = ManualClock(simulator.clock)
        self.app = self.platform.add_app("Hongyan")
        self.owner = self.platform.add_user("Lin Yan")
        self.colleague = self.platform.add_user("Chen Yu")
        self.chat = self.platform.private_chat(self.owner, self.app)
        self.workspace = home / "workspace"
        self.agent_state = home / "agent-state"
        rehearsal = quick_agent()
        self.executors: dict[str, list[str]] = {
            "rehearsal": rehearsal,
            "plain": [*rehearsal, "--plain"],
            "reticent": rehearsal,  # its thoughts are called reasoning, not summaries
        }
        self.profiles = ["work"]
        self.more_apps: list[App] = []
        self.disk = Disk()
        self.surfaces = OWN_CHAIN
        self.hosts: dict[str, Host] = {}
        self.dress: Callable[[Agents], Agents] = lambda agents: agents
        self.binding: Binding | None = None
        self.commits: list[Changes] = []
        self._entropy = SeededEntropy(seed)
        self._trigger = Crash()
        self._gateway: Gateway | None = None
        self._abandoned: list[Gateway] = []
        self._running: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        simulator.subscribe(self._changed.set)

    @property
    def gateway(self) -> Gateway:
        """Give the gateway that runs now."""
        if self._gateway is None:
            raise AssertionError("no gateway runs")
        return self._gateway

    @property
    def app_id(self) -> AppId:
        """Name the App."""
        return AppId(self.app.app_id)

    # --- the gateway's life -----------------------------------------------------------------

    async def start(self, crash: Crash | None = None, *, reactions: bool = True) -> None:
        """Start a gateway on the home and wait until it listens; its configuration file is written anew."""
        await self.begin(crash, reactions=reactions)
        await self.until(self.has_begun)

    async def begin(self, crash: Crash | None = None, *, reactions: bool = True) -> None:
        """Start a gateway and wait for nothing."""
        profiles = [(name, self.app) for name in self.profiles] + [(app.name, app) for app in self.more_apps]
        write_configuration(self.home, profiles, self.executors, self.simulator.base_url, reactions=reactions)
        trigger = self._trigger = crash or Crash()
        settings = load_settings(self.home, {})
        wiring = Wiring(clock=self.clock, entropy=self._entropy, wrap=lambda desk: self._wrap(desk, trigger))
        self._gateway = await open_gateway(settings, wiring)
        self._running = asyncio.create_task(self._gateway.run())

    def has_begun(self) -> bool:
        """Tell whether the gateway listens to the platform, or came to the end that it was given."""
        return bool(self.platform.connections.live(self.app.app_id)) or self._trigger.dead.is_set()

    async def crash(self) -> None:
        """Drop the gateway as SIGKILL would: nothing is finished, no agent is told."""
        await self._cancel_run()
        await self.gateway.abandon()
        self._abandoned.append(self.gateway)
        self._gateway = None

    async def restart(self, crash: Crash | None = None) -> None:
        """Crash and start again on the same files."""
        await self.crash()
        await self.start(crash)

    async def stop(self) -> None:
        """Stop the gateway in an orderly way."""
        if self._gateway is not None:
            await self._cancel_run()
            await self._gateway.close()
            self._gateway = None
        for gateway in self._abandoned:  # what a crash left behind must not outlive the test
            await gateway.desk.agents.close()
        self._abandoned.clear()

    async def bind(self, executor: str = "rehearsal") -> None:
        """Pair the owner by a real message and bind the private chat to the workspace and an executor."""
        desk = self.gateway.desk
        pairing = await begin_pairing(desk, self.app_id, replace_owner=False)
        self.say(pairing.code)
        await self.until_rows("SELECT 1 FROM pairings WHERE state = 'claimed'")
        await confirm_pairing(desk, pairing.pairing_id)
        self.workspace.mkdir(exist_ok=True)
        await add_workspace(desk, "work", str(self.workspace), Grant.WRITE)
        wish = BindingWish(
            self.app_id, Audience.OWNER_PRIVATE, Role.PROJECT, "work", executor, None, Scope.HOST_DEFAULT
        )
        self.binding = await add_binding(desk, wish)

    async def set_policy(self, policy: str) -> None:
        """Give the binding another approval policy."""
        if self.binding is None:
            raise AssertionError("nothing is bound")
        await set_policy(self.gateway.desk, self.binding.id, policy)

    # --- people and time --------------------------------------------------------------------

    def say(self, text: str) -> Said:
        """Write to the bot as the owner."""
        return self.platform.people.write(self.owner.user_id, self.app.app_id, text)

    async def advance(self, milliseconds: int, *, leap: bool = False) -> None:
        """Move time step by step, or in one leap as over a suspended machine; then let every worker look."""
        await (self.clock.leap if leap else self.clock.advance)(milliseconds)
        for topic in (ADMISSION, LANES, OUTBOX):
            if self._gateway is not None:
                self._gateway.desk.wakeup.wake(topic)

    def release(self, name: str) -> None:
        """Let an agent go on that waits at `[[wait:NAME]]`."""
        (self.agent_state / name).touch()

    def fault(self, endpoint: str, effect: Effect, *, times: int | None = 1, nth: int | None = None) -> None:
        """Let the platform misbehave on matching calls or events."""
        self.platform.faults.add(Match(endpoint, times=times, nth=nth), effect)

    def forbid(self, scope: str) -> None:
        """Take one permission from the App; it keeps the others that a private chat needs."""
        every = {name for route in ROUTES for name in route.scopes}
        self.app.scopes = frozenset(every.union(PRIVATE_MESSAGES) - {scope})

    def fault_read_once(self) -> None:
        """Let the next read-back of a message fail in a way that passes."""
        self.fault("GET /open-apis/im/v1/messages/:message_id", Effect(http_status=503))

    # --- looking ----------------------------------------------------------------------------

    def answers(self) -> list[str]:
        """Give the visible words of the bot in the owner's chat, in order and in whatever form: the oracle."""
        visible = self.platform.visible(self.chat.chat_id)
        return [message.text for message in visible if message.by_bot and not self._is_titled(message)]

    def answers_to(self, said: Said) -> list[str]:
        """Give the visible words of the bot that answer one message."""
        visible = self.platform.visible(self.chat.chat_id)
        mine = (message for message in visible if message.parent_id == said.message_id)
        return [message.text for message in mine if not self._is_titled(message)]

    def cards(self) -> list[ShownCard]:
        """Give the cards with a title in the owner's chat as a person sees them now; others only carry words."""
        visible = self.platform.visible(self.chat.chat_id)
        return [see_card(self.platform, message) for message in visible if message.by_bot and self._is_titled(message)]

    def click(self, card: ShownCard, label: str, nth: int = 0) -> Click:
        """Press a button of a card as the owner; the nth of that label."""
        return self.platform.click(self.owner, card.message_id, **card.press(label, nth))

    async def clicked(self, card: ShownCard, label: str, nth: int = 0) -> str:
        """Press a button and wait for the line that the person sees."""
        click = self.click(card, label, nth)
        await self.until(lambda: click.ended)
        return str((click.toast or {}).get("content", click.problem))

    def marks_on(self, said: Said) -> list[str]:
        """Give the emoji types that stand under a message now."""
        return sorted(reaction.emoji for reaction in self.platform.reactions(said.message_id))

    def prompts(self) -> list[str]:
        """Give every prompt text the agent program saw, over all its processes: the witness of model calls."""
        log = self.agent_state / "prompts.log"
        return [json.loads(line)["text"] for line in log.read_text().splitlines()] if log.exists() else []

    async def rows(self, sql: str, **arguments: Any) -> list[tuple[Any, ...]]:
        """Read the database file past the gateway."""
        return await asyncio.to_thread(read_rows, self.home / "hongyan.db", sql, arguments)

    async def ledger(self) -> Ledger:
        """Read the gateway's own two partitions."""
        return await read_ledger(self.gateway.desk)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds; it is asked again after every change anywhere."""
        await self._until(lambda: _resolved(condition()))

    async def flow_until(self, condition: Callable[[], bool]) -> None:
        """Let time pass until the condition holds, at the pace at which everybody keeps up with it."""
        await self._flow(lambda: _resolved(condition()))

    async def until_rows(self, sql: str, **arguments: Any) -> None:
        """Wait until the query gives a row."""
        await self._until(lambda: self._any(sql, arguments))

    async def until_asleep(self, milliseconds: int) -> None:
        """Wait until somebody sleeps for exactly that long from now: the timer that a step of time is to ring."""
        await self.until(lambda: self.clock.sleeps_for(milliseconds))

    async def until_settled(self, *, flowing: bool = False, but: tuple[str, ...] = (), cards: bool = True) -> None:
        """Wait until nothing is open: every request has its end (or is held or asked about), every write too.

        Time stands still meanwhile, so that a lost wake-up shows; `flowing` lets it pass where a rate limit waits.
        `but` names open classes that are allowed to stay; without `cards` open cards are, too.
        """
        await (self._flow if flowing else self._until)(lambda: self._is_settled(but, cards))

    async def adds_up(self) -> Ledger:
        """Check both partitions against a full count and the platform's own list; every scenario ends here."""
        ledger = await count_ledger(self.gateway.desk)
        said = [message for chat_id in self._private_chats() for message in self.platform.said(chat_id)]
        journal = await self.rows("SELECT count(*) FROM requests WHERE origin = 'lark'")
        found = await self.rows(
            "SELECT count(*) FROM parts "
            "WHERE transport IN ('text', 'post', 'words_card', 'card', 'card_text') AND provider_id <> ''"
        )
        shown = sum(m.by_bot for chat in self._private_chats() for m in self.platform.visible(chat))
        assert ledger.received.balanced, ledger
        assert ledger.writes.balanced, ledger
        assert journal[0][0] == len(said), f"{journal[0][0]} journal rows, {len(said)} messages were said"
        assert found[0][0] == shown, f"{found[0][0]} writes are accounted for, {shown} bot messages are visible"
        return ledger

    # --- inside -----------------------------------------------------------------------------

    def _is_titled(self, message: Said) -> bool:
        return message.msg_type == CARD and "header" in self.platform.card(message.message_id)

    def _private_chats(self) -> list[str]:
        return [self.platform.private_chat(user, self.app).chat_id for user in (self.owner, self.colleague)]

    async def _is_settled(self, but: tuple[str, ...] = (), cards: bool = True) -> bool:
        ended = {EventState.ACKED, EventState.ABANDONED}
        if any(event.state not in ended for event in self.platform.events("im.message.receive_v1")):
            return False
        classes = (await self.ledger()).received.classes
        if any(classes[name] for name in OPEN_CLASSES if name not in but):
            return False
        # After the requests, not before: what moves a request on plans its words in the same commit.
        return not (await self.rows(_OPEN_WRITES, cards=cards))[0][0]

    async def _any(self, sql: str, arguments: dict[str, Any]) -> bool:
        return bool(await self.rows(sql, **arguments))

    async def _explain(self) -> str:
        """Tell what is still open, for a wait that ran out."""
        requests = await self.rows("SELECT state, code, tries, next_at, command FROM requests WHERE state <> 'closed'")
        turns = await self.rows("SELECT state, text FROM turns WHERE state NOT IN ('completed', 'failed')")
        parts = await self.rows(
            "SELECT transport, state, code, next_at, attempts, order_key FROM parts "
            "WHERE state IN ('planned', 'intended', 'written', 'unknown')"
        )
        return (
            f"now {self.clock.now()}\nrequests {requests}\nturns {turns}\nparts {parts}\n{self.answers()}\n{stacks()}"
        )

    async def _until(self, condition: Callable[[], Awaitable[bool]]) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE_SECONDS
        while not await condition():
            await self._change()
            if loop.time() > deadline:
                raise AssertionError(await self._explain())

    async def _flow(self, condition: Callable[[], Awaitable[bool]]) -> None:
        """Move time in small steps while something happens, in longer ones while nothing does."""
        step, silent = _FLOW_MS, 0
        for _ in range(_FLOWING_STEPS):
            if await condition():
                return
            await self.advance(step)
            self._changed.clear()  # the step itself is no change to wait for
            if not await condition():
                silent = 0 if await self._change() else silent + 1
                step = min(2 * step, _FASTEST_FLOW_MS) if silent > _SILENT_STEPS else _FLOW_MS
        raise AssertionError(await self._explain())

    async def _change(self) -> bool:
        """Wait a moment for a change anywhere and tell whether there was one; raise what ended the gateway."""
        if self._running is not None and self._running.done():
            self._running.result()
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):  # `wait_for` may swallow a cancellation
                await self._changed.wait()
        changed = self._changed.is_set()
        self._changed.clear()
        return changed

    def _wrap(self, desk: Desk, trigger: Crash) -> Desk:
        dressed = replace(desk, store=self.disk.under(desk.store), agents=self.dress(desk.agents))
        asked = replace(dressed, surfaces=self.surfaces, hosts=self.hosts)
        return wrap_ports(asked, trigger, self._seen)

    def _seen(self, changes: Changes) -> None:
        self.commits.append(changes)
        self._changed.set()

    async def _cancel_run(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running}, timeout=PATIENCE_SECONDS)
            if not self._running.done():
                raise AssertionError(f"the gateway goes on although it was cancelled\n{stacks()}")
            with suppress(asyncio.CancelledError):
                self._running.result()
            self._running = None


@asynccontextmanager
async def open_world(
    home: Path, *, seed: int = 7, bound: bool = True, executor: str = "rehearsal"
) -> AsyncIterator[World]:
    """Give a world whose gateway runs, by default with its owner paired and bound; close everything at the end."""
    async with Simulator(SimulatorSettings(clock="virtual", seed=seed)) as simulator:
        world = World(home, simulator, seed)
        world.agent_state.mkdir(parents=True, exist_ok=True)
        try:
            if bound:
                await world.start()
                await world.bind(executor)
            yield world
        finally:
            await world.stop()


async def _resolved(value: bool) -> bool:
    return value
