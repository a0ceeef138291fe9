"""What holds after every example, as the simulated platform shows it."""

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Final

from feishu_simulator.model import Message as Said
from feishu_simulator.request_log import Request
from hongyan.domain import limits
from tests.harness.shown_card import CARD, see_card
from tests.property.play import Example

__all__ = ["PROMISES", "broken"]

_FOUND: Final = """
SELECT count(*) FROM parts
WHERE transport IN ('text', 'post', 'words_card', 'card', 'card_text') AND provider_id <> ''
"""
_TRIES: Final = """
SELECT coalesce(max(CASE WHEN transport IN ('card_patch', 'card_edit', 'card_stream') THEN attempts END), 0),
  coalesce(max(CASE WHEN transport = 'reaction_remove' THEN attempts END), 0) FROM parts
"""


async def partitions_add_up(example: Example) -> str:
    """Both sums, and each against the platform's own list."""
    world = example.stage.world
    ledger = await world.ledger()
    chats = [world.platform.private_chat(user, world.app).chat_id for user in (world.owner, world.colleague)]
    said = sum(len(world.platform.said(chat)) for chat in chats)
    shown = sum(message.by_bot for chat in chats for message in world.platform.visible(chat))
    [(journal,)] = await world.rows("SELECT count(*) FROM requests WHERE origin = 'lark'")
    [(found,)] = await world.rows(_FOUND)
    whole = ledger.received.balanced and ledger.writes.balanced
    return "" if whole and journal == said and found == shown else f"{ledger} {journal=} {said=} {found=} {shown=}"


async def one_final_a_turn(example: Example) -> str:
    """At most one visible answer to a message, unless the owner sent it again."""
    counts = Counter(token for message in _new_words(example) for token in example.said if _answers(message, token))
    doubled = [token for token, count in counts.items() if count > 1 and token not in example.moved]
    return str([[m.text for m in _new_words(example) if _answers(m, token)] for token in doubled] or "")


async def order_a_session(example: Example) -> str:
    """Answers stand in the order in which messages were accepted; one that stayed unknown lets others pass."""
    late = {text for (text,) in await example.stage.world.rows(_LATE)}
    accepted = [message for (message,) in await example.stage.world.rows(_ACCEPTED)]
    lost = [token for token, said in example.said.items() if said.message_id not in accepted]
    if lost:
        return f"{lost} of {list(example.said)} were never accepted"
    tokens = sorted(example.said, key=lambda token: accepted.index(example.said[token].message_id))
    stands = [
        tokens.index(token)
        for message in _new_words(example)
        for token in tokens
        if _answers(message, token) and token not in example.moved and not any(token in text for text in late)
    ]
    return "" if stands == sorted(stands) else f"{stands} of {tokens}"


_ACCEPTED: Final = "SELECT message_id FROM requests ORDER BY seq"
_LATE: Final = """
SELECT t.text FROM turns t JOIN deliveries d ON d.turn_id = t.id JOIN parts p ON p.delivery_id = d.id
WHERE d.phase = 'final' AND p.attempts >= 3
"""


async def no_card_stays_open(example: Example) -> str:
    """No card looks alive when nothing runs; a list of what waits is alive for a day."""
    platform = example.stage.world.platform
    alive = []
    for message in platform.visible(example.stage.world.chat.chat_id):
        if message.by_bot and message.msg_type == CARD and "header" in platform.card(message.message_id):
            seen = see_card(platform, message)
            owed = seen.title.startswith("Waits for you")
            if (seen.labels and not owed) or platform.streaming(message.message_id):
                alive.append(seen.title)
    return str(alive or "")


async def budgets_hold(example: Example) -> str:
    """One prompt a message, a card is changed once a second by a clock that does not jump, and tries end."""
    world = example.stage.world
    prompts = {text: amount for text, amount in Counter(example.stage.troupe.prompts).items() if amount > 1}
    [(looks, removals)] = await world.rows(_TRIES)
    over = looks > limits.CARD_REWRITES or removals > limits.CLEANUP_TRIES
    hurried = [card for card in _new_cards(example) if not example.jumped and _is_hurried(example, card)]
    return f"{prompts=} {looks=} {removals=} {hurried=}" if prompts or over or hurried else ""


async def no_write_outside_the_window(example: Example) -> str:
    """A key is used again only within the window that the platform keeps it, and for one content."""
    by_key: defaultdict[str, list[Request]] = defaultdict(list)
    for call in example.stage.world.platform.requests():
        if call.uuid and call.at_ms >= example.started_ms:
            by_key[call.uuid].append(call)
    spans = {key: calls[-1].at_ms - calls[0].at_ms for key, calls in by_key.items()}
    return str({key: span for key, span in spans.items() if span > limits.IDEMPOTENCY_WINDOW_MS} or "")


async def nobody_is_ignored(example: Example) -> str:
    """What the owner said, and did not take back, is met with silence for no reason."""
    silent = await example.stage.world.rows("SELECT message_id, code FROM requests WHERE closed_as = 'silent'")
    kept = {said.message_id: token for token, said in example.said.items() if token not in example.moved}
    return str([(kept[message], code) for message, code in silent if message in kept] or "")


async def strangers_get_nothing(example: Example) -> str:
    """Nothing is written where nobody was let in."""
    world = example.stage.world
    chat = world.platform.private_chat(world.colleague, world.app).chat_id
    marked = [message for message in world.platform.visible(chat) if message.by_bot or world.marks_on(message)]
    return str([message.text for message in marked] or "")


PROMISES: Final = (
    partitions_add_up,
    one_final_a_turn,
    order_a_session,
    no_card_stays_open,
    budgets_hold,
    no_write_outside_the_window,
    nobody_is_ignored,
    strangers_get_nothing,
)


async def broken(example: Example) -> dict[str, str]:
    """Name the promises that an example broke, with what was seen."""
    seen = {promise.__name__: await promise(example) for promise in PROMISES}
    return {name: words for name, words in seen.items() if words}


def _new_words(example: Example) -> list[Said]:
    platform, chat = example.stage.world.platform, example.stage.world.chat.chat_id
    return [
        message
        for message in platform.visible(chat)
        if message.by_bot
        and message.message_id not in example.before
        and not (message.msg_type == CARD and "header" in platform.card(message.message_id))
    ]


def _answers(message: Said, token: str) -> bool:
    return token in message.text and not message.text.startswith("You edited")  # that quotes what was asked


def _new_cards(example: Example) -> list[str]:
    platform, chat = example.stage.world.platform, example.stage.world.chat.chat_id
    new = [message for message in platform.visible(chat) if message.message_id not in example.before]
    return [
        message.message_id
        for message in new
        if message.by_bot and message.msg_type == CARD and "header" in platform.card(message.message_id)
    ]


def _is_hurried(example: Example, message_id: str) -> bool:
    """Tell whether passing looks followed one another too soon; the last one may come at once."""
    times = [look.at_ms for look in example.stage.world.platform.card_updates(message_id)][1:-2]
    return any(later - earlier < limits.CARD_EVERY_MS for earlier, later in pairwise(times))
