"""The marks under a person's message: received is kept, working stands only while the Turn really runs."""

from enum import StrEnum

__all__ = ["Mark"]


class Mark(StrEnum):
    """The platform's emoji types that the gateway sets."""

    RECEIVED = "Get"
    WORKING = "OnIt"
