"""The rehearsal: an App, its owner and a colleague on the simulated Feishu, and an agent that needs no model.

Everything is done as a person would do it: the owner sends the pairing code to the bot, it is confirmed here, a folder
is authorised and bound. The world is the same at every start of a home, so a second start finds it done.
"""

import asyncio
import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import httpx

from hongyan.application.browse import find_pairing, owner_of
from hongyan.application.configure import BindingWish, add_binding, add_workspace
from hongyan.application.desk import Desk
from hongyan.application.pair_owner import begin_pairing, confirm_pairing
from hongyan.bootstrap import Gateway
from hongyan.config import AppSettings, ExecutorSettings, Protocol, SecretSource, Settings, Thoughts
from hongyan.config.secrets import SecretKind
from hongyan.domain.bindings import Audience, Role, Scope
from hongyan.domain.identity import AppId
from hongyan.domain.pairing import PairingState
from hongyan.domain.workspaces import Grant
from hongyan.entrypoints.daemon.simulator import Simulated, World

__all__ = ["APP", "Stage", "raise_curtain", "set_stage", "with_rehearsal", "world_at"]

APP: Final = "simulated"
EXECUTOR: Final = "rehearsal"
WORKSPACE: Final = "rehearsal"
OWNER, COLLEAGUE = ("linyan", "Lin Yan"), ("chenyu", "Chen Yu")
BOT: Final = "Hongyan"
SEED: Final = 1
APP_ID: Final = AppId(f"cli_{SEED:016x}")
SECRET_VARIABLE: Final = "SIMULATED_APP_SECRET"  # of this process only: an agent's environment is a list of names
LISTENING: Final = "listening"
CALL_SECONDS: Final = 10.0
LISTENING_SECONDS: Final = 20.0
CLAIMED_SECONDS: Final = 20.0
LOOK_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Stage:
    """What the rehearsal plays on."""

    gateway: Gateway
    simulated: Simulated


def world_at(now: int) -> World:
    """Give the world of a start at `now` (UTC milliseconds): always the same people, never the same messages."""
    return World(SEED, now)


def with_rehearsal(settings: Settings, url: str) -> Settings:
    """Add the App of the simulated platform at `url` and the rehearsal agent to the settings."""
    os.environ[SECRET_VARIABLE] = secrets.token_hex(16)
    source = SecretSource(SecretKind.ENV, SECRET_VARIABLE)
    app = AppSettings(APP, APP_ID, source, base_url=url)
    command = (sys.executable, "-m", "rehearsal_agent")
    agent = ExecutorSettings(EXECUTOR, Protocol.ACP, command, thoughts=Thoughts.SUMMARIES)
    known = {executor.name for executor in settings.executors}
    executors = settings.executors if EXECUTOR in known else (*settings.executors, agent)
    return replace(settings, apps=(*settings.apps, app), executors=executors)


async def set_stage(simulated: Simulated) -> None:
    """Bring the App and the people to the simulated platform, in one order, so that their chats have the same ids."""
    async with _control(simulated) as control:
        secret = os.environ[SECRET_VARIABLE]
        await _post(control, "/_sim/apps", {"app_id": APP_ID, "app_secret": secret, "name": BOT})
        for user_id, name in (OWNER, COLLEAGUE):
            await _post(control, "/_sim/users", {"user_id": user_id, "name": name})
            await _post(control, "/_sim/chats", {"kind": "p2p", "users": [user_id], "bots": [APP_ID]})
        group = {"kind": "topic", "name": "Wild Geese", "users": [OWNER[0], COLLEAGUE[0]], "bots": [APP_ID]}
        await _post(control, "/_sim/chats", group)


async def raise_curtain(stage: Stage, home: Path) -> None:
    """Pair the owner, authorise the rehearsal's folder and bind it. Safe to repeat.

    Raise HongyanError, TimeoutError or an httpx error when a step did not happen.
    """
    desk = stage.gateway.desk
    await _until_listening(stage)  # a message that is sent earlier would wait for the platform's next try
    if await owner_of(desk, APP_ID) is None:
        await _pair(stage)
    folder = home / WORKSPACE
    folder.mkdir(mode=0o700, exist_ok=True)
    await add_workspace(desk, WORKSPACE, str(folder), Grant.WRITE)
    wish = BindingWish(
        app=APP_ID,
        audience=Audience.OWNER_PRIVATE,
        role=Role.PROJECT,
        workspace=WORKSPACE,
        executor=EXECUTOR,
        grant_kind=None,
        scope=Scope.HOST_DEFAULT,
    )
    await add_binding(desk, wish)


async def _pair(stage: Stage) -> None:
    desk = stage.gateway.desk
    pairing = await begin_pairing(desk, APP_ID, replace_owner=False)
    async with _control(stage.simulated) as control:
        await _post(control, "/_sim/messages", {"user": OWNER[0], "app": APP_ID, "text": pairing.code})
    await _until_claimed(desk, pairing.pairing_id)
    await confirm_pairing(desk, pairing.pairing_id)


async def _until_listening(stage: Stage) -> None:
    async with asyncio.timeout(LISTENING_SECONDS):
        while True:
            if any(one.app_id == APP_ID and one.state == LISTENING for one in stage.gateway.listeners()):
                return
            await asyncio.sleep(LOOK_SECONDS)


async def _until_claimed(desk: Desk, pairing_id: str) -> None:
    async with asyncio.timeout(CLAIMED_SECONDS):
        while True:
            if (await find_pairing(desk, pairing_id)).state is PairingState.CLAIMED:
                return
            await asyncio.sleep(LOOK_SECONDS)


def _control(simulated: Simulated) -> httpx.AsyncClient:
    headers = {"authorization": f"Bearer {simulated.token}"}
    return httpx.AsyncClient(base_url=simulated.url, headers=headers, timeout=CALL_SECONDS, trust_env=False)


async def _post(control: httpx.AsyncClient, path: str, body: Mapping[str, object]) -> None:
    (await control.post(path, json=body)).raise_for_status()
