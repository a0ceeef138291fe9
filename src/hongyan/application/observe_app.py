"""Observe who an App is on the platform, beside the path of messages, and check what it needs."""

from dataclasses import dataclass, fields

import structlog

from hongyan.application.desk import Chat, Desk
from hongyan.domain import limits
from hongyan.domain.changes import ONE_OR_NONE, Changes, Columns, Update, insert, plain
from hongyan.domain.errors import ChatError, StoreError
from hongyan.domain.identity import AppId, Brand, ChatApp
from hongyan.ports import queries
from hongyan.ports.chat import BotIdentity, ListenerState

__all__ = ["AppProfile", "AppReport", "Check", "ListenerView", "identity_loop", "observe_app", "verify_app"]

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AppProfile:
    """An App as it is configured."""

    app_id: AppId
    name: str
    brand: Brand
    base_url: str


@dataclass(frozen=True, slots=True)
class ListenerView:
    """What is known of one App's long connection. `state` may also be `standby`: another process holds the App."""

    app: str
    app_id: str
    state: str
    observed_at: int
    error_code: str


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what was found, and how to mend it when it is not as it should be."""

    name: str
    ok: bool
    found: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class AppReport:
    """What was read back of an App."""

    app: str
    bot_open_id: str
    checks: tuple[Check, ...]


async def identity_loop(desk: Desk, profile: AppProfile) -> None:
    """Observe an App now and every ten minutes, sooner after a failure, until cancelled."""
    wait = limits.BACK_OFF_MS
    while True:
        try:
            await observe_app(desk, profile)
            wait = limits.IDENTITY_PERIOD_MS
        except (ChatError, StoreError) as error:
            log.warning("app.not_observed", app=profile.name, code=error.code)
            wait = min(wait * 2, limits.IDENTITY_PERIOD_MS)
        await desk.clock.sleep(wait)


async def observe_app(desk: Desk, profile: AppProfile) -> BotIdentity:
    """Read the bot's identity from the platform and keep it with its time."""
    identity = await desk.chat(profile.app_id).directory.me()
    known = await desk.store.one(queries.CHAT_APP, app_id=profile.app_id)
    expected = known.bot_open_id if known is not None else None
    if expected and identity.open_id != expected:
        await desk.store.commit(Changes("observe_other_bot", (_see_other(desk, profile, identity),)))
        log.error("app.other_bot", app=profile.name, expected=expected, found=identity.open_id)
        return identity
    row = ChatApp(
        app_id=profile.app_id,
        name=profile.name,
        brand=profile.brand,
        base_url=profile.base_url,
        bot_open_id=identity.open_id,
        bot_name=identity.name,
        other_bot="",
        observed_at=desk.clock.now(),
    )
    await desk.store.commit(Changes("observe_app", (insert("apps", row, ONE_OR_NONE), _see_same(row))))
    return identity


def _see_same(row: ChatApp) -> Update:
    """Plan what a renamed bot changes, and that nothing is fenced any more."""
    values: Columns = {field.name: plain(getattr(row, field.name)) for field in fields(row)}
    return Update("apps", {"app_id": row.app_id}, values)


def _see_other(desk: Desk, profile: AppProfile, identity: BotIdentity) -> Update:
    """Plan the fence: every write demands that no other bot is seen."""
    return Update("apps", {"app_id": profile.app_id}, {"other_bot": identity.open_id, "observed_at": desk.clock.now()})


async def verify_app(desk: Desk, profile: AppProfile) -> AppReport:
    """Check an App step by step; a step that fails does not hide the others."""
    bot, identity = await _identity(desk, profile)
    chat = desk.chat(profile.app_id)
    checks = [*identity, _connection(chat), _clock(chat)]
    owner = await desk.store.one(queries.OWNER, app=profile.app_id)
    paired = "paired" if owner else "nobody is paired"
    checks.append(
        Check("owner", owner is not None, paired, "" if owner else f"hongyan owner pair --app {profile.name}")
    )
    return AppReport(profile.name, bot, tuple(checks))


async def _identity(desk: Desk, profile: AppProfile) -> tuple[str, list[Check]]:
    try:
        identity = await observe_app(desk, profile)
    except ChatError as error:
        found = f"{error.message} ({error.code})"
        return "", [Check("credentials", ok=False, found=found, mend=error.hint or "Check app_id and app_secret.")]
    known = await desk.store.one(queries.CHAT_APP, app_id=profile.app_id)
    bot = Check("bot", bool(identity.open_id), identity.name or "no bot", "Switch the bot ability on in the console.")
    if known is not None and known.other_bot:
        mend = "Check app_id and app_secret; nothing is sent until the known bot answers again."
        bot = Check("bot", ok=False, found=f"another bot answers: {identity.name}", mend=mend)
    return identity.open_id, [Check("credentials", ok=True, found="a tenant token was issued"), bot]


def _connection(chat: Chat) -> Check:
    state, _ = chat.listener.state()
    mend = "" if state is ListenerState.LISTENING else "Choose the long connection as the way of events, and publish."
    return Check("long_connection", state is ListenerState.LISTENING, state.value, mend)


def _clock(chat: Chat) -> Check:
    offset = chat.directory.platform_offset()
    if offset is None:
        return Check("clock", ok=False, found="no answer of the platform was seen yet")
    near = abs(offset) <= limits.CLOCK_DISAGREEMENT_MS
    return Check("clock", near, f"{offset / 1_000:+.1f} s to the platform", "" if near else "Set this machine's clock.")
