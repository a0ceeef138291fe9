"""How a running Turn looks on a card: what it does now, and in the end one line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from hongyan.domain import limits
from hongyan.domain.access import Silent
from hongyan.domain.agents import PlanStatus
from hongyan.domain.bindings import Audience, Binding
from hongyan.domain.cards import Block, Button, Buttons, Card, Code, Note, Stream, Style, Text, Tone, grown
from hongyan.domain.conversations import TERMINAL, Turn, TurnState
from hongyan.domain.deliveries import PartState
from hongyan.domain.events import TurnEventRow
from hongyan.domain.messages import Toast, ToastKind
from hongyan.domain.notices import Language, language_of
from hongyan.domain.redaction import redact

__all__ = [
    "AnswerFate",
    "Progress",
    "Reader",
    "Shown",
    "answer_fate",
    "fold_event",
    "is_over",
    "keep_time",
    "reader_of",
    "render_continued",
    "render_left",
    "render_progress",
    "same_but_for_time",
    "stopped",
]

TOOLS_SHOWN: Final = 6
TITLE_LETTERS: Final = 120
PLAN_STEPS_SHOWN: Final = 8
_NAME_LETTERS: Final = 4  # a shorter name is an ordinary word too often to be left out inside of a sentence
_MARKS: Final = " \t`*_#>-.:"
_BETWEEN: Final = "\n\n"
_STREAM_STEP: Final = limits.STREAM_LETTERS // 2


@dataclass(frozen=True, slots=True)
class Progress:
    """What a Turn showed so far. `tools` maps a call to its title and state; `thoughts` are the latest summaries.

    `answer` is the text since the last tool call: what the answer becomes, if nothing follows. `plan` is the agent's
    latest one, each step with its state.
    """

    cursor: int = 0
    tools: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    thoughts: Sequence[str] = ()
    thinking: bool = False
    answer: str = ""
    plan: Sequence[tuple[str, str]] = ()


def fold_event(progress: Progress, row: TurnEventRow, body: Mapping[str, Any]) -> Progress:
    """Take one kept event in; pieces of one thought that follow one another are one thought."""
    progress = replace(progress, cursor=row.cursor)
    if row.kind == "tool_changed":
        known = progress.tools.get(body["tool_id"], ("", ""))
        title = body["title"] or known[0] or body["kind"]
        answer = progress.answer if body["tool_id"] in progress.tools else ""  # what came before it was commentary
        tools = {**progress.tools, body["tool_id"]: (title, body["status"])}
        return replace(progress, tools=tools, thinking=False, answer=answer)
    if row.kind == "thought_arrived":
        earlier = progress.thoughts[:-1] if progress.thinking else progress.thoughts
        thought = (progress.thoughts[-1] if progress.thinking else "") + body["text"]
        return replace(progress, thoughts=(*earlier, thought)[-limits.THOUGHTS_SHOWN :], thinking=True)
    if row.kind == "plan_changed":
        return replace(progress, plan=tuple((step["text"], step["status"]) for step in body["steps"]))
    if row.kind == "text_arrived":
        return replace(progress, thinking=False, answer=progress.answer + body["text"])
    return replace(progress, thinking=False)


class Reader(StrEnum):
    """Who may read a card; only the owner, alone, reads what the agent thinks, plans, does and is about to say."""

    OWNER_PRIVATE = "owner_private"
    GROUP_TOPIC = "group_topic"
    MIRROR = "mirror"
    PEER = "peer"
    EXTERNAL = "external"


def reader_of(binding: Binding | None) -> Reader:
    """Name who reads what is written on the authority of a binding; without one, anybody might."""
    if binding is None:
        return Reader.EXTERNAL
    return _READERS.get(binding.audience, Reader.EXTERNAL)


class AnswerFate(StrEnum):
    """What is known of the answer's way to the person."""

    NONE = "none"
    PENDING = "pending"
    VERIFIED = "verified"
    UNPROVED = "unproved"


def answer_fate(parts: Sequence[tuple[PartState, bool]]) -> AnswerFate:
    """Judge the parts of an answer, each with whether something is still due for it."""
    if not parts:
        return AnswerFate.NONE
    if all(state is PartState.VERIFIED for state, _ in parts):
        return AnswerFate.VERIFIED
    open_states = {PartState.PLANNED, PartState.INTENDED, PartState.WRITTEN}
    if any(state in open_states or (state is PartState.UNKNOWN and due) for state, due in parts):
        return AnswerFate.PENDING
    return AnswerFate.UNPROVED


@dataclass(frozen=True, slots=True)
class Shown:
    """What a card is drawn from; `revoked` says that the access of its Turn was taken back."""

    turn: Turn
    progress: Progress = Progress()
    answer: AnswerFate = AnswerFate.NONE
    reader: Reader = Reader.EXTERNAL
    revoked: bool = False


def is_over(shown: Shown) -> bool:
    """Tell whether the card shows its last look: a Turn with an answer is over when the answer's fate is known."""
    pending = shown.turn.state is TurnState.COMPLETED and shown.answer is AnswerFate.PENDING
    return shown.turn.state in TERMINAL and not pending


