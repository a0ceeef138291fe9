"""The App's secret and its tokens stay between the gateway and the platform, also when a request fails."""

import json
import logging
import sys
import traceback
from pathlib import Path

import pytest
from tests.harness import World

from feishu_simulator.faults import Effect
from hongyan.application.observe_app import AppProfile, observe_app, verify_app
from hongyan.domain import limits
from hongyan.domain.errors import HongyanError
from hongyan.domain.identity import Brand

REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
ME = "GET /open-apis/bot/v3/info"
SECRET_IS_WRONG = 10014


def _leaks(world: World, text: str) -> list[str]:
    """Name what of the App's credentials stands in a text."""
    token, _ = world.platform.tokens.issue(world.app)  # the one in use, while it is fresh
    return [name for name, value in (("secret", world.app.secret), ("token", token)) if value in text]


def _agent_files(world: World) -> list[Path]:
    """Give what the system shows of the agent's process: its environment and its command line."""
    last = (world.agent_state / "prompts.log").read_text().splitlines()[-1]
    process = Path("/proc") / str(json.loads(last)["pid"])
    return [process / "environ", process / "cmdline"]


def _files_of_the_home(world: World) -> list[Path]:
    """Give every file of the home but the one that holds the secret for the gateway."""
    return [path for path in world.home.rglob("*") if path.is_file() and not path.name.startswith("secret-")]


async def _talk_through_failures(world: World) -> None:
    world.fault(REPLY, Effect(stale_token=True))
    world.say("[[tool]] a token that ran out")
    await world.until_settled()
    world.fault(REPLY, Effect(http_status=502))
    world.say("a gateway that broke down")
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'unknown'")
    await world.advance(limits.BACK_OFF_MS)
    world.say("[[crash]]")
    await world.until_settled(flowing=True)
    world.say("and in the end all is well")
    await world.until_settled(flowing=True)


@pytest.mark.scenario("P48")
async def test_no_log_no_answer_no_row_and_no_file_holds_a_credential(
    world: World, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await _talk_through_failures(world)
    printed = capfd.readouterr()
    assert "lark.token.fetched" in printed.out
    assert "httpcore" in caplog.text  # the libraries speak too
    assert _leaks(world, printed.out + printed.err + caplog.text) == []
    assert _leaks(world, "\n".join(world.answers() + world.prompts())) == []
    await world.adds_up()
    await world.stop()
    kept = _files_of_the_home(world)
    assert {"hongyan.db", "prompts.log"} <= {path.name for path in kept}
    assert {path.name: _leaks(world, path.read_bytes().decode(errors="replace")) for path in kept} == {
        path.name: [] for path in kept
    }


@pytest.mark.scenario("P48")
async def test_the_agent_gets_no_credential_although_the_gateway_has_it_in_its_environment(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORK_APP_SECRET", world.app.secret)
    monkeypatch.setenv("HONGYAN_SECRET", world.app.secret)
    world.executors["rehearsal"] = [sys.executable, "-m", "rehearsal_agent"]  # the kernel shows what it was given
    await world.restart()
    world.say("[[tool:env]] look around")
    await world.until_settled()
    shown = b"\0".join(path.read_bytes() for path in _agent_files(world)).decode()
    assert "REHEARSAL_STATE=" in shown
    assert _leaks(world, shown) == []
    assert "SECRET" not in shown
    await world.adds_up()


@pytest.mark.scenario("P48")
@pytest.mark.parametrize(
    ("endpoint", "effect"),
    [
        ("token", Effect(error_code=SECRET_IS_WRONG, error_message="app secret invalid")),
        ("token", Effect(http_status=500)),
        ("token", Effect(refuse_connection=True)),
        ("token", Effect(lost_response=True)),
        (ME, Effect(error_code=99991672, error_message="no permission")),
        (ME, Effect(http_status=502)),
    ],
)
async def test_no_error_text_names_a_credential(
    world: World, endpoint: str, effect: Effect, capfd: pytest.CaptureFixture[str]
) -> None:
    profile = AppProfile(world.app_id, "work", Brand.FEISHU, world.simulator.base_url)
    world.platform.tokens.revoke(world.platform.tokens.issue(world.app)[0])  # a new one has to be fetched
    world.fault(endpoint, effect, times=5)
    with pytest.raises(HongyanError) as failed:
        await observe_app(world.gateway.desk, profile)
    report = await verify_app(world.gateway.desk, profile)
    told = "".join(traceback.format_exception(failed.value)) + repr(failed.value.__dict__) + failed.value.hint
    printed = capfd.readouterr()
    assert _leaks(world, told + repr(report) + printed.out + printed.err) == []


@pytest.mark.scenario("P48")
async def test_what_is_printed_of_settings_and_ports_names_no_credential(world: World) -> None:
    """A traceback that shows local values must not show these."""
    shown = repr(world.gateway.settings) + repr(world.gateway.desk) + repr(world.gateway.desk.chats)
    assert _leaks(world, shown) == []
    chat = world.gateway.desk.chats[world.app_id]
    attributes = [repr(getattr(port, "__dict__", {})) for port in (chat.directory, chat.history)]
    assert _leaks(world, "".join(attributes)) == []
