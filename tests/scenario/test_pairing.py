"""Pairing: a code that could be guessed or overheard pairs nobody, and nobody is answered before the owner is known."""

import pytest
from tests.harness import World

from feishu_simulator.model import Message as Said
from hongyan.application.pair_owner import NewPairing, begin_pairing, confirm_pairing
from hongyan.domain import limits
from hongyan.domain.errors import RefusedError

ENDED = "SELECT state, tries FROM pairings"
WRONG = "AAAA-AAAA"


async def _begin(world: World) -> NewPairing:
    await world.start()
    return await begin_pairing(world.gateway.desk, world.app_id, replace_owner=False)


def _say_as_colleague(world: World, text: str) -> Said:
    return world.platform.people.write(world.colleague.user_id, world.app.app_id, text)


async def _nobody_is_paired(world: World, pairing: NewPairing) -> None:
    """The code is of no use any more, to nobody; and nobody got a word."""
    world.say(pairing.code)
    _say_as_colleague(world, pairing.code)
    await world.until_settled()
    with pytest.raises(RefusedError):
        await confirm_pairing(world.gateway.desk, pairing.pairing_id)
    assert await world.rows("SELECT count(*) FROM owners") == [(0,)]
    assert world.platform.requests("POST /open-apis/im/*") == []
    await world.adds_up()


@pytest.mark.scenario("M10")
async def test_five_wrong_tries_burn_the_code(unbound_world: World) -> None:
    world = unbound_world
    pairing = await _begin(world)
    for n in range(limits.PAIRING_TRIES):
        speaker = world.owner if n % 2 else world.colleague
        world.platform.people.write(speaker.user_id, world.app.app_id, WRONG)
        await world.until_rows("SELECT 1 FROM pairings WHERE tries = :tries", tries=n + 1)
    assert await world.rows(ENDED) == [("burnt", limits.PAIRING_TRIES)]
    await _nobody_is_paired(world, pairing)


@pytest.mark.scenario("M10")
async def test_four_wrong_tries_do_not_burn_it_and_other_words_are_no_try(unbound_world: World) -> None:
    world = unbound_world
    pairing = await _begin(world)
    for n in range(limits.PAIRING_TRIES - 1):
        world.say(WRONG)
        world.say("is this the place?")
        await world.until_rows("SELECT 1 FROM pairings WHERE tries = :tries", tries=n + 1)
    world.say(f" {pairing.code.lower()[:4]}-{pairing.code[4:]} ")
    await world.until_settled()
    assert await world.rows(ENDED) == [("claimed", limits.PAIRING_TRIES - 1)]
    owner = await confirm_pairing(world.gateway.desk, pairing.pairing_id)
    assert owner.name == "Lin Yan"
    assert world.answers() == []
    await world.adds_up()


@pytest.mark.scenario("M10")
async def test_ten_minutes_burn_the_code(unbound_world: World) -> None:
    world = unbound_world
    pairing = await _begin(world)
    await world.advance(limits.PAIRING_LIFE_MS, leap=True)
    await world.until_rows("SELECT 1 FROM pairings WHERE state = 'expired'")
    await _nobody_is_paired(world, pairing)


@pytest.mark.scenario("M10")
async def test_ten_minutes_also_end_the_time_to_confirm(unbound_world: World) -> None:
    world = unbound_world
    pairing = await _begin(world)
    world.say(pairing.code)
    await world.until_rows("SELECT 1 FROM pairings WHERE state = 'claimed'")
    await world.until_settled()
    await world.advance(limits.PAIRING_LIFE_MS, leap=True)
    await _nobody_is_paired(world, pairing)


@pytest.mark.scenario("M10")
async def test_a_second_person_with_the_same_code_burns_it_for_both(unbound_world: World) -> None:
    world = unbound_world
    pairing = await _begin(world)
    world.say(pairing.code)
    await world.until_rows("SELECT 1 FROM pairings WHERE state = 'claimed'")
    _say_as_colleague(world, pairing.code)
    await world.until_settled()
    assert await world.rows(ENDED) == [("burnt", 0)]
    await _nobody_is_paired(world, pairing)


@pytest.mark.scenario("M10")
async def test_without_the_local_confirmation_nobody_is_paired(unbound_world: World) -> None:
    world = unbound_world
    pairing = await _begin(world)
    world.say(pairing.code)
    await world.until_rows("SELECT 1 FROM pairings WHERE state = 'claimed'")
    world.say(pairing.code)  # the same person once more changes nothing
    world.say("/status")
    await world.until_settled()
    assert await world.rows("SELECT count(*) FROM owners") == [(0,)]
    assert await world.rows(ENDED) == [("claimed", 0)]
    assert world.platform.requests("POST /open-apis/im/*") == []
    await world.adds_up()


@pytest.mark.scenario("M10")
async def test_a_newer_code_burns_the_older_one(unbound_world: World) -> None:
    world = unbound_world
    older = await _begin(world)
    await begin_pairing(world.gateway.desk, world.app_id, replace_owner=False)
    world.say(older.code)
    await world.until_settled()
    assert await world.rows("SELECT state, tries FROM pairings ORDER BY state") == [("burnt", 0), ("live", 1)]
    with pytest.raises(RefusedError):
        await confirm_pairing(world.gateway.desk, older.pairing_id)
    await world.adds_up()


async def test_the_code_is_kept_nowhere(unbound_world: World) -> None:
    world = unbound_world
    pairing = await _begin(world)
    world.say(pairing.code)
    await world.until_rows("SELECT 1 FROM pairings WHERE state = 'claimed'")
    await world.until_settled()
    await world.stop()
    kept = b"".join(path.read_bytes() for path in world.home.glob("hongyan.db*"))
    assert pairing.code.encode() not in kept


async def test_a_new_owner_takes_the_place_of_the_old_one_and_of_its_bindings(world: World) -> None:
    desk = world.gateway.desk
    with pytest.raises(RefusedError):
        await begin_pairing(desk, world.app_id, replace_owner=False)
    pairing = await begin_pairing(desk, world.app_id, replace_owner=True)
    _say_as_colleague(world, pairing.code)
    await world.until_rows("SELECT 1 FROM pairings WHERE state = 'claimed'")
    await confirm_pairing(desk, pairing.pairing_id)
    before = len(world.platform.requests("POST /open-apis/im/*"))
    world.say("am I still the owner?")
    await world.until_settled()
    assert await world.rows("SELECT state FROM bindings") == [("revoked",)]
    assert await world.rows("SELECT name FROM owners WHERE state = 'active'") == [("Chen Yu",)]
    assert len(world.platform.requests("POST /open-apis/im/*")) == before
    assert world.prompts() == []
    await world.adds_up()
