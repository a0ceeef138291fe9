"""Follow a running Turn: keep its events, notice when the agent falls silent, and carry a stop to the agent."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Final

import structlog

from hongyan.application.ask_permission import ask_permission, withdraw_permission
from hongyan.application.desk import CARDS, Desk, RunningTurn
from hongyan.application.end_turn import Seen, say_to_stops
from hongyan.application.open_progress import open_progress
from hongyan.application.routes import route_of
from hongyan.domain import limits
from hongyan.domain.agents import (
    AgentEvent,
    Lost,
    PermissionAsked,
    PermissionWithdrawn,
    Reasoned,
    ToolChanged,
    ToolStatus,
    TurnEnded,
    TurnEnding,
)
from hongyan.domain.changes import Change, Changes, Insert
from hongyan.domain.conversations import Turn, TurnEvent, TurnState, move_turn
from hongyan.domain.deliveries import Phase, mark, part_id, processing_delivery
from hongyan.domain.errors import ConflictError, HongyanError, StoreError
from hongyan.domain.events import keep_event
from hongyan.domain.notices import Notice
from hongyan.domain.reactions import Mark
from hongyan.domain.requests import Origin
from hongyan.ports import queries
from hongyan.ports.agents import Agent

__all__ = ["Outcome", "watch_turn"]

log = structlog.get_logger(__name__)

_KEEP_EVERY_MS: Final = 250  # events are shown, not accounted: a crash may cost this much of them


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a prompt ended at the agent; `idle` when the gateway ended it for its silence.

    `seen` is what a completed prompt leaves to be kept together with its answer.
    """

    last: TurnEnded | Lost
    idle: bool = False
    seen: Seen | None = None


async def watch_turn(
    desk: Desk, turn: Turn, running: RunningTurn, events: AsyncIterator[AgentEvent], cursor: int = 0
) -> Outcome:
    """Follow the events of a prompt to its last one."""
    watch = _Watch(desk, turn, running, cursor)
    duties = (watch.carry_stop(), watch.guard_silence(), watch.show_progress())
    alarms = [asyncio.create_task(duty) for duty in duties]
    try:
        last = await watch.follow(events)
        await watch.settle()
        return Outcome(last, watch.idle, watch.hand_over())
    finally:
        beside = [*alarms, *watch.beside()]
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)


