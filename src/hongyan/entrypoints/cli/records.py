"""Reads the JSON of the interface: a field that is absent reads as empty, so that an older gateway still shows."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from hongyan.entrypoints.cli.words import say

__all__ = ["Record", "moment", "plain", "record", "records"]


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object."""

    fields: Mapping[str, object]

    def text(self, key: str) -> str:
        """Give a field as it is shown: empty for null, yes or no for a truth."""
        value = self.fields.get(key)
        if isinstance(value, bool):
            return say("yes") if value else say("no")
        return "" if value is None else plain(str(value))

    def number(self, key: str) -> int:
        """Give a whole number, 0 when it is none."""
        value = self.fields.get(key)
        return value if isinstance(value, int) else 0

    def flag(self, key: str) -> bool:
        """Tell whether a field is true."""
        return self.fields.get(key) is True

    def moment(self, key: str) -> str:
        """Give a time in this machine's zone; empty for none."""
        return moment(self.number(key))

    def record(self, key: str) -> "Record":
        """Give an object inside this one."""
        return record(self.fields.get(key))

    def records(self, key: str) -> list["Record"]:
        """Give the objects of a list inside this one."""
        return records(self.fields.get(key), "")

    def texts(self, key: str) -> list[str]:
        """Give the texts of a list."""
        value = self.fields.get(key)
        return [plain(str(one)) for one in value] if isinstance(value, list) else []


def record(value: object) -> Record:
    """Read an answer as one object."""
    return Record(value if isinstance(value, Mapping) else {})


def records(value: object, key: str) -> list[Record]:
    """Read an answer as a list, alone or under its key."""
    found = value.get(key) if isinstance(value, Mapping) else value
    return [record(one) for one in found] if isinstance(found, Sequence) and not isinstance(found, str) else []


def moment(milliseconds: int) -> str:
    """Give UTC milliseconds as local time, with the day unless it is today; empty for 0."""
    if not milliseconds:
        return ""
    at = datetime.fromtimestamp(milliseconds / 1_000, UTC).astimezone()
    today = at.date() == datetime.now(UTC).astimezone().date()
    return at.strftime("%H:%M:%S" if today else "%Y-%m-%d %H:%M")


def plain(text: str) -> str:
    """Take out what could steer a terminal: these texts were written by others."""
    return "".join(letter for letter in text if letter in "\n\t" or unicodedata.category(letter) not in {"Cc", "Cf"})
