"""What the page shows beyond the state: the recent timeline, an event's whole body, a file behind its key."""

import base64
from typing import Final

from feishu_simulator.control.act import Asked, Json, UnknownError
from feishu_simulator.delivery import event_view
from feishu_simulator.journal import Change

SHOWN_CHANGES: Final = 400
MOST_CHANGES: Final = 2_000
KINDS: Final = frozenset({"event", "request", "connection", "fault", "click"})


def timeline(asked: Asked) -> Json:
    """Return the newest `last` changes that belong on a timeline; the stream goes on after `last_change`."""
    asked_for = asked.query.get("last", "")
    count = min(int(asked_for), MOST_CHANGES) if asked_for.isdecimal() else SHOWN_CHANGES
    journal = asked.platform.journal
    found = [change for change in _since_reset(journal.since(0)) if change.kind in KINDS and not _is_ping(change)]
    shown = [{"number": item.number, "at_ms": item.at_ms, "kind": item.kind, "facts": item.facts} for item in found]
    return {"last_change": journal.last_number, "changes": shown[-count:] if count else []}


def event(asked: Asked) -> Json:
    """Return an event with its attempts and the body that the bot is sent."""
    event_id = asked.path["event_id"]
    found = next((item for item in asked.platform.events() if item.event_id == event_id), None)
    if found is None:
        raise UnknownError(event_id)
    return {**event_view(found), "body": found.body}


def resource(asked: Asked) -> Json:
    """Return a file's name and size, and a picture's bytes as base64."""
    key = asked.path["key"]
    found = asked.platform.messages.resources.get(key)
    if found is None:
        raise UnknownError(key)
    shown: Json = {"key": found.key, "kind": found.kind, "name": found.name, "size_bytes": len(found.content)}
    if found.kind == "image":
        shown["base64"] = base64.b64encode(found.content).decode()
    return shown


def _since_reset(changes: list[Change]) -> list[Change]:
    resets = [index for index, change in enumerate(changes) if change.kind == "reset"]
    return changes[resets[-1] + 1 :] if resets else changes


def _is_ping(change: Change) -> bool:
    return change.kind == "connection" and change.facts["action"] == "ping"
