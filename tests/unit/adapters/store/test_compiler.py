"""What SQL a step becomes."""

from enum import StrEnum

import pytest

from hongyan.adapters.store.compiler import Compiler
from hongyan.domain.changes import Add, Change, Delete, Insert, Less, Not, Of, OneOf, Require, Update


class Colour(StrEnum):
    RED = "red"


def test_values_never_stand_in_the_text() -> None:
    text, parameters = Compiler().compile(Insert("t", {"a": "x'; DROP TABLE t", "b": 7, "c": None, "d": Colour.RED}))
    assert text == "INSERT INTO t (a, b, c, d) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
    assert parameters == ("x'; DROP TABLE t", 7, None, "red")


def test_parameters_come_in_the_order_of_the_text() -> None:
    behind = Of("other", {"k": 4, "z": None}, "n")
    change = Update("t", {"k": 5, "n": Less(6), "m": Not(7), "o": OneOf((8, 9))}, {"a": 1, "b": Add(2), "c": behind})
    text, parameters = Compiler("%s").compile(change)
    assert text == (
        "UPDATE t SET a = %s, b = b + %s, c = (SELECT n FROM other WHERE k = %s AND z IS NULL LIMIT 1) "
        "WHERE k = %s AND n < %s AND (m <> %s OR m IS NULL) AND o IN (%s, %s)"
    )
    assert parameters == (1, 2, 4, 5, 6, 7, 8, 9)


def test_requiring_is_an_update_that_changes_nothing() -> None:
    assert Compiler().compile(Require("t", {"k": 1, "e": 2}))[0] == "UPDATE t SET k = k WHERE k = ? AND e = ?"


def test_one_shape_has_one_text_and_another_shape_another() -> None:
    compiler = Compiler()
    one, _ = compiler.compile(Delete("t", {"k": 1}))
    same, _ = compiler.compile(Delete("t", {"k": 2}))
    null, _ = compiler.compile(Delete("t", {"k": None}))
    less, _ = compiler.compile(Delete("t", {"k": Less(1)}))
    require, _ = compiler.compile(Require("t", {"k": 1}))
    assert one is same
    assert len({one, null, less, require}) == 4


@pytest.mark.parametrize(
    "change",
    [
        Insert("t; DROP TABLE t", {"a": 1}),
        Insert("t", {'a"': 1}),
        Insert("t", {}),
        Insert("t", {"a": Of("u v", {"k": 1}, "a")}),
        Insert("t", {"a": Of("u", {"k": 1}, "a b")}),
        Insert("t", {"a": Of("u", {}, "a")}),
        Update("t", {"Key": 1}, {"a": 1}),
        Update("t", {}, {"a": 1}),
        Update("t", {"k": 1}, {}),
        Delete("t", {}),
        Require("t", {}),
    ],
)
def test_a_name_that_is_none_and_a_step_without_guards_or_values_are_refused(change: Change) -> None:
    with pytest.raises(ValueError, match=r"is not the name|at least one"):
        Compiler().compile(change)


def test_a_value_that_no_column_holds_is_refused() -> None:
    with pytest.raises(TypeError):
        Compiler().compile(Insert("t", {"a": 1.5}))  # type: ignore[dict-item]  # the mistake that is tested
