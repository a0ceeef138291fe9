"""Bring every card to the look that its records have now: whoever decided, wherever, and whatever a crash cut off.

Nothing here is told what happened. A look is drawn anew from the records and compared with the last one that was
planned, so that a lost hint, a restart and another surface's decision all end in the same card.
"""

from collections import defaultdict

from hongyan.application.desk import CARDS, OUTBOX, Desk
from hongyan.application.show_owed import look_at_owed
from hongyan.application.show_progress import Look, ProgressShow
from hongyan.domain.approval_card import Line, render_approvals
from hongyan.domain.cards import to_json
from hongyan.domain.changes import Change, Changes, Update, Where
from hongyan.domain.decisions import Applied, Decision, DecisionState
from hongyan.domain.deliveries import Part, PartEvent, PartState, move_part
from hongyan.domain.issued_cards import CardKind, IssuedButton, IssuedCard, close_card, next_look
from hongyan.domain.messages import CARD_POSTS
from hongyan.ports import queries

__all__ = ["CardShow"]


class CardShow:
    """Draws each card from its records, plans the look, and closes the card after its last one."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._progress = ProgressShow(desk)

    async def show(self, card: IssuedCard) -> None:
        """Plan the next look of one card; nothing when it has it already.

        Raise ConflictError when a line joined or its write began meanwhile: look again. Safe to repeat.
        """
        planned = await self._desk.store.one(queries.LAST_LOOK, delivery_id=card.delivery_id)
        if planned is None:
            raise AssertionError("a card is issued with its first look")
        if card.kind is CardKind.APPROVAL:
            look: Look | None = await self._approvals(card)
        elif card.kind is CardKind.OWED:
            look = await look_at_owed(self._desk, card)
        else:
            look = await self._progress.look(card, planned)
        if look is not None:
            await self._plan(card, planned, look)

    async def leave(self, card: IssuedCard) -> None:
        """Plan the last look of a card whose process is gone; whatever goes on gets a card of its own. Safe to repeat.

        Raise ConflictError when its write began meanwhile: look again.
        """
        planned = await self._desk.store.one(queries.LAST_LOOK, delivery_id=card.delivery_id)
        if planned is not None and card.kind is CardKind.PROGRESS:
            await self._plan(card, planned, await self._progress.last_look(card))
        elif card.kind is CardKind.APPROVAL:
            await self.show(card)

    async def _plan(self, card: IssuedCard, planned: Part, look: Look) -> None:
        steps: list[Change] = [close_card(card)] if look.last else []
        if to_json(look.card) != planned.content:
            steps += self._new_look(card, planned, look)
        steps += look.also
        if not steps:
            return
        label = "rotate_card" if look.also else "close_card" if look.last else "plan_look"
        await self._desk.store.commit(Changes(label, tuple(steps)))
        for topic in (OUTBOX, CARDS):
            self._desk.wakeup.wake(topic)

    def _new_look(self, card: IssuedCard, planned: Part, look: Look) -> list[Change]:
        content, unsent = to_json(look.card), planned.state is PartState.PLANNED
        needless = look.last and card.kind is not CardKind.OWED  # a list answers a command, late or not
        if unsent and needless and planned.transport in CARD_POSTS:
            return [move_part(planned, PartEvent.SUPERSEDE, next_at=None)]  # nobody saw it, and nobody needs to
        if unsent and (planned.attempts == 0 or (planned.transport in CARD_POSTS and not card.entity)):
            where: Where = {"id": planned.id, "state": PartState.PLANNED.value, "attempts": planned.attempts}
            return [Update("parts", where, {"content": content})]
        return list(next_look(card, planned, content, self._desk.stamp()))

    async def _approvals(self, card: IssuedCard) -> Look:
        decisions = await self._desk.store.all(queries.DECISIONS_OF_CARD, card_id=card.id)
        buttons: dict[str, list[IssuedButton]] = defaultdict(list)
        for button in await self._desk.store.all(queries.BUTTONS_OF_CARD, card_id=card.id):
            buttons[button.subject].append(button)
        lines = [Line(decision, buttons[decision.id]) for decision in decisions]
        drawn = render_approvals(lines, card.language, self._desk.options.zone)
        return Look(drawn, all(_is_settled(decision) for decision in decisions))


def _is_settled(decision: Decision) -> bool:
    """A decided one still waits for the word that it reached its agent."""
    return decision.state is DecisionState.EXPIRED or decision.applied is not Applied.OPEN
