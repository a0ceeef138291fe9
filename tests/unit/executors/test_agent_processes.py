"""Process groups, environment, log files, and what a killed gateway leaves behind."""

import asyncio
import json
import os
import stat
import sys
from pathlib import Path

import pytest
from tests.unit.executors.stage import DEADLINE_SECONDS, ask, staged

from hongyan.adapters.executors import process_table
from hongyan.adapters.executors.agent_log import AgentLog
from hongyan.adapters.executors.leftovers import RUN_MARK, Leftovers
from hongyan.domain.agents import Lost, TurnEnded

SLEEPER = (sys.executable, "-c", "import time; time.sleep(600)")


async def sleeper(mark: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(*SLEEPER, start_new_session=True, env={RUN_MARK: mark})


async def gone(process: asyncio.subprocess.Process) -> int:
    return await asyncio.wait_for(process.wait(), DEADLINE_SECONDS)


def names_in(directory: Path) -> list[str]:
    return sorted(entry.name for entry in directory.iterdir())


def rewrite(note: Path, change: dict[str, object]) -> None:
    note.write_text(json.dumps({**json.loads(note.read_text()), **change}))


async def test_an_agent_inherits_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HONGYAN_APP_SECRET", "hush")
    monkeypatch.setenv("LANG", "C.UTF-8")
    async with staged(tmp_path) as stage:
        end = await ask(await stage.attach(executor="plain"), "go")

    assert isinstance(end, TurnEnded)
    names = set(end.answer.split())
    assert {"PATH", "LANG", RUN_MARK} <= names
    assert "HONGYAN_APP_SECRET" not in names
    assert not any(name.startswith("PYTEST") for name in names)


async def test_an_agent_has_a_group_of_its_own_and_a_note(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.attach()
        (note,) = (tmp_path / "run" / "agents").glob("*.json")
        facts = process_table.facts(int(note.stem))

        assert facts is not None
        assert facts.group == facts.pid != os.getpgid(0)
        assert json.loads(note.read_text())["born_ticks"] == facts.born_ticks


async def test_a_stubborn_agent_goes_with_all_its_children(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.attach(executor="stubborn")
        (note,) = (tmp_path / "run" / "agents").glob("*.json")
        before = process_table.members(int(note.stem))
        agent = await stage.attach(executor="stubborn")
        await agent.kill()

        assert len(before) == 2
        assert process_table.members(int(note.stem)) == ()


async def test_a_lost_turn_is_told_only_when_nobody_can_work_on_it_any_more(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach(executor="hangs-up")
        (note,) = (tmp_path / "run" / "agents").glob("*.json")
        end = await ask(agent, "go")

        assert end == Lost("agent.lost", "the agent closed its pipe")
        assert process_table.members(int(note.stem)) == ()


async def test_what_an_agent_writes_on_its_error_channel_is_kept_for_its_owner(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.attach(executor="plain")
        await stage.agents.detach("s1")
        log = stage.agents.log_file(stage.seat(executor="plain"))

        assert log.read_text() == "here I am\n"
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_log_file_has_a_cap_and_keeps_the_last_words(tmp_path: Path) -> None:
    log = AgentLog(tmp_path / "agent.log", most_bytes=10)
    for piece in (b"aaaaaa", b"bbbbbb", b"cccccc", b"x" * 30 + b"end"):
        log.write(piece)
    log.close()
    log.write(b"too late")

    assert (tmp_path / "agent.log").read_bytes() == b"xxxxxxxend"
    assert names_in(tmp_path) == ["agent.log", "agent.log.1"]


async def test_leftovers_of_a_killed_gateway_are_ended_before_an_agent_starts(tmp_path: Path) -> None:
    left = await sleeper("run-0")
    Leftovers(tmp_path / "run" / "agents", "run-0").note(left.pid)
    async with staged(tmp_path, mark="run-1") as stage:
        await stage.attach()

        assert await gone(left) == -9
        assert not (tmp_path / "run" / "agents" / f"{left.pid}.json").exists()


async def test_a_leftover_without_its_leader_is_known_by_its_mark(tmp_path: Path) -> None:
    script = f"import subprocess; print(subprocess.Popen({list(SLEEPER)!r}, stdout=-3).pid)"
    leader = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script), start_new_session=True, env={RUN_MARK: "run-0"}, stdout=-1
    )
    Leftovers(tmp_path, "run-0").note(leader.pid)
    await asyncio.wait_for(leader.communicate(), DEADLINE_SECONDS)

    assert len(process_table.members(leader.pid)) == 1
    assert await Leftovers(tmp_path, "run-1").sweep() == 1
    assert process_table.members(leader.pid) == ()


@pytest.mark.parametrize("change", [{"born_ticks": 1}, {"boot": "another boot"}])
async def test_a_stranger_under_a_noted_pid_is_left_alone(tmp_path: Path, change: dict[str, object]) -> None:
    stranger = await sleeper("nobody")
    Leftovers(tmp_path, "run-0").note(stranger.pid)
    note = tmp_path / f"{stranger.pid}.json"
    rewrite(note, change)

    assert await Leftovers(tmp_path, "run-1").sweep() == 0
    assert stranger.returncode is None
    assert names_in(tmp_path) == []
    stranger.kill()
    await gone(stranger)


async def test_a_sweep_spares_the_agents_of_its_own_run(tmp_path: Path) -> None:
    ours = await sleeper("run-1")
    leftovers = Leftovers(tmp_path, "run-1")
    leftovers.note(ours.pid)

    assert await leftovers.sweep() == 0
    assert process_table.facts(ours.pid) is not None
    ours.kill()
    await gone(ours)


async def test_a_damaged_note_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "77.json").write_text("{")

    assert await Leftovers(tmp_path, "run-1").sweep() == 0
    assert names_in(tmp_path) == []
