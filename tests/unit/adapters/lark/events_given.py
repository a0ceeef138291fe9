"""Events as the platform writes them."""

import json
from typing import Any

from tests.unit.adapters.lark.scripted import APP


def envelope(event_type: str, event: dict[str, Any], *, app_id: str = APP) -> dict[str, Any]:
    header = {"event_id": "e-1", "event_type": event_type, "create_time": "1900000000200", "app_id": app_id}
    return {"schema": "2.0", "header": {**header, "token": "", "tenant_key": "t"}, "event": event}


def receive(*, text: str = "hello", sender_type: str = "user", app_id: str = APP, **message: Any) -> dict[str, Any]:
    said = {
        "message_id": "om_1",
        "create_time": "1900000000123",
        "chat_id": "oc_1",
        "chat_type": "p2p",
        "message_type": "text",
        "content": json.dumps({"text": text}),
        **message,
    }
    sender = {"sender_id": {"open_id": "ou_1", "union_id": "on_1", "user_id": None}, "sender_type": sender_type}
    return envelope("im.message.receive_v1", {"sender": sender, "message": said}, app_id=app_id)


def recalled() -> dict[str, Any]:
    event = {
        "message_id": "om_1",
        "chat_id": "oc_1",
        "recall_time": "1900000001000",
        "recall_type": "message_owner",
    }
    return envelope("im.message.recalled_v1", event)
