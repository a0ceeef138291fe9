"""Take the home, open the doors, carry the gateway until a signal comes, close everything in the reverse order."""

import asyncio
import os
import signal
import socket
import sys
import time
import webbrowser
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import structlog

from hongyan._version import __version__
from hongyan.bootstrap import Gateway, Wiring, open_gateway
from hongyan.config import Settings
from hongyan.domain.errors import BlockedError, BusyError, HongyanError
from hongyan.domain.home import LOG_FOLDER, SOCKET
from hongyan.entrypoints.daemon import rehearse
from hongyan.entrypoints.daemon.doors import Door, bind_port, bind_socket
from hongyan.entrypoints.daemon.failures import ExitCode, tell
from hongyan.entrypoints.daemon.neighbour import Links, links_of_running
from hongyan.entrypoints.daemon.ready import Ready, print_links, write_ready
from hongyan.entrypoints.daemon.simulator import Simulated, SimulatorProcess
from hongyan.entrypoints.daemon.site import House, Keys, Site, make_site

__all__ = ["Start", "serve"]

log = structlog.get_logger("hongyan.daemon")

STOP_SECONDS: Final = 10.0
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Start:
    """What one start was asked to do. `started` is the monotonic second at which it began."""

    settings: Settings
    port: int
    simulator: bool
    ready_file: Path | None
    opens_browser: bool
    language: str
    started: float
    wiring: Wiring | None = None

    @property
    def home(self) -> Path:
        """Give the home."""
        return self.settings.home


@dataclass(frozen=True, slots=True)
class Opened:
    """A gateway whose doors are open."""

    gateway: Gateway
    house: House
    keys: Keys
    simulator: SimulatorProcess | None


async def serve(start: Start) -> int:
    """Serve until a signal or a stop over the interface; give the exit code.

    A home that is served already gets its links printed and nothing is started. Raise HongyanError when nothing can be
    served.
    """
    try:
        return await _serve(start)
    except BusyError as error:
        if error.code != "home.busy":
            raise
        links = await links_of_running(start.home / SOCKET)
        if links is None:
            raise _not_answering(error) from error
    print_links(links, start.language, already=True)
    return ExitCode.DONE


def _not_answering(error: BusyError) -> BusyError:
    hint = "Wait for it, or end that process if it hangs; then start again."
    return BusyError("home.not_answering", f"{error.message}, which does not answer", hint=hint)


async def _serve(start: Start) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        opened = await _open(start, stack, stop)
        code = await _carry(start, opened, stop)
    log.info("gateway.stopped", exit_code=code)
    return code


async def _carry(start: Start, opened: Opened, stop: asyncio.Event) -> int:
    """Carry the gateway until it is asked to stop, or until something ends it."""
    code = ExitCode.DONE
    try:
        async with asyncio.TaskGroup() as group:
            living = group.create_task(_live(start, opened))
            await stop.wait()
            log.info("gateway.stopping")
            opened.house.leave()
            await opened.gateway.drain()
            living.cancel()
    except* HongyanError as known:
        error = next(one for one in _leaves(known) if isinstance(one, HongyanError))
        log.error("gateway.ended", code=error.code)
        code = tell(error)
    except* Exception as broken:
        log.error("gateway.broke", exc_info=broken)
        hint = f"{start.home / LOG_FOLDER / 'gateway.log'} has more; starting again takes the work up."
        code = tell(HongyanError("the gateway met a fault of its own", hint=hint))
    return code


async def _live(start: Start, opened: Opened) -> None:
    """Wait for the simulated platform if there is one, then carry messages and welcome whoever started us."""
    simulator = opened.simulator
    if simulator is not None:
        opened.house.simulated = await simulator.ready()
        await _set_stage(opened.house.simulated)
    async with asyncio.TaskGroup() as group:
        group.create_task(opened.gateway.run())
        group.create_task(_welcome(start, opened))
        if simulator is not None:
            group.create_task(simulator.watch())


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for one in group.exceptions:
        if isinstance(one, BaseExceptionGroup):
            yield from _leaves(one)
        else:
            yield one


