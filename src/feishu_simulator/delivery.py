"""Event delivery: one random connection each, three seconds to acknowledge, then the redelivery ladder."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from feishu_simulator.clock import Timer
from feishu_simulator.connections import SERVICE_ID, Connection, Connections
from feishu_simulator.faults import Effect, FaultRules, Strike
from feishu_simulator.frames import DATA, Frame
from feishu_simulator.model import App
from feishu_simulator.world import World

ACK_WINDOW_MS: Final = 3_000
LADDER_MS: Final = (15_000, 300_000, 3_600_000, 21_600_000)
CALLBACK: Final = "card.action.trigger"
HELD_AT_MOST_MS: Final = 5_000  # a reordered event goes out then, though no other came

Json = dict[str, Any]


class EventState(StrEnum):
    """Where an event stands."""

    WAITING = "waiting"
    SENT = "sent"
    ACKED = "acked"
    ABANDONED = "abandoned"


@dataclass(slots=True)
class Attempt:
    """One transmission, or the failure to find a connection for it."""

    number: int
    at_ms: int
    connection_id: str | None = None
    outcome: str = "pending"
    ended_ms: int | None = None
    ack_code: int | None = None
    fault: str | None = None
    timer: Timer | None = None
    answer: bytes | None = None


@dataclass(slots=True)
class Event:
    """One event for one App, with everything that was tried; `ended` hears of the end of a callback's only attempt."""

    event_id: str
    app: App
    event_type: str
    subject: str
    body: Json
    created_ms: int
    state: EventState = EventState.WAITING
    redelivers: bool = True
    attempts: list[Attempt] = field(default_factory=list)
    ended: Callable[[Attempt], None] | None = None