def _is_cut_off(shown: Shown) -> bool:
    """Tell whether a revocation is what became of the Turn: not of one that ended by itself or was answered before."""
    turn = shown.turn
    if turn.state in TERMINAL and turn.state is not TurnState.COMPLETED:
        return turn.code == Silent.REVOKED
    return shown.revoked and shown.answer is not AnswerFate.VERIFIED


@dataclass(frozen=True, slots=True)
class _Words:
    chinese: bool

    def say(self, key: str, **gaps: object) -> str:
        return _WORDS[key][self.chinese].format(**gaps)


def render_progress(shown: Shown, stop: str, now: int) -> Card:
    """Draw a Turn; `stop` is the value of its Stop button. The last block of a card that is not over is the time."""
    turn = shown.turn
    words = _Words(_language(turn) is Language.CHINESE)
    began = turn.running_at or turn.claimed_at or now
    if _is_cut_off(shown):
        return Card(words.say("end.revoked"), Tone.OVER, ())
    if is_over(shown):
        return _closed(shown, words)
    elapsed = Note(words.say("elapsed", seconds=max((turn.ended_at or now) - began, 0) // 1_000))
    if turn.state in {TurnState.COMPLETING, TurnState.COMPLETED}:
        return Card(words.say("delivering"), Tone.WORKING, (elapsed,))
    if turn.state is TurnState.HELD:
        return Card(words.say("held"), Tone.OVER, (*_tools(shown, words), Note(words.say("held.note"))))
    buttons: tuple[Block, ...] = ()
    if turn.state is not TurnState.INTERRUPTING:
        buttons = (Buttons((Button(words.say("stop"), stop, Style.DANGER, words.say("stop.typed")),)),)
    title = words.say(_TITLES.get(turn.state, "working"))
    return Card(title, Tone.WORKING, (*_inside(shown, words), *buttons, elapsed))


def render_left(shown: Shown, now: int) -> Card:
    """Draw the last look of a card that nobody keeps any more: what is known of its Turn, and no button."""
    words = _Words(_language(shown.turn) is Language.CHINESE)
    if is_over(shown) or shown.turn.state is TurnState.HELD or _is_cut_off(shown):
        return render_progress(shown, "", now)
    if shown.turn.state is TurnState.COMPLETED:
        return _closed(replace(shown, answer=AnswerFate.VERIFIED), words, "end.delivering")
    return Card(words.say("waiting" if shown.turn.state is TurnState.QUEUED else "continued"), Tone.OVER, ())


def same_but_for_time(one: Card, other: Card) -> bool:
    """Tell whether two looks of a running Turn say the same."""
    return (one.title, one.tone, one.blocks[:-1]) == (other.title, other.tone, other.blocks[:-1])


def keep_time(drawn: Card, before: Card) -> Card:
    """Let a look in which only the stream grew keep the time of the one before, for a while: the rest stays as it is.

    Such a look costs the platform, and the reader's eye, no more than the new words.
    """
    timeless, old = replace(drawn, blocks=drawn.blocks[:-1]), replace(before, blocks=before.blocks[:-1])
    if grown(old, timeless) is None or _seconds(drawn) - _seconds(before) >= limits.CARD_HEARTBEAT_MS // 1_000:
        return drawn
    return replace(drawn, blocks=(*drawn.blocks[:-1], before.blocks[-1]))


def _seconds(card: Card) -> int:
    last = card.blocks[-1] if card.blocks else None
    digits = "".join(filter(str.isdigit, last.markdown)) if isinstance(last, Note) else ""
    return int(digits or 0)


def render_continued(turn: Turn) -> Card:
    """Draw the one line of a card whose Turn goes on below it."""
    words = _Words(_language(turn) is Language.CHINESE)
    return Card(words.say("continued"), Tone.OVER, ())


def _closed(shown: Shown, words: _Words, ending: str = "") -> Card:
    turn = shown.turn
    began = turn.running_at or turn.claimed_at or turn.queued_at
    seconds = max(turn.ended_at - began, 0) // 1_000
    tools = len(shown.progress.tools)
    used = words.say("tools" if tools != 1 else "tool", count=tools) if tools else ""
    state = turn.state.value
    if turn.state is TurnState.COMPLETED and shown.answer is not AnswerFate.VERIFIED:
        state = "unproved"
    return Card(words.say(ending or f"end.{state}", seconds=seconds, tools=used), _TONES.get(state, Tone.OVER), ())


def _inside(shown: Shown, words: _Words) -> tuple[Block, ...]:
    if shown.reader is not Reader.OWNER_PRIVATE:
        return ()
    return (*_thoughts(shown), *_plan(shown, words), *_tools(shown, words), *_answer(shown))


def _thoughts(shown: Shown) -> tuple[Block, ...]:
    """Show the latest thoughts, the newest last; what a tool is called stands in the list of tools and nowhere else."""
    names = [title for title, _ in shown.progress.tools.values()]
    room, kept = limits.THOUGHT_LETTERS, list[str]()
    for thought in reversed(shown.progress.thoughts):
        words = redact(_without(thought, names))[-room:].strip() if room > 0 else ""
        if words:
            kept.insert(0, words)
            room -= len(words) + len(_BETWEEN)
    return (Code(_BETWEEN.join(kept)),) if kept else ()


def _without(thought: str, names: Sequence[str]) -> str:
    """Leave the names of tools and commands out of a thought, and the lines that were nothing else."""
    lines = []
    for line in thought.strip().split("\n"):
        rest = line
        for name in sorted(filter(None, names), key=len, reverse=True):
            whole = line.strip(_MARKS) == name.strip()
            rest = "" if whole else rest.replace(name, "…") if len(name) >= _NAME_LETTERS else rest
        if rest.strip(_MARKS) or not line.strip():
            lines.append(rest)
    return "\n".join(lines)


def _plan(shown: Shown, words: _Words) -> tuple[Block, ...]:
    """Show the plan around the step that it has come to."""
    steps = shown.progress.plan
    if not steps:
        return ()
    reached = next((n for n, (_, status) in enumerate(steps) if status != PlanStatus.DONE), len(steps))
    first = max(min(reached - 2, len(steps) - PLAN_STEPS_SHOWN), 0)
    some = steps[first : first + PLAN_STEPS_SHOWN]
    lines = [f"{_SIGNS.get(status, '·')} {_title(redact(text))}" for text, status in some]
    done = sum(status == PlanStatus.DONE for _, status in steps)
    return (Text(f"**{words.say('plan.head', done=done, count=len(steps))}**"), Code("\n".join(lines)))


def _answer(shown: Shown) -> tuple[Block, ...]:
    """Show where the answer has come to; its beginning goes in steps, so that the rest stays where it is read."""
    text = shown.progress.answer.strip()
    over = len(text) - limits.STREAM_LETTERS
    if over > 0:
        text = "…" + text[-(-over // _STREAM_STEP) * _STREAM_STEP :]
    return (Stream(text),) if text else ()


def _tools(shown: Shown, words: _Words) -> tuple[Block, ...]:
    tools = shown.progress.tools
    if not tools or shown.reader is not Reader.OWNER_PRIVATE:
        return ()
    hidden = len(tools) - TOOLS_SHOWN
    latest = list(tools.values())[-TOOLS_SHOWN:]
    lines = [f"{_SIGNS.get(status, '·')} {_title(redact(title))}" for title, status in latest]
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


_TONES: Final = {
    "completed": Tone.DONE,
    "unproved": Tone.REFUSED,
    "failed": Tone.REFUSED,
    "timed_out": Tone.REFUSED,
}
_SIGNS: Final = {"open": "…", "done": "✓", "failed": "✗"}
_READERS: Final = {Audience.OWNER_PRIVATE: Reader.OWNER_PRIVATE, Audience.GROUP_TOPIC: Reader.GROUP_TOPIC}
_TITLES: Final = {TurnState.INTERRUPTING: "stopping", TurnState.QUEUED: "waiting"}

_WORDS: Final = {
    "waiting": ("Waiting to run again", "等待重新运行"),
    "working": ("Working", "正在处理"),
    "stopping": ("Stopping", "正在停止"),
    "continued": ("Continued below", "下接新卡片"),
    "delivering": ("Delivering the answer", "正在送出回答"),
    "held": ("Held: the outcome is not known", "已暂停：结果不明"),
    "held.note": ("/owed lets you run it again or drop it.", "用 /owed 决定重跑或放弃。"),
    "elapsed": ("{seconds} s", "{seconds} 秒"),
    "stop": ("Stop", "停止"),
    "stop.typed": ("/stop", "/停止"),
    "plan.head": ("Plan · {done} of {count}", "计划 · {done}/{count}"),
    "tools.head": ("Tools", "工具"),
    "hidden": ("{count} earlier ones", "此前 {count} 个"),
    "tool": (" · {count} tool", " · {count} 个工具"),
    "tools": (" · {count} tools", " · {count} 个工具"),
    "end.completed": ("Done in {seconds} s{tools}", "{seconds} 秒完成{tools}"),
    "end.delivering": ("Done in {seconds} s{tools}; the answer follows", "{seconds} 秒完成{tools}；回答随后送达"),
    "end.unproved": (
        "Finished in {seconds} s{tools}; the answer did not arrive for certain",
        "{seconds} 秒后结束{tools}；未确认回答已送达",
    ),
    "end.interrupted": ("Stopped after {seconds} s{tools}", "{seconds} 秒后停止{tools}"),
    "end.failed": ("Failed after {seconds} s{tools}", "{seconds} 秒后失败{tools}"),
    "end.timed_out": ("Timed out after {seconds} s{tools}", "{seconds} 秒后超时{tools}"),
    "end.revoked": ("Ended: access here was revoked", "已结束：此处的授权已撤销"),
    "end.cancelled": ("Cancelled", "已取消"),
    "stop.finished": ("Finished before the stop", "停止之前已经完成"),
    "stop.stopping": ("Stopping", "正在停止"),
    "stop.over": ("Already over", "已经结束"),
}
