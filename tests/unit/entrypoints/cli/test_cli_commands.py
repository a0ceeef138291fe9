"""Commands ask the gateway for what they say, and show what it answers."""

from typing import Any

import pytest
from tests.unit.entrypoints.cli.counter import Asked, Counter, Terminal

WORK = {"app": "work", "app_id": "cli_0123456789abcdef", "state": "listening", "bot_name": "Bot", "owner": None}
OWNER = {"app": "work", "open_id": "ou_1", "union_id": "on_1", "name": "Lin Yan", "paired_at": 1_700_000_000_000}
PAIRING = {"pairing_id": "pair_1", "app": "work", "state": "claimed", "name": "Lin Yan", "open_id": "ou_1"}
DOCS = {"name": "docs", "path": "/srv/docs", "grant": "workspace_write", "state": "live"}
BINDING = {"binding_id": "bind_1", "revision": 3, "state": "live", "app": "work", "workspace": "docs"}
SESSION = {"session_id": "ses_1", "state": "ready", "executor": "opencode", "queued": 0, "opened_at": 1}
OWED = {"id": "req_1", "version": 4, "why": "turn.failed", "text": "build it", "since": 1, "actions": ["run_again"]}
DELIVERY = {"id": "part_1", "phase": "final", "state": "verified", "content": "done", "code": "", "provider_id": "om_1"}


@pytest.mark.parametrize(
    ("words", "line", "key", "row"),
    [
        (["app", "list"], "GET /apps", "apps", WORK),
        (["owner", "list"], "GET /owners", "owners", OWNER),
        (["workspace", "list"], "GET /workspaces", "workspaces", DOCS),
        (["binding", "list"], "GET /bindings", "bindings", BINDING),
        (["session", "list"], "GET /sessions", "sessions", SESSION),
        (["owed", "list"], "GET /owed", "owed", OWED),
        (["deliveries"], "GET /deliveries", "deliveries", DELIVERY),
    ],
)
def test_a_list_is_a_table_for_a_person_and_a_list_for_a_program(
    words: list[str], line: str, key: str, row: dict[str, Any], hongyan: Terminal, counter: Counter
) -> None:
    counter.will(line, {key: [row]})
    shown, programmed = hongyan(*words), hongyan(*words, "--json")
    assert shown.code == programmed.code == 0
    assert programmed.json == [row]
    assert str(next(iter(row.values()))) in shown.out
    counter.will(line, {key: []})
    assert hongyan(*words, "--json").json == []
    assert "\n" not in hongyan(*words).out.strip()


