"""Clicking on cards through the control API, and reading cards and clicks back."""

import asyncio
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse

from feishu_simulator.clicks import Click, click_view
from feishu_simulator.control.act import Asked, Json, UnknownError, answered
from feishu_simulator.control.forms import ClickForm
from feishu_simulator.platform import Platform

REAL_WAIT_SECONDS: Final = 10.0  # a clock that stands still would keep the person waiting for ever


class ClickDesk:
    """Performs a click and answers when the bot has: the one control call that takes time."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def endpoint(self, request: Request) -> JSONResponse:
        """Answer with the click as it ended; after ten real seconds it ends as timed out."""
        started: list[Click] = []

        def act(asked: Asked) -> Json:
            started.append(press(asked))
            return {}

        asked = Asked(self._platform, {}, {}, await request.body())
        response = answered(act, asked)
        if not started:
            return response
        await self._ended(started[0])
        return JSONResponse(click_view(started[0]))

    async def _ended(self, click: Click) -> None:
        changed = asyncio.Event()
        unsubscribe = self._platform.journal.subscribe(changed.set)
        try:
            async with asyncio.timeout(REAL_WAIT_SECONDS):
                while not click.ended:
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            self._platform.clicks.give_up(click)
        finally:
            unsubscribe()


def press(asked: Asked) -> Click:
    """Use a card's control as a person, and wait for what comes of it."""
    form = asked.form(ClickForm)
    return asked.platform.clicks.press(asked.person(form.user), form.message, form.to_press())


def clicks(asked: Asked) -> Json:
    """Return every click, or those on `message_id`."""
    message_id = asked.query.get("message_id")
    found = [item for item in asked.platform.clicks.all if message_id in (None, item.message.message_id)]
    return {"clicks": [click_view(item) for item in found]}


def card(asked: Asked) -> Json:
    """Return a message's card as it is shown, with every look that it had."""
    message_id = asked.path["message_id"]
    found = asked.platform.views.card(message_id)
    if found is None:
        raise UnknownError(message_id)
    updates = [
        {"at_ms": item.at_ms, "action": item.action, "sequence": item.sequence, "typed": item.typed, "card": item.card}
        for item in asked.platform.card_updates(message_id)
    ]
    return {**found, "updates": updates}
