"""The interface about missed messages: what it tells, and what can be done through `/owed`."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.unit.entrypoints.web.served import APP, Served, served

from hongyan.domain.bindings import Audience, Binding, BindingState, Place, Role, Scope
from hongyan.domain.changes import Changes, insert
from hongyan.domain.coverage import Gap, GapState, Side, begin, fail, suspect
from hongyan.domain.identity import AppId, BindingId, ChatId, MessageId, OpenId, WorkspaceId, place_id
from hongyan.domain.messages import MessageKind, PostedMessage, SenderKind
from hongyan.domain.workspaces import Grant

HOUR_MS: Final = 3_600_000


def the_binding(since: int) -> Binding:
    """Make the binding of the owner's chat."""
    return Binding(
        id=BindingId("bind_1"),
        app=AppId(APP),
        audience=Audience.OWNER_PRIVATE,
        chat_id=ChatId("oc_1"),
        owner=OpenId("ou_1"),
        role=Role.PROJECT,
        workspace_id=WorkspaceId("ws_1"),
        executor="rehearsal",
        grant_kind=Grant.WRITE,
        scope=Scope.HOST_DEFAULT,
        state=BindingState.LIVE,
        revision=1,
        created_at=since,
    )


def the_message(at: int) -> PostedMessage:
    """Make what the platform shows of the message."""
    return PostedMessage(
        message_id=MessageId("om_1"),
        chat_id=ChatId("oc_1"),
        sender="ou_1",
        sender_kind=SenderKind.USER,
        kind=MessageKind.TEXT,
        text="water the plants",
        create_time=at,
        update_time=at,
        updated=False,
        recalled=False,
        parent="",
        root="",
        thread_id="",
    )


async def a_missed_message(house: Served, hours_ago: int) -> Gap:
    """Note that a message of the owner never arrived."""
    desk = house.gateway.desk
    now = desk.clock.now()
    binding = the_binding(now - 48 * HOUR_MS)
    coverage = fail(begin(binding, None, now), "chat.blocked", "im:message:readonly")
    met = suspect(coverage, Side.HISTORY, the_message(now - hours_ago * HOUR_MS), now)
    gap = replace(met, state=GapState.DECLARED)
    place = Place(place_id(binding.app, binding.chat_id), binding.app, binding.chat_id, "", binding.id, None, None, 0)
    steps = (
        insert("bindings", binding),
        insert("places", place),
        insert("coverage", coverage),
        insert("gaps", gap),
    )
    await desk.store.commit(Changes("given", steps))
    return gap


async def test_coverage_tells_the_stretch_the_permission_and_the_gaps(tmp_path: Path) -> None:
    async with served(tmp_path) as house:
        gap = await a_missed_message(house, 3)
        [told] = (await house.program().get("/api/v1/coverage")).json()["coverage"]
        assert (told["app"], told["binding_id"], told["status"]) == ("work", "bind_1", "unavailable")
        assert told["permission"] == "im:message:readonly"
        [missed] = told["gaps"]
        assert (missed["id"], missed["text"], missed["found_by"]) == (gap.id, "water the plants", "history")
        assert missed["actions"] == ["run", "ignore"]


async def test_a_missed_message_is_run_or_ignored_once_through_what_is_owed(tmp_path: Path) -> None:
    async with served(tmp_path) as house:
        gap = await a_missed_message(house, 3)
        client = house.program()
        [row] = (await client.get("/api/v1/owed")).json()["owed"]
        assert (row["id"], row["why"]) == (gap.id, "source.missed")
        assert (await client.get("/api/v1/ledger")).json()["owed"] == 1
        path = f"/api/v1/owed/{gap.id}/ignore"
        assert (await client.post(path, json={"expected_version": row["version"] + 1})).status_code == 409
        assert (await client.post(path, json={"expected_version": row["version"]})).status_code == 200
        assert (await client.post(path, json={})).status_code == 404
        assert (await client.get("/api/v1/owed")).json() == {"owed": []}


async def test_what_is_older_than_a_day_is_not_run_any_more(tmp_path: Path) -> None:
    async with served(tmp_path) as house:
        gap = await a_missed_message(house, 25)
        refused = await house.program().post(f"/api/v1/owed/{gap.id}/run", json={})
        assert (refused.status_code, refused.json()["code"]) == (409, "owed.not_possible")
