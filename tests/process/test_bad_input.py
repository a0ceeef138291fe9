"""What a person can get wrong, by real processes: exit code, one sentence with its code, a mend; nothing is lost."""

import json
import resource
import shutil
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.harness.process_world import Plan, ProcessWorld, open_process_world
from tests.harness.processes import Ended, hongyan, run_to_end, running
from tests.process.small_disk import with_small_files, with_tiny_disk

from feishu_simulator.delivery import EventState

pytestmark = pytest.mark.process

ALONE = ("up", "--no-simulator", "--no-open", "--port", "0")
NOWHERE = "http://127.0.0.1:9"
AN_APP = """
[[apps]]
name = "{name}"
app_id = "{app_id}"
app_secret = {{ env = "{secret}" }}
base_url = "{url}"
"""
ABSENT = AN_APP.format(name="work", app_id="cli_0123456789abcdef", secret="ABSENT_SECRET", url=NOWHERE)


def refused(ended: Ended, exit_code: int, code: str) -> str:
    """See that a process ended with one sentence that carries its code, and a mend under it; give the sentence."""
    assert ended.code == exit_code, ended
    sentence, mend = ended.complained.splitlines()
    assert sentence.endswith(f" ({code})")
    assert mend.startswith("  → ")
    assert len(mend) > len("  → "), "the mend is empty"
    return sentence


def a_home(path: Path, settings: str = "") -> Path:
    """Make a home with a settings file."""
    home = path / "home"
    home.mkdir(mode=0o700)
    (home / "hongyan.toml").write_text(settings, encoding="utf-8")
    return home


@pytest.mark.parametrize(
    ("settings", "words", "exit_code", "code", "named"),
    [
        ("", ("up", "--prot", "1"), 2, "cli.usage", "--prot"),
        ("", ("up", "--port", "many"), 2, "cli.usage", "--port"),
        ("", ("frobnicate",), 2, "cli.usage", "frobnicate"),
        ("[gateway]\nport = \n", ALONE, 2, "config.malformed", "hongyan.toml:2"),
        (ABSENT, ALONE, 5, "config.secret_missing", "ABSENT_SECRET"),
        (ABSENT.replace("env =", "file ="), ALONE, 5, "config.secret_missing", "ABSENT_SECRET"),
    ],
)
async def test_a_start_that_cannot_be_says_so_in_a_sentence_with_its_mend(
    tmp_path: Path, settings: str, words: tuple[str, ...], exit_code: int, code: str, named: str
) -> None:
    ended = await hongyan(a_home(tmp_path, settings), *words)
    assert named in refused(ended, exit_code, code)
    assert ended.said == ""


async def test_an_executor_of_an_unknown_protocol_is_named_with_its_line(tmp_path: Path) -> None:
    settings = '[[executors]]\nname = "x"\nprotocol = "telepathy"\ncommand = ["x"]\n'
    ended = await hongyan(a_home(tmp_path, settings), *ALONE)
    assert (ended.code, "hongyan.toml:3" in ended.complained) == (2, True)
    assert "'acp'" in ended.complained, "it does not say what would be right"


async def test_a_port_in_use_is_busy(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        ended = await hongyan(home, "up", "--no-simulator", "--no-open", "--port", port)
    assert port in refused(ended, 7, "port.in_use")
    async with running(home, "--no-simulator"):
        pass


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "store.schema_too_new"),
        ("", "store.damaged"),
    ],
)
async def test_a_database_that_cannot_be_used_is_left_as_it_is(tmp_path: Path, harm: str, code: str) -> None:
    home, database = tmp_path / "home", tmp_path / "home" / "hongyan.db"
    async with running(home, "--no-simulator") as gateway:
        await gateway.stop()
    if harm:
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute(harm)
    else:
        database.write_bytes(database.read_bytes()[:4_096] + b"\xa5" * 60_000)
    before = database.read_bytes()
    refused(await hongyan(home, *ALONE), 5, code)
    assert database.read_bytes() == before


@pytest.mark.scenario("D13")
@pytest.mark.parametrize(("room", "code"), [(with_tiny_disk, "store.full"), (with_small_files, "store.error")])
async def test_a_disk_without_room_for_the_database_blocks_the_start(
    tmp_path: Path, room: Callable[[Path], tuple[str, ...]], code: str
) -> None:
    disk = tmp_path / "disk"
    through = room(disk)
    refused(await run_to_end("-m", "hongyan", "--home", str(disk / "home"), *ALONE, through=through), 5, code)


async def test_a_folder_or_an_executor_that_is_not_there_is_refused_and_the_gateway_serves_on(tmp_path: Path) -> None:
    async with open_process_world(tmp_path / "home") as world:
        await world.start()
        await world.bind()
        missing = await hongyan(world.home, "workspace", "add", "gone", str(tmp_path / "gone"))
        assert str(tmp_path / "gone") in refused(missing, 5, "workspace.unavailable")
        unknown = "binding add --app work --workspace work --executor nobody"
        assert "nobody" in refused(await hongyan(world.home, *unknown.split()), 2, "executor.not_found")
        assert await answered(world, "still here")


