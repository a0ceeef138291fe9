"""One way to say that a search for breaches came back empty-handed."""

from collections.abc import Iterable


def expect_none(breaches: Iterable[str]) -> None:
    """Fail with every breach on a line of its own, however many there are."""
    found = list(breaches)
    assert not found, f"{len(found)} found:\n" + "\n".join(found)
