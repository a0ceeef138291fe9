"""The interface: what goes in, what comes out, and how it says no."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.unit.entrypoints.web.served import APP, Served, a_session, an_owed_request, served

from hongyan.application.stop_turn import stop_turn
from hongyan.domain.changes import Changes
from hongyan.domain.identity import TurnId
from hongyan.domain.quota import add_calls, day_of

HELLO = {"message": "hello", "client_turn_id": "1"}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as house:
        yield house


@pytest.fixture
def api(house: Served) -> httpx.AsyncClient:
    client = house.program()
    client.base_url = client.base_url.join("/api/v1/")
    return client


def refusal(answer: httpx.Response) -> tuple[int, Any]:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


async def test_a_refusal_says_code_sentence_hint_and_whether_to_repeat(api: httpx.AsyncClient) -> None:
    answer = await api.get("bindings/none")
    problem = answer.json()
    assert refusal(answer) == (404, "binding.not_found")
    assert (problem["status"], problem["retryable"], problem["type"]) == (404, False, "urn:hongyan:binding.not_found")
    assert problem["detail"]
    assert problem["hint"]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("pairings", {"app": "work", "reason": "s3cret"}, "body.reason"),
        ("workspaces", {"name": "docs", "path": "docs"}, "body.path"),
        ("workspaces", {"name": "docs", "path": "/", "grant": "everything"}, "body.grant"),
        ("bindings", {"app": "work", "workspace": "docs"}, "body.executor"),
        ("sessions/x/turns", {"message": "s3cret"}, "body.client_turn_id"),
        ("sessions/x/turns", {"message": "hi", "client_turn_id": "1", "origin": "lark"}, "body.origin"),
    ],
)
async def test_what_does_not_fit_is_refused_by_its_field_alone(
    api: httpx.AsyncClient, path: str, body: dict[str, str], field: str
) -> None:
    answer = await api.post(path, json=body)
    assert refusal(answer) == (422, "request.invalid")
    assert [one["field"] for one in answer.json()["fields"]] == [field]
    assert "s3cret" not in answer.text


async def test_unknown_paths_and_methods_are_problems_too(api: httpx.AsyncClient) -> None:
    assert refusal(await api.get("nothing")) == (404, "route.not_found")
    assert refusal(await api.put("status")) == (405, "route.method_not_allowed")


async def test_an_app_is_shown_with_its_listener(api: httpx.AsyncClient) -> None:
    [app] = (await api.get("apps")).json()["apps"]
    assert (app["app"], app["app_id"], app["owner"], app["bot_open_id"]) == ("work", APP, None, None)


@pytest.mark.parametrize("name", ["work", APP])
async def test_a_pairing_begins_by_name_or_id_and_shows_its_code_once(api: httpx.AsyncClient, name: str) -> None:
    begun = (await api.post("pairings", json={"app": name})).json()
    seen = await api.get(f"pairings/{begun['pairing_id']}")
    assert set(begun) == {"code", "expires_at", "pairing_id"}
    assert (seen.json()["state"], seen.json()["app"]) == ("live", "work")
    assert begun["code"] not in seen.text
    assert refusal(await api.post(f"pairings/{begun['pairing_id']}/confirm")) == (409, "pairing.not_claimed")


async def test_an_unknown_app_is_named_in_the_refusal(api: httpx.AsyncClient) -> None:
    answer = await api.post("pairings", json={"app": "play"})
    assert refusal(answer) == (404, "app.not_found")
    assert "work" in answer.json()["hint"]


async def test_a_workspace_is_authorised_listed_and_taken_back(api: httpx.AsyncClient, tmp_path: Path) -> None:
    wish = {"name": "docs", "path": str(tmp_path), "grant": "workspace_read"}
    added = (await api.post("workspaces", json=wish)).json()
    assert (added["name"], added["path"], added["grant"]) == ("docs", str(tmp_path), "workspace_read")
    assert (await api.get("workspaces")).json() == {"workspaces": [added]}
    assert (await api.delete("workspaces/docs")).status_code == 204
    assert (await api.get("workspaces")).json() == {"workspaces": []}


async def test_a_missing_folder_blocks(api: httpx.AsyncClient, tmp_path: Path) -> None:
    answer = await api.post("workspaces", json={"name": "docs", "path": str(tmp_path / "gone")})
    assert refusal(answer) == (424, "workspace.unavailable")


async def test_a_binding_waits_for_an_owner(api: httpx.AsyncClient) -> None:
    wish = {"app": "work", "workspace": "docs", "executor": "rehearsal"}
    assert refusal(await api.post("bindings", json=wish)) == (409, "owner.not_paired")


async def test_executors_are_shown_without_their_arguments(api: httpx.AsyncClient) -> None:
    answer = await api.get("executors")
    assert answer.json()["executors"] == [{"name": "rehearsal", "protocol": "acp", "program": "rehearsal-agent"}]


async def test_a_session_is_opened_shown_and_closed(house: Served, api: httpx.AsyncClient) -> None:
    await a_session(house)
    opened = (await api.post("sessions", json={"workspace": "docs", "executor": "rehearsal"})).json()
    shown = (await api.get(f"sessions/{opened['session_id']}", params={"message_limit": 200})).json()
    assert (shown["state"], shown["messages"], shown["turns"]) == ("ready", [], [])
    closed = (await api.delete(f"sessions/{opened['session_id']}")).json()
    assert closed["state"] == "closed"


@pytest.mark.parametrize("limit", [0, 201])
async def test_a_page_of_messages_has_a_size(house: Served, api: httpx.AsyncClient, limit: int) -> None:
    answer = await api.get(f"sessions/{await a_session(house)}", params={"message_limit": limit})
    assert refusal(answer) == (422, "request.invalid")


async def test_sessions_of_one_binding_and_no_others(house: Served, api: httpx.AsyncClient) -> None:
    mine = (await api.get(f"sessions/{await a_session(house)}")).json()["binding_id"]
    of_mine = (await api.get("sessions", params={"binding_id": mine})).json()
    of_another = (await api.get("sessions", params={"binding_id": "bind_other"})).json()
    assert (of_mine["binding_id"], len(of_mine["sessions"])) == (mine, 1)
    assert (of_another["binding_id"], of_another["sessions"]) == ("bind_other", [])


async def test_the_same_text_twice_is_one_turn(house: Served, api: httpx.AsyncClient) -> None:
    path = f"sessions/{await a_session(house)}/turns"
    text = {"message": "hello", "client_turn_id": "1"}
    first, again = await api.post(path, json=text), await api.post(path, json=text)
    other = await api.post(path, json={**text, "message": "bye"})
    assert (first.status_code, first.json()["created"], again.json()["created"]) == (202, True, False)
    assert first.json()["turn_id"] == again.json()["turn_id"]
    assert refusal(other) == (409, "turn.conflict")


async def test_a_turn_says_what_it_waits_for_and_stops(house: Served, api: httpx.AsyncClient) -> None:
    path = f"sessions/{await a_session(house)}/turns"
    turn = (await api.post(path, json={"message": "hello", "client_turn_id": "1"})).json()["turn_id"]
    seen = (await api.get(f"turns/{turn}")).json()
    assert (seen["state"], seen["waits_for"], seen["origin"]) == ("queued", "none_known", "console")
    assert (await api.post(f"turns/{turn}/stop")).json() == {"turn_id": turn, "state": "cancelled"}


@pytest.mark.scenario("M13")
async def test_words_for_a_turn_that_does_not_run_are_queued_and_say_so(house: Served, api: httpx.AsyncClient) -> None:
    sent = (await api.post(f"sessions/{await a_session(house)}/turns", json=HELLO)).json()
    path = f"turns/{sent['turn_id']}/steer"
    first = await api.post(path, json={"message": "more", "client_turn_id": "2"})
    again = await api.post(path, json={"message": "more", "client_turn_id": "2"})
    found = first.json()
    assert first.status_code == 202
    assert (found["outcome"], found["reason"], found["state"]) == ("queued", "turn_not_running", "queued")
    assert (found["created"], again.json()["created"]) == (True, False)
    assert found["turn_id"] == again.json()["turn_id"] != sent["turn_id"]
    assert (await api.get(f"turns/{sent['turn_id']}")).json()["can_steer"] is False
    assert refusal(await api.post(path, json={"message": "other", "client_turn_id": "2"})) == (409, "turn.conflict")
    assert refusal(await api.post("turns/none/steer", json=HELLO)) == (404, "turn.not_found")
    assert refusal(await api.post(path, json={**HELLO, "mode": "steer"})) == (422, "request.invalid")


async def test_a_stream_of_a_turn_ends_with_it(house: Served, api: httpx.AsyncClient) -> None:
    path = f"sessions/{await a_session(house)}/turns"
    sent = (await api.post(path, json={"message": "hello", "client_turn_id": "1"})).json()
    await stop_turn(house.gateway.desk, TurnId(sent["turn_id"]), "owner")
    listed = (await house.program().get(sent["events_url"])).json()
    stream = await house.program().get(sent["events_url"], headers={"accept": "text/event-stream"})
    assert (listed["events"], listed["ended"]) == ([], True)
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.text.startswith("event: end\n")


async def test_what_is_owed_is_acted_on_once(house: Served, api: httpx.AsyncClient) -> None:
    request = await an_owed_request(house)
    [row] = (await api.get("owed")).json()["owed"]
    assert (row["id"], row["why"], row["actions"]) == (request, "agent.lost", ["run_again", "close"])
    stale = await api.post(f"owed/{request}/close", json={"expected_version": row["version"] - 1})
    assert refusal(stale) == (409, "owed.changed")
    done = await api.post(f"owed/{request}/close", json={"expected_version": row["version"]})
    assert (done.status_code, (await api.get("owed")).json()) == (200, {"owed": []})
    assert refusal(await api.post(f"owed/{request}/close", json={})) == (404, "owed.not_found")


async def test_an_unknown_act_does_not_fit(house: Served, api: httpx.AsyncClient) -> None:
    refused = await api.post(f"owed/{await an_owed_request(house)}/burn", json={})
    assert refusal(refused) == (409, "owed.unknown_action")
    assert "run_again" in refused.json()["hint"]


async def test_both_sums_are_counted(house: Served, api: httpx.AsyncClient) -> None:
    await an_owed_request(house)
    ledger = (await api.get("ledger")).json()
    assert (ledger["received"]["balanced"], ledger["writes"]["balanced"], ledger["owed"]) == (True, True, 1)
    assert ledger["received"]["total"] == sum(ledger["received"]["classes"].values()) == 1


async def test_the_ledger_says_how_often_each_app_called_the_platform(house: Served, api: httpx.AsyncClient) -> None:
    desk = house.gateway.desk
    day = day_of(desk.clock.now(), desk.options.zone)
    for amount in (3, 4):
        await desk.store.commit(Changes("keep_calls", add_calls("cli_1", day, amount)))
    assert (await api.get("ledger")).json()["calls"] == [
        {"app_id": "cli_1", "name": "cli_1", "today": 7, "this_month": 7}
    ]


async def test_status_tells_what_runs_and_what_is_owed(house: Served, api: httpx.AsyncClient) -> None:
    await an_owed_request(house)
    status = (await api.get("status")).json()
    assert (status["owed"], status["sessions"], status["balanced"], status["sandbox"]) == (1, 1, True, "none")
    assert (status["version"], status["pid"], status["simulator_url"]) == ("1.2.3", 4711, None)


async def test_a_backup_is_written_once(api: httpx.AsyncClient, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    assert (await api.post("backups", json={"path": str(target)})).json() == {"path": str(target)}
    assert target.stat().st_size > 0


async def test_doctor_looks_at_everything(api: httpx.AsyncClient) -> None:
    report = (await api.get("doctor")).json()
    names = {check["name"] for check in report["checks"]}
    assert {"python", "home", "disk", "agent: rehearsal"} <= names
    assert report["ok"] == all(check["ok"] for check in report["checks"])


async def test_resending_what_is_not_there_is_refused(api: httpx.AsyncClient) -> None:
    assert refusal(await api.post("deliveries/none/resend")) == (404, "delivery.not_found")
    assert (await api.get("deliveries")).json() == {"deliveries": []}
