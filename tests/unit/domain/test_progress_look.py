"""What the card of a running Turn shows, and to whom."""

import json
from dataclasses import replace

import pytest
from tests.unit.domain import given

from hongyan.domain import limits
from hongyan.domain.agents import (
    AgentEvent,
    PlanChanged,
    PlanStatus,
    PlanStep,
    TextArrived,
    ThoughtArrived,
    ToolChanged,
    ToolStatus,
)
from hongyan.domain.bindings import Audience
from hongyan.domain.cards import Card, Code, Stream, card_text, card_words, to_json
from hongyan.domain.conversations import TurnState
from hongyan.domain.events import TurnEventRow, keep_event
from hongyan.domain.progress_card import (
    AnswerFate,
    Progress,
    Reader,
    Shown,
    fold_event,
    keep_time,
    reader_of,
    render_continued,
    render_progress,
)

CANARY = "the heron stands in the reeds"


def progress(*events: AgentEvent) -> Progress:
    """Fold events as they are kept."""
    folded = Progress()
    for cursor, event in enumerate(events, 1):
        values = keep_event(given.turn().id, cursor, event, given.NOW).values
        kind, body = str(values["kind"]), str(values["body"])
        folded = fold_event(folded, TurnEventRow(given.turn().id, cursor, kind, body, given.NOW), json.loads(body))
    return folded


def drawn(folded: Progress, reader: Reader = Reader.OWNER_PRIVATE, state: TurnState = TurnState.RUNNING) -> Card:
    """Draw a Turn that began a minute ago."""
    turn = replace(given.turn(), state=state, running_at=given.NOW - 60_000)
    return render_progress(Shown(turn, folded, AnswerFate.NONE, reader), "stop", given.NOW)


def tool(title: str, identity: str = "t1", status: ToolStatus = ToolStatus.DONE) -> ToolChanged:
    """Give a tool call."""
    return ToolChanged(identity, title, "execute", status)


@pytest.mark.scenario("M99")
def test_the_owner_reads_the_latest_four_thoughts_the_newest_last_within_their_letters() -> None:
    events: list[AgentEvent] = []
    for n in range(6):
        events += [ThoughtArrived(f"thought {n} " + "x" * 400), tool("a", f"t{n}")]
    card = drawn(progress(*events))
    first = card.blocks[0]
    assert isinstance(first, Code)
    assert len(first.text) <= limits.THOUGHT_LETTERS
    assert "thought 0" not in first.text
    assert "thought 1" not in first.text
    assert first.text.index("thought 4") < first.text.index("thought 5")
    assert first.text.count("\n\n") < limits.THOUGHTS_SHOWN


@pytest.mark.scenario("M99")
def test_thoughts_stand_above_the_answer_and_name_no_tool_or_command() -> None:
    command = "rm -rf build"
    thought = ThoughtArrived(f"The folder is stale.\n`{command}`\nI would run {command} and look again.")
    card = drawn(progress(thought, tool(command), TextArrived("Done, the folder")))
    kinds = [type(block) for block in card.blocks]
    assert kinds.index(Code) < kinds.index(Stream)
    first = card.blocks[0]
    assert isinstance(first, Code)
    assert first.text == "The folder is stale.\nI would run … and look again."
    assert command in card_words(card)  # where it belongs: among the tools


@pytest.mark.scenario("M99")
@pytest.mark.parametrize(
    "secret",
    [
        "sk-live-0123456789abcdefghij",
        "ghp_0123456789abcdefghij",
        "t-g1047h9iWXYZ0123456789abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    ],
)
@pytest.mark.parametrize("form", ["{}", "Authorization: Bearer {}", "password={}", '"app_secret": "{}"', "a://u:{}@h/"])
def test_secrets_in_thoughts_tools_and_plans_are_blotted_out(secret: str, form: str) -> None:
    words = f"see {form.format(secret)} there"
    plan = PlanChanged((PlanStep(words, PlanStatus.OPEN),))
    said = card_words(drawn(progress(ThoughtArrived(words), plan, tool(words))))
    assert secret not in said
    assert said.count("see") == 2  # the thought's own was the tool's name
    assert "there" in said


@pytest.mark.scenario("M100")
@pytest.mark.parametrize("reader", [reader for reader in Reader if reader is not Reader.OWNER_PRIVATE])
@pytest.mark.parametrize("state", [TurnState.RUNNING, TurnState.INTERRUPTING, TurnState.HELD, TurnState.FAILED])
def test_nobody_else_reads_more_than_how_it_stands(reader: Reader, state: TurnState) -> None:
    plan = PlanChanged((PlanStep(CANARY, PlanStatus.OPEN),))
    card = drawn(progress(ThoughtArrived(CANARY), plan, tool(CANARY), TextArrived(CANARY)), reader, state)
    for said in (to_json(card), card_words(card), card_text(card)):
        assert CANARY not in said
    assert card.title


@pytest.mark.scenario("M100")
def test_only_a_private_chat_of_the_owner_is_read_by_the_owner_alone() -> None:
    readers = {audience: reader_of(replace(given.binding(), audience=audience)) for audience in Audience}
    alone = [audience for audience, reader in readers.items() if reader is Reader.OWNER_PRIVATE]
    assert alone == [Audience.OWNER_PRIVATE]
    assert reader_of(None) is Reader.EXTERNAL
    assert Shown(given.turn()).reader is Reader.EXTERNAL


@pytest.mark.scenario("M101")
def test_without_a_summary_there_is_no_line_and_no_phase_is_made_up() -> None:
    card = drawn(progress())
    assert card_words(card).split("\n") == ["Working", "Stop", "60 s"]


def test_a_plan_is_shown_around_the_step_that_it_has_come_to() -> None:
    steps = [PlanStep(f"step {n}", PlanStatus.DONE if n < 10 else PlanStatus.WAITING) for n in range(20)]
    words = card_words(drawn(progress(PlanChanged(tuple(steps)))))
    assert "Plan · 10 of 20" in words
    assert "✓ step 9" in words
    assert "· step 10" in words
    assert "step 2\n" not in words


def test_the_answer_is_what_follows_the_last_tool() -> None:
    card = drawn(progress(TextArrived("let me look"), tool("a"), TextArrived("it "), TextArrived("works")))
    assert [block for block in card.blocks if isinstance(block, Stream)] == [Stream("it works")]


def test_the_end_of_a_long_answer_is_shown_and_stays_where_it_is_while_it_grows() -> None:
    long = "".join(f"{n:06}" for n in range(2_000))

    def stream(length: int) -> str:
        (block,) = (block for block in drawn(progress(TextArrived(long[:length]))).blocks if isinstance(block, Stream))
        return block.text

    assert stream(11_000).endswith(long[10_990:11_000])
    assert len(stream(11_000)) <= limits.STREAM_LETTERS + 1
    assert stream(10_500).startswith(stream(10_100))


def test_a_look_in_which_only_the_answer_grew_keeps_its_time_for_a_while() -> None:
    before = drawn(progress(TextArrived("one")))
    after = drawn(progress(TextArrived("one two")))
    turn = replace(given.turn(), state=TurnState.RUNNING, running_at=given.NOW - 60_000)

    def later(seconds: int) -> Card:
        shown = Shown(turn, progress(TextArrived("one two")), AnswerFate.NONE, Reader.OWNER_PRIVATE)
        return render_progress(shown, "stop", given.NOW + seconds * 1_000)

    assert keep_time(later(5), before) == after
    assert keep_time(later(40), before) == later(40)


def test_a_card_that_goes_on_below_is_one_line() -> None:
    assert card_words(render_continued(given.turn())) == "Continued below"
