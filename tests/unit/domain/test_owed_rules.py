"""Whose things a list shows: those of its own App, and those of this machine when one person owns every App."""

from dataclasses import replace

import pytest
from tests.unit.domain import given

from hongyan.domain.identity import AppId, UnionId
from hongyan.domain.owed import OwedAction, note_act, serve_one_person
from hongyan.domain.pairing import Owner, OwnerState

ONE = Owner("owner_1", given.APP, given.OWNER, UnionId(""), "Lin Yan", given.CHAT, OwnerState.ACTIVE, given.NOW)
TWO = replace(ONE, id="owner_2", app=AppId("cli_2"))
SAME = UnionId("on_1")


@pytest.mark.parametrize(
    ("owners", "one_person"),
    [
        ([], False),
        ([ONE], True),
        ([ONE, TWO], False),
        ([replace(ONE, union_id=SAME), replace(TWO, union_id=SAME)], True),
        ([replace(ONE, union_id=SAME), replace(TWO, union_id=UnionId("on_2"))], False),
        ([replace(ONE, union_id=SAME), TWO], False),
    ],
)
def test_two_apps_have_the_same_owner_only_when_the_platform_says_so(owners: list[Owner], one_person: bool) -> None:
    assert serve_one_person(owners) is one_person


def test_two_acts_on_the_same_version_meet_in_one_fact() -> None:
    request = given.request()
    seen = (request.id, request.version)
    first, second = (note_act(seen, action, "card", 1) for action in (OwedAction.CLOSE, OwedAction.RUN_AGAIN))
    later = note_act((request.id, 1), OwedAction.CLOSE, "card", 1)
    assert first.values["id"] == second.values["id"] != later.values["id"]
