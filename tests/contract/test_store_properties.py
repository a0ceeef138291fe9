"""Any transactions, against a small model of what a transaction means."""

import queue
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from hongyan.adapters.store.compiler import Compiler
from hongyan.adapters.store.sqlite_writer import Unit, Writer
from hongyan.domain.changes import (
    Add,
    AtLeast,
    AtMost,
    Change,
    Delete,
    Guard,
    Insert,
    Less,
    Not,
    Of,
    OneOf,
    Require,
    Update,
    Value,
    Written,
)
from hongyan.domain.errors import ConflictError

Row: TypeAlias = dict[str, Value]
Table: TypeAlias = list[Row]

COLUMNS = ("k", "n", "m")
KEYS = st.sampled_from(["a", "b", "c"])
NUMBERS = st.none() | st.integers(-2, 3)
KEY_GUARDS: st.SearchStrategy[Guard] = st.one_of(KEYS, KEYS.map(Not), st.lists(KEYS, max_size=3).map(tuple).map(OneOf))
NUMBER_GUARDS: st.SearchStrategy[Guard] = st.one_of(
    NUMBERS,
    st.integers(-2, 3).map(Less),
    st.integers(-2, 3).map(AtMost),
    st.integers(-2, 3).map(AtLeast),
    NUMBERS.map(Not),
    st.lists(st.integers(-2, 3), max_size=3).map(tuple).map(OneOf),
)
WHERE: st.SearchStrategy[Mapping[str, Guard]] = st.fixed_dictionaries(
    {}, optional={"k": KEY_GUARDS, "n": NUMBER_GUARDS, "m": NUMBER_GUARDS}
).filter(bool)
OF = st.builds(lambda key, column: Of("t", {"k": key}, column), KEYS, st.sampled_from(["n", "m"]))
EXPECT = st.sampled_from([frozenset({1}), frozenset({0, 1}), frozenset({0, 1, 2, 3})])
WRITTEN: st.SearchStrategy[Written] = st.one_of(NUMBERS, st.integers(-2, 2).map(Add), OF)
STEPS: st.SearchStrategy[Change] = st.one_of(
    st.builds(
        lambda key, n, m, expect: Insert("t", {"k": key, "n": n, "m": m}, expect), KEYS, NUMBERS, NUMBERS | OF, EXPECT
    ),
    st.builds(
        lambda where, values, expect: Update("t", where, values, expect),
        WHERE,
        st.fixed_dictionaries({}, optional={"k": KEYS, "n": WRITTEN, "m": WRITTEN}).filter(bool),
        EXPECT,
    ),
    st.builds(lambda where, expect: Delete("t", where, expect), WHERE, EXPECT),
    st.builds(lambda where, expect: Require("t", where, expect), WHERE, EXPECT),
)
UNITS = st.lists(st.lists(STEPS, min_size=1, max_size=4), min_size=1, max_size=5)


def holds(guard: Guard, value: Value) -> bool:
    """Say whether a column with `value` satisfies the guard."""
    match guard:
        case Less(limit) | AtMost(limit) | AtLeast(limit):
            if not isinstance(value, int):
                return False
            return {Less: value < limit, AtMost: value <= limit, AtLeast: value >= limit}[type(guard)]
        case OneOf(values):
            return value in values
        case Not(other):
            return value != other
        case _:
            return value == guard


def matching(table: Table, where: Mapping[str, Guard]) -> Table:
    return [row for row in table if all(holds(guard, row[column]) for column, guard in where.items())]


def worth(written: Written, column: str, row: Row, table: Table) -> Value:
    """Give what a written value means for a row of the table as it was before the step."""
    if isinstance(written, Add):
        old = row[column]
        return old + written.amount if isinstance(old, int) else None
    if isinstance(written, Of):
        found = matching(table, written.where)
        return found[0][written.column] if found else None
    return written


def step_count(table: Table, step: Change) -> int | None:
    """Apply a step to the table and give its count, None when a key would be taken twice."""
    before = deepcopy(table)
    if isinstance(step, Insert):
        if any(row["k"] == step.values["k"] for row in table):
            return 0
        table.append({column: worth(value, column, {}, before) for column, value in step.values.items()})
        return 1
    found = matching(table, step.where)
    if isinstance(step, Delete):
        table[:] = [row for row in table if row not in found]
    if isinstance(step, Update):
        for row in found:
            row.update({column: worth(value, column, dict(row), before) for column, value in step.values.items()})
    keys = [row["k"] for row in table]
    return len(found) if len(keys) == len(set(keys)) else None


def model_outcome(table: Table, steps: Sequence[Change]) -> tuple[int, ...] | int:
    """Apply a unit to the table and give its counts, or the number of the step that refused it."""
    draft = deepcopy(table)
    counts: list[int] = []
    for number, step in enumerate(steps):
        count = step_count(draft, step)
        if count is None or count not in step.expect:
            return number
        counts.append(count)
    table[:] = draft
    return tuple(counts)


def engine_outcomes(path: Path, units: Sequence[Sequence[Change]]) -> list[tuple[int, ...] | int]:
    """Give what the real compiler and writer made of the same units."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.executescript("PRAGMA synchronous = OFF; CREATE TABLE t (k TEXT PRIMARY KEY, n INTEGER, m INTEGER)")
    reports: queue.SimpleQueue[list[Unit[int]]] = queue.SimpleQueue()
    writer = Writer(connection, path, reports.put, 3)
    compiler = Compiler()
    for number, steps in enumerate(units):
        writer.submit(Unit("any", [(compiler.compile(step), step.expect) for step in steps], number))
    reported: list[Unit[int]] = []
    while len(reported) < len(units):
        reported += reports.get(timeout=20)
    assert writer.stop(20)
    outcomes: list[tuple[int, ...] | int] = []
    for unit in reported:
        assert isinstance(unit.outcome, tuple | ConflictError)
        outcomes.append(unit.outcome if isinstance(unit.outcome, tuple) else unit.outcome.step)
    return outcomes


@given(UNITS)
def test_transactions_mean_what_the_model_says(units: list[list[Change]]) -> None:
    table: Table = []
    expected = [model_outcome(table, steps) for steps in units]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.db"
        assert engine_outcomes(path, units) == expected
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute("SELECT k, n, m FROM t ORDER BY k").fetchall()
    assert rows == sorted(tuple(row[column] for column in COLUMNS) for row in table)
