"""Answers in Markdown: shown as they were meant, in parts when they are long, in another form when one is refused."""

import json
import re

import pytest
from tests.harness import World
from tests.harness.world import Crash
from tests.unit.domain.markdown.documents import answer_of_long_blocks, long_answer
from tests.unit.domain.markdown.joined import as_sent_on_a_card, joined

from feishu_simulator.faults import Effect, Match
from feishu_simulator.model import Message as Said
from feishu_simulator.model import person
from hongyan.application.owed import OwedAction, list_owed
from hongyan.domain import limits

REPLY = "POST /open-apis/im/v1/messages/:message_id/reply"
PATCH = "PATCH /open-apis/im/v1/messages/:message_id"
READ = "GET /open-apis/im/v1/messages/:message_id"
HISTORY = "GET /open-apis/im/v1/messages"
REFUSED_CARD = Effect(error_code=230099, error_message="ext=ErrCode: 11310; ErrMsg: element exceeds the limit;")
FORMS = "SELECT transport, state, key FROM parts WHERE transport IN ('text', 'post', 'words_card') ORDER BY rowid"
TABLE = "| name | value |\n|---|---|\n| goose | 1 |"


def answer_with(world: World, answer: str) -> Said:
    """Say something that the agent answers with exactly these words; what the person sees stays short."""
    said = world.say("words")
    said.content = json.dumps({"text": f"[[say:{answer}]]"}, ensure_ascii=False)
    return said


def shown(world: World, said: Said) -> list[Said]:
    """Give the bot's messages that answer one, in order."""
    return [message for message in world.platform.visible(world.chat.chat_id) if message.parent_id == said.message_id]


def pieces(world: World, parts: list[Said]) -> list[str]:
    """Give the pieces of Markdown of cards as they stand at the platform, in order."""
    cards = [world.platform.card(part.message_id) for part in parts]
    return [element["content"] for card in cards for element in card["body"]["elements"]]


def keys_of(world: World) -> list[str]:
    """Give the key of every attempt to write words, refused ones included."""
    return [
        found for request in world.platform.requests(REPLY) for found in re.findall(r'"uuid": "(\w+)"', request.body)
    ]


def letters(text: str) -> str:
    """Give the letters and digits of a text, which no form may lose."""
    return re.sub(r"[\W_]", "", text)


@pytest.mark.scenario("L101")
async def test_bold_words_that_touch_others_are_shown_bold(world: World) -> None:
    said = answer_with(world, "**done.**next and **标题：**正文, `**code.**x` stays")
    await world.until_settled()
    (message,) = shown(world, said)
    assert message.msg_type == "post"
    nodes = [node for line in json.loads(message.content)["content"] for node in line]
    assert [node["text"] for node in nodes if node["style"] == ["bold"]] == ["done", "标题"]
    assert "".join(node["text"] for node in nodes) == "done.next and 标题：正文, `**code.**x` stays"
    assert (await world.adds_up()).received.classes["answered"] == 1


@pytest.mark.scenario("L100", "L102")
@pytest.mark.parametrize("around", ["{}", "**bold** {}", "# Title\n\n{}\n\n```\n{}\n```"], ids=["text", "post", "card"])
async def test_words_that_look_like_mentions_arrive_whole_and_ping_nobody(world: World, around: str) -> None:
    open_id = world.platform.directory.open_id(world.app, person(world.colleague.user_id))
    words = f'<at user_id="{open_id}">Chen Yu</at> <at user_id="all"></at> <at id=all> <at @Chen Yu @_all a literal \\n'
    said = answer_with(world, around.format(words, words))
    await world.until_settled()
    (message,) = shown(world, said)
    assert message.mentions == ()
    assert "@_all" not in message.content
    assert letters(words) in letters(message.text)
    assert "a literal \\n" in message.text
    assert (await world.adds_up()).received.classes["answered"] == 1


