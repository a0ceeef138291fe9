"""Whether a database file has the schema of this version, and the schema for a new file.

Plain `sqlite3` only: a gateway whose file is current or new never loads the migration libraries.
"""

import os
import sqlite3
from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import Final

from hongyan.adapters.store.failures import translate
from hongyan.domain.errors import SchemaTooNewError, StoreDamagedError

__all__ = ["CURRENT_REVISION", "REVISIONS", "Condition", "create", "ensure_current", "revision_of"]

REVISIONS: Final = ("0001",)
"""Every revision in order; a test compares it with the migrations folder."""

CURRENT_REVISION: Final = REVISIONS[-1]

_SCHEMA: Final = Path(__file__).parent / "schema_sqlite.sql"


class Condition(Enum):
    """What a start has to do with a database file: nothing, `create`, or `migrate`."""

    CURRENT = "current"
    EMPTY = "empty"
    OLDER = "older"


def ensure_current(path: Path) -> Condition:
    """Tell what to do before the file can be used; nothing is changed.

    Raise SchemaTooNewError for the file of a newer version, StoreDamagedError for a file that is no database of ours.
    """
    if not path.exists() or path.stat().st_size == 0:
        return Condition.EMPTY
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            revision = revision_of(connection)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    if revision is None:
        return Condition.EMPTY
    if revision not in REVISIONS:
        raise SchemaTooNewError(f"the database has schema {revision}, this version knows {CURRENT_REVISION}")
    return Condition.CURRENT if revision == CURRENT_REVISION else Condition.OLDER


def revision_of(connection: sqlite3.Connection) -> str | None:
    """Give the revision of an open database, None when it has no tables at all.

    Raise StoreDamagedError when it has tables but no revision: it is not ours, or lost what makes it ours.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return None
    if "alembic_version" in tables:
        rows = connection.execute("SELECT version_num FROM alembic_version").fetchall()
        if len(rows) == 1:
            return str(rows[0][0])
    raise StoreDamagedError("the file is a database, but not one that this gateway made")


def create(path: Path) -> None:
    """Write the schema of this version into a new or empty file, readable by its owner only; all or nothing.

    Raise StoreFullError when there is no room, StoreError when the file cannot be made or has tables already.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.executescript(f"BEGIN IMMEDIATE;\n{_SCHEMA.read_text(encoding='utf-8')}\nCOMMIT;")
    except (sqlite3.Error, OSError) as error:
        raise translate(error, path) from error
