"""Answer `/owed`: a card of what waits for the owner, drawn anew as things are dealt with, here or elsewhere."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from hongyan.application.desk import Desk
from hongyan.application.owed import see_gap
from hongyan.application.routes import route_of
from hongyan.application.show_progress import Look
from hongyan.domain import limits
from hongyan.domain.approval_card import Line
from hongyan.domain.bindings import Binding
from hongyan.domain.cards import to_json
from hongyan.domain.changes import Change, insert
from hongyan.domain.decisions import Decision, Outcome
from hongyan.domain.identity import AppId
from hongyan.domain.issued_cards import CardKind, CardWish, IssuedButton, IssuedCard, issue_card, owed_card_id
from hongyan.domain.notices import Language
from hongyan.domain.owed import ActRow, OwedRow, see_owed, serve_one_person
from hongyan.domain.owed_card import Entry, OwedLine, OwedList, is_waiting, render_owed
from hongyan.domain.requests import Request
from hongyan.ports import queries

__all__ = ["list_on_card", "look_at_owed"]


async def list_on_card(desk: Desk, request: Request, binding: Binding | None, language: Language) -> tuple[Change, ...]:
    """Plan the card that answers a request for what waits; nothing when nothing does.

    What belongs to other Apps is left out, and what belongs to this machine alone too, unless every App has the same
    owner.
    """
    decisions, rows = await _waiting(desk, request.app)
    identity = owed_card_id(request.id)
    asked = [Line(one, _buttons(desk, identity, one.id, _of_decision(one))) for one in decisions]
    listed = [OwedLine(row, True, None, _buttons(desk, identity, row.id, _of_row(row))) for row in rows]
    everything: list[Entry] = [*asked, *listed]
    if not everything:
        return ()
    shown = everything[: limits.OWED_ROWS]
    look = render_owed(OwedList(shown, len(everything) - len(shown)), language, desk.options.zone)
    wish = CardWish(identity, CardKind.OWED, request.id, 0, language, to_json(look), lines=len(everything))
    buttons = [insert("buttons", button) for entry in shown for button in entry.buttons]
    return (*issue_card(route_of(request, binding), wish, desk.stamp()), *buttons)


async def _waiting(desk: Desk, app: AppId) -> tuple[list[Decision], list[OwedRow]]:
    """Read what waits for the owner of one App, missed messages among it, oldest first."""
    whole = serve_one_person(await desk.store.all(queries.OWNERS))
    served = set(desk.chats)
    mine = [one for one in await desk.store.all(queries.OPEN_DECISIONS) if _is_mine(one.app, app, whole, served)]
    owed = [one for one in await desk.store.all(queries.OWED) if _is_mine(one.app, app, whole, served)]
    gaps = [one for one in await desk.store.all(queries.DECLARED_GAPS) if _is_mine(one.app, app, whole, served)]
    rows = [*[await _row(desk, one) for one in owed], *[see_gap(desk, one) for one in gaps]]
    return mine, sorted(rows, key=lambda row: row.since)


def _is_mine(of: AppId, app: AppId, whole: bool, served: set[AppId]) -> bool:
    return of == app or (whole and of not in served)


async def _row(desk: Desk, request: Request) -> OwedRow:
    turn = await desk.store.one(queries.TURN, id=request.turn_id) if request.turn_id else None
    attempts = await desk.store.all(queries.CONTINUATIONS_OF_REQUEST, request_id=request.id)
    return see_owed(request, turn, attempts[0] if attempts else None)


def _of_decision(decision: Decision) -> Sequence[tuple[str, str]]:
    return [(outcome.value, decision.digest) for outcome in (Outcome.ALLOWED_ONCE, Outcome.REJECTED)]


def _of_row(row: OwedRow) -> Sequence[tuple[str, str]]:
    return [(action.value, str(row.version)) for action in row.actions]


def _buttons(desk: Desk, card: str, subject: str, acts: Sequence[tuple[str, str]]) -> list[IssuedButton]:
    return [IssuedButton(desk.entropy.token(), card, subject, act, mark, n) for n, (act, mark) in enumerate(acts)]


async def look_at_owed(desk: Desk, card: IssuedCard) -> Look:
    """Draw a list anew; it is over when nothing of it waits, a newer one stands below, or a day passed."""
    buttons: dict[str, list[IssuedButton]] = defaultdict(list)
    for button in await desk.store.all(queries.BUTTONS_OF_CARD, card_id=card.id):
        buttons[button.subject].append(button)
    decisions = await desk.store.all(queries.DECISIONS_OF_CARD, card_id=card.id)
    entries: list[Entry] = [Line(one, buttons[one.id]) for one in decisions]
    acts = {act.subject: act for act in reversed(await desk.store.all(queries.ACTS_OF_CARD, card_id=card.id))}
    for request in await desk.store.all(queries.REQUESTS_OF_CARD, card_id=card.id):
        entries.append(await _line(desk, request, acts, buttons[request.id]))
    for gap in await desk.store.all(queries.GAPS_OF_CARD, card_id=card.id):
        entries.append(OwedLine(see_gap(desk, gap), True, None, buttons[gap.id]))
    old = await _is_old(desk, card)
    look = render_owed(OwedList(entries, card.lines - len(entries), old), card.language, desk.options.zone)
    return Look(look, old or not any(is_waiting(entry) for entry in entries))


async def _line(desk: Desk, request: Request, acts: Mapping[str, ActRow], buttons: Sequence[IssuedButton]) -> OwedLine:
    return OwedLine(await _row(desk, request), bool(request.owed), acts.get(request.id), buttons)


async def _is_old(desk: Desk, card: IssuedCard) -> bool:
    newest = await desk.store.one(queries.NEWEST_OWED_CARD, app=card.app, chat_id=card.chat_id)
    replaced = newest is not None and newest.id != card.id
    return replaced or desk.clock.now() - card.created_at >= limits.OWED_CARD_LIFE_MS
