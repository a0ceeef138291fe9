"""What follows a definite refusal: the same words in another form, or without the message that they answered.

Each is a part of its own with a key of its own, and names the one that it replaces. Words have three forms at most and
lose their target at most once, so that a chain of refusals ends.
"""

from dataclasses import replace

from hongyan.domain.deliveries import Part, Stamp, again
from hongyan.domain.identity import PartId, derive
from hongyan.domain.markdown.forms import next_form

__all__ = ["in_next_form", "without_target"]


def in_next_form(part: Part, now: int) -> Part | None:
    """Give the part that says a refused one's words in the next form; None when there is none."""
    found = next_form(part.transport, part.content)
    if found is None:
        return None
    form, content = found
    return replace(_instead_of(part, form.value, now), transport=form, content=content)


def without_target(part: Part, now: int) -> Part | None:
    """Give the part that says a refused one's words afresh in its chat; None when it answered nothing."""
    return replace(_instead_of(part, "afresh", now), target="") if part.target else None


def _instead_of(part: Part, tag: str, now: int) -> Part:
    """Keep the place in the order, so that later parts go on waiting."""
    identity = PartId(derive("part", part.id, tag))
    return replace(again(part, Stamp(now, part.seq)), id=identity, key=identity)
