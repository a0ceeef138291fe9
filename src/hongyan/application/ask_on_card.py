"""Put a request for leave on a card: on the one that its chat already answers, or on a new one."""

from dataclasses import dataclass

from hongyan.application.desk import Desk
from hongyan.domain import limits
from hongyan.domain.approval_card import Line, offered, render_approvals
from hongyan.domain.cards import to_json
from hongyan.domain.changes import Change, insert
from hongyan.domain.decisions import Decision
from hongyan.domain.deliveries import Route
from hongyan.domain.issued_cards import (
    CardKind,
    CardState,
    CardWish,
    IssuedButton,
    IssuedCard,
    approval_card_id,
    issue_card,
    join_card,
)
from hongyan.domain.notices import Language
from hongyan.ports import queries

__all__ = ["Question", "ask_on_card"]


@dataclass(frozen=True, slots=True)
class Question:
    """A decision, where it is asked, in which language, and whether a yes for the session is offered."""

    decision: Decision
    route: Route
    language: Language
    whole_session: bool


async def ask_on_card(desk: Desk, question: Question) -> tuple[Change, ...]:
    """Plan the line, its buttons, and the card when a new one is needed.

    Two requests at once meet in the name of the new card or in the room of the old one: one of them decides again.
    """
    newest = await desk.store.one(queries.NEWEST_CARD, app=question.route.app, chat_id=question.route.chat_id)
    if newest is not None and await _has_room(desk, newest):
        buttons = _buttons(desk, question, newest.id)
        return (join_card(newest), *(insert("buttons", button) for button in buttons))
    ordinal = newest.ordinal + 1 if newest else 0
    identity = approval_card_id(question.route.app, question.route.chat_id, ordinal)
    buttons = _buttons(desk, question, identity)
    look = render_approvals([Line(question.decision, buttons)], question.language, desk.options.zone)
    wish = CardWish(identity, CardKind.APPROVAL, "", ordinal, question.language, to_json(look))
    return (*issue_card(question.route, wish, desk.stamp()), *(insert("buttons", button) for button in buttons))


async def _has_room(desk: Desk, card: IssuedCard) -> bool:
    """A card is shared while somebody still has to answer it: a new one is noticed, a changed one is not."""
    if card.state is CardState.CLOSED or card.lines >= limits.APPROVALS_A_CARD:
        return False
    return bool(await desk.store.one(queries.WAITING_LINES, card_id=card.id))


def _buttons(desk: Desk, question: Question, card: str) -> list[IssuedButton]:
    decision = question.decision
    return [
        IssuedButton(desk.entropy.token(), card, decision.id, outcome.value, decision.digest, n)
        for n, outcome in enumerate(offered(question.whole_session))
    ]