class _Watch:
    """One prompt's progress: open tools, time of the last sign, and the events not yet kept."""

    def __init__(self, desk: Desk, turn: Turn, running: RunningTurn, cursor: int) -> None:
        self.idle = False
        self._desk, self._turn, self._running, self._cursor = desk, turn, running, cursor
        self._open_tools: set[str] = set()
        self._questions: dict[str, asyncio.Task[None]] = {}
        self._last_sign = desk.clock.boot()
        self._last_kept = desk.clock.boot()
        self._unkept: list[Insert] = []
        self._keeping: asyncio.Task[None] | None = None
        self._tool_seen = asyncio.Event()

    async def follow(self, events: AsyncIterator[AgentEvent]) -> TurnEnded | Lost:
        async for event in events:
            self._last_sign = self._desk.clock.boot()
            if isinstance(event, TurnEnded | Lost):
                if not (isinstance(event, TurnEnded) and event.ending is TurnEnding.COMPLETED):
                    await self._keep()
                return event
            await self._note(event)
        return Lost("agent.lost", "the stream of events ended")

    async def _note(self, event: AgentEvent) -> None:
        if isinstance(event, PermissionAsked):
            self._ask(event)
        elif isinstance(event, PermissionWithdrawn):
            await withdraw_permission(self._desk, self._turn, event.ask_id)
        elif isinstance(event, ToolChanged):
            (self._open_tools.add if event.status is ToolStatus.OPEN else self._open_tools.discard)(event.tool_id)
        if not isinstance(event, Reasoned):
            self._cursor += 1
            self._unkept.append(keep_event(self._turn.id, self._cursor, event, self._desk.clock.now()))
        if self._turn.state is TurnState.STARTING and not self._is_beginning():
            self._running.beginning = asyncio.create_task(self._began())
        await self._keep_in_time(event)

    async def _keep_in_time(self, event: AgentEvent) -> None:
        """Keep a tool's move at once, which is seldom and what a person looks for; other events now and then."""
        if isinstance(event, ToolChanged):
            self._tool_seen.set()
            await self._keep()
        elif self._desk.clock.boot() - self._last_kept >= _KEEP_EVERY_MS:
            await self._keep()
        if self._unkept and self._keeping is None:
            self._keeping = asyncio.create_task(self._keep_soon())

    def _is_beginning(self) -> bool:
        return self._running.beginning is not None and not self._running.beginning.done()

    async def _began(self) -> None:
        """The agent took the prompt up; a Turn that is being stopped by now stays so."""
        now = self._desk.clock.now()
        steps = (move_turn(self._turn, TurnEvent.ACCEPT, running_at=now), *await self._working_mark())
        try:
            await self._desk.store.commit(Changes("begin", steps))
        except StoreError:
            return  # no room now: shown at the next event, and the answer does not depend on it
        except ConflictError:
            pass
        self._turn = replace(self._turn, state=TurnState.RUNNING)

    async def _working_mark(self) -> tuple[Change, ...]:
        if not self._desk.options.reactions or self._turn.request_id is None:
            return ()
        request = await self._desk.store.one(queries.REQUEST, id=self._turn.request_id)
        binding = await self._desk.store.one(queries.BINDING, id=self._turn.binding_id)
        if request is None or request.origin is not Origin.LARK or request.app not in self._desk.chats:
            return ()
        mine = part_id(processing_delivery(request.app, self._turn.id), 0)
        if await self._desk.store.one(queries.PART, id=mine) is not None:  # it ran before: its mark had its time
            return ()
        route = route_of(request, binding, self._turn)
        return mark(route, Phase.PROCESSING, Mark.WORKING.value, self._desk.stamp(), limits.WORKING_MARK_AFTER_MS)

    async def _keep_soon(self) -> None:
        """Keep the last events before a pause, however long it becomes: they are what the wait is about."""
        await self._desk.clock.sleep(_KEEP_EVERY_MS)
        self._keeping = None
        await self._keep()

    def hand_over(self) -> Seen:
        """Give what is not kept yet to whoever ends the Turn, and the Turn as it is when the beginning is kept."""
        unkept, self._unkept = self._unkept, []
        turn = replace(self._turn, state=TurnState.RUNNING) if self._is_beginning() else self._turn
        return Seen(turn, tuple(unkept))

    def beside(self) -> "list[asyncio.Task[None]]":
        """Give what still runs beside the events: nothing of it outlives the watch."""
        running = [self._keeping, *self._questions.values()]
        return [task for task in running if task is not None and not task.done()]

    async def _keep(self) -> None:
        unkept, self._unkept = self._unkept, []
        self._last_kept = self._desk.clock.boot()
        if not unkept:
            return
        try:
            await self._desk.store.commit(Changes("keep_events", tuple(unkept)))
        except StoreError:
            self._unkept = unkept + self._unkept  # shown later, or not: the answer does not depend on it
        self._desk.wakeup.wake(CARDS)

    def _ask(self, asked: PermissionAsked) -> None:
        """Bring a request for leave to its decision beside the events; the agent waits, the stream goes on.

        One that is told again, as after a reconnect, is the one that is asked already.
        """
        if asked.ask_id not in self._questions:
            self._questions[asked.ask_id] = asyncio.create_task(self._bring(asked))

    async def _bring(self, asked: PermissionAsked) -> None:
        try:
            await ask_permission(self._desk, self._turn, asked, self._agent())
        finally:
            self._last_sign = self._desk.clock.boot()  # it waited for a person: only now is it silent

    def _asks(self) -> bool:
        return any(not question.done() for question in self._questions.values())

    async def settle(self) -> None:
        """See every question to its end: the prompt is over, so each was answered or withdrawn."""
        results = await asyncio.gather(*self._questions.values(), return_exceptions=True)
        for result in results:
            if isinstance(result, HongyanError):
                log.warning("approval.failed", turn=self._turn.id, code=result.code)

    async def show_progress(self) -> None:
        """Open the Turn's card at its first tool, or when it takes a while."""
        waits = {
            asyncio.create_task(self._tool_seen.wait()),
            asyncio.create_task(self._desk.clock.sleep(limits.CARD_OPENS_MS)),
        }
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        await open_progress(self._desk, self._turn)

    async def guard_silence(self) -> None:
        """End a prompt whose agent gave no sign for too long; an open tool call is a sign."""
        while True:
            silent = self._desk.clock.boot() - self._last_sign
            if silent >= self._desk.options.idle_ms and not self._open_tools and not self._asks():
                break
            await self._desk.clock.sleep(max(self._desk.options.idle_ms - silent, _KEEP_EVERY_MS))
        self.idle = True
        agent = self._agent()
        await agent.interrupt()
        await self._desk.clock.sleep(limits.INTERRUPT_WAIT_MS)
        await agent.kill()

    async def carry_stop(self) -> None:
        """Ask the agent to stop when a person did; say so after a while, then end its process group."""
        await self._running.stop_requested.wait()
        agent = self._agent()
        await agent.interrupt()
        await self._desk.clock.sleep(limits.INTERRUPT_WAIT_MS)
        await say_to_stops(self._desk, self._turn.id, Notice.STOP_STOPPING, last=False)
        await self._desk.clock.sleep(limits.STOP_UNCONFIRMED_MS - limits.INTERRUPT_WAIT_MS)
        self._running.killed = True
        await agent.kill()

    def _agent(self) -> Agent:
        if self._running.agent is None:
            raise AssertionError("a prompt is watched only with a live agent")
        return self._running.agent