@pytest.mark.scenario("L103", "P34", "P35")
async def test_what_is_over_the_limit_comes_in_parts_and_nothing_is_refused(world: World) -> None:
    said = answer_with(world, "# 标题\n\n" + "雁" * (28_000 // 3 + 1))
    await world.until_settled()
    first, second = shown(world, said)
    assert (first.text + second.text).count("雁") == 28_000 // 3 + 1
    assert [request.code for request in world.platform.requests(REPLY)] == [0, 0]
    assert all(state == "verified" for _, state, _ in await world.rows(FORMS))
    await world.adds_up()


@pytest.mark.scenario("P49")
async def test_an_answer_of_everything_arrives_whole_and_in_order(world: World) -> None:
    answer = long_answer()
    said = answer_with(world, answer)
    await world.until_settled(flowing=True)
    parts = shown(world, said)
    words = "\n".join(part.text for part in parts)
    assert len(answer.encode()) > 120_000
    assert [int(found) for found in re.findall(r"Section (\d+)", words)] == list(range(40))
    assert len(re.findall(r"\| name \| value \|", words)) == 30
    assert re.findall(r"return (\d+)", words) == [str(number) for number in range(40)]
    for word, count in (
        ("雁字回时", 900),
        ("word", 3_000 + 80),
        ("seam", 2_500),
        ("go on and on", 300),
        ("👩‍💻", 40),
    ):
        assert words.count(word) >= count
    assert {request.code for request in world.platform.requests(REPLY)} == {0}
    whole = as_sent_on_a_card(answer).rstrip()  # blanks at the end of all show nothing
    assert joined(pieces(world, parts), whole) == whole
    assert (await world.adds_up()).received.classes["answered"] == 1


@pytest.mark.scenario("P49")
async def test_parts_that_cut_tables_code_lists_and_quotes_joined_are_the_answer(world: World) -> None:
    answer = answer_of_long_blocks()
    said = answer_with(world, answer)
    await world.until_settled(flowing=True)
    shown_pieces = pieces(world, shown(world, said))
    beginnings = [piece.partition("\n")[0] for piece in shown_pieces[1:]]
    for beginning in ("| row | words |", "```python", "- …", "> quoted"):
        assert any(found.startswith(beginning) for found in beginnings), beginning
    whole = as_sent_on_a_card(answer)
    assert joined(shown_pieces, whole) == whole
    await world.adds_up()


@pytest.mark.scenario("L99")
async def test_a_failure_at_one_part_goes_on_at_that_part(world: World) -> None:
    world.fault(REPLY, Effect(http_status=502), nth=2)
    said = answer_with(world, "# One\n\n" + "\n\n".join(f"{number} " + "words " * 400 for number in range(40)))
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'unknown'")
    await world.restart()
    assert len(shown(world, said)) == 1
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled(flowing=True)
    numbers = [int(found) for found in re.findall(r"^(\d+) words", "\n".join(world.answers_to(said)), re.MULTILINE)]
    assert numbers == list(range(40))
    keys = keys_of(world)
    assert keys[1] == keys[2]
    assert len(set(keys)) == len(keys) - 1 == len(shown(world, said))
    assert (await world.adds_up()).received.classes["answered"] == 1


async def test_a_part_waits_for_the_one_before_it_however_long_that_stays_unknown(world: World) -> None:
    lasting = world.platform.faults.add(Match(REPLY), Effect(http_status=502))
    said = answer_with(world, "# One\n\n" + "words " * 6_000)
    for attempts in range(1, 5):
        await world.until_rows("SELECT 1 FROM parts WHERE state = 'unknown' AND attempts >= :n", n=attempts)
        await world.advance(limits.BACK_OFF_MS * 20)
    assert len(set(keys_of(world))) == 1
    world.platform.faults.remove(lasting.rule_id)
    await world.advance(limits.BACK_OFF_MOST_MS)  # the next attempt may be due that late
    await world.until_settled(flowing=True)
    assert shown(world, said)[0].text.startswith("#### One")
    await world.adds_up()


async def test_a_refused_form_is_followed_by_the_next_with_another_key(world: World) -> None:
    world.fault(REPLY, REFUSED_CARD, times=2)
    said = answer_with(world, f"# Title\n\n{TABLE}")
    await world.until_settled()
    (message,) = shown(world, said)
    assert message.msg_type == "text"
    assert "goose" in message.text
    forms = await world.rows(FORMS)
    assert [form[:2] for form in forms] == [("words_card", "rejected"), ("post", "rejected"), ("text", "verified")]
    assert len({key for _, _, key in forms}) == 3
    assert (await world.adds_up()).received.classes["answered"] == 1


async def test_when_every_form_is_refused_it_is_said_and_not_tried_for_ever(world: World) -> None:
    world.fault(REPLY, REFUSED_CARD, times=3)
    said = answer_with(world, f"# Title\n\n{TABLE}")
    await world.until_settled()
    assert shown(world, said) == []
    [owed] = await list_owed(world.gateway.desk)
    assert OwedAction.SEND_AGAIN in owed.actions
    ledger = await world.adds_up()
    assert (ledger.received.classes["undelivered"], ledger.writes.classes["rejected"]) == (1, 3)


async def test_a_crash_between_the_refusal_and_what_follows_loses_neither(world: World) -> None:
    crash = Crash("said_otherwise")
    await world.restart(crash)
    world.fault(REPLY, REFUSED_CARD)
    said = answer_with(world, f"# Title\n\n{TABLE}")
    await world.until(crash.dead.is_set)
    await world.restart()
    await world.until_settled()
    (message,) = shown(world, said)
    assert message.msg_type == "post"
    assert (await world.adds_up()).received.classes["answered"] == 1


@pytest.mark.scenario("P19")
async def test_a_refusal_after_an_open_outcome_is_no_proof_that_nothing_was_written(world: World) -> None:
    world.fault(REPLY, Effect(lost_response=True), nth=1)
    world.fault(REPLY, REFUSED_CARD, nth=2)
    said = answer_with(world, "# Only once")
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'unknown'")
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled()
    assert world.answers_to(said) == ["#### Only once"]
    assert len(world.platform.requests(REPLY)) == 2
    assert world.platform.requests(HISTORY)
    assert (await world.adds_up()).received.classes["answered"] == 1


async def test_an_open_outcome_stays_open_when_the_next_attempt_is_told_to_wait(world: World) -> None:
    world.fault(REPLY, Effect(lost_response=True), nth=1)
    world.fault(REPLY, Effect(error_code=230020), nth=2)
    said = world.say("only once")
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'unknown'")
    await world.advance(limits.BACK_OFF_MS)
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'unknown' AND attempts = 2")
    await world.advance(limits.IDEMPOTENCY_WINDOW_MS + 1, leap=True)
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == ["echo: only once"]
    assert len(world.platform.requests(REPLY)) == 2
    await world.adds_up()


@pytest.mark.scenario("L88")
async def test_a_success_without_an_id_is_unknown_and_found_in_the_history(world: World) -> None:
    world.fault(REPLY, Effect(hollow_response=True))
    said = world.say("where are you")
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'unknown'")
    await world.advance(limits.IDEMPOTENCY_WINDOW_MS + 1, leap=True)
    await world.until_settled()
    assert world.answers_to(said) == ["echo: where are you"]
    assert len(world.platform.requests(REPLY)) == 1
    assert (await world.adds_up()).received.classes["answered"] == 1


@pytest.mark.scenario("L88")
async def test_a_success_without_an_id_is_asked_for_again_under_the_same_key_only(world: World) -> None:
    world.fault(REPLY, Effect(hollow_response=True), times=2)
    said = world.say("who are you")
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'unknown'")
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == ["echo: who are you"]
    keys = keys_of(world)
    assert len(keys) == 3
    assert len(set(keys)) == 1
    await world.adds_up()


@pytest.mark.scenario("L93")
async def test_a_change_that_was_made_though_its_answer_was_lost_counts_after_it_was_read_back(world: World) -> None:
    world.say("[[ask:rm -r build]]")
    await world.until(lambda: any("Allow once" in card.labels for card in world.cards()))
    world.fault(PATCH, Effect(lost_response=True))
    await world.clicked(world.cards()[0], "Allow once")
    await world.until_rows("SELECT 1 FROM parts WHERE transport = 'card_patch' AND state = 'unknown'")
    await world.restart()
    await world.until_settled(flowing=True)
    assert world.cards()[0].labels == []
    assert len(world.platform.requests(PATCH)) == 1
    assert await world.rows("SELECT state FROM parts WHERE transport = 'card_patch'") == [("verified",)]
    await world.adds_up()


@pytest.mark.scenario("L94")
@pytest.mark.parametrize("answer", ["plain words", "**bold** words", "# Title\n\nwords"], ids=["text", "post", "card"])
async def test_words_that_stand_there_otherwise_are_a_mismatch_and_stay_in_sight(world: World, answer: str) -> None:
    world.fault(READ, Effect(http_status=503), nth=2)
    said = answer_with(world, answer)
    await world.until_rows("SELECT 1 FROM parts WHERE state = 'written' AND code <> ''")
    (message,) = shown(world, said)
    message.content = message.content.replace("words", "swords")
    if message.msg_type == "interactive":
        world.platform.card(message.message_id)["body"]["elements"][0]["content"] = "#### Title\n\nswords"
    await world.advance(limits.BACK_OFF_MS)
    await world.until_settled()
    [owed] = await list_owed(world.gateway.desk)
    assert OwedAction.SEND_AGAIN in owed.actions
    ledger = await world.adds_up()
    assert (ledger.writes.classes["mismatch"], ledger.received.classes["undelivered"]) == (1, 1)


@pytest.mark.scenario("P37")
@pytest.mark.parametrize("code", [11232, 2200, 230020, 230006, 99991400])
async def test_what_passes_by_itself_is_waited_for_with_the_same_key(world: World, code: int) -> None:
    world.fault(REPLY, Effect(error_code=code))
    said = world.say("in a moment")
    await world.until_rows("SELECT 1 FROM parts WHERE transport = 'text' AND attempts = 1 AND code <> ''")
    await world.until_settled(flowing=True)
    assert world.answers_to(said) == ["echo: in a moment"]
    keys = keys_of(world)
    assert len(keys) == 2
    assert len(set(keys)) == 1
    await world.adds_up()
