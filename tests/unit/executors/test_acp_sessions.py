"""Starting agents, opening sessions, and taking them up again."""

from pathlib import Path

import pytest
from tests.unit.executors.stage import ask, staged

from hongyan.domain import limits
from hongyan.domain.agents import Capabilities, ReadBackKind, TurnEnded, TurnEnding
from hongyan.domain.errors import AgentProtocolError, AgentSessionLostError, AgentStartError


async def test_an_agent_says_itself_what_it_can_do(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()

        assert agent.capabilities() == Capabilities(
            name="rehearsal", version="1", resume=True, read_back=ReadBackKind.LEDGER, steer=True, images=True
        )


@pytest.mark.parametrize(
    ("executor", "read_back"),
    [("rehearsal-plain", ReadBackKind.REPLAY), ("no-history", ReadBackKind.NONE)],
)
async def test_an_agent_is_not_believed_more_than_it_says(
    tmp_path: Path, executor: str, read_back: ReadBackKind
) -> None:
    async with staged(tmp_path) as stage:
        assert (await stage.attach(executor=executor)).capabilities().read_back is read_back


async def test_a_seat_keeps_its_agent(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()

        assert await stage.attach() is agent
        assert await stage.attach(agent.upstream()) is agent
        assert stage.agents.alive() == ("s1",)


async def test_each_session_has_a_process_of_its_own(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        first, second = await stage.attach(), await stage.attach(session_id="s2")
        await ask(first, "[[crash]]")

        assert await ask(second, "still here") == TurnEnded(TurnEnding.COMPLETED, "echo: still here")
        assert stage.agents.alive() == ("s2",)


@pytest.mark.scenario("L177")
async def test_a_crashed_agent_takes_its_session_up_again(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        await ask(agent, "one")
        await ask(agent, "[[crash]]")
        again = await stage.attach(agent.upstream())

        assert again.upstream() == agent.upstream()
        assert await ask(again, "three [[count]]") == TurnEnded(TurnEnding.COMPLETED, "echo: three (turn 3)")


@pytest.mark.scenario("L177")
async def test_a_lost_session_is_an_error_and_never_a_new_one(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        agent = await stage.attach()
        await ask(agent, "[[lose-session]]")
        await stage.agents.detach("s1")
        with pytest.raises(AgentSessionLostError, match="Resource not found"):
            await stage.attach(agent.upstream())

        assert stage.agents.alive() == ()
        assert len(list((tmp_path / "state" / "sessions").glob("*.jsonl"))) == 0


async def test_an_announced_resume_that_does_not_exist_becomes_a_load(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.attach("only", executor="false-resume")
        await stage.agents.detach("s1")
        log = stage.agents.log_file(stage.seat(executor="false-resume"))

        assert "loaded only" in log.read_text()


async def test_an_agent_without_history_cannot_go_on(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        with pytest.raises(AgentSessionLostError):
            await stage.attach("only", executor="no-history")


@pytest.mark.parametrize(
    ("executor", "words", "code"),
    [
        ("unheard-of", "no executor", "agent.start_failed"),
        ("missing", "cannot be started", "agent.start_failed"),
        ("quits", "exit code 3", "agent.start_failed"),
        ("login", "Authentication required", "agent.login_required"),
        ("old", "version 9", "agent.start_failed"),
    ],
)
async def test_an_agent_that_does_not_start_says_why(tmp_path: Path, executor: str, words: str, code: str) -> None:
    async with staged(tmp_path) as stage:
        with pytest.raises(AgentStartError, match=words) as failure:
            await stage.attach(executor=executor)

        assert failure.value.code == code
        assert stage.agents.alive() == ()


async def test_a_workspace_that_is_gone_is_said(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        (tmp_path / "workspace").rmdir()
        with pytest.raises(AgentStartError, match="workspace"):
            await stage.attach()


async def test_an_agent_that_greets_with_garbage_is_refused(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        with pytest.raises(AgentProtocolError):
            await stage.attach(executor="garbage")

        assert stage.agents.alive() == ()


async def test_a_start_has_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "AGENT_START_MS", 300)
    async with staged(tmp_path) as stage:
        with pytest.raises(AgentStartError, match="did not answer"):
            await stage.attach(executor="rehearsal-slow")

        assert list((tmp_path / "run" / "agents").iterdir()) == []


async def test_a_detached_agent_is_gone(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.attach()
        await stage.agents.detach("s1")
        await stage.agents.detach("s1")

        assert stage.agents.alive() == ()
        assert list((tmp_path / "run" / "agents").iterdir()) == []


async def test_no_agent_starts_once_the_gateway_goes_down(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.agents.close()
        with pytest.raises(AgentStartError):
            await stage.attach()
