"""Long connections: one-time tickets, the cap, who is connected now and who was."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from feishu_simulator.model import App
from feishu_simulator.world import World

CONNECTION_CAP: Final = 50
SERVICE_ID: Final = 33554678

Json = dict[str, Any]


class Link(Protocol):
    """The wire under a connection; both calls only queue."""

    def send(self, frame: bytes) -> None:
        """Send one binary message after those queued before."""

    def close(self, code: int) -> None:
        """Close after what is queued; 1006 cuts the line without a close frame."""


@dataclass(slots=True)
class Connection:
    """One long connection, live until `closed_ms` is set."""

    connection_id: str
    app_id: str
    link: Link
    opened_ms: int
    half_dead: bool = False
    closed_ms: int | None = None
    close_code: int | None = None
    pings: int = 0
    events_sent: int = 0
    acks: int = 0

    @property
    def live(self) -> bool:
        """Say whether it is still open."""
        return self.closed_ms is None


@dataclass(frozen=True, slots=True)
class Ticket:
    """A right to connect once."""

    ticket: str
    app_id: str
    device_id: str


class Connections:
    """Hands out tickets and keeps the list of connections."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._tickets: dict[str, Ticket] = {}
        self.all: dict[str, Connection] = {}

    def issue_ticket(self, app: App) -> Ticket:
        """Make a ticket for one handshake."""
        ids = self._world.ids
        ticket = Ticket(ids.uuid("ticket"), app.app_id, str(ids.number("device")))
        self._tickets[ticket.ticket] = ticket
        return ticket

    def redeem(self, ticket: str) -> Ticket | None:
        """Use a ticket up; None when it is unknown or was used."""
        return self._tickets.pop(ticket, None)

    def live(self, app_id: str) -> list[Connection]:
        """Return an App's open connections, oldest first."""
        return [item for item in self.all.values() if item.app_id == app_id and item.live]

    def full(self, app_id: str) -> bool:
        """Say whether an App may open no further connection."""
        return len(self.live(app_id)) >= CONNECTION_CAP

    def opened(self, ticket: Ticket, link: Link, *, half_dead: bool) -> Connection:
        """Add an open connection."""
        connection = Connection(ticket.device_id, ticket.app_id, link, self._world.clock.now_ms(), half_dead)
        self.all[connection.connection_id] = connection
        self._record("opened", connection)
        return connection

    def closed(self, connection: Connection, code: int) -> None:
        """Mark a connection as closed; safe to repeat."""
        if not connection.live:
            return
        connection.closed_ms = self._world.clock.now_ms()
        connection.close_code = code
        self._record("closed", connection)

    def cut(self, connection_id: str, code: int) -> None:
        """Close one connection from the platform's side; KeyError when there is none."""
        self.all[connection_id].link.close(code)

    def deafen(self, connection_id: str) -> None:
        """Make a connection half dead: it answers pings and carries no event. KeyError when there is none."""
        connection = self.all[connection_id]
        connection.half_dead = True
        self._record("half_dead", connection)

    def pinged(self, connection: Connection) -> None:
        """Count a client's ping."""
        connection.pings += 1
        self._record("ping", connection)

    def _record(self, action: str, connection: Connection) -> None:
        self._world.journal.record("connection", {"action": action, **connection_view(connection)})


def connection_view(connection: Connection) -> Json:
    """Return the connection as the control API shows it."""
    return {
        "connection_id": connection.connection_id,
        "app_id": connection.app_id,
        "opened_ms": connection.opened_ms,
        "closed_ms": connection.closed_ms,
        "close_code": connection.close_code,
        "live": connection.live,
        "half_dead": connection.half_dead,
        "pings": connection.pings,
        "events_sent": connection.events_sent,
        "acks": connection.acks,
    }
