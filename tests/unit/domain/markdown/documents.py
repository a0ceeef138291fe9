"""Markdown as agents write it, and as nobody would, for property tests."""

from itertools import chain
from random import Random
from typing import Final

from hypothesis import strategies as st

__all__ = ["DOCUMENTS", "LONG_DOCUMENTS", "SCRAPS", "answer_of_long_blocks", "long_answer"]

WORDS: Final = (
    *("one", "two", "next", "雁", "鸿雁传书。", "🪿", "👩\u200d💻", "🇨🇳🇫🇷", "e\u0301", "（注）", "，", "a|b", "\\*"),
    *("`code`", "``a`b``", "**bold**", "**done.**", "**“引号”**", "*slanted*", "~~gone~~", "<b>b</b>", "@_all"),
    *("[name](https://example.com/a_b)", "[file](src/a.py)", "![picture](https://example.com/p.png)"),
    *("https://example.com/x?y=1", '<at user_id="all">'),
)
MARKS: Final = ("-", "*", "1.", "2)", "- [ ]", "- [x]")


def _line(chance: Random) -> str:
    return chance.choice(" ,").join(chance.choices(WORDS, k=chance.randint(1, 12)))


def _paragraph(chance: Random) -> str:
    return "\n".join(_line(chance) for _ in range(chance.randint(1, 4)))


def _heading(chance: Random) -> str:
    return f"{'#' * chance.randint(1, 6)} {_line(chance)}"


def _fence(chance: Random) -> str:
    marks, label = chance.choice(["```", "~~~", "````", "  ```"]), chance.choice(["", "python", "a b"])
    return "\n".join([marks + label, *(_line(chance) for _ in range(chance.randint(0, 20))), marks])


def _table(chance: Random) -> str:
    width = chance.randint(1, 3)
    rows = [[_line(chance)[:40] for _ in range(chance.randint(1, 4))] for _ in range(chance.randint(0, 15))]
    head = " | ".join(f"head {number}" for number in range(width))
    return "\n".join([f"| {head} |", f"|{'---|' * width}", *(f"| {' | '.join(row)} |" for row in rows)])


def _list(chance: Random) -> str:
    items = (
        f"{'  ' * chance.randint(0, 4)}{chance.choice(MARKS)} {_line(chance)}" for _ in range(chance.randint(1, 12))
    )
    return "\n".join(items)


def _quote(chance: Random) -> str:
    return "\n".join(f"> {_line(chance)}" for _ in range(chance.randint(1, 4)))


def _odd(chance: Random) -> str:
    long = ("word " * 500, "雁字回时，" * 200, "x" * 3_000)
    return chance.choice(("---", "    indented\n    code", "Title\n=====", *long))


def document(chance: Random, blocks: int) -> str:
    """Write a document of so many blocks of any kind, with blank lines between them or without."""
    kinds = (_paragraph, _heading, _fence, _table, _list, _quote, _odd)
    pieces = ((chance.choice(kinds)(chance), chance.choice(["\n\n", "\n"])) for _ in range(blocks))
    return "".join(chain.from_iterable(pieces))


DOCUMENTS = st.builds(document, st.integers(0, 2**32).map(Random), st.integers(1, 12))
LONG_DOCUMENTS = st.builds(document, st.integers(0, 2**32).map(Random), st.integers(20, 60))

SCRAPS = st.text(st.sampled_from("ab1 \n\t*`~#>|-+.()[]!\\雁。<:=\r"), max_size=80)
"""The signs of Markdown in any order."""


def long_answer() -> str:
    """Write 120 KB with everything: 30 tables, 40 fences, nested lists, emoji, CJK, very long lines, mentions."""
    return "\n\n".join(
        [
            *chain.from_iterable(_section(number) for number in range(40)),
            "An endless line: " + "雁字回时，月满西楼。" * 900 + "word " * 3_000 + "x" * 28_000,
            "```text\n" + "no seam " * 2_500 + "\n```",
            "> quoted " + "words that go on and on " * 300,
        ]
    )


def answer_of_long_blocks() -> str:
    """Write a table, code, a nested list and a quote, each of them longer than one part."""
    rows = "\n".join(f"| row {row} | 第 {row} 行 {'words ' * 12}🪶 |" for row in range(400))
    code = "\n".join(f"    step_{number}()  # 注释 | {'and so on ' * 5}" for number in range(600))
    items = "- one item\n" + "\n".join(f"  - nested {'雁字 ' * 30}。\n    1. deep {n}" for n in range(250)) + "\n- last"
    return "\n\n".join(
        [
            "# Long blocks",
            f"| row | words |\n|---|:---|\n{rows}",
            f"```python\ndef run():\n{code}\n```",
            items,
            "> quoted " + "words that go on and on. " * 1_500,
            "The end.",
        ]
    )


def _section(number: int) -> list[str]:
    rows = "\n".join(f"| row {row} | {row * number} | 第 {row} 行 🪶 |" for row in range(12))
    table = [f"| name | value | 说明 |\n|---|---:|:---:|\n{rows}"] if number < 30 else []
    link = f"[link](https://example.com/{number})"
    return [
        f"## Section {number} 第 {number} 节",
        '**结果：**正文 and **done.**next 👩‍💻🇨🇳 e\u0301 <at user_id="all"></at> @_all',
        f"```python\ndef step_{number}():\n    # 注释 <tags> & entities\n    return {number}\n\n\n    # end\n```",
        *table,
        f"- first of {number}\n  - nested `code_{number}`\n    1. deep **words**\n    2. {link}\n- last",
    ]
