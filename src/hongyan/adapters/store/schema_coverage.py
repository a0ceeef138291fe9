"""The tables of missed messages: how far each chat was compared with the journal, and what the journal lacks."""

from sqlalchemy import Index, MetaData, Table

from hongyan.adapters.store.columns import number, text

__all__ = ["add_coverage"]


def add_coverage(metadata: MetaData) -> None:
    """Add them to the others."""
    Table(
        "coverage",
        metadata,
        text("binding_id", key=True),
        text("app"),
        text("chat_id"),
        text("owner"),
        number("began"),
        number("live_cursor"),
        number("history_cursor"),
        number("history_until"),
        number("read_at"),
        text("problem"),
        text("permission"),
        number("version"),
    )
    gaps = Table(
        "gaps",
        metadata,
        text("id", key=True),
        text("app"),
        text("binding_id"),
        text("chat_id"),
        text("message_id"),
        text("sender"),
        text("kind"),
        text("text"),
        text("thread_root"),
        number("create_time"),
        text("side"),
        text("state"),
        number("first_seen"),
        number("scans"),
        number("version"),
    )
    Index("gaps_by_chat", gaps.c.app, gaps.c.chat_id, gaps.c.create_time)
