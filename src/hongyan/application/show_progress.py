"""What the card of a Turn shows next: its events folded, seldom, and on a new card before the old one's stream ends."""

import json
from dataclasses import dataclass
from typing import Final

from hongyan.application.desk import Desk
from hongyan.application.open_progress import progress_card
from hongyan.domain import limits
from hongyan.domain.bindings import holds
from hongyan.domain.cards import Card, from_json
from hongyan.domain.changes import Change
from hongyan.domain.conversations import TERMINAL, Turn, TurnState
from hongyan.domain.deliveries import Part, PartState
from hongyan.domain.identity import TurnId
from hongyan.domain.issued_cards import CardState, Carrier, IssuedCard, age_of
from hongyan.domain.progress_card import (
    AnswerFate,
    Progress,
    Shown,
    answer_fate,
    fold_event,
    is_over,
    keep_time,
    reader_of,
    render_continued,
    render_left,
    render_progress,
    same_but_for_time,
)
from hongyan.ports import queries

__all__ = ["Look", "ProgressShow"]


@dataclass(frozen=True, slots=True)
class Look:
    """What a card shows now, whether nothing comes after it, and what is planned in the same commit."""

    card: Card
    last: bool
    also: tuple[Change, ...] = ()


class ProgressShow:
    """Keeps what it read of running Turns, so that only new events are read; everything else is in the records."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._read: dict[str, Progress] = {}
        self._ahead: dict[str, tuple[str, int]] = {}  # by card: a look that is later than now, when it was first met

    async def look(self, card: IssuedCard, planned: Part) -> Look | None:
        """Give the next look of a card after the planned one; None when it has it already or it is too early."""
        turn = await self._desk.store.one(queries.TURN, id=TurnId(card.subject))
        if turn is None:
            raise AssertionError("a Turn is never deleted")
        shown = await self._shown(turn)
        if is_over(shown):
            self._read.pop(turn.id, None)
            self._ahead.pop(card.id, None)
            return Look(render_progress(shown, "", self._desk.clock.now()), last=True)
        if not shown.revoked and self._must_go_on_below(card, turn):
            new = await progress_card(self._desk, shown, card.ordinal + 1)
            return Look(render_continued(turn), last=True, also=new) if new else None
        return await self._passing(card, planned, shown)

    async def last_look(self, card: IssuedCard) -> Look:
        """Give the look of a card that nobody will keep any more."""
        turn = await self._desk.store.one(queries.TURN, id=TurnId(card.subject))
        if turn is None:
            raise AssertionError("a Turn is never deleted")
        shown = await self._shown(turn)
        self._read.pop(turn.id, None)
        return Look(render_left(shown, self._desk.clock.now()), last=True)

    async def _shown(self, turn: Turn) -> Shown:
        binding = await self._desk.store.one(queries.BINDING, id=turn.binding_id)
        revoked = binding is not None and not holds(binding, turn.binding_revision)
        return Shown(turn, await self._fold(turn), await self._fate(turn), reader_of(binding), revoked)

    async def _passing(self, card: IssuedCard, planned: Part, shown: Shown) -> Look | None:
        now, turn = self._desk.clock.now(), shown.turn
        age = self._age(card, planned)
        if age < _EVERY_MS.get(card.carrier, limits.CARD_EVERY_MS) or planned.state is PartState.REJECTED:
            return None
        if _is_spent(card, turn):
            return None
        if turn.state in TERMINAL and now - turn.ended_at < limits.FINAL_SHOWN_MS:
            return None  # its answer is being read back, and then the last look follows
        stop = await self._desk.store.one(queries.BUTTON_OF, card_id=card.id, subject=card.subject)
        before, drawn = from_json(planned.content), render_progress(shown, stop.id if stop else "", now)
        if same_but_for_time(drawn, before):
            return None if age < limits.CARD_HEARTBEAT_MS else Look(drawn, last=False)
        return Look(keep_time(drawn, before) if card.carrier is Carrier.STREAM else drawn, last=False)

    def _age(self, card: IssuedCard, planned: Part) -> int:
        """Give the milliseconds since a look was planned: its place in the order is its time in microseconds.

        After the clock went back that time is yet to come; then since the look was first met.
        """
        age = self._desk.clock.now() - planned.seq // 1_000
        if age >= 0:
            return age
        boot = self._desk.clock.boot()
        met = self._ahead.get(card.id, ("", 0))
        if met[0] != planned.id:
            met = self._ahead[card.id] = (planned.id, boot)
        return boot - met[1]

    def _must_go_on_below(self, card: IssuedCard, turn: Turn) -> bool:
        """Tell whether the platform will soon end the card's stream while there is still something to show."""
        if card.carrier not in {Carrier.STREAM, Carrier.ENTITY} or card.state is not CardState.VISIBLE:
            return False
        clock = self._desk.clock
        old = age_of(card, clock.now(), clock.boot(), clock.boot_id()) >= limits.CARD_ROTATES_MS
        return old and turn.state in {TurnState.STARTING, TurnState.RUNNING, TurnState.INTERRUPTING}

    async def _fate(self, turn: Turn) -> AnswerFate:
        if turn.state is not TurnState.COMPLETED:
            return AnswerFate.NONE
        parts = await self._desk.store.all(queries.ANSWER_PARTS, request_id=turn.request_id, turn_id=turn.id)
        return answer_fate([(part.state, bool(part.is_due)) for part in parts])

    async def _fold(self, turn: Turn) -> Progress:
        progress = self._read.get(turn.id, Progress())
        rows = await self._desk.store.all(queries.EVENTS_OF_TURN, turn_id=turn.id, after=progress.cursor)
        for row in rows:
            progress = fold_event(progress, row, json.loads(row.body))
        self._read[turn.id] = progress
        return progress


def _is_spent(card: IssuedCard, turn: Turn) -> bool:
    """Tell whether a text has no passing edit left; that of a Turn which stands still is not one."""
    return card.carrier is Carrier.TEXT and card.edits >= limits.TEXT_EDITS and turn.state is not TurnState.HELD


_EVERY_MS: Final = {Carrier.TEXT: limits.TEXT_EDIT_EVERY_MS}
