"""The platform's refusals: numbers, sentences and HTTP statuses as its documentation lists them."""

from typing import Any, Final

SENTENCES: Final[dict[int, str]] = {
    10002: "Your request contains an invalid request parameter.",
    10003: "invalid param",
    10014: "app is disabled",
    10015: "app secret invalid",
    41012: "user id invalid error",
    41050: "no user authority error",
    200220: "Failed to generate card content.",
    200621: "parse card json err, please check whether the card json is correct.",
    200673: "The card is invalid.",
    200740: "The card entity does not exist.",
    200750: "The card entity has expired.",
    200770: "UUID conflict.",
    200810: "The card is in an ongoing interaction and cannot be updated.",
    200830: "The card's schema cannot be changed from 2.0 to 1.0.",
    200850: "Card streaming timeout.",
    200860: "Card content exceeds limit.",
    200861: "cards of schema V2 no longer support this capability.",
    300090: "openid empty.",
    300121: "Failed to replace element.",
    300122: "Failed to update card configuration.",
    300301: "Duplicate element_id in card component.",
    300302: "update_multi property is false.",
    300303: "Only schema 2.0 is supported.",
    300305: "The number of card components exceeds 200.",
    300307: "The card DSL is empty.",
    300309: "Card streaming closed.",
    300310: "Only update text.",
    300311: "The current application does not have permission to update/use this card.",
    300312: "Unable to update element tag.",
    300313: "Failed to update element properties.",
    300314: "Failed to delete element.",
    300315: "Failed to add element.",
    300317: "The sequence number for operating on the card did not increment consecutively.",
    99991201: "path not found",
    99991301: "method not allowed",
    99991400: "request trigger frequency limit",
    99991543: "app id or secret is wrong",
    99991661: "Missing access token for authorization. Please make a request with token attached.",
    99991662: "app is disabled",
    99991663: "Invalid access token for authorization. Please make a request with token attached.",
    99991671: "Invalid access token for authorization. The token must start with 't-' or 'u-'.",
    99991672: "Access denied. One of the following scopes is required",
    99992351: "open_id not found",
    99992354: "message_id not found",
    99992356: "chat_id not found",
    99992360: "user_id not found",
    99992361: "open_id cross app",
    99992402: "field validation failed",
    230001: "Your request contains an invalid request parameter.",
    230002: "Bot/User can NOT be out of the chat.",
    230009: "This operation has exceeded the time limit.",
    230011: "The message was withdrawn.",
    230013: "Bot has NO availability to this user.",
    230018: "These operations are NOT allowed at current group settings.",
    230019: "The topic does NOT exist.",
    230020: "This operation triggers the frequency limit.",
    230025: "The length of the message content reaches its limit.",
    230026: "No permission to recall this message.",
    230027: "Lack of necessary permissions.",
    230029: "User has resigned.",
    230031: "The current message is past the time limit.",
    230034: "The receive_id is invalid.",
    230038: "Cross tenant p2p chat operate forbid.",
    230049: "The message is being sent.",
    230053: "The user has stopped the bot from sending messages.",
    230054: "This operation is NOT supported for this message type.",
    230071: "This operation is NOT allowed for the current message or group.",
    230072: "The message has reached the number of times it can be edited.",
    230099: "Failed to create card content,",
    230110: "Action unavailable as the message has been deleted.",
    231001: "The reaction type is invalid.",
    231002: "The operator has no permission to react on the specific message.",
    231003: "The message is not found, maybe not exist or deleted.",
    231007: "The reaction was not added by the operator.",
    231011: "The reaction_id does not exist.",
    232006: "Your request specifies a chat_id which is invalid.",
    232009: "Your request specifies a chat which has already been dissolved.",
    232011: "Operator can NOT be out of the chat.",
    234003: "File not in msg.",
}

STATUSES: Final[dict[int, int]] = {
    10003: 200,  # the token call answers refusals with HTTP 200
    10014: 200,
    10015: 200,
    99991543: 200,
    99991201: 404,
    99991301: 405,
    99991400: 429,
}


class PlatformError(Exception):
    """A call is refused with the platform's own number; `extra` joins the envelope's `error` object."""

    def __init__(self, code: int, detail: str = "", *, extra: dict[str, Any] | None = None) -> None:
        sentence = SENTENCES.get(code, "error")
        self.code = code
        self.sentence = f"{sentence} {detail}".strip()
        self.http_status = STATUSES.get(code, 400)
        self.headers: dict[str, str] = {}
        self.extra = extra or {}
        super().__init__(f"{code} {self.sentence}")


def invalid_field(field: str, value: object, description: str) -> PlatformError:
    """Build the field-validation refusal that names the field."""
    violation = {"field": field, "value": str(value), "description": description}
    return PlatformError(99992402, extra={"field_violations": [violation]})


def missing_scope(app_id: str, scopes: tuple[str, ...]) -> PlatformError:
    """Build the refusal of a call whose App lacks every scope that would allow it."""
    violations = [{"type": "action_privilege_required", "subject": scope} for scope in scopes]
    detail = f"[{', '.join(scopes)}]. app: {app_id}"
    return PlatformError(99991672, detail, extra={"permission_violations": violations})
