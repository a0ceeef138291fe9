"""Write the DDL files that are made from `schema`: `python -m hongyan.adapters.store.generate`.

`schema_sqlite.sql` is what a new database is created from. As long as there is only the first revision, its DDL is
made from the same tables; later revisions are written by hand and the first one stays as it was released.
"""

from pathlib import Path
from typing import Final

import sqlalchemy
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from hongyan.adapters.store.revision import CURRENT_REVISION, REVISIONS
from hongyan.adapters.store.schema import metadata
from hongyan.adapters.store.schema_tallies import tally_statements

__all__ = ["main", "render", "rendered_files"]

_FOLDER: Final = Path(__file__).parent
_VERSIONS: Final = _FOLDER / "migrations" / "versions"
_DIALECTS: Final = {
    name: sqlalchemy.create_mock_engine(f"{name}://", print).dialect for name in ("sqlite", "postgresql")
}
_STAMP: Final = f"""\
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO alembic_version (version_num) VALUES ('{CURRENT_REVISION}');
"""


def render(dialect: str) -> str:
    """Give the DDL of all tables, indexes and tallies, each statement ended by a semicolon and a line break."""
    statements: list[ExecutableDDLElement] = []
    for table in metadata.sorted_tables:
        statements.append(CreateTable(table))
        statements += [CreateIndex(index) for index in sorted(table.indexes, key=lambda index: str(index.name))]
    texts = [str(statement.compile(dialect=_DIALECTS[dialect])).strip() for statement in statements]
    return "".join(f"{text};\n" for text in (*texts, *tally_statements(dialect)))


def rendered_files() -> dict[Path, str]:
    """Give every generated file with the text it must have."""
    files = {_FOLDER / "schema_sqlite.sql": render("sqlite") + _STAMP}
    if len(REVISIONS) == 1:
        files |= {_VERSIONS / f"0001_initial.{dialect}.sql": render(dialect) for dialect in _DIALECTS}
    return files


def main() -> None:
    """Write the files."""
    for path, text in rendered_files().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
