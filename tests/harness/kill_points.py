"""The named moments at which a crash may hit, as wrappers around the ports."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NoReturn, Protocol, TypeVar

from hongyan.application.desk import Chat, Desk
from hongyan.domain.agents import AgentEvent, AgentSeat, Capabilities, PermissionAnswer, Prompt, ReadBack, SteerOutcome
from hongyan.domain.cards import Card
from hongyan.domain.changes import Changes, Value
from hongyan.domain.history import History
from hongyan.domain.identity import ChatId, MessageId
from hongyan.domain.messages import Outbound, Toast
from hongyan.ports.agents import Agent, Agents
from hongyan.ports.chat import Cards, CardStreams, ChatEvent, EventSink, Listener, ListenerState, MessageWriter
from hongyan.ports.store import Query, Store

__all__ = ["CARD_POINTS", "KILL_POINTS", "POINT_OF_LABEL", "Trigger", "wrap_ports"]

POINT_OF_LABEL: Final = {
    "accept": "accepted",
    "admit": "admitted",
    "claim": "claimed",
    "intend_prompt": "intent",
    "freeze_answer": "completing",
    "complete": "completed",
    "intend_part": "part_intended",
    "keep_receipt": "receipt_saved",
    "say_otherwise": "said_otherwise",
    "ask": "asked",
    "intend_card": "card_intended",
    "keep_card": "card_saved",
    "decide": "decided",
    "run_again": "acted",
    "intend_steer": "steer_intended",
    "merge_steer": "steer_merged",
    "keep_entity": "entity_saved",
    "rotate_card": "rotating",
    "close_card": "card_closing",
    "intend_look": "look_intended",
    "keep_look": "look_saved",
    "settle_verified": "verified",
    "continue_turn": "continued",
    "adopt_answer": "adopted",
    "revoke_binding": "revoked",
}

KILL_POINTS: Final = (
    "received",
    "accepted",
    "acked",
    "admitted",
    "claimed",
    "intent",
    "prompt_sent",
    "first_event",
    "completing",
    "completed",
    "part_intended",
    "part_written",
    "receipt_saved",
    "verified",
)

CARD_POINTS: Final = (
    "asked",
    "card_intended",
    "entity_created",
    "entity_saved",
    "card_written",
    "card_saved",
    "decided",
    "acted",
    "answering",
    "rotating",
    "card_closing",
    "look_intended",
    "look_written",
    "look_saved",
)

Row = TypeVar("Row")


class Trigger(Protocol):
    """What happens at a moment: nothing, a parked process, or a real SIGKILL."""

    async def reach(self, point: str) -> None:
        """Pass the moment, or never return."""

    def mark(self, point: str) -> None:
        """Pass a moment at which nothing can wait."""

    async def gate(self) -> None:
        """Let a call through, or never return because the process is dead."""


async def never() -> NoReturn:
    """Wait for ever: what a dead process does."""
    await asyncio.get_running_loop().create_future()
    raise AssertionError("nothing wakes the dead")


class _Store:
    def __init__(self, inner: Store, trigger: Trigger, seen: Callable[[Changes], None]) -> None:
        self._inner, self._trigger, self._seen = inner, trigger, seen

    async def commit(self, changes: Changes) -> tuple[int, ...]:
        await self._trigger.gate()
        counts = await self._inner.commit(changes)
        if changes.label in POINT_OF_LABEL:
            await self._trigger.reach(POINT_OF_LABEL[changes.label])
        self._seen(changes)
        return counts

    async def one(self, query: Query[Row], **arguments: Value) -> Row | None:
        await self._trigger.gate()
        return await self._inner.one(query, **arguments)

    async def all(self, query: Query[Row], **arguments: Value) -> Sequence[Row]:
        await self._trigger.gate()
        return await self._inner.all(query, **arguments)


class _Writer:
    def __init__(self, inner: MessageWriter, trigger: Trigger) -> None:
        self._inner, self._trigger = inner, trigger

    async def write(self, outbound: Outbound) -> MessageId:
        await self._trigger.gate()
        written = await self._inner.write(outbound)
        await self._trigger.reach("part_written")
        return written

    async def edit(self, message: MessageId, text: str) -> None:
        await self._trigger.gate()
        await self._inner.edit(message, text)
        await self._trigger.reach("look_written")

    def pause(self, chat: ChatId, answers: bool) -> int:
        return self._inner.pause(chat, answers)


class _Cards:
    def __init__(self, inner: Cards, trigger: Trigger) -> None:
        self._inner, self._trigger = inner, trigger

    async def post(self, card: Card, at: Outbound) -> MessageId:
        await self._trigger.gate()
        written = await self._inner.post(card, at)
        await self._trigger.reach("card_written")
        return written

    async def patch(self, message: MessageId, card: Card) -> None:
        await self._trigger.gate()
        await self._inner.patch(message, card)
        await self._trigger.reach("look_written")


class _Streams:
    def __init__(self, inner: CardStreams, trigger: Trigger) -> None:
        self._inner, self._trigger = inner, trigger

    async def create(self, card: Card) -> str:
        await self._trigger.gate()
        entity = await self._inner.create(card)
        await self._trigger.reach("entity_created")
        return entity

    async def send(self, entity: str, at: Outbound) -> MessageId:
        await self._trigger.gate()
        written = await self._inner.send(entity, at)
        await self._trigger.reach("card_written")
        return written

    async def update(self, entity: str, sequence: int, card: Card, *, streaming: bool) -> None:
        await self._trigger.gate()
        await self._inner.update(entity, sequence, card, streaming=streaming)
        await self._trigger.reach("look_written")

    async def type_on(self, entity: str, sequence: int, text: str) -> None:
        await self._trigger.gate()
        await self._inner.type_on(entity, sequence, text)
        await self._trigger.reach("look_written")


class _Listener:
    def __init__(self, inner: Listener, trigger: Trigger) -> None:
        self._inner, self._trigger = inner, trigger

    async def listen(self, sink: EventSink, acknowledged: Callable[[ChatEvent], None]) -> None:
        async def receive(event: ChatEvent) -> Toast | None:
            await self._trigger.gate()
            await self._trigger.reach("received")
            return await sink(event)

        def acked(event: ChatEvent) -> None:
            acknowledged(event)
            self._trigger.mark("acked")

        await self._inner.listen(receive, acked)

    async def renew(self) -> None:
        await self._trigger.gate()
        await self._inner.renew()

    def state(self) -> tuple[ListenerState, int]:
        return self._inner.state()


class _Agent:
    def __init__(self, inner: Agent, trigger: Trigger) -> None:
        self._inner, self._trigger = inner, trigger

    def upstream(self) -> str:
        return self._inner.upstream()

    def capabilities(self) -> Capabilities:
        return self._inner.capabilities()

    async def prompt(self, prompt: Prompt) -> AsyncIterator[AgentEvent]:
        events = await self._inner.prompt(prompt)
        await self._trigger.reach("prompt_sent")
        return self._watched(events)

    async def _watched(self, events: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        first = True
        async for event in events:
            if first:
                await self._trigger.reach("first_event")
            first = False
            yield event

    async def interrupt(self) -> None:
        await self._trigger.gate()
        await self._inner.interrupt()

    async def kill(self) -> None:
        await self._inner.kill()

    async def steer(self, text: str) -> SteerOutcome:
        await self._trigger.gate()
        outcome = await self._inner.steer(text)
        await self._trigger.reach("steered")
        return outcome

    async def answer(self, ask_id: str, answer: PermissionAnswer) -> bool:
        await self._trigger.reach("answering")
        return await self._inner.answer(ask_id, answer)

    async def read_back(self, prompt: Prompt) -> ReadBack:
        await self._trigger.gate()
        return await self._inner.read_back(prompt)

    async def history(self) -> History:
        await self._trigger.gate()
        return await self._inner.history()


class _Agents:
    def __init__(self, inner: Agents, trigger: Trigger) -> None:
        self._inner, self._trigger = inner, trigger

    async def attach(self, seat: AgentSeat) -> Agent:
        await self._trigger.gate()
        return _Agent(await self._inner.attach(seat), self._trigger)

    async def detach(self, session_id: str) -> None:
        await self._inner.detach(session_id)

    async def close(self) -> None:
        await self._inner.close()

    def alive(self) -> tuple[str, ...]:
        return self._inner.alive()


def wrap_ports(desk: Desk, trigger: Trigger, seen: Callable[[Changes], None] = lambda _: None) -> Desk:
    """Put the trigger around every port of a desk; `seen` hears of each commit."""
    chats: dict[Any, Chat] = {
        app: replace(
            chat,
            writer=_Writer(chat.writer, trigger),
            cards=_Cards(chat.cards, trigger),
            streams=_Streams(chat.streams, trigger),
            listener=_Listener(chat.listener, trigger),
        )
        for app, chat in desk.chats.items()
    }
    return replace(desk, store=_Store(desk.store, trigger, seen), agents=_Agents(desk.agents, trigger), chats=chats)
