"""What every task of a loop waits for, to explain a wait that ran out."""

import asyncio
from typing import Any

__all__ = ["stacks"]


def stacks() -> str:
    """Name where every task of the loop waits."""
    lines = []
    for task in asyncio.all_tasks():
        frames = task.get_stack(limit=1)
        coro = getattr(task.get_coro(), "__qualname__", "?")
        inner: Any = task.get_coro()
        path = []
        while inner is not None and hasattr(inner, "cr_await"):
            path.append(f"{inner.__qualname__}:{inner.cr_frame.f_lineno if inner.cr_frame else '-'}")
            inner = inner.cr_await
        lines.append(f"{coro} {frames[-1].f_lineno if frames else ''} :: {' > '.join(path)}")
    return "\n".join(sorted(lines))
