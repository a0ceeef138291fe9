"""The platform's machinery through the control API: calls, connections, events, faults, time, reset, state."""

from feishu_simulator.connections import connection_view
from feishu_simulator.control.act import Asked, Json, UnknownError
from feishu_simulator.control.forms import ClockForm, CutForm, FaultForm
from feishu_simulator.delivery import Event, event_view
from feishu_simulator.faults import rule_view
from feishu_simulator.request_log import request_view


def requests(asked: Asked) -> Json:
    """Return every REST call, or those of `endpoint`."""
    found = asked.platform.requests(asked.query.get("endpoint", "*"))
    return {"requests": [request_view(request) for request in found]}


def connections(asked: Asked) -> Json:
    """Return every long connection there is or was."""
    return {"connections": [connection_view(item) for item in asked.platform.connections.all.values()]}


def cut_connection(asked: Asked) -> Json:
    """Close a connection, or make it half dead."""
    connection_id = asked.path["connection_id"]
    form = asked.form(CutForm)
    if connection_id not in asked.platform.connections.all:
        raise UnknownError(connection_id)
    if form.half_dead:
        asked.platform.connections.deafen(connection_id)
    if form.close is not None:
        asked.platform.connections.cut(connection_id, form.close)
    return connection_view(asked.platform.connections.all[connection_id])


def events(asked: Asked) -> Json:
    """Return every event with its attempts."""
    found = asked.platform.events(asked.query.get("event_type"))
    return {"events": [event_view(event) for event in found]}


def repeat_event(asked: Asked) -> Json:
    """Deliver an event once more under a new event_id."""
    asked.platform.delivery.repeat(_event(asked))
    return event_view(asked.platform.events()[-1])


def add_fault(asked: Asked) -> Json:
    """Put a fault rule into force."""
    form = asked.form(FaultForm)
    return rule_view(asked.platform.faults.add(form.match.to_model(), form.effect.to_model()))


def faults(asked: Asked) -> Json:
    """Return the rules in force."""
    return {"faults": [rule_view(rule) for rule in asked.platform.faults.rules.values()]}


def remove_fault(asked: Asked) -> Json:
    """Lift a fault rule."""
    fault_id = asked.path["fault_id"]
    if fault_id not in asked.platform.faults.rules:
        raise UnknownError(fault_id)
    asked.platform.faults.remove(fault_id)
    return {}


def clock(asked: Asked) -> Json:
    """Return the platform's time and when its next timer fires."""
    clock = asked.platform.clock
    return {"now_ms": clock.now_ms(), "virtual": clock.virtual, "next_due_ms": clock.next_due_ms()}


def move_clock(asked: Asked) -> Json:
    """Move time forward."""
    form = asked.form(ClockForm)
    if (form.advance_ms is None) == (form.set_ms is None):
        raise ValueError("give advance_ms or set_ms")
    if form.advance_ms is not None:
        asked.platform.clock.advance(form.advance_ms)
    elif form.set_ms is not None:
        asked.platform.clock.set(form.set_ms)
    return clock(asked)


def reset(asked: Asked) -> Json:
    """Forget everything but the time."""
    asked.platform.reset()
    return {}


def state(asked: Asked) -> Json:
    """Return everything a page needs to draw itself; `last_change` is where its stream goes on."""
    platform = asked.platform
    directory = platform.directory
    return {
        "last_change": platform.journal.last_number,
        "clock": clock(asked),
        "apps": [platform.views.app(app) for app in directory.apps.values()],
        "users": [platform.views.user(user) for user in directory.users.values()],
        "chats": [platform.views.chat(chat) for chat in directory.chats.values()],
        **connections(asked),
        **faults(asked),
    }


def _event(asked: Asked) -> Event:
    event_id = asked.path["event_id"]
    found = next((event for event in asked.platform.events() if event.event_id == event_id), None)
    if found is None:
        raise UnknownError(event_id)
    return found
