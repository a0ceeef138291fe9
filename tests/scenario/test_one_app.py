"""One App is one listener and one journal, however many profiles or gateways name it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from tests.harness import World

from hongyan.bootstrap import STANDBY_RETRY_MS, Gateway, Wiring, open_gateway
from hongyan.config import load_settings


@pytest.mark.scenario("P16")
async def test_two_profiles_of_one_app_are_one_listener_and_one_answer(unbound_world: World) -> None:
    world = unbound_world
    world.profiles = ["work", "again"]
    await world.start()
    await world.bind()
    said = world.say("answer me once")
    await world.until_settled()
    assert len(world.platform.connections.live(world.app.app_id)) == 1
    assert [view.state for view in world.gateway.listeners()] == ["listening", "listening"]
    event = world.platform.events("im.message.receive_v1")[-1]
    world.platform.delivery.repeat(event)
    await world.until_settled()
    assert world.answers_to(said) == ["echo: answer me once"]
    assert world.prompts() == ["answer me once"]
    await world.adds_up()


def _make_home(home: Path, *, like: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "hongyan.toml").write_text((like / "hongyan.toml").read_text())


@asynccontextmanager
async def _second_gateway(world: World, home: Path) -> AsyncIterator[Gateway]:
    """Run another gateway with the same settings from a home of its own."""
    _make_home(home, like=world.home)
    gateway = await open_gateway(load_settings(home, {}), Wiring(clock=world.clock))
    running = asyncio.create_task(gateway.run())
    try:
        yield gateway
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await gateway.close()


def _word(gateway: Gateway) -> str:
    [view] = gateway.listeners()
    return view.state


@pytest.mark.scenario("P16")
async def test_a_second_gateway_of_one_app_stands_by_and_takes_over_when_the_first_is_gone(
    world: World, tmp_path: Path
) -> None:
    async with _second_gateway(world, tmp_path / "second") as second:
        await world.until(lambda: _word(second) == "standby")
        said = world.say("who answers?")
        await world.until_settled()
        assert len(world.platform.connections.live(world.app.app_id)) == 1
        assert world.answers_to(said) == ["echo: who answers?"]
        await world.adds_up()
        await world.crash()
        await world.until_asleep(STANDBY_RETRY_MS)
        await world.clock.advance(STANDBY_RETRY_MS)
        await world.until(lambda: _word(second) == "listening")
        assert len(world.platform.connections.live(world.app.app_id)) == 1
