"""The marks under a person's message: received is kept, working stands only while the Turn really runs."""

from enum import StrEnum

from hongyan.domain.deliveries import Phase

__all__ = ["Mark", "wants_mark"]


class Mark(StrEnum):
    """The platform's emoji types that the gateway sets."""

    RECEIVED = "Get"
    WORKING = "OnIt"


def wants_mark(phase: Phase, *, ended: bool) -> bool:
    """Tell whether a mark is still to be set: that a message was received stays true, every other mark of a Turn that
    ended would say what is over."""
    return phase is Phase.RECEIVED or not ended
