"""The table of continuations: one row for each attempt to go on with what failed before anything ran."""

from sqlalchemy import Index, MetaData, Table

from hongyan.adapters.store.columns import number, text

__all__ = ["add_continuations"]


def add_continuations(metadata: MetaData) -> None:
    """Add it to the others."""
    rows = Table(
        "continuations",
        metadata,
        text("id", key=True),
        text("request_id"),
        text("session_id"),
        text("turn_id"),
        text("cause"),
        number("n"),
        text("reserved_turn", optional=True),
        text("evidence"),
        number("not_before"),
        text("state"),
        number("planned_at"),
    )
    Index("continuations_due", rows.c.state, rows.c.not_before)
    Index("continuations_by_request", rows.c.request_id, rows.c.planned_at)
    Index("continuations_by_turn", rows.c.reserved_turn)
