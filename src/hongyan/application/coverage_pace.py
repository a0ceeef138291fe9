"""How often each chat's history is read: every minute while something is said there, less often while nothing is."""

from hongyan.domain import limits
from hongyan.domain.identity import BindingId

__all__ = ["CoveragePace"]


class CoveragePace:
    """When each chat was read last and when something was last said there, in time since boot; begins anew each start.

    A chat that is read every minute of a month costs some 43,000 calls, more than a free tenant has for everything.
    """

    def __init__(self) -> None:
        self._read: dict[BindingId, int] = {}
        self._stirred: dict[BindingId, int] = {}

    def rests(self, binding: BindingId, now: int) -> bool:
        """Tell whether a reading can wait: nothing was said for a while, and the last reading is not long ago."""
        if binding not in self._read:
            return False
        quiet = now - self._stirred[binding] >= limits.COVERAGE_LIVELY_MS
        return quiet and now - self._read[binding] < limits.COVERAGE_QUIET_PERIOD_MS

    def note(self, binding: BindingId, now: int, *, stirred: bool) -> None:
        """Note a reading, and whether anything was found or is still missing; the first one counts as found."""
        self._read[binding] = now
        if stirred or binding not in self._stirred:
            self._stirred[binding] = now
