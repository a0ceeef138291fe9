"""The tables of `schema`, the generated DDL and the revisions say the same."""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import alembic.command
import pytest
import sqlalchemy
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from tests.unit.adapters.store.databases import count_rows, make_database

from hongyan.adapters.store.generate import rendered_files
from hongyan.adapters.store.migrate import connect, migrate, script_config
from hongyan.adapters.store.revision import REVISIONS, Condition, create, ensure_current
from hongyan.adapters.store.schema import metadata
from hongyan.domain.errors import StoreDamagedError, StoreError


def schema_text(path: Path) -> Sequence[str]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return sorted(re.sub(r"\s+", " ", text).replace(" ,", ",") for (text,) in rows)


def differences(path: Path) -> list[object]:
    engine = connect(path)
    with engine.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata)
    engine.dispose()
    return list(found)


def test_generated_files_are_what_the_tables_say() -> None:
    stale = [path.name for path, text in rendered_files().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run python -m hongyan.adapters.store.generate"


def test_a_new_file_has_the_tables_of_the_metadata(tmp_path: Path) -> None:
    create(tmp_path / "new.db")
    assert differences(tmp_path / "new.db") == []


def test_migrating_from_the_first_revision_gives_the_same_schema(tmp_path: Path) -> None:
    migrate(tmp_path / "migrated.db")
    assert differences(tmp_path / "migrated.db") == []
    create(tmp_path / "new.db")
    assert schema_text(tmp_path / "migrated.db") == schema_text(tmp_path / "new.db")
    assert ensure_current(tmp_path / "migrated.db") is Condition.CURRENT


def test_a_difference_would_be_found(tmp_path: Path) -> None:
    create(tmp_path / "new.db")
    with closing(sqlite3.connect(tmp_path / "new.db")) as connection:
        connection.execute("ALTER TABLE meta ADD COLUMN colour TEXT")
    assert len(differences(tmp_path / "new.db")) == 1


def test_every_revision_is_known_in_order() -> None:
    walked = ScriptDirectory.from_config(script_config()).walk_revisions()
    assert tuple(script.revision for script in walked)[::-1] == REVISIONS


def test_a_database_of_ours_is_copied_before_it_is_migrated(tmp_path: Path) -> None:
    path = make_database(tmp_path / "h.db", rows=5)
    kept = migrate(path)
    assert kept == tmp_path / f"h.db.before-migration-from-{REVISIONS[-1]}"
    assert count_rows(kept) == 5
    assert migrate(path) == kept


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_database(tmp_path / "h.db")
    before = schema_text(path)

    def fail_half_way(config: Config, revision: str) -> None:
        connection = config.attributes["connection"]
        assert isinstance(connection, sqlalchemy.Connection)
        connection.exec_driver_sql("CREATE TABLE half (n INTEGER)")
        connection.exec_driver_sql("CREATE TABLE half (n INTEGER)")

    monkeypatch.setattr(alembic.command, "upgrade", fail_half_way)
    with pytest.raises(StoreError):
        migrate(path)
    assert schema_text(path) == before


def test_a_file_that_is_not_ours_is_not_migrated(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreDamagedError):
        migrate(tmp_path / "other.db")
