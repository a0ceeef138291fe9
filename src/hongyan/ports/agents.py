"""The programs that answer, seen from one Session.

`Agents` gives a live agent for a seat; `Agent` takes one prompt at a time; `TurnControl` stops or steers it;
`TurnHistory` reads back what became of a prompt after a crash. The executor chooses the process behind it; nothing of a
chat or of the store is known there.
"""

from collections.abc import AsyncIterator
from typing import Protocol

from hongyan.domain.agents import AgentEvent, AgentSeat, Capabilities, PermissionAnswer, Prompt, ReadBack, SteerOutcome
from hongyan.domain.history import History

__all__ = ["Agent", "Agents", "Permissions", "TurnControl", "TurnHistory"]


class TurnControl(Protocol):
    """Stop or steer what runs."""

    async def interrupt(self) -> None:
        """Ask the agent to stop the running prompt and return at once; `TurnEnded` tells when it did.

        A prompt that just ended is left alone.
        """

    async def steer(self, text: str) -> SteerOutcome:
        """Hand more words to the running prompt, within a bounded time, and tell what became of them.

        Only `TAKEN` makes them part of the prompt, and the event `Steered` shows where; an agent whose capabilities
        do not name it says `REFUSED`.
        """

    async def kill(self) -> None:
        """End the agent's whole process group and return when the operating system says that it is gone.

        A prompt that runs ends as `Lost`. Safe to repeat.
        """


class TurnHistory(Protocol):
    """Read back, never guess."""

    async def read_back(self, prompt: Prompt) -> ReadBack:
        """Tell from the agent's own history what became of an earlier prompt.

        Only called while no prompt runs. Evidence.UNKNOWN when the agent keeps no history that proves it.
        """

    async def history(self) -> History:
        """Read the agent's whole history of its session; `UNREADABLE` when it keeps none that proves anything.

        Only called while no prompt runs.
        """


class Permissions(Protocol):
    """Answer what an agent asked leave for."""

    async def answer(self, ask_id: str, answer: PermissionAnswer) -> bool:
        """Hand the answer over and tell whether the agent was still waiting for it; a second answer is never taken."""


class Agent(TurnControl, TurnHistory, Permissions, Protocol):
    """A live agent attached to one upstream session."""

    def upstream(self) -> str:
        """Give the agent's own session id; it is stored before the first prompt."""

    def capabilities(self) -> Capabilities:
        """Give what the agent said about itself when it started."""

    async def prompt(self, prompt: Prompt) -> AsyncIterator[AgentEvent]:
        """Hand over one prompt: return when it was written to the agent, with the iterator of its events.

        The last event is `TurnEnded` or `Lost`. Raise AgentBusyError when a prompt is still running, AgentError when
        it could not be written (the agent may have seen a part of it). Closing the iterator does not stop the agent.
        """


class Agents(Protocol):
    """All agent processes of this gateway."""

    async def attach(self, seat: AgentSeat) -> Agent:
        """Give the live agent of a seat; start its process when there is none.

        With an empty `upstream` a new session is opened; otherwise that session is resumed. Raise AgentStartError
        (not started in time, not found), AgentProtocolError, or AgentSessionLostError when the agent no longer knows
        the session: a lost session is never replaced silently.
        """

    async def detach(self, session_id: str) -> None:
        """Put the agent of a Session away: end its process group. Safe to repeat."""

    async def close(self) -> None:
        """End every agent process; each within a bounded time."""

    def alive(self) -> tuple[str, ...]:
        """Give the Session ids that have a live agent process."""
