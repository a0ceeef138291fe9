"""The slash grammar: exact words are commands, everything else is for the agent, and nothing is carried out by half."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hongyan.domain.commands import Command, CommandName, Malformed, parse_command

BOT = "Hongyan"

COMMANDS = {
    "/help": CommandName.HELP,
    "/帮助": CommandName.HELP,
    "/status": CommandName.STATUS,
    "/状态": CommandName.STATUS,
    "/new": CommandName.NEW,
    "/新会话": CommandName.NEW,
    "/stop": CommandName.STOP,
    "/停止": CommandName.STOP,
    "/owed": CommandName.OWED,
    "/待处理": CommandName.OWED,
}


@pytest.mark.parametrize(("word", "name"), COMMANDS.items())
def test_a_command_is_known_whatever_its_case_and_white_space(word: str, name: CommandName) -> None:
    for text in (word, f"  {word}\n", word.upper(), f"@{BOT} {word}", f"@{BOT}\t{word} "):
        assert parse_command(text, BOT) == Command(name)


@pytest.mark.parametrize("word", COMMANDS)
@pytest.mark.parametrize("rest", ["now", "please stop", "--force", "/stop", "\nthe build"])
def test_a_command_with_something_behind_it_is_malformed(word: str, rest: str) -> None:
    assert parse_command(f"{word} {rest}", BOT) == Malformed(word)


@pytest.mark.parametrize(
    "text", ["/model", "/model gpt", "/use other", "/ls", "/delegate --tokens 3 x", "/agents", "/effort high"]
)
def test_a_word_with_a_meaning_that_is_not_carried_out_here_reaches_no_agent(text: str) -> None:
    assert parse_command(text, BOT) == Malformed(text.split(maxsplit=1)[0], reserved=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "//",
        "stop",
        "don't /stop",
        "> /new",
        "`/stop`",
        "/srv/docs is full",
        "/tmp",
        "/compact",
        "/review the diff",
        "／stop",
        "/stopp",
        "/stop，谢谢",
        "请 /停止",
        f"@{BOT}/stop",
        f"@{BOT} hello",
        "@Chen Yu /stop",
        f"@{BOT}X /stop",
    ],
)
def test_everything_else_is_text_for_the_agent(text: str) -> None:
    assert parse_command(text, BOT) is None


def test_without_a_name_of_the_bot_no_mention_is_taken_away() -> None:
    assert parse_command("@ /stop", "") is None


@given(st.text(max_size=40))
def test_no_text_breaks_the_grammar_and_only_a_slash_can_begin_a_command(text: str) -> None:
    found = parse_command(text, BOT)
    assert found is None or text.strip().startswith(("/", f"@{BOT}"))
