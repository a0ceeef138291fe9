"""Another program that can ask its own user on our behalf: an outside surface of the approval chain."""

from typing import Protocol

from hongyan.domain.decisions import Decision, Outcome

__all__ = ["Host"]


class Host(Protocol):
    """One outside surface. What it is asked is committed before, and decided in our record alone."""

    async def offer(self, decision: Decision) -> Outcome:
        """Show the request, within a bounded time.

        Give `OPEN` when it is shown and its user has to think, `UNAVAILABLE` when it cannot be shown there, or what it
        decided at once. Safe to repeat for the same id: it is shown once.
        """

    async def wait(self, decision: Decision) -> Outcome:
        """Wait for its user and give what was decided, or `UNAVAILABLE` when nobody there will.

        Cancelled when somebody else decided first: take the question away then.
        """
