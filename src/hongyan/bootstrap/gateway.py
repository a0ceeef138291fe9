"""One running gateway."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import structlog

from hongyan.adapters.store import backup as copies
from hongyan.application.accept_message import accept_event
from hongyan.application.check_books import check_books_loop
from hongyan.application.check_coverage import coverage_loop
from hongyan.application.commits import Watcher
from hongyan.application.count_calls import keep_calls
from hongyan.application.desk import Desk
from hongyan.application.housekeep import housekeeping_loop
from hongyan.application.observe_app import AppReport, Check, ListenerView, identity_loop, verify_app
from hongyan.application.start_up import LeftBehind, begin_start, drain, settle_app
from hongyan.application.workers import admission_loop, cards_loop, lanes_loop, outbox_loop
from hongyan.bootstrap.house import look
from hongyan.bootstrap.profiles import app_lock, one_profile_each, profile_of
from hongyan.bootstrap.resources import DATABASE, Resources, Wiring
from hongyan.config import AppSettings, Settings
from hongyan.domain.errors import BusyError, NotFoundError, StoreError
from hongyan.domain.identity import AppId
from hongyan.domain.messages import Toast
from hongyan.ports.chat import ChatEvent, ListenerState

__all__ = ["STANDBY_RETRY_MS", "Gateway"]

log = structlog.get_logger(__name__)

STANDBY_RETRY_MS: Final = 5_000
CLOSE_SECONDS: Final = 10.0


class Gateway:
    """One running gateway: its ports, its loops, and what it knows of its Apps."""

    def __init__(self, settings: Settings, desk: Desk, resources: Resources, wiring: Wiring) -> None:
        self.settings, self.desk = settings, desk
        self._resources, self._wiring = resources, wiring
        self._standby: set[AppId] = set()

    def subscribe(self, callback: Watcher) -> Callable[[], None]:
        """Call back for every commit, once it is durable; give what ends that."""
        return self._resources.commits.subscribe(callback)

    async def run(self) -> None:
        """Put in order what a crash cut off, then carry messages until cancelled; each App on its own."""
        profiles = {AppId(app.app_id): app for app in one_profile_each(self.settings.apps)}
        async with asyncio.TaskGroup() as group:
            for left in await begin_start(self.desk):
                group.create_task(self._serve(left, profiles.get(left.app)))
                if left.app in self.desk.chats:
                    group.create_task(identity_loop(self.desk, profile_of(profiles[left.app])))
            for loop in (admission_loop, lanes_loop, cards_loop, outbox_loop, housekeeping_loop, check_books_loop):
                group.create_task(loop(self.desk))

    async def drain(self) -> None:
        """Begin nothing more and let writes that are under way end, within a bounded time; `run` has to go on."""
        with contextlib.suppress(StoreError):
            await drain(self.desk)

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
            problem = self._resources.problems.get(app.name, "") or self.desk.starts.problem(AppId(app.app_id)) or ""
            word = "standby" if app.app_id in self._standby else state.value
            if chat and self.desk.starts.holds(AppId(app.app_id)):
                word = (ListenerState.RETRYING if problem else ListenerState.STARTING).value
            views.append(ListenerView(app.name, app.app_id, word, at, problem))
        return views

    async def verify_app(self, name: str) -> AppReport:
        """Check one App step by step. Raise NotFoundError, or what made it unusable at start."""
        app = next((app for app in self.settings.apps if app.name == name), None)
        if app is None:
            raise NotFoundError("app", name, hint="`hongyan app list` shows them.")
        if AppId(app.app_id) not in self.desk.chats:
            app.app_secret.resolve(os.environ)  # raises what is missing
        return await verify_app(self.desk, profile_of(app))

    async def doctor(self) -> list[Check]:
        """Look at everything that can fail, each with its mend."""
        apps = [await self.verify_app(app.name) for app in self.settings.apps if AppId(app.app_id) in self.desk.chats]
        of_apps = [replace(check, name=f"{report.app}: {check.name}") for report in apps for check in report.checks]
        return [*look(self.settings), *of_apps]

    async def backup(self, target: Path) -> None:
        """Copy the database while the gateway runs."""
        await copies.backup(self.settings.home / DATABASE, target)

    async def _serve(self, left: LeftBehind, app: AppSettings | None) -> None:
        """Settle what a former process left of an App; only then open its long connection."""
        await settle_app(self.desk, left)
        if app is not None and left.app in self.desk.chats:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._listen(app))
                group.create_task(coverage_loop(self.desk, left.app))

    async def _listen(self, app: AppSettings) -> None:
        """Listen for one App while this process holds it; wait in standby while another one does."""
        lock = app_lock(app)
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
