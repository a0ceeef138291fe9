"""The wiring: the only module that names concrete adapters, and the only one that loads some of them late.

A gateway that is idle carries no agent protocol and no migration library: both are loaded by name when they are first
needed. Nothing is decided here.
"""

import asyncio
import contextlib
import hashlib
import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import structlog

from hongyan.adapters.host import HostFolders, LocalWakeup, SystemClock, SystemEntropy
from hongyan.adapters.host import checks as machine
from hongyan.adapters.lark import LarkApp, LarkSettings
from hongyan.adapters.store import SqliteStore
from hongyan.adapters.store import backup as copies
from hongyan.adapters.store.lock import FileLock
from hongyan.adapters.store.revision import Condition, create, ensure_current
from hongyan.application.accept_message import accept_event
from hongyan.application.check_coverage import coverage_loop
from hongyan.application.commits import Commits, Watcher
from hongyan.application.configure import add_workspace
from hongyan.application.count_calls import keep_calls
from hongyan.application.decide import expire_open
from hongyan.application.desk import Chat, Desk, Options, Order
from hongyan.application.housekeep import housekeeping_loop
from hongyan.application.observe_app import AppProfile, AppReport, Check, ListenerView, identity_loop, verify_app
from hongyan.application.open_gaps import OpenGaps
from hongyan.application.recover import open_intents, recover_turn, unfinished_turns
from hongyan.application.workers import admission_loop, cards_loop, lanes_loop, outbox_loop
from hongyan.config import AppSettings, Settings, Thoughts, load_settings
from hongyan.domain.agents import AgentSeat
from hongyan.domain.errors import BusyError, HongyanError, NotFoundError, StoreError
from hongyan.domain.identity import AppId
from hongyan.domain.messages import Toast
from hongyan.ports import queries
from hongyan.ports.agents import Agent, Agents
from hongyan.ports.chat import ChatEvent, ListenerState
from hongyan.ports.surroundings import Clock, Entropy

__all__ = [
    "Gateway",
    "ListenerView",
    "RestoredHome",
    "Wiring",
    "backup_home",
    "doctor",
    "open_gateway",
    "restore_home",
]

log = structlog.get_logger(__name__)

