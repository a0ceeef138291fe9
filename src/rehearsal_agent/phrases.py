"""The sentences of the rehearsal agent, in English and Chinese, and the long document of `[[big]]`."""

from collections.abc import Iterator
from itertools import cycle
from typing import Final

from rehearsal_agent.script import CHINESE

_WORDS: Final = "`[[think:…]] [[say:…]] [[tool]] [[ask:…]] [[slow:20:250]] [[big:100]] [[error:-32603]] [[crash]]`"
GREETING: Final = {
    "en": "Hello! I am the rehearsal agent: I call no model, I only play my part. Say “help” to see more.",
    "zh": "你好！我是排练用的智能体：不调用任何模型，只按剧本来。发送“帮助”看看我会什么。",
}
HELP: Final = {
    "en": (
        "Write anything and I echo it; write “slow” and I answer piece by piece, so that you can try /stop.\n"
        f"Or script me: {_WORDS}."
    ),
    "zh": (
        f"随便写点什么，我会原样说回来；写“慢慢说”，我就一段一段地回答，方便你试试 /stop。\n也可以写剧本：{_WORDS}。"
    ),
}
EMPTY_ECHO: Final = "(an empty message)"

_SLOW_ENGLISH: Final = (
    "The geese leave the lake before the first frost. ",
    "One flies ahead and breaks the wind, ",
    "and when it tires another takes its place. ",
    "They call to one another all the way, ",
    "so that nobody is lost in the fog. ",
    "A letter tied to a wing weighs almost nothing, ",
    "yet it has to arrive, ",
    "and it has to arrive once. ",
)
_SLOW_CHINESE: Final = (
    "初霜之前，雁群离开湖面。",
    "一只飞在最前，替大家破开风，",
    "累了，便换另一只。",
    "它们一路相互呼唤，",
    "雾里也不会有谁走失。",
    "系在翅上的信几乎没有重量，",
    "但它必须送到，",
    "而且只送到一次。",
)

_SECTIONS: Final = (
    "## Section {n}: a long answer\n\nHere is an ordinary paragraph with **bold**, *italic*, `code` and a "
    "[link](https://example.com/{n}). It is long enough to wrap on a telephone and says nothing new.\n\n",
    "### 第 {n} 节：中文段落\n\n鸿雁传书，说的是大雁替人送信。这一段没有新内容，只是为了凑够长度，"
    "并且检查中文标点、全角字符（如：（）、“”、……）能否原样送达。\n\n",
    "- first point of {n}\n- second point, with emoji 🪿 👩‍💻 🇨🇳 ✅\n  - nested point\n1. one\n2. two\n\n",
    "```python\ndef step_{n}(value: int) -> int:\n"
    "    # 注释：代码块里也有中文 and <tags> & entities\n    return value * {n}\n```\n\n",
    "| name | value | 说明 |\n|---|---:|:---:|\n| alpha | {n} | 第一行 |\n| beta | {n} | 第二行 🪶 |\n\n",
    "> A quotation, number {n}.\n> 引用的第二行。\n\n---\n\n",
)


def slow_pieces(language: str, count: int) -> list[str]:
    """Return that many short pieces of the story of the geese, repeated when it is too short."""
    source = cycle(_SLOW_CHINESE if language == CHINESE else _SLOW_ENGLISH)
    return [next(source) for _ in range(count)]


def big_document(kibibytes: int) -> Iterator[str]:
    """Yield the sections of a Markdown document of at least this size, always the same ones."""
    wanted, written, number = kibibytes * 1024, 0, 0
    while written < wanted:
        number += 1
        section = _SECTIONS[number % len(_SECTIONS)].format(n=number)
        written += len(section.encode())
        yield section
    yield f"— end of {kibibytes} KB, {number} sections —"
