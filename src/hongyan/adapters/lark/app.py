"""One App on the platform: the chat port's doors but its listener; CardStreams as `cardkit`."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import httpx

from hongyan.adapters.lark.cardkit import CardKit
from hongyan.adapters.lark.cards import card_content
from hongyan.adapters.lark.client import Call, LarkClient
from hongyan.adapters.lark.connection import LarkListener
from hongyan.adapters.lark.content import text_content
from hongyan.adapters.lark.errors import NAME_HIDDEN, REACTION_GONE
from hongyan.adapters.lark.settings import LarkSettings
from hongyan.adapters.lark.wire import (
    BotInfo,
    MessagePage,
    PersonFound,
    ReactionPage,
    ReactionSet,
    Wire,
    Written,
)
from hongyan.adapters.lark.words import words_body
from hongyan.domain.cards import Card
from hongyan.domain.errors import (
    ChatBlockedError,
    ChatRejectedError,
    ChatUnknownOutcomeError,
)
from hongyan.domain.identity import AppId, ChatId, MessageId, OpenId, UnionId
from hongyan.domain.messages import Outbound, PostedMessage
from hongyan.ports.chat import BotIdentity, Person
from hongyan.ports.surroundings import Clock, Entropy

__all__ = ["LarkApp"]

PAGE: Final = 50  # the platform's largest page
SPARE_PAGES: Final = 4  # pages may be short; beyond that the platform is turning us in a circle
REACTION_PAGES: Final = 20  # a thousand marks of one kind under one message


class LarkApp:
    """One App: one client, one limiter, one token, one listener."""

    def __init__(self, settings: LarkSettings, clock: Clock, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._client = LarkClient(settings, clock, transport)
        self.cardkit = CardKit(self._client, self._post)

    @property
    def app_id(self) -> AppId:
        """Name the App."""
        return self._client.settings.app_id

    def listener(self, entropy: Entropy) -> LarkListener:
        """Make the long connection of this App; one is enough, the platform spreads events over all of them."""
        return LarkListener(self._client, entropy)

    def calls(self) -> int:
        """Give how many calls were made; see `CallMeter`."""
        return self._client.calls()

    async def aclose(self) -> None:
        """Close all REST connections."""
        await self._client.aclose()

    async def write(self, outbound: Outbound) -> MessageId:
        """Post the words once per key, as an answer or as a fresh message; see `MessageWriter.write`."""
        return await self._post(outbound, words_body(outbound))

    def pause(self, chat: ChatId, answers: bool) -> int:
        """Give the milliseconds until a message may go to a chat; see `MessageWriter.pause`."""
        return self._client.pause(_REPLY if answers else _CREATE, chat)

    async def edit(self, message: MessageId, text: str) -> None:
        """Give an own text other words; see `MessageWriter.edit`."""
        body: dict[str, object] = {"msg_type": "text", "content": text_content(text)}
        await self._client.call(Call("im.message.update", "PUT", _message_path(message), body=body, writes=True), Wire)

    async def post(self, card: Card, at: Outbound) -> MessageId:
        """Post a card once per key, as an answer or as a fresh message; see `Cards.post`."""
        body: dict[str, object] = {"msg_type": "interactive", "content": card_content(card), "uuid": at.key}
        return await self._post(at, body)

    async def patch(self, message: MessageId, card: Card) -> None:
        """Give a posted card another look; see `Cards.patch`."""
        body: dict[str, object] = {"content": card_content(card)}
        call = Call("im.message.patch", "PATCH", _message_path(message), body=body, writes=True)
        await self._client.call(call, Wire)

    async def _post(self, outbound: Outbound, body: dict[str, object]) -> MessageId:
        call = _reply(outbound, body) if outbound.reply_to else _create(outbound, body)
        return (await self._client.call(call, Written)).message_id

    async def add(self, message: MessageId, emoji: str) -> str:
        """Set the mark and give its reaction id."""
        call = Call(
            api="im.reaction.create",
            method="POST",
            path=f"{_message_path(message)}/reactions",
            body={"reaction_type": {"emoji_type": emoji}},
            writes=True,
        )
        return (await self._client.call(call, ReactionSet)).reaction_id

    async def remove(self, message: MessageId, reaction_id: str) -> None:
        """Take the mark away; one that is gone already, with its message or without, counts as taken away."""
        path = f"{_message_path(message)}/reactions/{quote(reaction_id, safe='')}"
        try:
            await self._client.call(Call("im.reaction.delete", "DELETE", path, writes=True), Wire)
        except ChatRejectedError as error:
            if error.platform_code not in REACTION_GONE:
                raise

    async def mine(self, message: MessageId, emoji: str) -> str | None:
        """Give the reaction id of this App's own mark, or None."""
        token = ""
        for _ in range(REACTION_PAGES):
            query = {"reaction_type": emoji, "page_size": str(PAGE), **_page(token)}
            call = Call("im.reaction.list", "GET", f"{_message_path(message)}/reactions", query)
            page = await self._client.call(call, ReactionPage)
            for mark in page.items:
                if mark.operator.operator_id == self.app_id:
                    return mark.reaction_id
            token = page.page_token if page.has_more else ""
            if not token:
                return None
        raise ChatUnknownOutcomeError("im.reaction.list: there is no end to the pages")

    async def message(self, message: MessageId) -> PostedMessage:
        """Read one message. Raise ChatNotFoundError when the platform says that it does not exist or is not visible.

        An answer that holds no message says nothing about it: whoever believed that would drop what a person said.
        """
        page = await self._client.call(Call("im.message.get", "GET", _message_path(message), _AS_SENT), MessagePage)
        for found in page.items:  # a forwarded bundle brings its children along
            if found.message_id == message:
                return found.to_domain()
        raise ChatUnknownOutcomeError("im.message.get: the answer does not hold the message that was asked for")

    async def between(self, chat: ChatId, start: int, end: int, limit: int) -> Sequence[PostedMessage]:
        """List messages of a chat created in [start, end] (UTC milliseconds), oldest first, at most `limit`."""
        found: list[PostedMessage] = []
        token = ""
        for _ in range(-(-limit // PAGE) + SPARE_PAGES):
            page = await self._client.call(_list(chat, start, end, token), MessagePage)
            shown = (item.to_domain() for item in page.items)
            found += [message for message in shown if start <= message.create_time <= end]
            token = page.page_token if page.has_more else ""
            if not token or len(found) >= limit:
                return found[:limit]
        raise ChatUnknownOutcomeError("im.message.list: there is no end to the pages")

    async def me(self) -> BotIdentity:
        """Read who this App's bot is."""
        call = Call("bot.info", "GET", "/open-apis/bot/v3/info", answer_in="bot")
        return (await self._client.call(call, BotInfo)).to_domain()

    async def person(self, open_id: OpenId) -> Person:
        """Read a person's name and union id; both are empty when the App may not see them."""
        path = f"/open-apis/contact/v3/users/{quote(open_id, safe='')}"
        call = Call("contact.user.get", "GET", path, {"user_id_type": "open_id"})
        try:
            return (await self._client.call(call, PersonFound)).to_domain(open_id)
        except ChatBlockedError as error:
            if error.platform_code not in NAME_HIDDEN:
                raise
            return Person(open_id=open_id, union_id=UnionId(""), name="")

    def platform_offset(self) -> int | None:
        """Give platform clock minus wall clock in milliseconds as last seen in a response, None before the first."""
        return self._client.platform_offset()


def _reply(outbound: Outbound, body: dict[str, object]) -> Call:
    return Call(
        api=_REPLY,
        method="POST",
        path=f"{_message_path(MessageId(outbound.reply_to))}/reply",
        body={**body, "reply_in_thread": outbound.in_thread},
        writes=True,
        chat=outbound.chat_id,
    )


def _create(outbound: Outbound, body: dict[str, object]) -> Call:
    return Call(
        api=_CREATE,
        method="POST",
        path=_MESSAGES,
        query={"receive_id_type": "chat_id"},
        body={**body, "receive_id": outbound.chat_id},
        writes=True,
        chat=outbound.chat_id,
    )


def _list(chat: ChatId, start: int, end: int, token: str) -> Call:
    query = {
        "container_id_type": "chat",
        "container_id": chat,
        "start_time": str(start // 1_000),  # the platform filters by seconds: ask for whole ones, drop the rest here
        "end_time": str(end // 1_000 + 1),
        "sort_type": "ByCreateTimeAsc",
        "page_size": str(PAGE),
        **_AS_SENT,
        **_page(token),
    }
    return Call("im.message.list", "GET", _MESSAGES, query)


def _message_path(message: MessageId) -> str:
    return f"{_MESSAGES}/{quote(message, safe='')}"


def _page(token: str) -> dict[str, str]:
    return {"page_token": token} if token else {}


_AS_SENT: Final = {"card_msg_content_type": "user_card_content"}  # a card as it is, not its flattened words
_MESSAGES: Final = "/open-apis/im/v1/messages"
_REPLY: Final = "im.message.reply"
_CREATE: Final = "im.message.create"
