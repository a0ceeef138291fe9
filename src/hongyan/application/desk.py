"""Everything a use case may touch, in one value, and the few moves that all of them share."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Final, TypeVar

from hongyan.application.open_gaps import OpenGaps
from hongyan.application.starting import Starts
from hongyan.domain import limits
from hongyan.domain.changes import Changes
from hongyan.domain.decisions import Decision
from hongyan.domain.deliveries import Stamp
from hongyan.domain.errors import ConflictError, NotFoundError, StoreError
from hongyan.domain.identity import AppId, TurnId
from hongyan.domain.surfaces import OWN_CHAIN, Chain
from hongyan.ports.agents import Agent, Agents
from hongyan.ports.chat import CallMeter, Cards, CardStreams, Directory, History, Listener, MessageWriter, Reactions
from hongyan.ports.folders import Folders
from hongyan.ports.hosts import Host
from hongyan.ports.store import Store
from hongyan.ports.surroundings import Clock, Entropy, Wakeup

__all__ = [
    "ADMISSION",
    "CARDS",
    "LANES",
    "OUTBOX",
    "START",
    "Chat",
    "Desk",
    "Haste",
    "Options",
    "Order",
    "RunningTurn",
    "decide_again",
    "insist",
]

ADMISSION: Final = "admission"
CARDS: Final = "cards"
LANES: Final = "lanes"
OUTBOX: Final = "outbox"
START: Final = "start"

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Chat:
    """One App, through its ports."""

    app: AppId
    writer: MessageWriter
    cards: Cards
    streams: CardStreams
    reactions: Reactions
    history: History
    directory: Directory
    listener: Listener
    meter: CallMeter


@dataclass(frozen=True, slots=True)
class Options:
    """What the configuration and the machine say about work. Times are milliseconds; people read them in `zone`."""

    executors: frozenset[str]
    reactions: bool = True
    queue_turns: int = limits.QUEUE_TURNS
    queue_life_ms: int = limits.QUEUE_LIFE_MS
    idle_ms: int = limits.AGENT_IDLE_MS
    node_id: str = "local"
    zone: tzinfo = UTC


class Order:
    """Numbers that only grow, in the order in which things were met; seeded from the store after a restart."""

    def __init__(self, last: int = 0) -> None:
        self._last = last

    def next(self, now: int) -> int:
        """Give the next number: microseconds where the clock allows, else one more than the last."""
        self._last = max(self._last + 1, now * 1_000)
        return self._last


class Haste:
    """What is at a step that a person waits for: a Turn on the way to its agent, words on the way to the platform.

    Marks give way to it, because their calls take the processor from it; never for longer than `MARK_YIELDS_MS`.
    """

    def __init__(self) -> None:
        self._urgent: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._urgent)

    def begin(self, item: str) -> None:
        """Note that an item is urgent from now on."""
        self._urgent.add(item)

    def end(self, item: str) -> None:
        """Note that an item is urgent no longer; harmless when it was not."""
        self._urgent.discard(item)


@dataclass(slots=True)
class RunningTurn:
    """A Turn that this process drives: its live agent, whether a stop was asked, and whether it took a kill.

    `beginning` is the write that its agent took the prompt up; nothing waits for it but the end of the Turn.
    """

    session_id: str = ""
    agent: Agent | None = None
    stop_asked: bool = False
    killed: bool = False
    stop_requested: asyncio.Event = field(default_factory=asyncio.Event)
    beginning: "asyncio.Task[None] | None" = None


@dataclass(frozen=True, slots=True)
class Desk:
    """The ports of one gateway. `surfaces` is the order in which an approval is offered, `hosts` the outside ones of
    them by name. `running` holds the Turns that this process drives now, `questions` the decisions that an agent of
    this process waits for, `counted` how many of each App's calls are kept, `starts` which Apps do not work yet."""

    store: Store
    clock: Clock
    entropy: Entropy
    wakeup: Wakeup
    agents: Agents
    folders: Folders
    options: Options
    order: Order = field(default_factory=Order)
    chats: Mapping[AppId, Chat] = field(default_factory=dict)
    surfaces: Chain = OWN_CHAIN
    hosts: Mapping[str, Host] = field(default_factory=dict)
    running: dict[TurnId, RunningTurn] = field(default_factory=dict)
    questions: dict[str, asyncio.Future[Decision]] = field(default_factory=dict)
    haste: Haste = field(default_factory=Haste)
    gaps: OpenGaps = field(default_factory=OpenGaps)
    counted: dict[AppId, int] = field(default_factory=dict)
    starts: Starts = field(default_factory=Starts)

    def stamp(self) -> Stamp:
        """Give the moment and the next place in the order."""
        now = self.clock.now()
        return Stamp(now, self.order.next(now))

    def chat(self, app: AppId) -> Chat:
        """Give an App's ports. Raise NotFoundError when this gateway does not serve it."""
        try:
            return self.chats[app]
        except KeyError:
            raise NotFoundError("app", app) from None

    def platform_now(self, app: AppId) -> int:
        """Give the platform's time in UTC milliseconds as far as it is known, this machine's otherwise."""
        chat = self.chats.get(app)
        offset = chat.directory.platform_offset() if chat else None
        return self.clock.now() + (offset or 0)


async def decide_again(
    desk: Desk, decide: Callable[[], Awaitable[tuple[Changes | None, Result]]], tries: int = limits.CONFLICT_TRIES
) -> Result:
    """Decide on a fresh snapshot and commit, again after a conflict; give what the last decision gave.

    `decide` returns None for "nothing to write". Raise ConflictError when every try met one: put the work back.
    """
    for attempt in range(tries):
        changes, result = await decide()
        try:
            if changes is not None:
                await desk.store.commit(changes)
        except ConflictError:
            if attempt == tries - 1:
                raise
        else:
            return result
    raise ConflictError("decide_again", 0)


async def insist(desk: Desk, write: Callable[[], Awaitable[Result]]) -> Result:
    """Repeat a write that must not be lost until the store takes it: a full disk ends some day.

    Raise any other error at once; after a conflict somebody else moved the row, and repeating would change nothing.
    """
    wait = limits.BACK_OFF_MS
    while True:
        try:
            return await write()
        except StoreError as error:
            if not error.retryable:
                raise
        await desk.clock.sleep(wait)
        wait = min(wait * 2, limits.BACK_OFF_MOST_MS)
