"""The rehearsal on the simulated platform: set up as a person would, and found done the second time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from feishu_simulator import Simulator, SimulatorSettings
from hongyan.application.browse import list_bindings, list_workspaces, owner_of
from hongyan.bootstrap import Gateway, open_gateway
from hongyan.config import Settings
from hongyan.entrypoints.daemon import rehearse
from hongyan.entrypoints.daemon.rehearse import APP_ID, OWNER, SEED, Stage, with_rehearsal
from hongyan.entrypoints.daemon.simulator import Simulated


@asynccontextmanager
async def stage(home: Path) -> AsyncIterator[Stage]:
    """Bring a fresh simulated platform up and the gateway of a home to it."""
    async with Simulator(SimulatorSettings(seed=SEED)) as simulator:
        simulated = Simulated(simulator.base_url, simulator.control_token)
        gateway = await open_gateway(with_rehearsal(Settings(home), simulated.url))
        await rehearse.set_stage(simulated)
        living = asyncio.create_task(gateway.run())
        try:
            yield Stage(gateway, simulated)
        finally:
            living.cancel()
            await asyncio.gather(living, return_exceptions=True)
            await gateway.close()


async def what_is_there(gateway: Gateway) -> tuple[object, ...]:
    owner = await owner_of(gateway.desk, APP_ID)
    assert owner is not None
    workspaces = [workspace.path for workspace in await list_workspaces(gateway.desk)]
    bindings = [(binding.id, binding.chat_id, binding.executor) for binding in await list_bindings(gateway.desk)]
    return owner.open_id, owner.name, workspaces, bindings


async def test_the_owner_is_paired_and_bound_by_what_a_person_would_do(tmp_path: Path) -> None:
    async with stage(tmp_path) as play:
        await rehearse.raise_curtain(play, tmp_path)
        _, name, workspaces, bindings = await what_is_there(play.gateway)
    assert (name, workspaces) == (OWNER[1], [str(tmp_path / "rehearsal")])
    assert isinstance(bindings, list)
    assert [executor for _, _, executor in bindings] == ["rehearsal"]


async def test_a_second_start_finds_it_done(tmp_path: Path) -> None:
    async with stage(tmp_path) as play:
        await rehearse.raise_curtain(play, tmp_path)
        first = await what_is_there(play.gateway)
    async with stage(tmp_path) as play:
        await rehearse.raise_curtain(play, tmp_path)
        assert await what_is_there(play.gateway) == first


def test_the_rehearsal_stands_beside_what_is_configured(tmp_path: Path) -> None:
    settings = with_rehearsal(with_rehearsal(Settings(tmp_path), "http://127.0.0.1:1"), "http://127.0.0.1:2")
    assert [app.base_url for app in settings.apps] == ["http://127.0.0.1:1", "http://127.0.0.1:2"]
    assert [executor.name for executor in settings.executors] == ["rehearsal"]
