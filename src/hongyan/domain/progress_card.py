"""How a running Turn looks on a card: what it does now, and in the end one line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hongyan.domain import limits
from hongyan.domain.cards import Block, Button, Buttons, Card, Code, Note, Style, Text, Tone
from hongyan.domain.conversations import TERMINAL, Turn, TurnState
from hongyan.domain.events import TurnEventRow
from hongyan.domain.messages import Toast, ToastKind
from hongyan.domain.notices import Language, language_of

__all__ = ["Progress", "fold_event", "is_over", "render_progress", "same_but_for_time", "stopped"]

TOOLS_SHOWN: Final = 6
TITLE_LETTERS: Final = 120


@dataclass(frozen=True, slots=True)
class Progress:
    """What a Turn showed so far. `tools` maps a call to its title and state; `thoughts` are the latest summaries."""

    cursor: int = 0
    tools: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    thoughts: Sequence[str] = ()
    thinking: bool = False


def fold_event(progress: Progress, row: TurnEventRow, body: Mapping[str, Any]) -> Progress:
    """Take one kept event in; pieces of one thought that follow one another are one thought."""
    progress = replace(progress, cursor=row.cursor)
    if row.kind == "tool_changed":
        known = progress.tools.get(body["tool_id"], ("", ""))
        title = body["title"] or known[0] or body["kind"]
        return replace(progress, tools={**progress.tools, body["tool_id"]: (title, body["status"])}, thinking=False)
    if row.kind == "thought_arrived":
        earlier = progress.thoughts[:-1] if progress.thinking else progress.thoughts
        thought = (progress.thoughts[-1] if progress.thinking else "") + body["text"]
        return replace(progress, thoughts=(*earlier, thought)[-limits.THOUGHTS_SHOWN :], thinking=True)
    return replace(progress, thinking=False)


def is_over(turn: Turn) -> bool:
    """Tell whether the card shows its last look."""
    return turn.state in TERMINAL


@dataclass(frozen=True, slots=True)
class _Words:
    chinese: bool

    def say(self, key: str, **gaps: object) -> str:
        return _WORDS[key][self.chinese].format(**gaps)


def render_progress(turn: Turn, progress: Progress, stop: str, now: int) -> Card:
    """Draw a Turn; `stop` is the value of its Stop button. The last block of a card that is not over is the time."""
    words = _Words(_language(turn) is Language.CHINESE)
    began = turn.running_at or turn.claimed_at or now
    if is_over(turn):
        return _closed(turn, progress, words)
    elapsed = Note(words.say("elapsed", seconds=max(now - began, 0) // 1_000))
    if turn.state is TurnState.HELD:
        return Card(words.say("held"), Tone.OVER, (*_tools(progress, words), Note(words.say("held.note"))))
    buttons: tuple[Block, ...] = ()
    if turn.state is not TurnState.INTERRUPTING:
        buttons = (Buttons((Button(words.say("stop"), stop, Style.DANGER),)),)
    title = words.say("stopping" if turn.state is TurnState.INTERRUPTING else "working")
    return Card(title, Tone.WORKING, (*_thoughts(progress), *_tools(progress, words), *buttons, elapsed))


def same_but_for_time(one: Card, other: Card) -> bool:
    """Tell whether two looks of a running Turn say the same."""
    return (one.title, one.tone, one.blocks[:-1]) == (other.title, other.tone, other.blocks[:-1])


def _closed(turn: Turn, progress: Progress, words: _Words) -> Card:
    began = turn.running_at or turn.claimed_at or turn.queued_at
    seconds = max(turn.ended_at - began, 0) // 1_000
    tools = len(progress.tools)
    used = words.say("tools" if tools != 1 else "tool", count=tools) if tools else ""
    tone = {TurnState.COMPLETED: Tone.DONE, TurnState.FAILED: Tone.REFUSED, TurnState.TIMED_OUT: Tone.REFUSED}
    return Card(words.say(f"end.{turn.state.value}", seconds=seconds, tools=used), tone.get(turn.state, Tone.OVER), ())


def _thoughts(progress: Progress) -> tuple[Block, ...]:
    room, shown = limits.THOUGHT_LETTERS, list[str]()
    for thought in reversed(progress.thoughts):
        if room <= 0:
            break
        shown.insert(0, thought.strip()[-room:])
        room -= len(shown[0])
    return (Code("\n\n".join(filter(None, shown))),) if any(shown) else ()


def _tools(progress: Progress, words: _Words) -> tuple[Block, ...]:
    if not progress.tools:
        return ()
    hidden = len(progress.tools) - TOOLS_SHOWN
    latest = list(progress.tools.values())[-TOOLS_SHOWN:]
    lines = [f"{_SIGNS.get(status, '·')} {_title(title)}" for title, status in latest]
    head = (Note(words.say("hidden", count=hidden)),) if hidden > 0 else ()
    return (Text(f"**{words.say('tools.head')}**"), *head, Code("\n".join(lines)))


def _title(title: str) -> str:
    line = title.partition("\n")[0]
    return line if len(line) <= TITLE_LETTERS else line[:TITLE_LETTERS] + "…"


def _language(turn: Turn) -> Language:
    return language_of(turn.text)


def stopped(state: TurnState, language: Language) -> Toast:
    """Say what a press on Stop did."""
    words = _Words(language is Language.CHINESE)
    if state in {TurnState.COMPLETED, TurnState.COMPLETING}:
        return Toast(ToastKind.TOLD, words.say("stop.finished"))
    if state is TurnState.INTERRUPTING:
        return Toast(ToastKind.DONE, words.say("stop.stopping"))
    return Toast(ToastKind.DONE if state is TurnState.CANCELLED else ToastKind.TOLD, words.say("stop.over"))


_SIGNS: Final = {"open": "…", "done": "✓", "failed": "✗"}

_WORDS: Final = {
    "working": ("Working", "正在处理"),
    "stopping": ("Stopping", "正在停止"),
    "held": ("Held: the outcome is not known", "已暂停：结果不明"),
    "held.note": ("/owed lets you run it again or drop it.", "用 /owed 决定重跑或放弃。"),
    "elapsed": ("{seconds} s", "{seconds} 秒"),
    "stop": ("Stop", "停止"),
    "tools.head": ("Tools", "工具"),
    "hidden": ("{count} earlier ones", "此前 {count} 个"),
    "tool": (" · {count} tool", " · {count} 个工具"),
    "tools": (" · {count} tools", " · {count} 个工具"),
    "end.completed": ("Done in {seconds} s{tools}", "{seconds} 秒完成{tools}"),
    "end.interrupted": ("Stopped after {seconds} s{tools}", "{seconds} 秒后停止{tools}"),
    "end.failed": ("Failed after {seconds} s{tools}", "{seconds} 秒后失败{tools}"),
    "end.timed_out": ("Timed out after {seconds} s{tools}", "{seconds} 秒后超时{tools}"),
    "end.cancelled": ("Cancelled", "已取消"),
    "stop.finished": ("Finished before the stop", "停止之前已经完成"),
    "stop.stopping": ("Stopping", "正在停止"),
    "stop.over": ("Already over", "已经结束"),
}
