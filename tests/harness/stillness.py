"""When everything in this process has done what it can without time passing: asked of the loop, not guessed by waiting.

A pause of some milliseconds in which nothing moved proves nothing on a machine that is busy with something else.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final
from weakref import WeakKeyDictionary

__all__ = ["stillness"]

_TURNS: Final = 3  # a socket may get its bytes by a callback that ran in the turn before
_A_MOMENT: Final = 0.0005
_ASKING: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Counter[str]]] = WeakKeyDictionary()


async def stillness(busy: Callable[[], int]) -> None:
    """Return when no callback is due, no byte waits to be read and `busy` counts nothing under way elsewhere.

    Several tasks may ask at once: that one of them is about to ask again is no work.
    """
    asking = _ASKING.setdefault(asyncio.get_running_loop(), Counter())
    asking["now"] += 1
    try:
        still = 0
        while still < _TURNS:
            await asyncio.sleep(_A_MOMENT if busy() else 0)
            still = 0 if busy() or _has_work(asking["now"] - 1) else still + 1
    finally:
        asking["now"] -= 1


def _has_work(others: int) -> bool:
    """Tell whether the loop would run something now. It polls, so what is found here is found again by the loop."""
    loop = asyncio.get_running_loop()
    ready, selector = loop._ready, loop._selector  # type: ignore[attr-defined]  # no public name tells it
    return len(ready) > others or bool(selector.select(0))
