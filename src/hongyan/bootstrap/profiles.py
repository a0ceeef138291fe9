"""The Apps of a configuration, as the rest of the gateway knows them."""

import hashlib
import os
from pathlib import Path

from hongyan.adapters.store.lock import FileLock
from hongyan.application.observe_app import AppProfile
from hongyan.config import AppSettings
from hongyan.domain.identity import AppId

__all__ = ["app_lock", "one_profile_each", "profile_of"]


def one_profile_each(apps: tuple[AppSettings, ...]) -> tuple[AppSettings, ...]:
    """Give the first profile of each App: the others name the same listener."""
    return tuple({app.app_id: app for app in reversed(apps)}.values())[::-1]


def profile_of(app: AppSettings) -> AppProfile:
    """Give what an App is asked to be."""
    return AppProfile(AppId(app.app_id), app.name, app.brand, app.base_url or "")


def app_lock(app: AppSettings) -> FileLock:
    """One listener an App on this machine, whatever home it runs from."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/hongyan-{os.getuid()}") / "hongyan-apps"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = hashlib.sha256(f"{app.base_url or app.brand}\0{app.app_id}".encode()).hexdigest()[:24]
    return FileLock(folder / f"{name}.lock", code="app.busy")