@pytest.mark.parametrize("words", [["--json", "app", "list"], ["app", "list", "--json"]])
def test_json_may_stand_before_and_after_the_command(words: list[str], hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /apps", {"apps": [WORK]})
    assert hongyan(*words).json == [WORK]


def test_the_home_may_stand_after_the_command(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /apps", {"apps": []})
    assert hongyan("app", "list", "--json", "--home", str(counter.home), home=counter.home / "other").json == []


def test_the_home_may_come_from_the_environment(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HONGYAN_HOME", "/nowhere")
    counter.will("GET /apps", {"apps": []})
    assert hongyan("app", "list").code == 0


def test_a_check_of_an_app_fails_as_a_whole_when_one_part_fails(hongyan: Terminal, counter: Counter) -> None:
    checks = [{"name": "bot", "ok": True, "found": "Bot", "mend": ""}]
    counter.will("POST /apps/work/verify", {"app": "work", "bot_open_id": "ou_b", "checks": checks})
    assert hongyan("app", "verify", "work").code == 0
    checks.append({"name": "scopes", "ok": False, "found": "none", "mend": "add im:message"})
    counter.will("POST /apps/work/verify", {"app": "work", "bot_open_id": "ou_b", "checks": checks})
    assert "add im:message" in hongyan("app", "verify", "work").out
    failed = hongyan("app", "verify", "work", "--json")
    assert (failed.code, failed.json["checks"]) == (5, checks)


def test_a_pairing_shows_its_code_and_what_to_do_next(hongyan: Terminal, counter: Counter) -> None:
    pairing = {"code": "ABCD2345", "expires_at": 1_700_000_000_000, "pairing_id": "pair_1"}
    counter.will("POST /pairings", pairing, 201)
    shown = hongyan("owner", "pair", "--app", "work", "--replace").out
    assert "ABCD2345" in shown
    assert "hongyan owner confirm pair_1" in shown
    assert hongyan("owner", "pair", "--app", "work", "--json").json == pairing
    assert [asked.body["replace"] for asked in counter.asked] == [True, False]


@pytest.mark.scenario("M10")
def test_an_owner_is_confirmed_only_after_someone_was_seen(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /pairings/pair_1", {**PAIRING, "state": "live", "name": "", "open_id": None})
    waits = hongyan("owner", "confirm", "pair_1", "--json")
    assert (waits.code, waits.error["code"], waits.error["retryable"]) == (4, "pairing.not_claimed", True)
    assert counter.lines() == ["GET /pairings/pair_1"]


def test_a_confirmation_shows_name_and_id_and_asks(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter.will("GET /pairings/pair_1", PAIRING)
    counter.will("POST /pairings/pair_1/confirm", OWNER)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    for answer, code in ((False, 3), (True, 0)):
        monkeypatch.setattr("typer.confirm", lambda *_, answer=answer, **__: answer)
        ended = hongyan("owner", "confirm", "pair_1")
        assert ended.code == code
        assert "Lin Yan" in ended.out
        assert "ou_1" in ended.out
    assert counter.lines().count("POST /pairings/pair_1/confirm") == 1


def test_nobody_is_asked_where_nobody_sits(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /pairings/pair_1", PAIRING)
    counter.will("POST /pairings/pair_1/confirm", OWNER)
    assert "cli.no_terminal" in hongyan("owner", "confirm", "pair_1").err
    assert counter.lines() == ["GET /pairings/pair_1"]
    assert hongyan("owner", "confirm", "pair_1", "--yes").code == 0
    assert hongyan("owner", "confirm", "pair_1", "--json").json == OWNER


def test_a_relative_directory_counts_from_here(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter.will("POST /workspaces", DOCS, 201)
    monkeypatch.chdir(counter.home)
    assert hongyan("workspace", "add", "docs", "docs", "--grant", "workspace_read").code == 0
    wanted = {"name": "docs", "path": str(counter.home / "docs"), "grant": "workspace_read"}
    assert counter.asked[0].body == wanted


def test_what_is_typed_cannot_leave_its_part_of_the_path(hongyan: Terminal, counter: Counter) -> None:
    hongyan("workspace", "revoke", "../apps?x=1")
    assert counter.lines() == ["DELETE /workspaces/..%2Fapps%3Fx%3D1"]


def test_a_binding_is_asked_for_as_it_was_typed(hongyan: Terminal, counter: Counter) -> None:
    counter.will("POST /bindings", BINDING, 201)
    words = "binding add --app work --audience owner_private --role project --workspace docs --executor opencode"
    assert hongyan(*words.split(), "--json").json == BINDING
    assert counter.asked[0].body == {
        "app": "work",
        "audience": "owner_private",
        "role": "project",
        "workspace": "docs",
        "executor": "opencode",
        "scope": "host_default",
    }
    hongyan(*words.split(), "--grant", "workspace_read")
    assert counter.asked[1].body["grant"] == "workspace_read"


def test_a_binding_is_revoked_at_the_revision_that_was_seen(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /bindings/bind_1", BINDING)
    counter.will("DELETE /bindings/bind_1", BINDING)
    assert hongyan("binding", "revoke", "bind_1").code == 0
    assert hongyan("binding", "revoke", "bind_1", "--expect-revision", "2").code == 0
    assert [asked.query for asked in counter.asked if asked.method == "DELETE"] == [
        {"revision": "3"},
        {"revision": "2"},
    ]


def test_a_binding_is_shown(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /bindings/bind_1", BINDING)
    assert "docs" in hongyan("binding", "show", "bind_1").out
    assert hongyan("binding", "show", "bind_1", "--json").json == BINDING


def test_coverage_names_the_stretch_the_permission_and_what_can_be_done(hongyan: Terminal, counter: Counter) -> None:
    gap = {"id": "req_7", "version": 2, "text": "hello?", "written_at": 1_750_000_000_000, "actions": ["run", "ignore"]}
    told = {
        "binding_id": "bind_1",
        "app": "work",
        "status": "unavailable",
        "permission": "im:message.group_msg",
        "unread_from": 1_750_000_000_000,
        "unread_until": 1_750_000_060_000,
        "gaps": [gap],
    }
    counter.will("GET /coverage", {"coverage": [told]})
    shown = hongyan("coverage").out
    for words in ("bind_1", "unavailable", "im:message.group_msg", " – ", "req_7", "hello?", "run, ignore"):
        assert words in shown
    assert hongyan("coverage", "--json").json == [told]


def test_owed_work_is_acted_on_at_the_version_that_is_listed(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /owed", {"owed": [{"id": "req_0", "version": 9}, OWED]})
    counter.will("POST /owed/req_1/run_again", {"id": "req_1", "action": "run_again"})
    assert hongyan("owed", "act", "req_1", "run-again").code == 0
    assert hongyan("owed", "act", "req_1", "run_again", "--expect-version", "2").code == 0
    assert [asked.body for asked in counter.asked if asked.method == "POST"] == [
        {"expected_version": 4},
        {"expected_version": 2},
    ]


def test_what_is_not_owed_cannot_be_acted_on(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /owed", {"owed": []})
    ended = hongyan("owed", "act", "req_1", "drop", "--json")
    assert (ended.code, ended.error["code"]) == (2, "owed.not_found")


def test_a_write_is_sent_again(hongyan: Terminal, counter: Counter) -> None:
    counter.will("POST /deliveries/part_1/resend", {"id": "part_2", "replaces": "part_1"}, 202)
    assert hongyan("deliveries", "resend", "part_1", "--json").json["id"] == "part_2"
    assert "part_2" in hongyan("deliveries", "resend", "part_1").out
    assert set(counter.lines()) == {"POST /deliveries/part_1/resend"}


def _ledger(balanced: bool) -> dict[str, Any]:
    classes = {"answered": 2, "silent": 0}
    return {
        "received": {"total": 2 if balanced else 3, "classes": classes, "difference": 0, "balanced": balanced},
        "writes": {"total": 4, "classes": {"verified": 4}, "difference": 0, "balanced": True},
        "owed": 1,
        "calls": [{"app_id": "cli_1", "name": "work", "today": 1_234, "this_month": 45_678}],
    }


def test_a_ledger_that_adds_up_is_shown(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /ledger", _ledger(True))
    shown = hongyan("ledger", "--check")
    assert shown.code == 0
    assert "answered" in shown.out
    assert "silent" not in shown.out
    assert "work: 1,234 today, 45,678 this month" in shown.out
    assert hongyan("ledger", "--check", "--json").json == _ledger(True)
    assert hongyan("ledger").code == 0
    assert [asked.query for asked in counter.asked] == [{"check": "true"}, {"check": "true"}, {}]


def test_a_ledger_that_does_not_add_up_fails_its_check_only(hongyan: Terminal, counter: Counter) -> None:
    counter.will("GET /ledger", _ledger(False))
    failed = hongyan("ledger", "--check", "--json")
    assert (failed.code, failed.error["code"]) == (3, "ledger.unbalanced")
    shown = hongyan("ledger", "--check")
    assert "ledger.unbalanced" in shown.err
    assert "answered" in shown.out
    assert hongyan("ledger").code == 0


def test_a_watched_ledger_shows_each_change_until_it_is_left(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = iter([{**_ledger(True), "owed": owed} for owed in (1, 1, 7)])

    def answer(_: Asked) -> tuple[int, Any]:
        found = next(seen, None)
        if found is None:
            raise AssertionError("asked once too often")
        return 200, found

    def pause(_: float) -> None:
        if len(counter.asked) == 3:
            raise KeyboardInterrupt

    counter.answers["GET /ledger"] = answer
    monkeypatch.setattr("time.sleep", pause)
    watched = hongyan("ledger", "--watch")
    assert watched.code == 130
    assert (watched.out.count(": 1\n"), watched.out.count(": 7\n")) == (1, 1)


def test_the_status_names_what_runs_and_what_is_owed(hongyan: Terminal, counter: Counter) -> None:
    status = {
        "home": str(counter.home),
        "console_url": "http://127.0.0.1:8767",
        "simulator_url": None,
        "apps": [WORK],
        "running": [{"turn_id": "turn_1", "state": "running"}],
        "owed": 2,
        "balanced": True,
    }
    counter.will("GET /status", status)
    counter.will("POST /login-links", {"console_url": "http://127.0.0.1:8767/login?t=x", "simulator_url": None}, 201)
    shown = hongyan("status").out
    assert "http://127.0.0.1:8767/login?t=x" in shown
    assert "turn_1" in shown
    assert hongyan("status", "--json").json == status
    assert counter.lines().count("POST /login-links") == 1


def test_a_gateway_that_runs_is_asked_what_is_wrong(hongyan: Terminal, counter: Counter) -> None:
    answer = {"ok": False, "checks": [{"name": "disk", "ok": False, "found": "0 MB", "mend": "Free some space."}]}
    counter.will("GET /doctor", answer)
    assert "Free some space." in hongyan("doctor").out
    ended = hongyan("doctor", "--json")
    assert (ended.code, ended.json) == (5, answer)


def test_stop_returns_when_the_gateway_is_gone(hongyan: Terminal, counter: Counter) -> None:
    counter.will("POST /stop", {"stopping": True}, 202)
    counter.answers["GET /status"] = lambda _: (200, {}) if len(counter.asked) < 4 else (0, None)
    assert hongyan("stop", "--json").json == {"stopped": True}
    assert counter.lines() == ["POST /stop", *["GET /status"] * 3]


def test_stop_says_so_when_the_gateway_stays(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter.will("POST /stop", {"stopping": True}, 202)
    counter.will("GET /status", {})
    monkeypatch.setattr("hongyan.entrypoints.cli.commands.house.STOP_SECONDS", 0.0)
    ended = hongyan("stop", "--json")
    assert (ended.code, ended.error["code"]) == (4, "gateway.stopping")


def test_a_running_gateway_makes_its_own_backup(
    hongyan: Terminal, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter.will("POST /backups", {"path": "x", "size_bytes": 1}, 201)
    monkeypatch.chdir(counter.home)
    assert hongyan("backup", "copy.db").code == 0
    assert counter.asked[0].body == {"path": str(counter.home / "copy.db")}
