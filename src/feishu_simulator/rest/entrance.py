"""The calls every client makes first: the long connection's address, the tenant token, who the bot is."""

import json
from urllib.parse import urlencode

from feishu_simulator.connections import SERVICE_ID
from feishu_simulator.errors import PlatformError
from feishu_simulator.model import ClientConfig
from feishu_simulator.rest.call import Call, Json, Whole

UNKNOWN_APP = 1000040346  # the long connection's own number for credentials that fit no App


def client_config(config: ClientConfig) -> Json:
    """Return the settings for long-connection clients, always all four: a missing one breaks their sleep."""
    return {
        "ReconnectCount": config.reconnect_count,
        "ReconnectInterval": config.reconnect_interval,
        "ReconnectNonce": config.reconnect_nonce,
        "PingInterval": config.ping_interval,
    }


def client_config_bytes(config: ClientConfig) -> bytes:
    """Return the settings as the payload of a pong."""
    return json.dumps(client_config(config)).encode()


def endpoint(call: Call) -> Whole:
    """Hand out the address of the long connection with a one-time ticket."""
    app = call.platform.directory.apps.get(str(call.body.get("AppID", "")))
    if app is None:
        return Whole({"code": UNKNOWN_APP, "msg": "app_id is invalid", "data": {}})
    call.request.app_id = app.app_id
    if call.body.get("AppSecret") != app.secret:
        return Whole({"code": UNKNOWN_APP, "msg": "app_secret is invalid", "data": {}})
    ticket = call.platform.connections.issue_ticket(app)
    # device_id and service_id never stand first: the Node client would read the key as "URL?device_id".
    query = {
        "fpid": "493",
        "aid": "552564",
        "device_id": ticket.device_id,
        "access_key": call.platform.ids.uuid("access").replace("-", ""),
        "service_id": str(SERVICE_ID),
        "ticket": ticket.ticket,
    }
    found = {"URL": f"{call.ws_url}/ws/v2?{urlencode(query)}", "ClientConfig": client_config(app.client_config)}
    return Whole({"code": 0, "msg": "", "data": found})


def tenant_token(call: Call) -> Whole:
    """Issue a tenant access token."""
    app_id, secret = call.body.get("app_id"), call.body.get("app_secret")
    if not isinstance(app_id, str) or not isinstance(secret, str) or not app_id or not secret:
        raise PlatformError(10003)
    app = call.platform.directory.apps.get(app_id)
    if app is None:
        raise PlatformError(99991543)
    call.request.app_id = app.app_id
    if app.secret != secret:
        raise PlatformError(10015)
    if not app.enabled:
        raise PlatformError(10014)
    token, seconds = call.platform.tokens.issue(app)
    return Whole({"code": 0, "msg": "ok", "tenant_access_token": token, "expire": seconds})


def bot_info(call: Call) -> Whole:
    """Say who the calling App's bot is; the object is called `bot`, not `data`."""
    found = {
        "activate_status": 2,
        "app_name": call.app.name,
        "avatar_url": "",
        "ip_white_list": [],
        "open_id": call.app.bot_open_id,
    }
    return Whole({"code": 0, "msg": "ok", "bot": found})
