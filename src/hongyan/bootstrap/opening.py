"""From the settings to a gateway that holds its home, and in which nothing runs yet."""

import asyncio
import importlib
import os
from collections.abc import Mapping
from pathlib import Path

import structlog

from hongyan.adapters.host import HostFolders, LocalWakeup, SystemClock, SystemEntropy
from hongyan.adapters.host import checks as machine
from hongyan.adapters.lark import LarkApp, LarkSettings
from hongyan.adapters.store import SqliteStore
from hongyan.adapters.store.lock import FileLock
from hongyan.adapters.store.revision import Condition, create, ensure_current
from hongyan.application.commits import Commits
from hongyan.application.configure import add_workspace
from hongyan.application.desk import Chat, Desk, Options, Order
from hongyan.application.open_gaps import OpenGaps
from hongyan.bootstrap.gateway import Gateway
from hongyan.bootstrap.house import make_private
from hongyan.bootstrap.late_agents import LateAgents
from hongyan.bootstrap.resources import DATABASE, Resources, Wiring
from hongyan.config import Settings
from hongyan.domain.errors import HongyanError
from hongyan.domain.identity import AppId
from hongyan.ports import queries
from hongyan.ports.surroundings import Clock, Entropy

__all__ = ["open_gateway"]

log = structlog.get_logger(__name__)


async def open_gateway(settings: Settings, wiring: Wiring | None = None) -> Gateway:
    """Take the home, open the store and wire the adapters; nothing runs yet.

    Raise BusyError `home.busy`, SchemaTooNewError, StoreDamagedError, StoreFullError or another StoreError. An App
    whose secret is missing is left out and shown with its code; the rest works.
    """
    wiring = wiring or Wiring()
    home = settings.home
    for folder in (home, home / "run", home / "logs"):
        make_private(folder)
    clock = wiring.clock or SystemClock()
    lock = FileLock(home / "hongyan.lock")
    lock.acquire(started_at=clock.now(), socket=str(home / "run" / "gateway.sock"))
    try:
        store = await _open_store(home, commits := Commits())
        resources = Resources(store, [], [lock], {}, commits)
        desk = await _wire(settings, wiring, resources, clock)
        return Gateway(settings, wiring.wrap(desk), resources, wiring)
    except BaseException:
        lock.release()
        raise


async def _open_store(home: Path, commits: Commits) -> SqliteStore:
    path = home / DATABASE
    condition = ensure_current(path)
    if condition is Condition.EMPTY:
        create(path)
    elif condition is Condition.OLDER:
        migrations = await asyncio.to_thread(importlib.import_module, "hongyan.adapters.store.migrate")
        await asyncio.to_thread(migrations.migrate, path)
    store = SqliteStore(path, on_commit=commits)
    await store.open()
    return store


async def _wire(settings: Settings, wiring: Wiring, resources: Resources, clock: Clock) -> Desk:
    entropy = wiring.entropy or SystemEntropy()
    store = resources.store
    options = Options(
        executors=frozenset(executor.name for executor in settings.executors),
        reactions=settings.gateway.reactions,
        zone=machine.zone(),
    )
    desk = Desk(
        store=store,
        clock=clock,
        entropy=entropy,
        wakeup=LocalWakeup(clock),
        agents=LateAgents(settings, SystemEntropy().token()),
        folders=HostFolders(),
        options=options,
        order=Order(await store.one(queries.LAST_SEQ) or 0),
        gaps=OpenGaps(await store.all(queries.GAP_IDS)),
        chats=dict(_chats(settings, resources, clock, entropy)),
    )
    for workspace in settings.workspaces:
        try:
            await add_workspace(desk, workspace.name, str(workspace.path), workspace.grant)
        except HongyanError as error:
            resources.problems[f"workspace {workspace.name}"] = error.code
            log.warning("workspace.not_usable", workspace=workspace.name, code=error.code)
    return desk


def _chats(settings: Settings, resources: Resources, clock: Clock, entropy: Entropy) -> Mapping[AppId, Chat]:
    """One set of ports an App id, however many profiles name it."""
    chats: dict[AppId, Chat] = {}
    for app in settings.apps:
        app_id = AppId(app.app_id)
        if app_id in chats:
            continue
        try:
            secret = app.app_secret.resolve(os.environ)
            lark = LarkApp(LarkSettings(app_id, secret, app.brand, app.base_url or ""), clock)
        except HongyanError as error:
            resources.problems[app.name] = error.code
            log.warning("app.not_usable", app=app.name, code=error.code)
            continue
        resources.apps.append(lark)
        chats[app_id] = Chat(app_id, lark, lark, lark.cardkit, lark, lark, lark, lark.listener(entropy), lark)
    return chats
