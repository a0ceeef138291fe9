"""The first schema, from the DDL text beside this file: one file an engine, written by `store.generate`."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table and index."""
    connection = op.get_bind()
    ddl = Path(__file__).with_name(f"0001_initial.{connection.dialect.name}.sql").read_text(encoding="utf-8")
    for statement in ddl.split(";\n"):
        if statement.strip():
            connection.exec_driver_sql(statement)
