"""Time, chance and wake-ups, handed in so that a test can own them."""

from typing import Protocol

__all__ = ["Clock", "Entropy", "Wakeup"]


class Clock(Protocol):
    """The time of this machine and what is known of the platform's."""

    def now(self) -> int:
        """Give the wall clock in UTC milliseconds; it may jump."""

    def boot(self) -> int:
        """Give milliseconds since boot, counting suspended time; it never jumps back while the machine runs."""

    def boot_id(self) -> str:
        """Name this boot of the machine; two readings of `boot` compare only under the same name."""

    async def sleep(self, milliseconds: int) -> None:
        """Return after that time on the boot clock."""


class Entropy(Protocol):
    """Chance."""

    def token(self, length_bytes: int = 16) -> str:
        """Give a fresh URL-safe secret of that many random bytes."""

    def code(self, alphabet: str, length: int) -> str:
        """Give a fresh code of `length` letters from `alphabet`."""

    def fraction(self) -> float:
        """Give a number in [0, 1), for jitter."""


class Wakeup(Protocol):
    """Tell waiting workers that there may be work. A hint: losing one costs at most one safety scan."""

    def wake(self, topic: str) -> None:
        """Mark `topic` and release its waiter."""

    async def wait(self, topic: str, milliseconds: int) -> None:
        """Return when `topic` was marked since the last wait, or after that time; the mark is cleared before."""