async def test_a_wrong_secret_is_named_by_verify_and_once_it_is_right_nothing_was_lost(tmp_path: Path) -> None:
    async with open_process_world(tmp_path / "home") as world:
        await world.start()
        await world.bind()
        await world.gateway.stop()
        await world.start(plan=Plan(secret="not the secret"))
        verified = await hongyan(world.home, "app", "verify", "work", "--json")
        checks = {check["name"]: check for check in json.loads(verified.said)["checks"]}
        assert verified.code == 5
        assert "chat.blocked" in checks["credentials"]["found"]
        assert checks["credentials"]["mend"]
        said = world.say("while the secret was wrong")
        assert (await world.gateway.stop()).code == 0
        await world.start(plan=Plan())
        world.redeliver()
        await world.until_settled()
        assert world.answers_to(said) == ["echo: while the secret was wrong"]
        await world.adds_up()


async def test_one_app_without_its_secret_leaves_the_other_at_work(tmp_path: Path) -> None:
    other = AN_APP.format(name="play", app_id="cli_0123456789abcdef", secret="ABSENT_SECRET", url=NOWHERE)
    async with open_process_world(tmp_path / "home", Plan(more=other)) as world:
        await world.start()
        await world.bind()
        assert await answered(world, "the other one")
        problems = {app["app"]: app["error_code"] for app in await world.command("app", "list")}
        assert problems == {"work": "", "play": "config.secret_missing"}
        refused(await hongyan(world.home, "app", "verify", "play"), 5, "config.secret_missing")


async def test_a_workspace_that_went_away_is_told_and_nothing_runs_elsewhere(tmp_path: Path) -> None:
    async with open_process_world(tmp_path / "home") as world:
        await world.start()
        await world.bind()
        shutil.rmtree(world.workspace)
        said = world.say("where am I?")
        await world.until_settled()
        [told] = world.answers_to(said)
        assert "folder is not available" in told
        assert world.prompts() == []
        assert (await world.adds_up())["received"]["classes"]["told"] == 1


async def test_an_agent_that_is_not_installed_fails_its_turn_and_the_gateway_serves_on(tmp_path: Path) -> None:
    async with open_process_world(tmp_path / "home", Plan({"rehearsal": ("/nowhere/agent",)})) as world:
        await world.start()
        await world.bind()
        said = world.say("is anybody there?")
        await world.until_settled()
        assert "agent could not be started" in world.answers_to(said)[0]
        looked = await hongyan(world.home, "doctor", "--json")
        checks = {check["name"]: check for check in json.loads(looked.said)["checks"]}
        assert (looked.code, checks["agent: rehearsal"]["ok"]) == (5, False)
        assert "/nowhere/agent" in checks["agent: rehearsal"]["mend"]
        await world.gateway.stop()
        await world.start(plan=Plan())
        owed = (await world.owed())[said.message_id]
        await world.command("owed", "act", owed["id"], "run_again")
        await world.until_settled()
        assert world.answers_to(said)[1:] == ["echo: is anybody there?"]
        await world.adds_up()


async def test_an_agent_that_prints_garbage_fails_its_turn_and_the_gateway_serves_on(tmp_path: Path) -> None:
    async with open_process_world(tmp_path / "home") as world:
        gateway = await world.start()
        await world.bind()
        said = world.say("[[garbage]]")
        await world.until_settled()
        assert world.rows("SELECT state, code FROM turns") == [("failed", "agent.protocol")]
        assert "agent.protocol" in world.answers_to(said)[0]
        assert await answered(world, "and on it goes")
        await world.adds_up()
        assert (await gateway.stop()).code == 0


@pytest.mark.scenario("D13")
async def test_a_disk_that_fills_up_refuses_before_the_acknowledgement_and_recovers_by_itself(tmp_path: Path) -> None:
    async with open_process_world(tmp_path / "home") as world:
        gateway = await world.start()
        await world.bind()
        # no file may grow beyond what the log of the database has already: the limit of a process stands for the disk's
        _, most = resource.prlimit(gateway.pid, resource.RLIMIT_FSIZE)
        size = (world.home / "hongyan.db-wal").stat().st_size
        resource.prlimit(gateway.pid, resource.RLIMIT_FSIZE, (size, most))
        said = world.say("come again")
        event = world.platform.events("im.message.receive_v1")[-1]
        await world.until(lambda: event.attempts[-1].outcome == "refused")
        assert event.state is not EventState.ACKED
        resource.prlimit(gateway.pid, resource.RLIMIT_FSIZE, (most, most))
        world.redeliver()
        await world.until_settled()
        assert world.answers_to(said) == ["echo: come again"]
        assert world.prompts() == ["come again"]
        await world.adds_up()


async def answered(world: ProcessWorld, text: str) -> bool:
    """Say something and tell whether its answer came."""
    said = world.say(text)
    await world.until_settled()
    return world.answers_to(said) == [f"echo: {text}"]
