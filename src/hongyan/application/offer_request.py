"""Offer a request for leave to the chain of surfaces, and wait for the first decision or for its end.

The record is committed before anybody sees it, and it alone says who was first: a surface that answers late meets a
record that is decided.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import structlog

from hongyan.application.decide import decide, plan_verdict
from hongyan.application.desk import CARDS, OUTBOX, Desk, decide_again, insist
from hongyan.domain import limits
from hongyan.domain.changes import Change, Changes
from hongyan.domain.decisions import (
    REVOKED,
    Decision,
    DecisionState,
    Objection,
    Outcome,
    Verdict,
    ask_steps,
    decide_steps,
    expire_steps,
)
from hongyan.domain.errors import ConflictError, HongyanError, RefusedError
from hongyan.domain.surfaces import (
    CARD,
    OWN,
    Asking,
    Broken,
    Decided,
    Known,
    Passed,
    Reply,
    add_up,
    is_decision,
    reply_of,
    stops_the_chain,
)
from hongyan.ports import queries

__all__ = ["Offered", "offer_request"]

log = structlog.get_logger(__name__)

_ASK_TRIES: Final = 64  # requests that meet on one card: each conflict means that another one went on


@dataclass(frozen=True, slots=True)
class Offered:
    """A request, what is known of it before anybody is asked, and how its card is planned."""

    decision: Decision
    known: Known
    plan_card: Callable[[], Awaitable[tuple[Change, ...]]]


async def offer_request(desk: Desk, offered: Offered) -> Decision:
    """Ask the surfaces in their order and give the decision as it was decided first, or expired."""
    decision = offered.decision
    waiting: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
    desk.questions[decision.id] = waiting
    try:
        chain = _Round(desk, offered)
        verdict = await chain.offer()
        if verdict is not None and not chain.recorded:
            return await _decide_unseen(desk, decision, verdict)
        if verdict is not None:
            await _decide(desk, decision, verdict)
        if await chain.race(waiting):
            return waiting.result()
        return await _expire(desk, decision)
    finally:
        del desk.questions[decision.id]


class _Round:
    """One walk along the chain: who was asked, what of it is committed, which hosts still ask."""

    def __init__(self, desk: Desk, offered: Offered) -> None:
        self.recorded = False
        self._desk, self._offered = desk, offered
        self._decision = offered.decision
        self._card_due = False
        self._own_asks = False
        self._hosts: list[str] = []

    async def offer(self) -> Verdict | None:
        """Ask one surface after the other; give what they decided, None while somebody asks."""
        replies: list[Reply] = []
        for name in self._desk.surfaces.surfaces:
            reply = reply_of(name, self._offered.known) if name in OWN else await self._offer_to_host(name)
            replies.append(reply)
            if isinstance(reply, Asking):
                self._asks(name)
            if stops_the_chain(reply):
                break
        verdict = add_up(replies, self._desk.clock.now())
        if verdict is None:
            await self._show()
        return verdict

    def _asks(self, name: str) -> None:
        if name not in OWN:
            self._hosts.append(name)
        else:
            self._own_asks = True
            self._card_due = self._card_due or name == CARD

    async def _offer_to_host(self, name: str) -> Reply:
        host = self._desk.hosts.get(name)
        if host is None:
            return Passed()
        await self._show()  # what stands before it is shown first
        offering = asyncio.create_task(host.offer(self._decision))
        await _within(self._desk, offering, limits.HOST_OFFER_MS)
        return _heard(name, offering, self._desk.clock.now())

    async def _show(self) -> None:
        """Commit the record, or the card of one that stands already."""

        async def attempt() -> tuple[Changes | None, None]:
            if not self.recorded:
                card = await self._offered.plan_card() if self._card_due else ()
                return Changes("ask", (*ask_steps(self._decision), *card)), None
            known = await self._desk.store.one(queries.DECISION, id=self._decision.id)
            if known is None or known.state is not DecisionState.ASKED:
                return None, None  # a host was faster than the card
            return Changes("ask_on_card", await self._offered.plan_card()), None

        if self.recorded and not self._card_due:
            return
        await insist(self._desk, lambda: decide_again(self._desk, attempt, _ASK_TRIES))
        self.recorded, self._card_due = True, False
        for topic in (CARDS, OUTBOX):
            self._desk.wakeup.wake(topic)

    async def race(self, waiting: "asyncio.Future[Decision]") -> bool:
        """Wait until the record is decided, by whomever; False when its time ran out."""
        expiry = asyncio.create_task(_until_over(self._desk, self._decision))
        hosts = {asyncio.create_task(self._desk.hosts[name].wait(self._decision)): name for name in self._hosts}
        try:
            while not waiting.done() and not expiry.done():
                racers: set[asyncio.Future[Any]] = {waiting, expiry, *hosts}
                done, _ = await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)
                for host in [one for one in hosts if one in done]:
                    await self._hear(hosts.pop(host), host, alone=not hosts and not self._own_asks)
        finally:
            await _put_away(expiry, *hosts)
        return waiting.done()

    async def _hear(self, name: str, host: "asyncio.Task[Outcome]", *, alone: bool) -> None:
        """Take the word of a host that asked; unavailable counts only when nobody else is left."""
        outcome = Outcome.UNAVAILABLE if host.exception() else host.result()
        now = self._desk.clock.now()
        if is_decision(outcome):
            await _decide(self._desk, self._decision, Verdict(outcome, name, name, now))
        elif alone:
            await _decide(self._desk, self._decision, Verdict(Outcome.UNAVAILABLE, name, name, now))


def _heard(name: str, offering: "asyncio.Task[Outcome]", now: int) -> Reply:
    """Read what came of an offer; one that took too long was passed over."""
    if offering.cancelled():
        return Passed()
    error = offering.exception()
    if isinstance(error, HongyanError):
        return Passed()
    if error is not None:
        log.error("surface.broke", surface=name, error=type(error).__name__)
        return Broken()
    outcome = offering.result()
    if outcome is Outcome.OPEN:
        return Asking()
    return Decided(Verdict(outcome, name, name, now)) if is_decision(outcome) else Passed()


async def _within(desk: Desk, task: "asyncio.Task[Outcome]", milliseconds: int) -> None:
    """Wait for a task so long at most; one that is not done then is cancelled."""
    patience = asyncio.create_task(desk.clock.sleep(milliseconds))
    try:
        await asyncio.wait({task, patience}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _put_away(task, patience)


async def _put_away(*tasks: "asyncio.Task[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _until_over(desk: Desk, decision: Decision) -> None:
    """Return when a request's time ran out, by the clock on the wall: while a machine sleeps, no timer runs.

    A wall clock that goes back does not make it longer.
    """
    began = desk.clock.boot()
    while True:
        left = decision.expires_at - desk.clock.now()
        if left <= 0 or desk.clock.boot() - began >= limits.APPROVAL_LIFE_MS:
            return
        await desk.clock.sleep(min(left, limits.APPROVAL_LOOK_MS))


async def _decide_unseen(desk: Desk, decision: Decision, verdict: Verdict) -> Decision:
    """Commit question and decision in one: nobody was asked. After a revocation a yes is none."""

    async def attempt() -> tuple[Changes, Outcome]:
        planned, outcome = await plan_verdict(desk, decision, verdict), verdict.outcome
        if isinstance(planned, Objection):
            outcome = Outcome.CANCELLED
            planned = decide_steps(decision, Verdict(outcome, REVOKED, REVOKED, verdict.at))
        return Changes("ask_and_decide", (*ask_steps(decision), *planned)), outcome

    decided = await insist(desk, lambda: decide_again(desk, attempt))
    return replace(decision, state=DecisionState.DECIDED, outcome=decided)


async def _decide(desk: Desk, decision: Decision, verdict: Verdict) -> None:
    with contextlib.suppress(RefusedError):  # somebody was first: that decision stands
        await decide(desk, decision.id, verdict.outcome, verdict.by, verdict.where)


async def _expire(desk: Desk, decision: Decision) -> Decision:
    with contextlib.suppress(ConflictError):  # decided in the last moment: that decision stands
        await desk.store.commit(Changes("expire_decision", expire_steps(decision, desk.clock.now())))
    return await desk.store.one(queries.DECISION, id=decision.id) or decision
