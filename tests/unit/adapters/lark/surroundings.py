"""Time and chance in the hands of a test."""

import asyncio

WAIT_SECONDS = 10.0


class ManualClock:
    """Stands still until `advance`; sleepers wake in order of their time."""

    def __init__(self, now: int = 1_900_000_000_000) -> None:
        self._now = now
        self._boot = 1_000
        self._sleepers: list[tuple[int, asyncio.Future[None]]] = []
        self._changed = asyncio.Event()

    def now(self) -> int:
        return self._now

    def boot(self) -> int:
        return self._boot

    def boot_id(self) -> str:
        return "boot"

    async def sleep(self, milliseconds: int) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (self._boot + milliseconds, woken)
        self._sleepers.append(entry)
        self._changed.set()
        try:
            await woken
        finally:
            self._sleepers.remove(entry)
            self._changed.set()

    def advance(self, milliseconds: int) -> None:
        self._now += milliseconds
        self._boot += milliseconds
        self._changed.set()
        for until, woken in sorted(self._sleepers, key=lambda entry: entry[0]):
            if until <= self._boot and not woken.done():
                woken.set_result(None)

    def waits(self) -> list[int]:
        """How much longer each sleeper sleeps, shortest first."""
        return sorted(until - self._boot for until, woken in self._sleepers if not woken.done())

    async def until_waits(self, *expected: int) -> None:
        """Wait until exactly these sleeps are under way, shortest first."""
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                while self.waits() != list(expected):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"sleeping {self.waits()}, expected {list(expected)}") from None


class SteadyEntropy:
    """No chance at all, or always the same."""

    def __init__(self) -> None:
        self.share = 0.0

    def token(self, length_bytes: int = 16) -> str:
        return "0" * length_bytes

    def code(self, alphabet: str, length: int) -> str:
        return alphabet[0] * length

    def fraction(self) -> float:
        return self.share