class Delivery:
    """Sends events and watches for their acknowledgements."""

    def __init__(self, world: World, connections: Connections, faults: FaultRules) -> None:
        self._world = world
        self._connections = connections
        self._faults = faults
        self._awaited: dict[str, tuple[Event, Attempt]] = {}
        self._held: defaultdict[str, list[Callable[[], None]]] = defaultdict(list)
        self.events: list[Event] = []

    def publish(self, app: App, event_type: str, subject: str, body: Json) -> None:
        """Deliver an event to an App that subscribes to it."""
        if app.enabled and app.subscribes(event_type):
            self.begin(self._made(app, event_type, subject, body))

    def call_back(self, app: App, subject: str, body: Json, ended: Callable[[Attempt], None]) -> Event:
        """Make a card callback, which is tried once; `begin` sends it, `ended` is called when its attempt is over."""
        event = self._made(app, CALLBACK, subject, body)
        event.ended = ended
        return event

    def begin(self, event: Event) -> None:
        """Send an event for the first time."""
        self.events.append(event)
        self._attempt(event)

    def expire(self, event: Event) -> None:
        """Let the time of a pending attempt be over; no change when none is pending."""
        attempt = event.attempts[-1]
        if attempt.outcome == "pending":
            self._end(event, attempt, "timeout")

    def repeat(self, event: Event) -> None:
        """Deliver the same event once more under a new event_id, as the platform sometimes does after success."""
        self.begin(self._made(event.app, event.event_type, event.subject, event.body["event"]))

    def acknowledge(self, connection: Connection, frame: Frame) -> None:
        """Take a client's answer to a data frame: 200 ends the event, anything else is a failed attempt."""
        awaited = self._awaited.pop(frame.header("message_id") or "", None)
        if awaited is None:
            return
        event, attempt = awaited
        connection.acks += 1
        attempt.ack_code, attempt.answer = _ack_code(frame.payload), frame.payload
        if attempt.outcome != "pending":
            attempt.outcome = "late_ack"
            self._record(event, attempt)
        elif attempt.ack_code == 200:
            self._end(event, attempt, "acked")
        else:
            self._end(event, attempt, "refused")

    def _made(self, app: App, event_type: str, subject: str, body: Json) -> Event:
        now_ms = self._world.clock.now_ms()
        is_callback = event_type == CALLBACK
        header = {
            "event_id": self._world.ids.event_id(),
            "event_type": event_type,
            "create_time": str(now_ms * 1000 if is_callback else now_ms),  # callbacks count microseconds
            "token": "",
            "app_id": app.app_id,
            "tenant_key": app.tenant_key,
        }
        envelope = {"schema": "2.0", "header": header, "event": body}
        event_id = header["event_id"]
        return Event(event_id, app, event_type, subject, envelope, now_ms, redelivers=not is_callback)

    def _attempt(self, event: Event) -> None:
        app_id = event.app.app_id
        attempt = Attempt(len(event.attempts) + 1, self._world.clock.now_ms())
        event.attempts.append(attempt)
        if not self._connections.live(app_id):
            self._end(event, attempt, "no_connection")
            return
        strike = self._faults.consult(f"event:{event.event_type}", app_id)
        attempt.fault = strike.label
        event.redelivers = event.redelivers and not strike.effect.no_redelivery

        def go() -> None:
            self._transmit(event, attempt, strike)

        if strike.effect.reorder:
            self._hold(app_id, go)
        elif strike.effect.delay_ms:
            asyncio.get_running_loop().call_later(strike.effect.delay_ms / 1000, go)
        else:
            go()

    def _hold(self, app_id: str, go: Callable[[], None]) -> None:
        """Keep a transmission back until the App's next one, or a few seconds."""

        def once() -> None:
            if once in self._held[app_id]:
                self._held[app_id].remove(once)
                go()

        self._held[app_id].append(once)
        self._world.clock.call_after(HELD_AT_MOST_MS, once)

    def _transmit(self, event: Event, attempt: Attempt, strike: Strike) -> None:
        live = self._connections.live(event.app.app_id)
        if not live:
            self._end(event, attempt, "no_connection")
            return
        connection = self._world.ids.stream("pick").choice(live)
        attempt.connection_id = connection.connection_id
        event.state = EventState.SENT
        attempt.timer = self._world.clock.call_after(ACK_WINDOW_MS, lambda: self._end(event, attempt, "timeout"))
        self._send(event, attempt, strike.effect, connection)
        self._record(event, attempt)
        for release in tuple(self._held[event.app.app_id]):
            release()
        if strike.effect.duplicate:
            self.repeat(event)

    def _send(self, event: Event, attempt: Attempt, effect: Effect, connection: Connection) -> None:
        if effect.half_dead:
            self._connections.deafen(connection.connection_id)
        if not connection.half_dead and not effect.drop:
            frame_id = self._world.ids.uuid("frame")
            self._awaited[frame_id] = (event, attempt)
            connection.events_sent += 1
            for frame in self._frames(event, frame_id, effect):
                connection.link.send(frame)
        if effect.close is not None:
            connection.link.close(effect.close)

    def _frames(self, event: Event, frame_id: str, effect: Effect) -> list[bytes]:
        payload = json.dumps(event.body, ensure_ascii=False).encode()
        dice = self._world.ids.stream("fragments")
        count = max(1, min(effect.fragments or 1, len(payload)))
        cuts = [0, *sorted(dice.sample(range(1, len(payload)), count - 1)), len(payload)]
        trace_id = self._world.ids.uuid("trace")
        frames = [
            Frame(
                method=DATA,
                headers=[
                    ("type", "event"),
                    ("message_id", frame_id),
                    ("trace_id", trace_id),
                    ("sum", str(count)),
                    ("seq", str(part)),
                ],
                payload=payload[cuts[part] : cuts[part + 1]],
                service=SERVICE_ID,
            ).encode()
            for part in range(count)
        ]
        if effect.fragments_shuffled:
            dice.shuffle(frames)
        return frames

    def _end(self, event: Event, attempt: Attempt, outcome: str) -> None:
        """Close an attempt; a failed one puts the event on the next rung of the ladder."""
        if attempt.timer is not None:
            attempt.timer.cancel()
        attempt.outcome = outcome
        attempt.ended_ms = self._world.clock.now_ms()
        rung = attempt.number - 1
        if outcome == "acked" or event.state is EventState.ACKED:
            event.state = EventState.ACKED
        elif event.redelivers and rung < len(LADDER_MS):
            event.state = EventState.WAITING
            self._world.clock.call_after(LADDER_MS[rung], lambda: self._again(event))
        else:
            event.state = EventState.ABANDONED
        self._record(event, attempt)
        if event.ended is not None:
            event.ended(attempt)

    def _again(self, event: Event) -> None:
        if event.state is not EventState.ACKED:
            self._attempt(event)

    def _record(self, event: Event, attempt: Attempt) -> None:
        facts = {**event_view(event), "attempt": attempt_view(attempt)}
        self._world.journal.record("event", facts)


def _ack_code(payload: bytes | None) -> int:
    try:
        return int(json.loads(payload or b"{}").get("code", 0))
    except (ValueError, AttributeError, TypeError):
        return 0


def attempt_view(attempt: Attempt) -> Json:
    """Return an attempt as the control API shows it."""
    return {
        "number": attempt.number,
        "at_ms": attempt.at_ms,
        "connection_id": attempt.connection_id,
        "outcome": attempt.outcome,
        "ended_ms": attempt.ended_ms,
        "ack_code": attempt.ack_code,
        "fault": attempt.fault,
    }


def event_view(event: Event) -> Json:
    """Return an event as the control API shows it."""
    return {
        "event_id": event.event_id,
        "app_id": event.app.app_id,
        "event_type": event.event_type,
        "subject": event.subject,
        "state": event.state.value,
        "created_ms": event.created_ms,
        "redelivers": event.redelivers,
        "attempts": [attempt_view(attempt) for attempt in event.attempts],
    }
