"""Bring every card to the look that its records have now: whoever decided, wherever, and whatever a crash cut off.

Nothing here is told what happened. A look is drawn anew from the records and compared with the last one that was
planned, so that a lost hint, a restart and another surface's decision all end in the same card.
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from hongyan.application.desk import OUTBOX, Desk
from hongyan.application.show_owed import look_at_owed
from hongyan.domain import limits
from hongyan.domain.approval_card import Line, render_approvals
from hongyan.domain.cards import Card, from_json, to_json
from hongyan.domain.changes import Change, Changes, Update, Where
from hongyan.domain.conversations import TERMINAL, Turn, TurnState
from hongyan.domain.decisions import Applied, Decision, DecisionState
from hongyan.domain.deliveries import Part, PartEvent, PartState, move_part
from hongyan.domain.identity import TurnId
from hongyan.domain.issued_cards import CardKind, IssuedButton, IssuedCard, Surface, close_card, next_look
from hongyan.domain.messages import CARD_POSTS
from hongyan.domain.progress_card import (
    AnswerFate,
    Progress,
    Shown,
    answer_fate,
    fold_event,
    is_over,
    render_progress,
    same_but_for_time,
)
from hongyan.ports import queries

__all__ = ["CardShow"]


@dataclass(frozen=True, slots=True)
class _Look:
    """What a card shows now, and whether nothing comes after it."""

    card: Card
    last: bool


class CardShow:
    """Keeps what it read of running Turns, so that only new events are read; everything else is in the records."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._read: dict[str, Progress] = {}

    async def show(self, card: IssuedCard) -> None:
        """Plan the next look of one card; nothing when it has it already.

        Raise ConflictError when a line joined or its write began meanwhile: look again. Safe to repeat.
        """
        planned = await self._desk.store.one(queries.LAST_LOOK, delivery_id=card.delivery_id)
        if planned is None:
            raise AssertionError("a card is issued with its first look")
        if card.kind is CardKind.APPROVAL:
            look: _Look | None = await self._approvals(card)
        elif card.kind is CardKind.OWED:
            owed = await look_at_owed(self._desk, card)
            look = _Look(owed.card, owed.last)
        else:
            look = await self._progress(card, planned)
        if look is not None:
            await self._plan(card, planned, look)

    async def _plan(self, card: IssuedCard, planned: Part, look: _Look) -> None:
        steps: list[Change] = [close_card(card)] if look.last else []
        content = to_json(look.card)
        if content != planned.content:
            steps += self._new_look(card, planned, look)
        if steps:
            await self._desk.store.commit(Changes("close_card" if look.last else "plan_look", tuple(steps)))
            self._desk.wakeup.wake(OUTBOX)
        if look.last:
            self._read.pop(card.id, None)

    def _new_look(self, card: IssuedCard, planned: Part, look: _Look) -> list[Change]:
        content, unsent = to_json(look.card), planned.state is PartState.PLANNED
        needless = look.last and card.kind is not CardKind.OWED  # a list answers a command, late or not
        if unsent and needless and planned.transport in CARD_POSTS:
            return [move_part(planned, PartEvent.SUPERSEDE, next_at=None)]  # nobody saw it, and nobody needs to
        if unsent and planned.attempts == 0:
            where: Where = {"id": planned.id, "state": PartState.PLANNED.value, "attempts": 0}
            return [Update("parts", where, {"content": content})]
        return list(next_look(card, planned, content, self._desk.stamp()))

    async def _approvals(self, card: IssuedCard) -> _Look:
        decisions = await self._desk.store.all(queries.DECISIONS_OF_CARD, card_id=card.id)
        buttons: dict[str, list[IssuedButton]] = defaultdict(list)
        for button in await self._desk.store.all(queries.BUTTONS_OF_CARD, card_id=card.id):
            buttons[button.subject].append(button)
        lines = [Line(decision, buttons[decision.id]) for decision in decisions]
        drawn = render_approvals(lines, card.language, self._desk.options.zone)
        return _Look(drawn, all(_is_settled(decision) for decision in decisions))

    async def _progress(self, card: IssuedCard, planned: Part) -> _Look | None:
        turn = await self._desk.store.one(queries.TURN, id=TurnId(card.subject))
        if turn is None:
            raise AssertionError("a Turn is never deleted")
        stop = await self._desk.store.one(queries.BUTTON_OF, card_id=card.id, subject=card.subject)
        shown, now = Shown(turn, await self._fold(card), await self._fate(turn)), self._desk.clock.now()
        drawn = render_progress(shown, stop.id if stop else "", now)
        if is_over(shown):
            return _Look(drawn, last=True)
        age = now - planned.seq // 1_000  # its place in the order is its time in microseconds
        if age < _EVERY_MS[card.surface] or planned.state is PartState.REJECTED or _is_spent(card, turn):
            return None
        if turn.state in TERMINAL and now - turn.ended_at < limits.FINAL_SHOWN_MS:
            return None  # its answer is being read back, and then the last look follows
        same = same_but_for_time(drawn, from_json(planned.content))
        return None if same and age < limits.CARD_HEARTBEAT_MS else _Look(drawn, last=False)

    async def _fate(self, turn: Turn) -> AnswerFate:
        if turn.state is not TurnState.COMPLETED:
            return AnswerFate.NONE
        parts = await self._desk.store.all(queries.ANSWER_PARTS, request_id=turn.request_id, turn_id=turn.id)
        return answer_fate([(part.state, bool(part.is_due)) for part in parts])

    async def _fold(self, card: IssuedCard) -> Progress:
        progress = self._read.get(card.id, Progress())
        rows = await self._desk.store.all(queries.EVENTS_OF_TURN, turn_id=card.subject, after=progress.cursor)
        for row in rows:
            progress = fold_event(progress, row, json.loads(row.body))
        self._read[card.id] = progress
        return progress


def _is_spent(card: IssuedCard, turn: Turn) -> bool:
    """Tell whether a text has no passing edit left; that of a Turn which stands still is not one."""
    return card.surface is Surface.TEXT and card.edits >= limits.TEXT_EDITS and turn.state is not TurnState.HELD


def _is_settled(decision: Decision) -> bool:
    """A decided one still waits for the word that it reached its agent."""
    return decision.state is DecisionState.EXPIRED or decision.applied is not Applied.OPEN


_EVERY_MS: Final = {Surface.WHOLE: limits.CARD_EVERY_MS, Surface.TEXT: limits.TEXT_EDIT_EVERY_MS}
