"""A button was pressed: it counts from the owner alone, on our card, for what was shown, while access lasts."""

from dataclasses import dataclass
from typing import Final

from hongyan.application.decide import decide
from hongyan.application.desk import CARDS, Desk
from hongyan.application.owed import act_on_owed
from hongyan.application.stop_turn import stop_turn
from hongyan.domain.approval_card import clicked, refusal, too_late
from hongyan.domain.decisions import Decision, DecisionState, Outcome
from hongyan.domain.errors import ConflictError, NotFoundError, RefusedError
from hongyan.domain.identity import TurnId
from hongyan.domain.issued_cards import STOP, CardKind, IssuedButton, IssuedCard
from hongyan.domain.messages import CardClicked, Toast
from hongyan.domain.notices import Language
from hongyan.domain.owed import OwedAction
from hongyan.domain.owed_card import acted, changed_meanwhile, impossible
from hongyan.domain.progress_card import stopped
from hongyan.ports import queries

__all__ = ["click_card"]


_OWED_ACTS: Final = frozenset(action.value for action in OwedAction)


@dataclass(frozen=True, slots=True)
class _Press:
    """A click with what it means here."""

    click: CardClicked
    button: IssuedButton
    card: IssuedCard


async def click_card(desk: Desk, click: CardClicked) -> Toast:
    """Carry out one click and say in a line what came of it; the card follows by itself.

    A click that counts is committed before this returns; repeated, it meets the decision that it made.
    """
    button = await desk.store.one(queries.BUTTON, id=click.value)
    card = await desk.store.one(queries.CARD, id=button.card_id) if button else None
    owner = await desk.store.one(queries.OWNER, app=click.app)
    language = card.language if card else Language.ENGLISH
    if owner is None or owner.open_id != click.operator:
        return refusal("stranger", language)
    if button is None or card is None or not await _stands_there(desk, card, click):
        return refusal("unknown", language)
    if button.act == STOP:
        return stopped(await stop_turn(desk, TurnId(button.subject), "owner"), language)
    if button.act in _OWED_ACTS:
        return await _act(desk, button, language)
    return await _decide(desk, _Press(click, button, card))


async def _stands_there(desk: Desk, card: IssuedCard, click: CardClicked) -> bool:
    """Tell whether the click comes from the message that shows the card.

    A click may be faster than the receipt of the message: then the opaque id in our own chat is what names the card.
    """
    part = await desk.store.one(queries.PART, id=card.part_id)
    known = part.provider_id if part else ""
    return (card.app, card.chat_id) == (click.app, click.chat_id) and known in {"", click.message_id}


async def _act(desk: Desk, button: IssuedButton, language: Language) -> Toast:
    """Do what the console would do, on the version that was shown."""
    action = OwedAction(button.act)
    try:
        await act_on_owed(desk, button.subject, action, int(button.digest), "card")
    except NotFoundError:
        return changed_meanwhile(language)
    except RefusedError as error:
        return changed_meanwhile(language) if error.code == "owed.changed" else impossible(error.code, language)
    return acted(action, language)


async def _decide(desk: Desk, press: _Press) -> Toast:
    click, button, language = press.click, press.button, press.card.language
    decision = await desk.store.one(queries.DECISION, id=button.subject)
    if decision is None or not _belongs_here(decision, press):
        return refusal("unknown", language)
    if decision.digest != button.digest:
        return refusal("changed", language)
    outcome = Outcome(button.act)
    try:
        await decide(desk, decision.id, outcome, click.operator, "card")
    except (RefusedError, ConflictError) as error:
        if error.code == "decision.revoked":
            return refusal("revoked", language)
        first = await desk.store.one(queries.DECISION, id=decision.id)
        if first is None or (first.state is DecisionState.ASKED and isinstance(error, ConflictError)):
            raise
        return too_late(first, language, desk.options.zone)
    desk.wakeup.wake(CARDS)
    return clicked(outcome, language)


def _belongs_here(decision: Decision, press: _Press) -> bool:
    """A list of what waits shows the owner what other places ask; any other card only what is asked in its chat."""
    here = (decision.app, decision.chat_id) == (press.click.app, press.click.chat_id)
    return here or press.card.kind is CardKind.OWED
