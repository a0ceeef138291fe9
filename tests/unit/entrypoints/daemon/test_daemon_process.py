"""The process: what it leaves behind, how it stops, and how it says that it cannot start."""

import signal
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.entrypoints.daemon.running import QUIET, Running, run_to_end, running

pytestmark = pytest.mark.process

ALONE = "--no-simulator"
AN_APP = """
[[apps]]
name = "work"
app_id = "cli_0123456789abcdef"
app_secret = { env = "WORK_SECRET" }
base_url = "http://127.0.0.1:9"
"""


def at_home(path: Path, settings: str = "") -> Path:
    home = path / "home"
    home.mkdir(mode=0o700)
    (home / "hongyan.toml").write_text(settings, encoding="utf-8")
    return home


async def stop(gateway: Running, number: signal.Signals = signal.SIGTERM) -> int:
    gateway.process.send_signal(number)
    return (await gateway.ended()).code


async def test_a_ready_gateway_leaves_its_address_and_token_for_programs(tmp_path: Path) -> None:
    async with running(tmp_path / "home", ALONE) as gateway:
        ready = dict(gateway.ready)
        async with gateway.api() as api:
            status = (await api.get("/api/v1/status")).json()
        assert set(ready) == {"console_url", "api_token", "simulator_url", "simulator_token", "pid", "ready_ms"}
        assert (ready["simulator_url"], ready["simulator_token"]) == (None, None)
        assert ready["pid"] == status["pid"] == gateway.process.pid
        assert gateway.home.with_suffix(".ready.json").stat().st_mode & 0o777 == 0o600


async def test_its_home_is_for_this_user_alone(tmp_path: Path) -> None:
    async with running(tmp_path / "home", ALONE) as gateway:
        modes = {path.name: path.stat().st_mode & 0o777 for path in [gateway.home, *gateway.home.rglob("*")]}
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    assert {"gateway.sock", "gateway.log"} <= set(modes)


async def test_the_printed_link_opens_the_console_once_and_is_the_only_one(tmp_path: Path) -> None:
    async with running(tmp_path / "home", ALONE) as gateway, gateway.api() as api:
        [link] = gateway.links
        del api.headers["authorization"]
        answers = [await api.get(link), await api.get(link)]
        assert [answer.status_code for answer in answers] == [303, 410]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_stops_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    async with running(tmp_path / "home", ALONE) as gateway:
        assert await stop(gateway, number) == 0
        assert not (gateway.home / "run" / "gateway.sock").exists()


async def test_it_stops_when_the_interface_is_asked_to(tmp_path: Path) -> None:
    async with running(tmp_path / "home", ALONE) as gateway:
        async with gateway.neighbour() as neighbour:
            assert (await neighbour.post("/api/v1/stop")).status_code == 202
        assert (await gateway.ended()).code == 0


async def test_a_killed_gateway_leaves_a_home_that_starts_again(tmp_path: Path) -> None:
    async with running(tmp_path / "home", ALONE) as gateway:
        gateway.process.kill()
        await gateway.process.wait()
    async with running(tmp_path / "home", ALONE) as gateway, gateway.neighbour() as neighbour:
        assert (await neighbour.get("/health")).status_code == 200


@pytest.mark.scenario("M17")
async def test_up_on_a_home_that_runs_prints_its_links_and_starts_nothing(tmp_path: Path) -> None:
    async with running(tmp_path / "home", ALONE) as gateway, gateway.api() as api:
        second = await run_to_end(gateway.home, *QUIET, LANG="zh_CN.UTF-8")
        [link] = [line.strip() for line in second.said.splitlines() if "http://" in line]
        del api.headers["authorization"]
        assert (second.code, (await api.get(link)).status_code) == (0, 303)
        assert "已经" in second.said
        assert not (gateway.home / "logs" / "simulator.log").exists()


