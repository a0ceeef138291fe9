"""Whose turn it is."""

from dataclasses import replace

from tests.unit.domain import given as example

from hongyan.application.rota import KEPT, Rota
from hongyan.domain.deliveries import Part
from hongyan.domain.identity import ChatId, PartId


def part(chat: str, number: int = 0) -> Part:
    return replace(example.part(), id=PartId(f"{chat} {number}"), chat_id=ChatId(chat))


def test_who_was_served_longest_ago_comes_first_and_a_chats_own_order_stays() -> None:
    rota = Rota()
    waiting = [part("a", 1), part("a", 2), part("b", 1), part("c", 1)]
    rota.serve(part("a"))
    rota.serve(part("b"))
    assert [one.id for one in rota.in_turn(waiting)] == ["c 1", "a 1", "a 2", "b 1"]
    rota.serve(part("a"))
    assert [one.id for one in rota.in_turn(waiting)] == ["c 1", "b 1", "a 1", "a 2"]


def test_nobody_is_passed_over_for_ever() -> None:
    rota = Rota()
    waiting = [part(chat, number) for chat in "abcd" for number in range(50)]
    served: list[str] = []
    for _ in range(8):
        chosen = rota.in_turn(waiting)[0]
        waiting.remove(chosen)
        rota.serve(chosen)
        served.append(chosen.chat_id)
    assert sorted(served[:4]) == sorted(served[4:]) == ["a", "b", "c", "d"]


def test_the_memory_of_turns_is_bounded() -> None:
    rota = Rota()
    for number in range(KEPT + 10):
        rota.serve(part(f"chat {number}"))
    assert [one.chat_id for one in rota.in_turn([part("chat 20"), part("chat 3")])] == ["chat 3", "chat 20"]
