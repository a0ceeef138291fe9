"""The tables and the size of a message in the store's benchmark."""

from typing import Final

__all__ = ["BODY", "LANES", "TABLES"]

LANES: Final = 64
BODY: Final = "x" * 400

TABLES: Final = """
CREATE TABLE inbound (id TEXT PRIMARY KEY, lane TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL);
CREATE TABLE lane (
    key TEXT PRIMARY KEY, pending INTEGER NOT NULL DEFAULT 0, owner TEXT, lease INTEGER,
    epoch INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE job (
    id TEXT PRIMARY KEY, lane TEXT NOT NULL, position INTEGER NOT NULL, state INTEGER NOT NULL, owner TEXT,
    at INTEGER NOT NULL
);
CREATE INDEX job_head ON job (lane, position) WHERE state = 0;
CREATE TABLE outbox (
    id TEXT PRIMARY KEY, job TEXT NOT NULL, state INTEGER NOT NULL, body TEXT NOT NULL, receipt TEXT,
    at INTEGER NOT NULL
);
""" + "".join(f"INSERT INTO lane (key) VALUES ('L{number}');\n" for number in range(LANES))