DATABASE: Final = "hongyan.db"
STANDBY_RETRY_MS: Final = 5_000
CLOSE_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Wiring:
    """What a test hands in instead of the machine's own. `wrap` sees every port once, before anything runs."""

    clock: Clock | None = None
    entropy: Entropy | None = None
    wrap: Callable[[Desk], Desk] = lambda desk: desk
    acknowledged: Callable[[ChatEvent], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class RestoredHome:
    """A home after a restore; `kept_aside` is the database that was there before."""

    kept_aside: Path | None


class LateAgents:
    """The agents of all executors; the protocol's library is loaded when the first one starts."""

    def __init__(self, settings: Settings, mark: str) -> None:
        self._settings, self._mark = settings, mark
        self._agents: Agents | None = None
        self._loading = asyncio.Lock()

    async def attach(self, seat: AgentSeat) -> Agent:
        """Give the live agent of a seat; see the port."""
        return await (await self._loaded()).attach(seat)

    async def detach(self, session_id: str) -> None:
        """Put an agent away; see the port."""
        if self._agents is not None:
            await self._agents.detach(session_id)

    async def close(self) -> None:
        """End every agent; see the port."""
        if self._agents is not None:
            await self._agents.close()

    def alive(self) -> tuple[str, ...]:
        """Name the Sessions with a live agent."""
        return self._agents.alive() if self._agents is not None else ()

    async def _loaded(self) -> Agents:
        async with self._loading:
            if self._agents is None:
                acp = await asyncio.to_thread(importlib.import_module, "hongyan.adapters.executors.acp")
                self._agents = self._make(acp)
            return self._agents

    def _make(self, acp: Any) -> Agents:
        home = self._settings.home
        programs = {
            executor.name: acp.AcpProgram(executor.command, executor.env, executor.thoughts is Thoughts.SUMMARIES)
            for executor in self._settings.executors
            if executor.protocol == "acp"
        }
        agents: Agents = acp.AcpAgents(programs, acp.AcpPlaces(home / "run", home / "logs"), self._mark)
        return agents


class Gateway:
    """One running gateway: its ports, its loops, and what it knows of its Apps."""

    def __init__(self, settings: Settings, desk: Desk, resources: "_Resources", wiring: Wiring) -> None:
        self.settings, self.desk = settings, desk
        self._resources, self._wiring = resources, wiring
        self._standby: set[AppId] = set()

    def subscribe(self, callback: Watcher) -> Callable[[], None]:
        """Call back for every commit, once it is durable; give what ends that."""
        return self._resources.commits.subscribe(callback)

    async def run(self) -> None:
        """Put in order what a crash cut off, then carry messages until cancelled; each App on its own."""
        for settled in await open_intents(self.desk):
            log.info("recovery.settled", kind=settled.kind, id=settled.identity, way=settled.way)
        for decision in await expire_open(self.desk):
            log.info("recovery.settled", kind="decision", id=decision, way="expired")
        cut_off = await unfinished_turns(self.desk)
        async with asyncio.TaskGroup() as group:
            for turn in cut_off:
                group.create_task(self._recover(turn))
            for app in _one_profile_each(self.settings.apps):
                if AppId(app.app_id) in self.desk.chats:
                    group.create_task(self._listen(app))
                    group.create_task(identity_loop(self.desk, _profile(app)))
                    group.create_task(coverage_loop(self.desk, AppId(app.app_id)))
            for loop in (admission_loop, lanes_loop, cards_loop, outbox_loop, housekeeping_loop):
                group.create_task(loop(self.desk))

    async def close(self) -> None:
        """End the agents and the store, each within a bounded time. What was committed stays."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.desk.agents.close()
        with contextlib.suppress(StoreError):
            await keep_calls(replace(self.desk, store=self._resources.store))
        for app in self._resources.apps:
            await app.aclose()
        await self._resources.store.close()
        self._resources.release()

    async def abandon(self) -> None:
        """Let go as a crash would: nothing is finished or ended. For tests that restart on the same files."""
        self._resources.store.abandon()
        for app in self._resources.apps:
            await app.aclose()
        self._resources.release()

    def listeners(self) -> list[ListenerView]:
        """Tell what is known of each App's long connection, from cached observations."""
        views = []
        for app in self.settings.apps:
            chat = self.desk.chats.get(AppId(app.app_id))
            state, at = chat.listener.state() if chat else (ListenerState.STOPPED, 0)
            word = "standby" if app.app_id in self._standby else state.value
            views.append(ListenerView(app.name, app.app_id, word, at, self._resources.problems.get(app.name, "")))
        return views

    async def verify_app(self, name: str) -> AppReport:
        """Check one App step by step. Raise NotFoundError, or what made it unusable at start."""
        app = next((app for app in self.settings.apps if app.name == name), None)
        if app is None:
            raise NotFoundError("app", name, hint="`hongyan app list` shows them.")
        if AppId(app.app_id) not in self.desk.chats:
            app.app_secret.resolve(os.environ)  # raises what is missing
        return await verify_app(self.desk, _profile(app))

    async def doctor(self) -> list[Check]:
        """Look at everything that can fail, each with its mend."""
        apps = [await self.verify_app(app.name) for app in self.settings.apps if AppId(app.app_id) in self.desk.chats]
        of_apps = [replace(check, name=f"{report.app}: {check.name}") for report in apps for check in report.checks]
        return [*_look(self.settings), *of_apps]

    async def backup(self, target: Path) -> None:
        """Copy the database while the gateway runs."""
        await copies.backup(self.settings.home / DATABASE, target)

    async def _recover(self, turn: Any) -> None:
        try:
            settled = await recover_turn(self.desk, turn)
        except HongyanError as error:
            log.error("recovery.failed", id=turn.id, code=error.code)
        else:
            log.info("recovery.settled", kind=settled.kind, id=settled.identity, way=settled.way)

    async def _listen(self, app: AppSettings) -> None:
        """Listen for one App while this process holds it; wait in standby while another one does."""
        lock = _app_lock(app)
        app_id = AppId(app.app_id)
        while True:
            try:
                lock.acquire(started_at=self.desk.clock.now())
                break
            except (BusyError, OSError):  # held, or the folder of locks cannot be used now
                self._standby.add(app_id)
                await self.desk.clock.sleep(STANDBY_RETRY_MS)
        self._standby.discard(app_id)
        self._resources.locks.append(lock)
        sink = self.desk.chat(app_id).listener

        async def keep(event: ChatEvent) -> Toast | None:
            return await accept_event(self.desk, event)

        await sink.listen(keep, self._wiring.acknowledged)


@dataclass(slots=True)
class _Resources:
    """What has to be given back at the end, and which Apps could not be wired."""

    store: SqliteStore
    apps: list[LarkApp]
    locks: list[FileLock]
    problems: dict[str, str]
    commits: Commits

    def release(self) -> None:
        for lock in self.locks:
            lock.release()
        self.locks.clear()


async def open_gateway(settings: Settings, wiring: Wiring | None = None) -> Gateway:
    """Take the home, open the store and wire the adapters; nothing runs yet.

    Raise BusyError `home.busy`, SchemaTooNewError, StoreDamagedError, StoreFullError or another StoreError. An App
    whose secret is missing is left out and shown with its code; the rest works.
    """
    wiring = wiring or Wiring()
    home = settings.home
    for folder in (home, home / "run", home / "logs"):
        _make_private(folder)
    clock = wiring.clock or SystemClock()
    lock = FileLock(home / "hongyan.lock")
    lock.acquire(started_at=clock.now(), socket=str(home / "run" / "gateway.sock"))
    try:
        store = await _open_store(home, commits := Commits())
        resources = _Resources(store, [], [lock], {}, commits)
        desk = await _wire(settings, wiring, resources, clock)
        return Gateway(settings, wiring.wrap(desk), resources, wiring)
    except BaseException:
        lock.release()
        raise


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


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


async def _wire(settings: Settings, wiring: Wiring, resources: _Resources, clock: Clock) -> Desk:
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


def _chats(settings: Settings, resources: _Resources, clock: Clock, entropy: Entropy) -> Mapping[AppId, Chat]:
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


def _one_profile_each(apps: tuple[AppSettings, ...]) -> tuple[AppSettings, ...]:
    """Give the first profile of each App: the others name the same listener."""
    return tuple({app.app_id: app for app in reversed(apps)}.values())[::-1]


def _profile(app: AppSettings) -> AppProfile:
    return AppProfile(AppId(app.app_id), app.name, app.brand, app.base_url or "")


def _app_lock(app: AppSettings) -> FileLock:
    """One listener an App on this machine, whatever home it runs from."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/hongyan-{os.getuid()}") / "hongyan-apps"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = hashlib.sha256(f"{app.base_url or app.brand}\0{app.app_id}".encode()).hexdigest()[:24]
    return FileLock(folder / f"{name}.lock", code="app.busy")


def _look(settings: Settings) -> list[Check]:
    home = settings.home
    free = machine.free_bytes(home)
    enough = free >= machine.MINIMUM_FREE_BYTES
    looked = [
        Check("python", ok=True, found=machine.python_version()),
        Check("home", machine.is_private_folder(home), str(home), f"chmod 700 {home}"),
        Check("disk", enough, f"{free // 2**20} MB free", "" if enough else "Free some space."),
        Check("sandbox", ok=True, found="none: approvals are advisory on this machine"),
    ]
    for executor in settings.executors:
        program = machine.find_program(executor.command[0]) if executor.command else None
        mend = "" if program else f"Install {executor.command[0] if executor.command else executor.name}."
        looked.append(Check(f"agent: {executor.name}", program is not None, program or "not found", mend))
    for workspace in settings.workspaces:
        seen = HostFolders().look(str(workspace.path)).canonical
        looked.append(Check(f"workspace: {workspace.name}", seen is not None, seen or "not a folder", "Create it."))
    return looked


async def doctor(home: Path, environ: Mapping[str, str]) -> list[Check]:
    """Look at what can be looked at without a running gateway. Raise ConfigurationError for a file that is wrong."""
    settings = load_settings(home, environ)
    _make_private(settings.home)
    try:
        condition = ensure_current(settings.home / DATABASE).value
        database = Check("database", ok=True, found=condition)
    except HongyanError as error:
        database = Check("database", ok=False, found=error.message, mend=error.hint)
    return [*_look(settings), database]


async def backup_home(home: Path, target: Path) -> None:
    """Copy the database of a home in which nothing needs to run."""
    await copies.backup(home / DATABASE, target)


async def restore_home(home: Path, source: Path) -> RestoredHome:
    """Put a backup in the place of a home's database, which is kept aside. Raise BusyError while a gateway runs."""
    _make_private(home)
    restored = await copies.restore(
        source, home / DATABASE, lock=FileLock(home / "hongyan.lock"), restored_at=SystemClock().now()
    )
    return RestoredHome(restored.kept)
