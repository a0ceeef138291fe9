"""How long an accepted message waits until its prompt is with a warm agent.

The gateway runs in this process on the machine's clock; its store, its agents and its reading of messages are watched
from outside (`Wiring.wrap`). The read-back of the message from the platform lies in between and is told apart.
"""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, cast

from bench.disk import Percentiles, fdatasync_seconds, percentiles, rounded
from bench.gateway_home import EXECUTOR, WORKSPACE, until_quiet, write_home
from bench.patience import until
from bench.platform import Platform, Seat, open_platform

from hongyan.application.browse import find_pairing
from hongyan.application.configure import BindingWish, add_binding
from hongyan.application.desk import Chat, Desk
from hongyan.application.pair_owner import begin_pairing, confirm_pairing
from hongyan.bootstrap import Gateway, Wiring, open_gateway
from hongyan.config import load_settings
from hongyan.domain.bindings import Audience, Role, Scope
from hongyan.domain.identity import AppId
from hongyan.domain.pairing import PairingState
from hongyan.ports.agents import Agents
from hongyan.ports.chat import History
from hongyan.ports.store import Store

__all__ = ["MESSAGES", "Marks", "bound_gateway", "run"]

MESSAGES: Final = 40
WARM_UP: Final = 3
SYNCS: Final = 150


@dataclass(slots=True)
class Marks:
    """The moments of the message under way, by name."""

    at: dict[str, float] = field(default_factory=dict)

    def put(self, name: str) -> None:
        """Note this moment; the first one of a name stands."""
        self.at.setdefault(name, time.perf_counter())

    def wrap(self, desk: Desk) -> Desk:
        """Watch the ports of a desk."""
        chats = {app: self._watched_chat(chat) for app, chat in desk.chats.items()}
        store = cast(Store, _Watched(desk.store, {"commit": self._commit(desk.store)}))
        return replace(desk, store=store, agents=cast(Agents, _Watched(desk.agents, self._attach(desk))), chats=chats)

    def _watched_chat(self, chat: Chat) -> Chat:
        async def message(*given: Any) -> Any:
            self.put("read_asked")
            try:
                return await chat.history.message(*given)
            finally:
                self.put("read")

        return replace(chat, history=cast(History, _Watched(chat.history, {"message": message})))

    def _commit(self, store: Store) -> Callable[..., Awaitable[Any]]:
        async def commit(changes: Any) -> Any:
            answer = await store.commit(changes)
            self.put(changes.label)
            return answer

        return commit

    def _attach(self, desk: Desk) -> dict[str, Callable[..., Awaitable[Any]]]:
        async def attach(seat: Any) -> Any:
            agent = await desk.agents.attach(seat)

            async def prompt(*given: Any) -> Any:
                events = await agent.prompt(*given)
                self.put("prompted")
                return events

            return _Watched(agent, {"prompt": prompt})

        return {"attach": attach}


class _Watched:
    """Something with a few of its methods in the place of its own."""

    def __init__(self, inner: object, methods: dict[str, Callable[..., Awaitable[Any]]]) -> None:
        self._inner, self._methods = inner, methods

    def __getattr__(self, name: str) -> Any:
        return self._methods.get(name) or getattr(self._inner, name)


async def run(messages: int = MESSAGES) -> dict[str, Any]:
    """Measure one message at a time in one chat."""
    marks = Marks()
    with tempfile.TemporaryDirectory() as folder:
        syncs = await asyncio.to_thread(fdatasync_seconds, Path(folder), SYNCS)
        async with open_platform() as platform:
            [seat] = await platform.seats(1, apps=1)
            async with bound_gateway(Path(folder) / "home", platform, seat, marks) as gateway:
                found = [await _message(gateway, platform, seat, marks) for _ in range(WARM_UP + messages)][WARM_UP:]
        syncs += await asyncio.to_thread(fdatasync_seconds, Path(folder), SYNCS)
    return _summary(found, percentiles(syncs))


def _summary(found: list[dict[str, float]], sync: Percentiles) -> dict[str, Any]:
    """The time between acceptance and prompt, with and without the platform's answer to the read-back."""
    whole = percentiles([one["prompted"] - one["accept"] for one in found])
    read = percentiles([one["read"] - one["read_asked"] for one in found])
    own = percentiles([one["prompted"] - one["accept"] - (one["read"] - one["read_asked"]) for one in found])
    return {
        "messages": len(found),
        "fdatasync_ms": rounded(sync),
        "accept_to_prompt_ms": rounded(whole),
        "of_it_read_back_ms": rounded(read),
        "without_read_back_ms": rounded(own),
        "without_read_back_in_syncs": {"p50": round(own.p50 / sync.p50, 1), "p99": round(own.p99 / sync.p99, 1)},
    }


async def _message(gateway: Gateway, platform: Platform, seat: Seat, marks: Marks) -> dict[str, float]:
    """Say something, wait for the answer and for the end of everything behind it; give the moments."""
    marks.at.clear()
    said = await platform.say(seat, f"{time.monotonic_ns()}")
    await platform.answer(seat, said["message_id"])
    await until_quiet(gateway.settings.home)
    return dict(marks.at)


@contextlib.asynccontextmanager
async def bound_gateway(home: Path, platform: Platform, seat: Seat, marks: Marks) -> AsyncIterator[Gateway]:
    """Run a gateway in this process whose one chat is bound to the rehearsal agent."""
    write_home(home, platform.url, [seat])
    gateway = await open_gateway(load_settings(home, {}), Wiring(wrap=marks.wrap))
    running = asyncio.create_task(gateway.run())
    try:
        await platform.connected(seat.app_id)
        await _bind(gateway.desk, platform, seat)
        yield gateway
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        await gateway.close()


async def _bind(desk: Desk, platform: Platform, seat: Seat) -> None:
    app = AppId(seat.app_id)
    pairing = await begin_pairing(desk, app, replace_owner=False)
    await platform.say(seat, pairing.code)
    await until(lambda: _is_claimed(desk, pairing.pairing_id))
    await confirm_pairing(desk, pairing.pairing_id)
    place = (Audience.OWNER_PRIVATE, Role.PROJECT, WORKSPACE, EXECUTOR)
    await add_binding(desk, BindingWish(app, *place, None, Scope.HOST_DEFAULT))


async def _is_claimed(desk: Desk, pairing_id: str) -> bool:
    return (await find_pairing(desk, pairing_id)).state is PairingState.CLAIMED
