"""Where decisions are kept: the store port on SQLite, and everything about the database file.

`compiler` turns a step of `Changes` into SQL, `sqlite_writer` commits steps in groups, `sqlite_engine` joins them with
the named reads of `queries.sql`, decoded by `rows`. `revision` tells whether a file has the schema of this version,
`migrate` brings an older one up, `backup` copies and restores, `lock` keeps a second process out.

No state is computed here, only compared and set. `schema` and `migrate` need SQLAlchemy and Alembic and are therefore
loaded by bootstrap only when a file is not current. Begin with `sqlite_engine`.
"""

from hongyan.adapters.store.sqlite_connections import SqliteOptions
from hongyan.adapters.store.sqlite_engine import SqliteStore

__all__ = ["SqliteOptions", "SqliteStore"]
