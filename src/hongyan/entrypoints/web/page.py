"""The status page: what is read for it, and how a person reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, select_autoescape

from hongyan.application.browse import (
    DeliveryLine,
    list_bindings,
    list_deliveries,
    list_owners,
    list_running,
    list_sessions,
    list_workspaces,
)
from hongyan.application.owed import OwedRow, list_owed
from hongyan.application.read_ledger import read_ledger
from hongyan.domain.bindings import Audience, Binding
from hongyan.domain.conversations import HoldReason, Session, SessionState, Turn, TurnState
from hongyan.domain.ledger import Partition
from hongyan.entrypoints.web.gateway import Gateway, Listener, name_of
from hongyan.entrypoints.web.words import CATALOGUE, Said, Tongue, clock_wait, said, word

__all__ = ["FOLDER", "Overview", "Pages", "look"]

FOLDER: Final = Path(__file__).parent
SESSIONS_SHOWN: Final = 20
DELIVERIES_SHOWN: Final = 20
LETTERS_SHOWN: Final = 140


@dataclass(frozen=True, slots=True)
class When:
    """A moment for `<time>`: machine-readable, and as a clock time of this machine."""

    iso: str
    clock: str


@dataclass(frozen=True, slots=True)
class AppRow:
    """An App as it is shown."""

    name: str
    owner: str
    state: Said
    seen: str
    code: str


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One class of a partition; an empty one is shown quietly."""

    words: Said
    amount: int


@dataclass(frozen=True, slots=True)
class Sum:
    """A partition as it is shown."""

    title: str
    total: int
    classes: tuple[ClassRow, ...]
    verdict: Said
    balanced: bool


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A Session as it is shown."""

    title: str
    place: str
    state: Said
    waited: str
    queued: str
    opened: When


@dataclass(frozen=True, slots=True)
class OwedItem:
    """Something that needs the owner. `acts` pairs an action with its words."""

    id: str
    version: int
    why: str
    text: str
    since: When
    acts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WriteRow:
    """One write as it is shown."""

    phase: str
    text: str
    state: Said
    at: When


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything the page shows, in one language."""

    apps: tuple[AppRow, ...]
    sums: tuple[Sum, ...]
    sessions: tuple[SessionRow, ...]
    owed: tuple[OwedItem, ...]
    writes: tuple[WriteRow, ...]


class Pages:
    """Renders the templates."""

    def __init__(self) -> None:
        loader = FileSystemLoader(FOLDER / "templates")
        self._templates = Environment(loader=loader, autoescape=select_autoescape(), auto_reload=False)

    def render(self, template: str, tongue: Tongue, **values: object) -> str:
        """Give a template's text in one language; `t` is the catalogue in it."""
        chosen = 1 if tongue is Tongue.CHINESE else 0
        words = {key: pair[chosen] for key, pair in CATALOGUE.items()}
        return self._templates.get_template(template).render(t=words, tongue=tongue.value, **values)


async def look(gateway: Gateway, tongue: Tongue) -> Overview:
    """Read what the page shows."""
    desk = gateway.desk
    owners: dict[str, str] = {owner.app: owner.name or owner.open_id for owner in await list_owners(desk)}
    ledger = await read_ledger(desk)
    writes = await list_deliveries(desk, DELIVERIES_SHOWN)
    return Overview(
        apps=tuple(_app(one, owners.get(one.app_id, ""), tongue) for one in gateway.listeners()),
        sums=(_sum("received", "class", ledger.received, tongue), _sum("writes", "part", ledger.writes, tongue)),
        sessions=await _sessions(gateway, owners, tongue),
        owed=tuple(_owed(row, tongue) for row in await list_owed(desk)),
        writes=tuple(_write(line, tongue) for line in writes),
    )


def _app(listener: Listener, owner: str, tongue: Tongue) -> AppRow:
    state = said(f"listener.{listener.state}", tongue)
    seen = word("seen_at", tongue, time=_when(listener.observed_at).clock) if listener.observed_at else ""
    return AppRow(listener.app, owner, state, seen, listener.error_code)


def _sum(title: str, kind: str, partition: Partition, tongue: Tongue) -> Sum:
    classes = tuple(ClassRow(said(f"{kind}.{name}", tongue), amount) for name, amount in partition.classes.items())
    off = abs(partition.difference)
    verdict = said("adds_up", tongue) if partition.balanced else said("off_by", tongue, n=off)
    return Sum(word(title, tongue), partition.total, classes, verdict, partition.balanced)


async def _sessions(gateway: Gateway, owners: Mapping[str, str], tongue: Tongue) -> tuple[SessionRow, ...]:
    desk = gateway.desk
    found = await list_sessions(desk)
    shown = sorted(found, key=lambda session: session.state is SessionState.CLOSED)[:SESSIONS_SHOWN]
    names = {str(workspace.id): workspace.name for workspace in await list_workspaces(desk)}
    places = {one.id: _place(gateway, one, owners, tongue) for one in await list_bindings(desk)}
    turns = {turn.id: turn for turn in await list_running(desk)}
    rows = []
    for session in shown:
        turn = turns.get(session.lane) if session.lane else None
        state, waited = _progress(session, turn, desk.clock.now(), tongue)
        queued = word("queued_count", tongue, n=session.queued) if session.queued else ""
        title = f"{names.get(session.workspace_id, session.workspace_id)} · {session.executor}"
        opened = _when(session.opened_at)
        rows.append(SessionRow(title, places.get(session.binding_id, ""), state, waited, queued, opened))
    return tuple(rows)


def _place(gateway: Gateway, binding: Binding, owners: Mapping[str, str], tongue: Tongue) -> str:
    """Name where a binding's words are said: this machine, the owner's private chat, or a chat by its id."""
    if binding.audience is Audience.LOCAL:
        return word("here", tongue)
    private = binding.audience is Audience.OWNER_PRIVATE
    chat = owners.get(binding.app, binding.owner) if private else binding.chat_id
    return f"{name_of(gateway, binding.app)} · {chat}"


def _progress(session: Session, turn: Turn | None, now: int, tongue: Tongue) -> tuple[Said, str]:
    """Say what holds a Session's lane, and how long it has been running; a held Turn is no running one."""
    if turn is None:
        held = session.lane is not None
        return said(f"turn.{TurnState.HELD}" if held else f"session.{session.state}", tongue), ""
    if turn.hold_reason is HoldReason.LOGIN:
        return said(f"hold.{HoldReason.LOGIN}", tongue), ""
    since = turn.running_at or turn.claimed_at
    return said(f"turn.{turn.state}", tongue), clock_wait((now - since) // 1_000) if since else ""


def _owed(row: OwedRow, tongue: Tongue) -> OwedItem:
    key = f"why.{row.why}"
    why = word(key, tongue) if key in CATALOGUE else word("why.other", tongue, code=row.why)
    acts = tuple((action.value, word(f"act.{action}", tongue)) for action in row.actions)
    return OwedItem(row.id, row.version, why, _cut(row.text), _when(row.since), acts)


def _write(line: DeliveryLine, tongue: Tongue) -> WriteRow:
    at = line.verified_at or line.written_at or line.created_at
    text = _cut(line.content) if line.transport == "text" else ""
    return WriteRow(word(f"phase.{line.phase}", tongue), text, said(f"part.{line.state}", tongue), _when(at))


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LETTERS_SHOWN else f"{flat[: LETTERS_SHOWN - 1]}…"


def _when(at: int) -> When:
    moment = datetime.fromtimestamp(at / 1_000, UTC)
    return When(moment.isoformat(timespec="seconds"), moment.astimezone().strftime("%H:%M:%S"))
