"""Keep how often each App called the platform: now and then, for a commit a call would cost more than the call."""

from hongyan.application.desk import Desk
from hongyan.domain.changes import Change, Changes
from hongyan.domain.quota import add_calls, day_of

__all__ = ["keep_calls"]


async def keep_calls(desk: Desk) -> None:
    """Add what was called since the last time to the day; a crash costs the calls of a few seconds.

    Raise StoreError when it cannot be kept now: the next time keeps it.
    """
    day = day_of(desk.clock.now(), desk.options.zone)
    made = {app: chat.meter.calls() for app, chat in desk.chats.items()}
    steps: list[Change] = []
    for app, calls in made.items():
        if calls > desk.counted.get(app, 0):
            steps += add_calls(app, day, calls - desk.counted.get(app, 0))
    if steps:
        await desk.store.commit(Changes("keep_calls", tuple(steps)))
        desk.counted.update(made)
