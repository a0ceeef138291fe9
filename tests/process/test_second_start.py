"""Starting twice, stopping, being killed, copying: what is left behind, and what the next start makes of it."""

import asyncio
import os
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.harness.process_world import Plan, open_process_world
from tests.harness.processes import GatewayProcess, hongyan, running, until
from tests.process.family import descendants, until_gone

from hongyan.entrypoints.daemon.rehearse import APP_ID, OWNER

pytestmark = pytest.mark.process

REHEARSAL = (sys.executable, "-m", "rehearsal_agent")  # the program itself, not a fork of a loaded one
STUBBORN = ("sh", "-c", '"$@"; exec sleep 600', "sh", *REHEARSAL)  # stays when the agent in it has gone
BALLAST_BYTES = 64 * 1024 * 1024


@pytest.mark.scenario("M17")
async def test_a_second_up_prints_the_links_of_the_first_and_starts_nothing(tmp_path: Path) -> None:
    async with running(tmp_path / "home") as gateway:
        before = descendants(gateway.pid)
        second = await hongyan(gateway.home, "up", "--no-open")
        console = gateway.ready["console_url"].partition("/login")[0]
        assert second.code == 0
        assert console in second.said
        assert gateway.ready["simulator_url"] in second.said
        assert descendants(gateway.pid) == before


@pytest.mark.scenario("M17")
async def test_a_home_held_by_a_process_that_does_not_answer_is_busy_and_names_it(tmp_path: Path) -> None:
    async with running(tmp_path / "home", "--no-simulator") as gateway:
        gateway.process.send_signal(signal.SIGSTOP)
        try:
            second = await hongyan(gateway.home, "up", "--no-open")
        finally:
            gateway.process.send_signal(signal.SIGCONT)
        sentence, mend = second.complained.splitlines()
        assert second.code == 7
        assert f"process {gateway.pid}" in sentence
        assert sentence.endswith("(home.not_answering)")
        assert mend.startswith("  → ")
        assert (await gateway.stop()).code == 0


async def test_ctrl_c_stops_cleanly_and_leaves_no_process(tmp_path: Path) -> None:
    async with running(tmp_path / "home", environ={"HOME": str(tmp_path)}) as gateway:
        family = await at_work(gateway)
        os.killpg(gateway.pid, signal.SIGINT)
        ended = await gateway.ended()
        assert (ended.code, ended.complained) == (0, "")
        await until_gone(family)


async def test_a_killed_gateway_takes_simulator_and_agent_with_it(tmp_path: Path) -> None:
    async with running(tmp_path / "home", environ={"HOME": str(tmp_path)}) as gateway:
        family = await at_work(gateway)
        await gateway.kill_now()
        await until_gone(family)


async def test_an_agent_that_outlives_a_killed_gateway_is_ended_before_the_next_one_works(tmp_path: Path) -> None:
    async with open_process_world(tmp_path / "home", Plan({"stubborn": STUBBORN})) as world:
        gateway = await world.start()
        await world.bind()
        waiting = world.say("[[wait:go]]")
        await world.until(lambda: len(world.prompts()) == 1)
        family = descendants(gateway.pid)
        await gateway.kill_now()
        await world.start()
        await until_gone(family)
        await world.until_settled()
        assert len(world.answers_to(waiting)) == 1
        await world.adds_up()
        assert (await world.gateway.stop()).code == 0  # which ends the one that is stubborn now


async def test_a_gateway_killed_during_a_backup_leaves_no_half_of_one(tmp_path: Path) -> None:
    home, copy = tmp_path / "home", tmp_path / "copy.db"
    async with running(home, "--no-simulator") as gateway:
        await gateway.stop()
    with closing(sqlite3.connect(home / "hongyan.db")) as connection, connection:
        connection.execute("CREATE TABLE ballast AS SELECT zeroblob(?) AS weight", (BALLAST_BYTES,))
    async with running(home, "--no-simulator") as gateway:
        copying = asyncio.create_task(hongyan(home, "backup", str(copy)))
        await begun(copy)
        await gateway.kill_now()
        assert (await copying).code == 6, "its outcome is unknown to whoever asked"
        assert not copy.exists()
    async with running(home, "--no-simulator"):
        assert (await hongyan(home, "backup", str(copy))).code == 0
        with closing(sqlite3.connect(copy)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert [file for file in os.listdir(tmp_path) if "copy" in file] == ["copy.db"]


async def at_work(gateway: GatewayProcess) -> frozenset[int]:
    """Let its agent hang over a message; give the simulator's and the agent's process."""
    async with gateway.platform() as platform, gateway.neighbour() as door:
        said = {"user": OWNER[0], "app": APP_ID, "text": "[[say:begun]][[hang]]"}
        (await platform.post("/messages", json=said)).raise_for_status()

        async def runs() -> bool:
            return [turn["state"] for turn in (await door.get("/status")).json()["running"]] == ["running"]

        await until(runs)
    family = descendants(gateway.pid)
    assert len(family) == 2
    return family


async def begun(copy: Path) -> None:
    """Wait until something of a copy is on its way."""
    part = copy.with_name(f".{copy.name}.part")

    async def has_begun() -> bool:
        return part.exists() and part.stat().st_size > 0

    await until(has_begun)
