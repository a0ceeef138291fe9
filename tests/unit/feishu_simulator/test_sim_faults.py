"""Which fault rules strike, how often and with what."""

import pytest

from feishu_simulator.faults import Effect, Match, RateLimit, matches
from feishu_simulator.platform import Platform
from feishu_simulator.settings import SimulatorSettings

REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"


def platform(seed: int = 0) -> Platform:
    return Platform(SimulatorSettings(seed=seed, clock="virtual"))


@pytest.mark.parametrize(
    ("pattern", "subject", "expected"),
    [
        (REPLY, REPLY, True),
        ("POST /open-apis/im/v1/messages/:id/reply", REPLY, True),
        ("POST /open-apis/im/v1/messages/:id", REPLY, False),
        ("POST /open-apis/im/v1/messages", REPLY, False),
        ("* /open-apis/im/*", REPLY, True),
        ("*", REPLY, True),
        ("*", "event:im.message.receive_v1", False),
        ("event:*", "event:im.message.receive_v1", True),
        ("endpoint", "POST /callback/ws/endpoint", True),
        ("token", "POST /open-apis/auth/v3/tenant_access_token/internal", True),
        ("ws", "ws", True),
    ],
)
def test_patterns(pattern: str, subject: str, expected: bool) -> None:
    assert matches(pattern, subject) is expected


def test_nth_strikes_once_and_times_so_often() -> None:
    rules = platform().faults
    rules.add(Match(REPLY, nth=2), Effect(error_code=230020))
    rules.add(Match(REPLY, times=1), Effect(delay_ms=5))
    strikes = [rules.consult(REPLY, None).effect for _ in range(3)]
    assert strikes == [Effect(delay_ms=5), Effect(error_code=230020), Effect()]


def test_a_rate_of_nothing_lets_no_call_through() -> None:
    rules = platform().faults
    rules.add(Match(REPLY), Effect(rate_limit=RateLimit(0, 5_000)))
    strikes = [rules.consult(REPLY, None) for _ in range(2)]
    assert [strike.retry_after_seconds for strike in strikes] == [5, 5]


def test_a_rule_for_one_app_leaves_the_others_alone() -> None:
    rules = platform().faults
    rules.add(Match("*", app_id="cli_a"), Effect(http_status=503))
    assert rules.consult(REPLY, "cli_b").label is None
    assert rules.consult(REPLY, "cli_a").label == "http_status"


def test_effects_join_delays_add_up_and_elsewhere_the_first_wins() -> None:
    rules = platform().faults
    rules.add(Match("*"), Effect(delay_ms=5, error_code=1))
    rules.add(Match("*"), Effect(delay_ms=7, error_code=2, http_status=500))
    assert rules.consult(REPLY, None).effect == Effect(delay_ms=12, error_code=1, http_status=500)


def test_chance_is_repeatable_and_keeps_its_share() -> None:
    def hits(seed: int) -> list[bool]:
        rules = platform(seed).faults
        rules.add(Match("*", probability=0.25), Effect(delay_ms=1))
        return [rules.consult(REPLY, None).label is not None for _ in range(400)]

    assert hits(1) == hits(1)
    assert hits(1) != hits(2)
    assert 60 < sum(hits(1)) < 140


def test_a_rate_limit_counts_on_the_platforms_clock_and_says_how_long_to_wait() -> None:
    town = platform()
    town.faults.add(Match("*"), Effect(rate_limit=RateLimit(2, 5_000)))
    town.faults.consult(REPLY, None)
    town.clock.advance(1_500)
    town.faults.consult(REPLY, None)
    assert town.faults.consult(REPLY, None).retry_after_seconds == 4
    town.clock.advance(3_500)
    assert town.faults.consult(REPLY, None).retry_after_seconds is None


def test_a_removed_rule_strikes_no_more() -> None:
    rules = platform().faults
    rule = rules.add(Match("*"), Effect(delay_ms=1))
    rules.remove(rule.rule_id)
    assert rules.consult(REPLY, None).label is None
