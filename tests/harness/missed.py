"""What tests about missed messages do and look at. Let `keep_own_rhythm` come first."""

import pytest

from feishu_simulator.faults import Effect
from hongyan.application.owed import OwedAction, OwedRow, act_on_owed, list_owed
from hongyan.application.read_coverage import CoverageReport, read_coverage
from hongyan.domain import limits
from hongyan.domain.coverage import Coverage
from tests.harness import World

RECEIVE = "event:im.message.receive_v1"
LIST = "GET /open-apis/im/v1/messages"
ENDPOINT = "POST /callback/ws/endpoint"
LOST = Effect(drop=True, no_redelivery=True)
ACK_WINDOW_MS = 3_001
HOUR = 3_600_000


def keep_own_rhythm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the comparison wait for times that no other timer waits for, so that a test can tell when it rests."""
    monkeypatch.setattr(limits, "COVERAGE_FIRST_MS", 5_003)
    monkeypatch.setattr(limits, "COVERAGE_PERIOD_MS", 60_007)


async def rounds(world: World, count: int = 1) -> None:
    """Let the history be compared that many times more."""
    for _ in range(count):
        first = world.clock.sleeps_for(limits.COVERAGE_FIRST_MS)
        await world.advance(limits.COVERAGE_FIRST_MS if first else limits.COVERAGE_PERIOD_MS)
        await world.until_asleep(limits.COVERAGE_PERIOD_MS)


async def report(world: World) -> CoverageReport:
    """Give what is told of the owner's chat."""
    return (await read_coverage(world.gateway.desk))[0]


async def seen(world: World) -> Coverage:
    """Give how far the owner's chat was read."""
    coverage = (await report(world)).coverage
    assert coverage is not None
    return coverage


async def missed(world: World) -> list[OwedRow]:
    """Give the missed messages that wait for the owner."""
    return [row for row in await list_owed(world.gateway.desk) if row.why == "source.missed"]


async def act(world: World, row: OwedRow, action: OwedAction) -> None:
    """Decide about a missed message as the owner."""
    await act_on_owed(world.gateway.desk, row.id, action, row.version)


async def repeat_every_event(world: World) -> None:
    """Let the platform deliver everything once more, under new event ids."""
    for event in tuple(world.platform.events("im.message.receive_v1")):
        world.platform.delivery.repeat(event)
    await world.until_settled()
