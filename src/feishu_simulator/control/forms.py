"""What the control API accepts; a field that is not listed is refused."""

import base64
import binascii
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from feishu_simulator.cardkit.controls import Press
from feishu_simulator.faults import Effect, Match, RateLimit
from feishu_simulator.model import ChatKind, ClientConfig


def _decodable(value: str) -> str:
    try:
        base64.b64decode(value, validate=True)
    except binascii.Error:
        raise ValueError("it is not base64") from None
    return value


class Form(BaseModel):
    """The base: unknown fields refused, and values of another type than the described one."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ClientConfigForm(Form):
    """Long-connection settings in seconds."""

    reconnect_count: int = -1
    reconnect_interval: int = 120
    reconnect_nonce: int = 30
    ping_interval: int = 120

    def to_model(self) -> ClientConfig:
        """Return the settings."""
        return ClientConfig(**self.model_dump())


class AppChanges(Form):
    """What of an App can be set; lists left out or null mean everything."""

    name: str = "Hongyan"
    brand: Literal["feishu", "lark"] = "feishu"
    enabled: bool = True
    scopes: list[str] | None = None
    subscriptions: list[str] | None = None
    available_to: list[str] | None = None
    client_config: ClientConfigForm = ClientConfigForm()

    def traits(self) -> dict[str, Any]:
        """Return the fields that were given, as the model holds them."""
        given = {name: getattr(self, name) for name in self.model_fields_set & set(AppChanges.model_fields)}
        for name in ("scopes", "subscriptions", "available_to"):
            if given.get(name) is not None:
                given[name] = frozenset(given[name])
        if "client_config" in given:
            given["client_config"] = self.client_config.to_model()
        return given


class NewAppForm(AppChanges):
    """A new App."""

    app_id: Annotated[str, Field(pattern=r"^cli_[0-9a-f]{16}$")] | None = None
    app_secret: str | None = None


class UserChanges(Form):
    """What of a person can be set."""

    name: str = Field(default="Lin Yan", min_length=1)
    guest: bool = False
    resigned: bool = False
    stopped_apps: list[str] = []


class NewUserForm(UserChanges):
    """A new person."""

    user_id: str | None = None
    outside_tenant: bool = False


class NewChatForm(Form):
    """A new chat; people by any id or name, bots by app_id."""

    kind: ChatKind = ChatKind.GROUP
    name: str = ""
    users: list[str] = []
    bots: list[str] = []
    owner: str | None = None


class ChatChanges(Form):
    """What of a chat can be changed."""

    name: str | None = None
    muted: bool | None = None
    dissolved: bool | None = None
    threads_allowed: bool | None = None
    add_users: list[str] = []
    remove_users: list[str] = []
    add_bots: list[str] = []
    remove_bots: list[str] = []


class UploadForm(Form):
    """A file as base64."""

    name: str = "file"
    base64: Annotated[str, AfterValidator(_decodable)]

    def content(self) -> bytes:
        """Return the bytes."""
        return base64.b64decode(self.base64)


class MessageForm(Form):
    """One act of a person: say (text, post, image or file), edit with new words, recall, or delete.

    Without `chat` the message goes to the private chat with `app`.
    """

    user: str
    app: str | None = None
    chat: str | None = None
    text: str | None = None
    post: dict[str, Any] | None = None
    image: UploadForm | None = None
    file: UploadForm | None = None
    reply_to: str | None = None
    in_thread: bool = False
    edit: str | None = None
    recall: str | None = None
    recall_type: Literal["message_owner", "group_owner", "group_manager", "enterprise_manager"] = "message_owner"
    delete: str | None = None


class ReactionForm(Form):
    """A person's emoji, put on or taken off."""

    user: str
    message: str
    emoji: str
    remove: bool = False


class ClickForm(Form):
    """A person uses a control of a card: which one, by what it has, and what they put in.

    Without any mark the first control is meant; `form_value` is what differs from what the form already holds.
    """

    user: str
    message: str
    element: str | None = None
    name: str | None = None
    value: Any = None
    text: str | None = None
    tag: str | None = None
    form_value: dict[str, Any] | None = None
    option: str | None = None
    options: list[str] | None = None
    input_value: str | None = None
    checked: bool | None = None

    def to_press(self) -> Press:
        """Return the press."""
        return Press(**self.model_dump(exclude={"user", "message"}))


class VisitForm(Form):
    """A person opens a chat or reads it."""

    user: str


class MatchForm(Form):
    """What a fault rule looks for."""

    endpoint: str
    app: str | None = None
    nth: int | None = Field(default=None, ge=1)
    times: int | None = Field(default=None, ge=1)
    probability: float | None = Field(default=None, ge=0, le=1)

    def to_model(self) -> Match:
        """Return the match."""
        return Match(self.endpoint, self.app, self.nth, self.times, self.probability)


class RateLimitForm(Form):
    """So many calls in a window."""

    limit: int = Field(ge=0)
    window_ms: int = Field(ge=1)


class EffectForm(Form):
    """What goes wrong; see `faults.Effect`."""

    delay_ms: int = Field(default=0, ge=0)
    error_code: int | None = None
    error_message: str | None = None
    http_status: int | None = Field(default=None, ge=200, le=599)
    rate_limit: RateLimitForm | None = None
    lost_response: bool = False
    swallow: bool = False
    hollow_response: bool = False
    refuse_connection: bool = False
    drop: bool = False
    duplicate: bool = False
    reorder: bool = False
    close: int | None = None
    half_dead: bool = False
    no_redelivery: bool = False
    stale_token: bool = False
    unlisted_ms: int = Field(default=0, ge=0)
    fragments: int | None = Field(default=None, ge=1)
    fragments_shuffled: bool = False

    def to_model(self) -> Effect:
        """Return the effect."""
        rate = RateLimit(**self.rate_limit.model_dump()) if self.rate_limit else None
        return Effect(**{**self.model_dump(exclude={"rate_limit"}), "rate_limit": rate})


class FaultForm(Form):
    """A new fault rule."""

    match: MatchForm
    effect: EffectForm


class ClockForm(Form):
    """Move time forward: by so much, or to a moment."""

    advance_ms: int | None = Field(default=None, ge=0)
    set_ms: int | None = None


class CutForm(Form):
    """How a connection ends: a close code (1006 cuts the line), or half dead."""

    close: int | None = None
    half_dead: bool = False
