"""One chat, several bindings: which of them the next message uses."""

from dataclasses import replace

from tests.harness import World

from hongyan.application.configure import BindingWish, add_binding
from hongyan.domain.bindings import Audience, Role, Scope
from hongyan.domain.workspaces import Grant

SESSIONS = "SELECT s.binding_id FROM turns t JOIN sessions s ON s.id = t.session_id ORDER BY t.queued_at, t.rowid"


async def test_binding_again_what_was_bound_before_makes_it_the_current_one(world: World) -> None:
    desk = world.gateway.desk
    wish = BindingWish(
        world.app_id, Audience.OWNER_PRIVATE, Role.PROJECT, "work", "rehearsal", None, Scope.HOST_DEFAULT
    )
    first = await add_binding(desk, wish)
    other = await add_binding(desk, replace(wish, grant_kind=Grant.READ))
    for text in ("one", "two"):
        world.say(text)
        await world.until_settled()
        assert (await add_binding(desk, wish)).id == first.id
    assert first.id != other.id
    assert await world.rows(SESSIONS) == [(other.id,), (first.id,)]
    await world.adds_up()
