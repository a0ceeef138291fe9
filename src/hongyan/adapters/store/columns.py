"""The three kinds of column that tables are made of."""

from sqlalchemy import BigInteger, Column, Integer, Text

__all__ = ["flag", "number", "text"]


def text(name: str, *, key: bool = False, optional: bool = False) -> Column[str]:
    """Make a column of words: enums by their value, JSON, ids."""
    return Column(name, Text, primary_key=key, nullable=optional)


def number(name: str, *, key: bool = False, optional: bool = False) -> Column[int]:
    """Make a column of whole numbers: times, counts, sequences."""
    return Column(name, BigInteger, primary_key=key, nullable=optional, autoincrement=False)


def flag(name: str) -> Column[int]:
    """Make a column of 0 and 1."""
    return Column(name, Integer, nullable=False)
