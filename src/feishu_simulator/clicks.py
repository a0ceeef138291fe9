"""Clicks: a person uses a control of a card, the bot is called back and has three seconds to answer."""

import functools
from dataclasses import dataclass
from typing import Any, Final

from feishu_simulator.cardkit.answers import NOBODY, PROBLEMS, TIMED_OUT, AnswerError, check_update, read_answer
from feishu_simulator.cardkit.cards import Card, Cards
from feishu_simulator.cardkit.controls import (
    WITHOUT_NAME,
    Control,
    ControlError,
    Press,
    action_of,
    chosen,
    lacks_a_name,
)
from feishu_simulator.conversation import Conversation
from feishu_simulator.delivery import CALLBACK, Attempt, Delivery, Event
from feishu_simulator.directory import Directory
from feishu_simulator.errors import PlatformError
from feishu_simulator.model import App, Message, User, person
from feishu_simulator.payloads import Shapes
from feishu_simulator.world import World

TOKEN_MS: Final = 1_800_000
TOKEN_USES: Final = 2

Json = dict[str, Any]


@dataclass(slots=True)
class Click:
    """One use of a control; `code` is the number that the person sees when it failed."""

    click_id: str
    card: Card
    message: Message
    user: User
    control: Control
    at_ms: int
    token: str
    state: str = "waiting"  # answered, failed, or local when no bot hears of it
    code: int | None = None
    problem: str | None = None
    toast: Json | None = None
    card_updated: bool = False
    ended_ms: int | None = None
    event: Event | None = None
    uses: int = 0

    @property
    def ended(self) -> bool:
        """Say whether nothing more will come of it."""
        return self.state != "waiting"


class Clicks:
    """Performs clicks and takes the updates that a bot sends for them later."""

    def __init__(self, world: World, directory: Directory, conversation: Conversation, delivery: Delivery) -> None:
        self._world = world
        self._directory = directory
        self._conversation = conversation
        self._delivery = delivery
        self._by_token: dict[str, Click] = {}
        self.all: list[Click] = []

    @property
    def _cards(self) -> Cards:
        return self._conversation.cards

    def press(self, user_id: str, message_id: str, press: Press) -> Click:
        """Use a control as a person; the click goes on by itself until the answer or three seconds.

        ControlError when the person's Feishu would not offer it, PlatformError when the chat or message is not theirs.
        """
        message = self._conversation.messages.usable(message_id)
        if not self._directory.chat(message.chat_id).has(person(user_id)):
            raise PlatformError(230002)
        card = self._cards.of(message_id)
        if card is None:
            raise ControlError("the message is no card")
        control = chosen(card.shown, press)
        ids, now_ms = self._world.ids, self._world.clock.now_ms()
        user = self._directory.users[user_id]
        click = Click(ids.click_id(), card, message, user, control, now_ms, ids.card_token())
        action = {} if lacks_a_name(control) else action_of(control, press)
        self.all.append(click)
        self._by_token[click.token] = click
        self._start(click, action)
        return click

    def give_up(self, click: Click) -> None:
        """Let the three seconds be over; no change when the click has ended."""
        if not click.ended and click.event is not None:
            self._delivery.expire(click.event)

    def update_later(self, app: App, token: str, card: object) -> None:
        """Change the card of an answered click with its token, at most twice within half an hour."""
        click = self._by_token.get(token)
        if click is None or click.card.app_id != app.app_id:
            raise PlatformError(10002, "ext=the token is not known")
        if not click.ended:
            raise PlatformError(10002, "ext=the callback is not answered yet")
        if click.uses >= TOKEN_USES or self._world.clock.now_ms() - click.at_ms > TOKEN_MS:
            raise PlatformError(10002, "ext=the token is used up or expired")
        self._conversation.messages.usable(click.message.message_id)
        try:
            shown = check_update(card, click.card.shown)
        except AnswerError as error:
            raise PlatformError(error.code, f"ext={error.words}") from None
        if "schema" not in shown and not shown.get("open_ids"):
            raise PlatformError(300090)
        click.uses += 1
        shown = {name: value for name, value in shown.items() if name != "open_ids"}
        self._cards.show(click.card, shown, "delayed_update")

    def _start(self, click: Click, action: Json) -> None:
        app = self._directory.apps[click.card.app_id]
        if lacks_a_name(click.control):
            self._fail(click, AnswerError(WITHOUT_NAME))
        elif click.control.action in ("local", "reset"):
            self._end(click, "local")
        elif not app.enabled or not app.subscribes(CALLBACK):
            self._fail(click, AnswerError(NOBODY, "the App hears no callbacks"))
        else:
            click.card.in_interaction += 1
            body = self._body(click, app, action)
            ended = functools.partial(self._answered, click)
            click.event = self._delivery.call_back(app, click.message.message_id, body, ended)
            self._record(click)
            self._delivery.begin(click.event)

    def _body(self, click: Click, app: App, action: Json) -> Json:
        party = person(click.user.user_id)
        operator = {"tenant_key": self._directory.tenant_key(party), **Shapes(self._directory, app).ids(party)}
        context = {"open_message_id": click.message.message_id, "open_chat_id": click.message.chat_id}
        return {
            "operator": operator,
            "token": click.token,
            "action": action,
            "host": "im_message",
            "context": context,
        }

    def _answered(self, click: Click, attempt: Attempt) -> None:
        click.card.in_interaction -= 1
        try:
            self._apply(click, attempt)
        except AnswerError as error:
            self._fail(click, error)
        else:
            self._end(click, "answered")

    def _apply(self, click: Click, attempt: Attempt) -> None:
        """Show what the bot answered; while text streams its card is not taken."""
        if attempt.outcome == "no_connection":
            raise AnswerError(NOBODY)
        if attempt.outcome == "timeout":
            raise AnswerError(TIMED_OUT)
        answer = read_answer(attempt.answer, click.card.shown)
        click.toast = answer.toast
        if answer.card is None:
            return
        if click.card.streaming:
            click.problem = "the card streams: the answer's card was not taken"
            return
        click.card_updated = True
        self._cards.show(click.card, answer.card, "callback")

    def _fail(self, click: Click, error: AnswerError) -> None:
        click.code, click.problem = error.code, error.words or PROBLEMS[error.code]
        self._end(click, "failed")

    def _end(self, click: Click, state: str) -> None:
        click.state = state
        click.ended_ms = self._world.clock.now_ms()
        self._record(click)

    def _record(self, click: Click) -> None:
        self._world.journal.record("click", click_view(click))


def click_view(click: Click) -> Json:
    """Return a click as the control API shows it."""
    control = click.control
    return {
        "click_id": click.click_id,
        "message_id": click.message.message_id,
        "card_id": click.card.card_id,
        "user_id": click.user.user_id,
        "user_name": click.user.name,
        "app_id": click.card.app_id,
        "control": {
            "tag": control.tag,
            "text": control.text,
            "name": control.name,
            "element_id": control.element_id,
            "value": control.value,
        },
        "event_id": click.event.event_id if click.event else None,
        "state": click.state,
        "code": click.code,
        "problem": click.problem,
        "toast": click.toast,
        "card_updated": click.card_updated,
        "at_ms": click.at_ms,
        "ended_ms": click.ended_ms,
    }
