"""Alembic's folder: `env` runs the revisions in `versions`, oldest first. Loaded by `store.migrate` only."""

__all__: list[str] = []
