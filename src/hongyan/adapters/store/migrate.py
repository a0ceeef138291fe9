"""Bring the schema of an older database up to this version. Loads Alembic; see `revision` for when it is needed."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import alembic.command
import sqlalchemy
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy.exc import SQLAlchemyError

from hongyan.adapters.store.backup import copy_database
from hongyan.adapters.store.revision import CURRENT_REVISION, revision_of
from hongyan.domain.errors import StoreError

__all__ = ["connect", "migrate", "script_config"]

_SCRIPTS: Final = Path(__file__).parent / "migrations"


def migrate(path: Path) -> Path | None:
    """Upgrade the database to the current revision in one transaction; the caller holds the home's lock.

    Give the path of the copy that was made before, None when the file had no tables. Raise StoreError when a step
    fails: the database is then what it was.
    """
    with closing(sqlite3.connect(path)) as connection:
        before = revision_of(connection)
    kept = None if before is None else _copy_before(path, before)
    engine = connect(path)
    try:
        with engine.connect() as connection_:
            alembic.command.upgrade(script_config(connection_), CURRENT_REVISION)
    except (SQLAlchemyError, CommandError) as error:
        raise StoreError(f"the schema could not be migrated from {before}: {error}") from error
    finally:
        engine.dispose()
    return kept


def script_config(connection: sqlalchemy.Connection | None = None) -> Config:
    """Give Alembic's configuration of our migrations, bound to a connection where one is needed."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    return config


def connect(path: Path) -> sqlalchemy.Engine:
    """Give an engine whose transactions hold DDL too: the driver's own handling would commit before each of it."""
    engine = sqlalchemy.create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(path, isolation_level=None, check_same_thread=False),
        poolclass=sqlalchemy.NullPool,
    )

    @sqlalchemy.event.listens_for(engine, "begin")
    def begin(connection: sqlalchemy.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _copy_before(path: Path, revision: str) -> Path:
    kept = path.with_name(f"{path.name}.before-migration-from-{revision}")
    kept.unlink(missing_ok=True)  # an earlier try whose migration was undone
    copy_database(path, kept)
    return kept
