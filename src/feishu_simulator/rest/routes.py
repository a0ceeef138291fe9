"""What exists on the REST surface: method, path, scopes of which one is needed, handler."""

import re
from dataclasses import dataclass
from typing import Final

from feishu_simulator.errors import PlatformError
from feishu_simulator.rest import cards, chats, entrance, messages, reactions
from feishu_simulator.rest.call import Handler

SEND: Final = ("im:message", "im:message:send_as_bot", "im:message:send")
READ: Final = ("im:message", "im:message:readonly")
EDIT: Final = ("im:message", "im:message:send_as_bot", "im:message:update")
RECALL: Final = ("im:message", "im:message:send_as_bot", "im:message:recall")
REACT: Final = ("im:message", "im:message.reactions:write_only")
READ_REACTIONS: Final = ("im:message", "im:message:readonly", "im:message.reactions:read")
CARDS: Final = ("cardkit:card:write",)
CHATS: Final = ("im:chat", "im:chat:readonly")
MEMBERS: Final = ("im:chat", "im:chat:readonly", "im:chat.members:read")
CONTACT: Final = ("contact:contact.base:readonly", "contact:user.base:readonly")


@dataclass(frozen=True, slots=True)
class Route:
    """One call that exists; `open` needs no token."""

    method: str
    template: str
    handler: Handler
    scopes: tuple[str, ...] = ()
    open: bool = False


_IM: Final = "/open-apis/im/v1"
_MESSAGE: Final = f"{_IM}/messages/:message_id"
_CARDS: Final = "/open-apis/cardkit/v1/cards"
_ELEMENT: Final = f"{_CARDS}/:card_id/elements/:element_id"
ROUTES: Final = (
    Route("POST", "/callback/ws/endpoint", entrance.endpoint, open=True),
    Route("POST", "/open-apis/auth/v3/tenant_access_token/internal", entrance.tenant_token, open=True),
    Route("GET", "/open-apis/bot/v3/info", entrance.bot_info),
    Route("POST", f"{_IM}/messages", messages.create, SEND),
    Route("GET", f"{_IM}/messages", messages.list_messages, READ),
    Route("GET", f"{_IM}/messages/mget", messages.mget, READ),
    Route("GET", _MESSAGE, messages.get, READ),
    Route("PUT", _MESSAGE, messages.edit, EDIT),
    Route("PATCH", _MESSAGE, messages.patch, EDIT),
    Route("DELETE", _MESSAGE, messages.recall, RECALL),
    Route("POST", f"{_MESSAGE}/reply", messages.reply, SEND),
    Route("GET", f"{_MESSAGE}/resources/:file_key", messages.resource, READ),
    Route("POST", f"{_MESSAGE}/reactions", reactions.add, REACT),
    Route("GET", f"{_MESSAGE}/reactions", reactions.list_reactions, READ_REACTIONS),
    Route("DELETE", f"{_MESSAGE}/reactions/:reaction_id", reactions.remove, REACT),
    Route("POST", _CARDS, cards.create, CARDS),
    Route("POST", f"{_CARDS}/id_convert", cards.id_convert, CARDS),
    Route("PUT", f"{_CARDS}/:card_id", cards.replace, CARDS),
    Route("PATCH", f"{_CARDS}/:card_id/settings", cards.settings, CARDS),
    Route("POST", f"{_CARDS}/:card_id/batch_update", cards.batch_update, CARDS),
    Route("POST", f"{_CARDS}/:card_id/elements", cards.add_elements, CARDS),
    Route("PUT", _ELEMENT, cards.replace_element, CARDS),
    Route("PATCH", _ELEMENT, cards.change_element, CARDS),
    Route("DELETE", _ELEMENT, cards.delete_element, CARDS),
    Route("PUT", f"{_ELEMENT}/content", cards.stream_text, CARDS),
    Route("POST", "/open-apis/interactive/v1/card/update", cards.update_later),
    Route("GET", f"{_IM}/chats", chats.list_chats, CHATS),
    Route("POST", f"{_IM}/chats", chats.create, ("im:chat", "im:chat:create")),
    Route("GET", f"{_IM}/chats/:chat_id", chats.get, CHATS),
    Route("GET", f"{_IM}/chats/:chat_id/members", chats.members, MEMBERS),
    Route("GET", f"{_IM}/chats/:chat_id/members/is_in_chat", chats.is_in_chat, MEMBERS),
    Route("GET", "/open-apis/contact/v3/users/batch", chats.people_batch, CONTACT),
    Route("GET", "/open-apis/contact/v3/users/:user_id", chats.get_person, CONTACT),
)


def find_route(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """Return the route and the path's parts; what does not exist is refused as the platform does."""
    path_known = False
    for route, pattern in _COMPILED:
        match = pattern.fullmatch(path)
        if match is None:
            continue
        if route.method == method:
            return route, match.groupdict()
        path_known = True
    raise PlatformError(99991301 if path_known else 99991201)


def _compiled(route: Route) -> re.Pattern[str]:
    return re.compile(re.sub(r":([a-z_]+)", r"(?P<\1>[^/]+)", route.template))


_COMPILED: Final = tuple((route, _compiled(route)) for route in ROUTES)
