"""The bytes of the long connection."""

import json

import pytest
from tests.unit.adapters.lark.surroundings import ManualClock

from hongyan.adapters.lark.fragments import Fragments
from hongyan.adapters.lark.frames import Frame, Method, UnreadableFrameError, ping


def part(seq: int, count: int, payload: bytes, *, message: str = "m-1") -> Frame:
    headers = (("type", "event"), ("message_id", message), ("sum", str(count)), ("seq", str(seq)))
    return Frame(method=Method.EVENT, headers=headers, payload=payload)


# Written by the platform's own SDK, which takes too long to import for a unit test.
BY_THE_SDK = (
    b"\x08\x03\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x18\x07 \x01*\r\n\x04type\x12\x05event"
    b"*\x11\n\nmessage_id\x12\x03m-1:\x04jsonB\x02{}J\x03log"
)
PING_BY_THE_SDK = b"\x08\x00\x10\x00\x18\x00 \x00*\x0c\n\x04type\x12\x04ping"


def test_our_bytes_are_those_of_the_platforms_sdk() -> None:
    frame = Frame(
        method=Method.EVENT,
        headers=(("type", "event"), ("message_id", "m-1")),
        service=7,
        payload=b"{}",
        sequence=3,
        log_id=2**63,
        payload_type="json",
        log_id_new="log",
    )
    assert frame.encode() == BY_THE_SDK
    assert Frame.decode(BY_THE_SDK) == frame


def test_a_ping_writes_its_required_fields_although_they_are_zero() -> None:
    assert ping(0).encode() == PING_BY_THE_SDK


def test_bytes_that_are_no_frame_are_refused_without_quoting_them() -> None:
    with pytest.raises(UnreadableFrameError) as refused:
        Frame.decode(b"\xffticket")
    assert "ticket" not in repr(refused.value)


def test_an_acknowledgement_gives_the_frame_back_with_time_and_code() -> None:
    frame = part(0, 1, b"event")
    answer = frame.answer(200, 12)
    assert answer.headers == (*frame.headers, ("biz_rt", "12"))
    assert json.loads(answer.payload) == {"code": 200}


def test_one_part_is_whole() -> None:
    assert Fragments(ManualClock()).join(part(0, 1, b"whole")) == b"whole"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 1, 0, 0, 2)])
def test_parts_are_joined_in_any_order_and_also_repeated(order: tuple[int, ...]) -> None:
    fragments = Fragments(ManualClock())
    split = "鸿雁!".encode()
    parts = [split[:2], split[2:5], split[5:]]
    joined = [fragments.join(part(index, 3, parts[index])) for index in order]
    assert joined == [None] * (len(order) - 1) + [split]


def test_two_events_do_not_mix() -> None:
    fragments = Fragments(ManualClock())
    fragments.join(part(0, 2, b"a", message="m-1"))
    fragments.join(part(0, 2, b"x", message="m-2"))
    assert fragments.join(part(1, 2, b"b", message="m-1")) == b"ab"
    assert fragments.join(part(1, 2, b"y", message="m-2")) == b"xy"


def test_parts_are_forgotten_after_ten_seconds() -> None:
    clock = ManualClock()
    fragments = Fragments(clock)
    fragments.join(part(0, 2, b"old"))
    clock.advance(10_000)
    assert fragments.join(part(1, 2, b"new")) is None
    assert fragments.join(part(0, 2, b"a ")) == b"a new"


def test_a_new_number_of_parts_starts_the_event_over() -> None:
    fragments = Fragments(ManualClock())
    fragments.join(part(0, 3, b"old"))
    fragments.join(part(0, 2, b"a"))
    assert fragments.join(part(1, 2, b"b")) == b"ab"


@pytest.mark.parametrize("frame", [part(2, 2, b"beyond"), part(0, 100_000, b"too many")])
def test_nonsensical_parts_are_passed_over(frame: Frame) -> None:
    assert Fragments(ManualClock()).join(frame) is None


def test_lost_parts_do_not_fill_the_memory() -> None:
    fragments = Fragments(ManualClock())
    for number in range(1_000):
        fragments.join(part(0, 2, b"half", message=f"m-{number}"))
    assert len(fragments._waiting) == 64
