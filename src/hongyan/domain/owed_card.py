"""How the list of what waits for the owner looks in the chat: each thing with its buttons, or what was done."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final, TypeAlias

from hongyan.domain.approval_card import Line, Look, by_whom, fitted, line_blocks
from hongyan.domain.cards import Block, Button, Buttons, Card, Code, Note, Style, Text, Tone
from hongyan.domain.conversations import TurnState
from hongyan.domain.decisions import DecisionState
from hongyan.domain.issued_cards import IssuedButton
from hongyan.domain.messages import Toast, ToastKind
from hongyan.domain.notices import Language
from hongyan.domain.owed import ActRow, OwedAction, OwedRow

__all__ = ["Entry", "OwedLine", "OwedList", "acted", "changed_meanwhile", "impossible", "is_waiting", "render_owed"]

TEXT_LETTERS: Final = 160
MISSED: Final = "source.missed"


@dataclass(frozen=True, slots=True)
class OwedLine:
    """One owed request of a card: as it is now, what was done about it since, and the buttons that it was given.

    The buttons count while the request has the version that it was shown with.
    """

    row: OwedRow
    owed: bool
    act: ActRow | None
    buttons: Sequence[IssuedButton]


Entry: TypeAlias = Line | OwedLine


@dataclass(frozen=True, slots=True)
class OwedList:
    """What one card lists, and how much more waited when it was issued; `old` when a newer list took its place."""

    entries: Sequence[Entry]
    more: int
    old: bool = False


def is_waiting(entry: Entry) -> bool:
    """Tell whether an entry still has buttons that count."""
    if isinstance(entry, Line):
        return entry.decision.state is DecisionState.ASKED
    return entry.owed and entry.act is None and any(button.digest == str(entry.row.version) for button in entry.buttons)


def render_owed(listed: OwedList, language: Language, zone: tzinfo) -> Card:
    """Draw the list."""
    return fitted(lambda argument_bytes: _render(listed, Look(language, zone, argument_bytes)))


def _render(listed: OwedList, look: Look) -> Card:
    waiting = sum(is_waiting(entry) for entry in listed.entries)
    blocks = [block for entry in listed.entries for block in _blocks(entry, look, listed.old)]
    if listed.more and not listed.old:
        blocks.append(Note(_say(look, "more", count=listed.more)))
    if listed.old:
        return Card(_say(look, "title.old"), Tone.OVER, tuple(blocks))
    if not waiting:
        return Card(_say(look, "title.done"), Tone.DONE, tuple(blocks))
    return Card(_say(look, "title.waiting", count=waiting + listed.more), Tone.ASKING, tuple(blocks))


def _blocks(entry: Entry, look: Look, old: bool) -> tuple[Block, ...]:
    if isinstance(entry, Line):
        blocks = line_blocks(entry, look)
        return tuple(block for block in blocks if not (old and isinstance(block, Buttons)))
    words = Code(_short(entry.row.text))
    if entry.act is not None:
        done = _say(look, f"done.{entry.act.action}")
        return Text(f"**{done}{by_whom(entry.act.where, entry.act.at, look)}**"), words
    follow_up = _follow_up(entry.row, look)
    if entry.owed and entry.row.turn_state and not entry.row.actions and follow_up:
        return Text(f"**{follow_up}**"), words
    if not is_waiting(entry):
        return Text(f"**{_say(look, 'changed' if entry.owed else 'settled')}**"), words
    head = Text(f"**{_why(entry.row, look)}** · {_moment(entry.row.since, look)}")
    buttons = Buttons(tuple(_button(button, look) for button in entry.buttons))
    said = (head, words, *((Note(follow_up),) if follow_up else ()))
    return said if old else (*said, buttons)


def _why(row: OwedRow, look: Look) -> str:
    """Say what kind of thing waits, with the code that says it exactly."""
    if row.why == MISSED:
        kind = "why.missed"
    elif OwedAction.RUN in row.actions:
        kind = "why.asking"
    elif row.turn_state == TurnState.HELD:
        kind = "why.held"
    elif OwedAction.SEND_AGAIN in row.actions:
        kind = "why.undelivered"
    else:
        kind = "why.failed"
    return f"{_say(look, kind)} ({row.why})"


def _follow_up(row: OwedRow, look: Look) -> str:
    """Say what happens by itself, when and why; or why nothing does."""
    if row.follow_up is None:
        return ""
    at = _moment(row.follow_up.at, look)
    return _say(look, f"follow_up.{row.follow_up.state}", at=at, why=row.follow_up.why)


def _button(button: IssuedButton, look: Look) -> Button:
    style = Style.PRIMARY if button.ordinal == 0 else Style.PLAIN
    return Button(_say(look, f"button.{button.act}"), button.id, style)


def acted(action: OwedAction, language: Language) -> Toast:
    """Say that this press was carried out."""
    return Toast(ToastKind.DONE, _WORDS[f"done.{action}"][language is Language.CHINESE])


def changed_meanwhile(language: Language) -> Toast:
    """Say that somebody acted first, or that it settled by itself."""
    return Toast(ToastKind.TOLD, _WORDS["toast.changed"][language is Language.CHINESE])


def impossible(code: str, language: Language) -> Toast:
    """Say that this cannot be done now, with the code that says why."""
    words = _WORDS["toast.impossible"][language is Language.CHINESE]
    return Toast(ToastKind.REFUSED, words.format(code=code))


def _short(text: str) -> str:
    first = " ".join(text.split())
    return first if len(first) <= TEXT_LETTERS else first[:TEXT_LETTERS] + "…"


def _moment(at: int, look: Look) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).astimezone(look.zone).strftime("%m-%d %H:%M")


def _say(look: Look, key: str, **gaps: object) -> str:
    return _WORDS[key][look.language is Language.CHINESE].format(**gaps)


_WORDS: Final = {
    "title.waiting": ("Waits for you: {count}", "等你处理：{count}"),
    "title.done": ("Nothing here waits any more", "这里没有等你处理的了"),
    "title.old": ("An older list; /owed shows what waits now", "较早的列表；/owed 显示现在等你处理的"),
    "more": (
        "{count} more: `hongyan owed list`, or the console.",
        "还有 {count} 项：`hongyan owed list` 或本机控制台。",
    ),
    "why.missed": ("Missed: it was seen in the history only", "错过的消息：只在历史记录中看到"),
    "why.asking": ("Run this message?", "要运行这条消息吗？"),
    "why.held": ("Held: the outcome of the last run is not known", "已暂停：上次运行结果不明"),
    "why.undelivered": ("The answer did not arrive for certain", "回答不确定是否送达"),
    "why.failed": ("Not answered", "没有得到回答"),
    "follow_up.waiting": (
        "Looked at again by itself at {at} ({why}); only what provably did not run is tried again.",
        "{at} 会自动再看一次（{why}）；只有确认没有运行过才会再试。",
    ),
    "follow_up.reserved": ("Tried again by itself now ({why})", "正在自动再试（{why}）"),
    "follow_up.blocked": ("Not tried again by itself ({why}).", "没有自动再试（{why}）。"),
    "button.run_again": ("Run again", "重新运行"),
    "button.drop": ("Drop", "放弃"),
    "button.close": ("Close without answer", "不再处理"),
    "button.run": ("Run", "运行"),
    "button.ignore": ("Ignore", "忽略"),
    "button.send_again": ("Send again", "重新发送"),
    "done.run_again": ("Runs again", "已重新运行"),
    "done.drop": ("Dropped", "已放弃"),
    "done.close": ("Closed without answer", "已关闭，不再回答"),
    "done.run": ("Runs", "已运行"),
    "done.ignore": ("Ignored", "已忽略"),
    "done.send_again": ("Sent again", "已重新发送"),
    "changed": ("Changed meanwhile; /owed shows it as it is now", "情况已变化；/owed 显示现在的情况"),
    "settled": ("Settled meanwhile", "已经解决"),
    "toast.changed": ("Changed meanwhile; nothing was done.", "情况已变化，没有执行任何操作。"),
    "toast.impossible": ("Not possible now ({code}).", "现在不能这样做（{code}）。"),
}