async def _open(start: Start, stack: AsyncExitStack, stop: asyncio.Event) -> Opened:
    """Take the home first, then the port, and open the doors; what the stack holds is closed in the reverse order."""
    settings, simulator = start.settings, None
    if start.simulator:
        simulator = SimulatorProcess(start.home, rehearse.world_at(time.time_ns() // 1_000_000))
        settings = rehearse.with_rehearsal(settings, simulator.url)
        stack.push_async_callback(simulator.stop)  # after the gateway, which still speaks to it
    gateway = await open_gateway(settings, start.wiring)
    stack.push_async_callback(_close, gateway)
    _insist_on_an_app(gateway)
    listening = stack.enter_context(bind_port(start.settings.gateway.host, start.port))
    if simulator is not None:
        await simulator.start()  # only as the holder of the home; it starts while the rest is loaded
    house = House(start.home, __version__, os.getpid(), gateway.desk.clock.now(), stop.set)
    port = int(listening.getsockname()[1])
    site = make_site(gateway, port, house)
    await _open_doors(start.home / SOCKET, site, listening, stack)
    log.info("gateway.serving", port=port, home=str(start.home))
    return Opened(gateway, house, site.keys, simulator)


async def _open_doors(path: Path, site: Site, listening: socket.socket, stack: AsyncExitStack) -> None:
    for application, bound in ((site.on_port, listening), (site.on_socket, bind_socket(path))):
        door = Door(application, bound)
        await door.open()
        stack.push_async_callback(door.close)
    stack.callback(path.unlink, missing_ok=True)


def _insist_on_an_app(gateway: Gateway) -> None:
    """Raise what keeps the first App out when Apps are configured and none of them can be used."""
    apps = gateway.settings.apps
    if not apps or gateway.desk.chats:
        return
    apps[0].app_secret.resolve(os.environ)
    codes = {view.app: view.error_code for view in gateway.listeners()}
    raise BlockedError("app.not_usable", f"no App can be used: {codes}", hint="`hongyan config check` says more.")


async def _close(gateway: Gateway) -> None:
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await gateway.close()
    except TimeoutError:
        log.error("gateway.close_cut_short")


async def _welcome(start: Start, opened: Opened) -> None:
    """Set the rehearsal up, then say that the gateway serves: whoever reads that may write to the bot at once."""
    simulated = opened.house.simulated
    if simulated is not None:
        await _rehearse(start, opened, simulated)
    ready = Ready(
        console_url=opened.keys.new_link(),
        api_token=opened.keys.api_token,
        simulator_url=simulated.url if simulated else None,
        simulator_token=simulated.token if simulated else None,
        pid=os.getpid(),
        ready_ms=round((time.monotonic() - start.started) * 1_000),
    )
    write_ready(start.ready_file, ready)
    print_links(Links(opened.keys.new_link(), opened.house.simulator_link), start.language)
    if start.opens_browser and _has_screen():
        await asyncio.to_thread(webbrowser.open, opened.keys.new_link())


async def _set_stage(simulated: Simulated) -> None:
    try:
        await rehearse.set_stage(simulated)
    except httpx.HTTPError as error:
        hint = "Start without it: `hongyan up --no-simulator`."
        raise BlockedError("simulator.not_set_up", "the simulated Feishu could not be set up", hint=hint) from error


async def _rehearse(start: Start, opened: Opened, simulated: Simulated) -> None:
    stage = rehearse.Stage(opened.gateway, simulated)
    try:
        await rehearse.raise_curtain(stage, start.home)
    except HongyanError as error:
        log.error("rehearsal.failed", code=error.code)
        tell(error)
    except (httpx.HTTPError, TimeoutError) as error:
        log.error("rehearsal.failed", error=type(error).__name__)
        hint = "The console says what works; the rest is served."
        tell(BlockedError("rehearsal.failed", "the simulated owner could not be paired", hint=hint))


def _has_screen() -> bool:
    if not sys.stdout.isatty():
        return False
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