@pytest.mark.scenario("M17")
async def test_a_home_held_by_a_process_that_does_not_answer_is_busy(tmp_path: Path) -> None:
    async with running(tmp_path / "home", ALONE) as gateway:
        gateway.process.send_signal(signal.SIGSTOP)
        try:
            second = await run_to_end(gateway.home, *QUIET)
        finally:
            gateway.process.send_signal(signal.SIGCONT)
    assert second.code == 7
    assert "home.not_answering" in second.complained
    assert str(gateway.process.pid) in second.complained


async def test_a_port_in_use_is_busy_and_the_home_stays_free(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        refused = await run_to_end(tmp_path / "home", ALONE, "--no-open", "--port", port)
    assert refused.code == 7
    assert "port.in_use" in refused.complained
    async with running(tmp_path / "home", ALONE) as gateway:
        assert await stop(gateway) == 0


async def test_a_ready_file_that_exists_is_not_written_over(tmp_path: Path) -> None:
    there = tmp_path / "ready.json"
    there.write_text("mine", encoding="utf-8")
    refused = await run_to_end(tmp_path / "home", ALONE, "--ready-file", str(there))
    assert (refused.code, there.read_text(encoding="utf-8")) == (2, "mine")
    assert "ready_file.exists" in refused.complained


async def test_a_malformed_file_is_named_with_its_line(tmp_path: Path) -> None:
    refused = await run_to_end(at_home(tmp_path, "[gateway]\nport = \n"), ALONE)
    assert refused.code == 2
    assert "hongyan.toml:2" in refused.complained


async def test_an_unknown_option_is_a_usage_error(tmp_path: Path) -> None:
    assert (await run_to_end(tmp_path / "home", "--prot", "1")).code == 2


async def test_without_any_usable_app_and_without_simulator_it_is_blocked(tmp_path: Path) -> None:
    refused = await run_to_end(at_home(tmp_path, AN_APP), *QUIET, ALONE)
    assert refused.code == 5
    assert "WORK_SECRET" in refused.complained


async def test_one_app_without_its_secret_does_not_stop_the_rest(tmp_path: Path) -> None:
    other = AN_APP.replace("work", "play").replace("abcdef", "000000").replace("WORK_SECRET", "PLAY_SECRET")
    home = at_home(tmp_path, AN_APP + other)
    async with running(home, ALONE, PLAY_SECRET="s3cret") as gateway, gateway.neighbour() as neighbour:
        apps = (await neighbour.get("/api/v1/apps")).json()["apps"]
    codes = {app["app"]: app["error_code"] for app in apps}
    assert codes == {"work": "config.secret_missing", "play": ""}


async def test_an_app_of_a_platform_that_cannot_be_reached_is_served_as_far_as_it_goes(tmp_path: Path) -> None:
    async with running(at_home(tmp_path, AN_APP), ALONE, WORK_SECRET="s3cret") as gateway:
        async with gateway.neighbour() as neighbour:
            [app] = (await neighbour.get("/api/v1/apps")).json()["apps"]
            assert app["state"] in {"starting", "retrying"}
        assert await stop(gateway) == 0
        assert "s3cret" not in (gateway.home / "logs" / "gateway.log").read_text(encoding="utf-8")


async def test_a_database_of_a_newer_version_is_blocked_and_left_alone(tmp_path: Path) -> None:
    async with running(tmp_path / "home", ALONE) as gateway:
        await stop(gateway)
    database = tmp_path / "home" / "hongyan.db"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    refused = await run_to_end(tmp_path / "home", *QUIET, ALONE)
    assert refused.code == 5
    assert "store.schema_too_new" in refused.complained


async def test_a_damaged_database_is_blocked(tmp_path: Path) -> None:
    home = at_home(tmp_path)
    (home / "hongyan.db").write_bytes(b"this is no database, whatever its name says" * 100)
    refused = await run_to_end(home, *QUIET, ALONE)
    assert refused.code == 5
    assert "store.damaged" in refused.complained


async def test_a_home_that_cannot_be_made_is_blocked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    refused = await run_to_end(tmp_path / "file" / "home", ALONE)
    assert refused.code == 5
    assert "home.not_writable" in refused.complained
