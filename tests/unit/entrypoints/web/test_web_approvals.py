"""Approvals over the interface: listed whole, decided once, the surface named by who speaks."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.domain import given
from tests.unit.domain.given import decision
from tests.unit.entrypoints.web.served import ORIGIN, Served, served

from hongyan.domain.changes import Changes, Update, insert
from hongyan.domain.decisions import ask_steps
from hongyan.domain.limits import HOUR


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as house:
        desk = house.gateway.desk
        asked = replace(decision(arguments="x" * 5_000), turn_id=given.turn().id, expires_at=desk.clock.now() + HOUR)
        scene = (insert("bindings", given.binding()), insert("turns", given.turn()))
        await desk.store.commit(Changes("ask", (*scene, *ask_steps(asked))))
        yield house


async def test_an_open_request_is_listed_with_its_whole_input(house: Served) -> None:
    listed = (await house.program().get("/api/v1/approvals")).json()["approvals"]
    assert [(one["id"], one["state"], one["decided_at"]) for one in listed] == [("dec-1", "asked", None)]
    assert listed[0]["arguments"] == "x" * 5_000


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (Update("bindings", {"id": given.binding().id}, {"state": "revoked"}), "decision.revoked"),
        (Update("decisions", {"id": "dec-1"}, {"expires_at": 1}), "decision.expired"),
    ],
)
async def test_a_yes_that_counts_no_more_is_a_conflict_that_names_why_and_a_no_counts(
    house: Served, step: Update, code: str
) -> None:
    await house.gateway.desk.store.commit(Changes("test", (step,)))
    yes = await house.neighbour().post("/api/v1/approvals/dec-1/decide", json={"outcome": "allowed_once"})
    no = await house.neighbour().post("/api/v1/approvals/dec-1/decide", json={"outcome": "rejected"})
    assert (yes.status_code, yes.json()["code"]) == (409, code)
    assert (no.status_code, no.json()["outcome"]) == (200, "rejected")


async def test_the_first_decision_wins_and_names_the_surface(house: Served) -> None:
    browser = await house.browser(origin=ORIGIN, **{"sec-fetch-site": "same-origin"})
    first = await browser.post("/api/v1/approvals/dec-1/decide", json={"outcome": "allowed_once"})
    second = await house.neighbour().post("/api/v1/approvals/dec-1/decide", json={"outcome": "rejected"})
    assert (first.status_code, first.json()["outcome"], first.json()["decided_where"]) == (
        200,
        "allowed_once",
        "console",
    )
    assert (second.status_code, second.json()["code"]) == (409, "decision.settled")
    assert (await house.program().get("/api/v1/approvals")).json()["approvals"] == []
    assert len((await house.program().get("/api/v1/approvals?recent=10")).json()["approvals"]) == 1


@pytest.mark.parametrize(
    ("identity", "outcome", "status"), [("dec-1", "cancelled", 422), ("dec-1", "", 422), ("none", "rejected", 404)]
)
async def test_what_nobody_may_decide_is_refused(house: Served, identity: str, outcome: str, status: int) -> None:
    answer = await house.neighbour().post(f"/api/v1/approvals/{identity}/decide", json={"outcome": outcome})
    assert answer.status_code == status


async def test_a_person_changes_the_rules_that_are_named_and_a_program_does_not(house: Served) -> None:
    path, wish = "/api/v1/bindings/bind_1", {"approve": "writes=auto", "revision": 1}
    refused = await house.program().patch(path, json=wish)
    assert (refused.status_code, refused.json()["code"]) == (409, "approval.program")
    changed = (await house.neighbour().patch(path, json=wish)).json()
    again = (await house.neighbour().patch(path, json={"approve": "network=never"})).json()
    assert changed["approve"] == "reads=auto,writes=auto,commands=ask,network=ask,outside=never"
    assert again["approve"] == "reads=auto,writes=auto,commands=ask,network=never,outside=never"
    assert again["revision"] == 1
    for body, code in (({"approve": "writes=maybe"}, "approvals.policy"), ({**wish, "revision": 7}, "binding.changed")):
        assert (await house.neighbour().patch(path, json=body)).json()["code"] == code


async def test_a_program_decides_nothing_and_cannot_let_itself_in_as_a_person(house: Served) -> None:
    program = house.program()
    decided = await program.post("/api/v1/approvals/dec-1/decide", json={"outcome": "allowed_once"})
    assert (decided.status_code, decided.json()["code"]) == (409, "approval.program")
    link = await program.post("/api/v1/login-links")
    assert (link.status_code, link.json()["code"]) == (409, "access.links")
    assert [one["state"] for one in (await program.get("/api/v1/approvals")).json()["approvals"]] == ["asked"]
