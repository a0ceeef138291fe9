"""Agents without processes: they play the words of a prompt at once, and remember what was asked of them.

For tests that need thousands of Turns. What a real agent process does, `rehearsal_agent` shows; the words mean the same
here: `say`, `long`, `tool`, `open-tool`, `ask`, `wait`, `hang`, `crash`; other text is echoed.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

from hongyan.domain.agents import (
    AgentEvent,
    AgentSeat,
    Capabilities,
    Evidence,
    Lost,
    PermissionAnswer,
    PermissionAsked,
    PermissionWithdrawn,
    Prompt,
    ReadBack,
    ReadBackKind,
    SteerOutcome,
    TextArrived,
    ToolChanged,
    ToolStatus,
    TurnEnded,
    TurnEnding,
)
from hongyan.domain.history import UNREADABLE, History
from hongyan.ports.agents import Agent, Agents

__all__ = ["Troupe"]

_WORD: Final = re.compile(r"\[\[([a-z-]+)(?::(.*?))?\]\]", re.DOTALL)
_LONG: Final = "# 标题\n\n" + "雁" * 9_600  # one letter has three bytes: two cards
_CAPABILITIES: Final = Capabilities("troupe", "1", True, ReadBackKind.LEDGER, False, False)


@dataclass(slots=True)
class Played:
    """One prompt as its agent remembers it."""

    text: str
    ending: TurnEnding | None = None
    answer: str = ""


@dataclass(slots=True)
class Troupe:
    """What outlives a gateway: the agents' own histories, by their session and the key of the prompt."""

    prompts: list[str] = field(default_factory=list)
    history: dict[str, dict[str, Played]] = field(default_factory=dict)
    _cues: dict[str, asyncio.Event] = field(default_factory=dict)

    def dress(self, _: Agents) -> Agents:
        """Give the agents of one life of the gateway."""
        return _Players(self)

    def cue(self, name: str) -> asyncio.Event:
        """Give what `[[wait:NAME]]` waits for."""
        return self._cues.setdefault(name, asyncio.Event())

    def release(self, name: str) -> None:
        """Let an agent go on that waits at `[[wait:NAME]]`."""
        self.cue(name).set()


class _Players:
    def __init__(self, troupe: Troupe) -> None:
        self._troupe = troupe
        self._players: dict[str, _Player] = {}

    async def attach(self, seat: AgentSeat) -> Agent:
        player = self._players.get(seat.session_id)
        if player is None:
            upstream = seat.upstream or f"play-{len(self._troupe.history)}"
            self._troupe.history.setdefault(upstream, {})
            player = self._players[seat.session_id] = _Player(self._troupe, upstream)
        return player

    async def detach(self, session_id: str) -> None:
        player = self._players.pop(session_id, None)
        if player is not None:
            await player.kill()

    async def close(self) -> None:
        for session_id in tuple(self._players):
            await self.detach(session_id)

    def alive(self) -> tuple[str, ...]:
        return tuple(self._players)


class _Player:
    def __init__(self, troupe: Troupe, upstream: str) -> None:
        self._troupe, self._upstream = troupe, upstream
        self._events: asyncio.Queue[AgentEvent] = asyncio.Queue()
        self._playing: asyncio.Task[None] | None = None
        self._asked: dict[str, asyncio.Future[PermissionAnswer]] = {}
        self._said = ""

    def upstream(self) -> str:
        return self._upstream

    def capabilities(self) -> Capabilities:
        return _CAPABILITIES

    async def prompt(self, prompt: Prompt) -> AsyncIterator[AgentEvent]:
        played = self._troupe.history[self._upstream][prompt.key] = Played(prompt.text)
        self._troupe.prompts.append(prompt.text)
        self._events, self._said = asyncio.Queue(), ""
        self._playing = asyncio.create_task(self._play(played))
        return self._stream()

    async def _stream(self) -> AsyncIterator[AgentEvent]:
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, TurnEnded | Lost):
                return

    async def _play(self, played: Played) -> None:
        try:
            for name, argument in _WORD.findall(played.text):
                await self._act(name, argument)
        except asyncio.CancelledError:
            self._end(played, TurnEnding.INTERRUPTED)
            raise
        except ConnectionError:
            self._events.put_nowait(Lost("agent.lost", "the agent left"))
            return
        if not _WORD.search(played.text):
            self._speak(f"echo: {played.text}")
        self._end(played, TurnEnding.COMPLETED)

    async def _act(self, name: str, argument: str) -> None:
        match name:
            case "say" | "long":
                self._speak(argument or _LONG)
            case "tool" | "open-tool":
                self._tool(argument, ended=name == "tool")
            case "ask":
                await self._ask(argument)
            case "wait":
                await self._troupe.cue(argument).wait()
            case "hang":
                await asyncio.get_running_loop().create_future()
            case "crash":
                raise ConnectionError
            case _:
                raise AssertionError(f"nobody can play {name!r}")

    async def _ask(self, title: str) -> None:
        ask_id = f"ask-{len(self._asked)}"
        self._asked[ask_id] = asyncio.get_running_loop().create_future()
        self._events.put_nowait(PermissionAsked(ask_id, ask_id, title, "execute", title, (), True))
        try:
            answer = await self._asked[ask_id]
        except asyncio.CancelledError:
            self._events.put_nowait(PermissionWithdrawn(ask_id))
            raise
        self._speak(f"The answer was: {answer.value}.")

    def _tool(self, title: str, *, ended: bool) -> None:
        for status in (ToolStatus.OPEN, ToolStatus.DONE)[: 1 + ended]:
            self._events.put_nowait(ToolChanged(title, title, "read", status))
        self._said = ""

    def _speak(self, text: str) -> None:
        self._said += text
        self._events.put_nowait(TextArrived(text))

    def _end(self, played: Played, ending: TurnEnding) -> None:
        played.ending, played.answer = ending, self._said
        self._events.put_nowait(TurnEnded(ending, self._said))

    async def interrupt(self) -> None:
        if self._playing is not None and not self._playing.done():
            self._playing.cancel()

    async def kill(self) -> None:
        if self._playing is not None and not self._playing.done():
            self._playing.cancel()
            await asyncio.gather(self._playing, return_exceptions=True)

    async def steer(self, text: str) -> SteerOutcome:
        return SteerOutcome.REFUSED

    async def answer(self, ask_id: str, answer: PermissionAnswer) -> bool:
        asked = self._asked.get(ask_id)
        if asked is None or asked.done():
            return False
        asked.set_result(answer)
        return True

    async def history(self) -> History:
        return UNREADABLE

    async def read_back(self, prompt: Prompt) -> ReadBack:
        played = self._troupe.history[self._upstream].get(prompt.key)
        if played is None:
            return ReadBack(Evidence.ABSENT)
        if played.ending is None:
            return ReadBack(Evidence.UNFINISHED)
        return ReadBack(Evidence.ENDED, played.ending, played.answer)
