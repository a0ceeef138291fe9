"""How requests for leave look on a card: what is asked, its buttons, and in the end who decided what and where."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final

from hongyan.domain import limits
from hongyan.domain.approvals import cut_arguments
from hongyan.domain.cards import Block, Button, Buttons, Card, Code, Note, Style, Text, Tone, to_json
from hongyan.domain.decisions import Applied, Decision, DecisionState, Outcome
from hongyan.domain.issued_cards import IssuedButton
from hongyan.domain.messages import Toast, ToastKind
from hongyan.domain.notices import Language

__all__ = [
    "LEAST_ARGUMENT_BYTES",
    "Line",
    "Look",
    "by_whom",
    "clicked",
    "fitted",
    "line_blocks",
    "offered",
    "refusal",
    "render_approvals",
    "too_late",
]

SUBJECT_LETTERS: Final = 300
LEAST_ARGUMENT_BYTES: Final = 128  # below it a cut says nothing; eight lines of it fit on any card


@dataclass(frozen=True, slots=True)
class Line:
    """One request of a card with the buttons that it was given there."""

    decision: Decision
    buttons: Sequence[IssuedButton]


def offered(whole_session: bool) -> tuple[Outcome, ...]:
    """Give the outcomes that get a button."""
    session = (Outcome.ALLOWED_SESSION,) if whole_session else ()
    return (Outcome.ALLOWED_ONCE, *session, Outcome.REJECTED)


def render_approvals(lines: Sequence[Line], language: Language, zone: tzinfo) -> Card:
    """Draw the card of some requests from their records; its inputs are cut further when all would not fit."""
    return fitted(lambda argument_bytes: _render(lines, Look(language, zone, argument_bytes)))


def fitted(draw: Callable[[int], Card]) -> Card:
    """Give a card that the platform takes: drawn with so many bytes of each input, and fewer while it is too big."""
    argument_bytes = limits.APPROVAL_ARGUMENT_BYTES
    while True:
        card = draw(argument_bytes)
        fits = len(to_json(card).encode()) * 5 // 4 <= limits.CARD_BYTES  # the wire escapes once more
        if fits or argument_bytes <= LEAST_ARGUMENT_BYTES:
            return card
        argument_bytes //= 2


@dataclass(frozen=True, slots=True)
class Look:
    """In which language and time zone a card is drawn, and how many bytes of each input it shows."""

    language: Language
    zone: tzinfo
    argument_bytes: int

    def say(self, key: str, **gaps: str) -> str:
        """Give a phrase of this card."""
        return _WORDS[key][self.language is Language.CHINESE].format(**gaps)


def _render(lines: Sequence[Line], look: Look) -> Card:
    waiting = [line.decision for line in lines if line.decision.state is DecisionState.ASKED]
    blocks = tuple(block for line in lines for block in line_blocks(line, look))
    if waiting:
        return Card(look.say("title.asking"), Tone.ASKING, blocks)
    decided = {line.decision.outcome for line in lines}
    if Outcome.ALLOWED_ONCE in decided or Outcome.ALLOWED_SESSION in decided:
        return Card(look.say("title.decided"), Tone.DONE, blocks)
    if Outcome.REJECTED in decided:
        return Card(look.say("title.decided"), Tone.REFUSED, blocks)
    return Card(look.say("title.over"), Tone.OVER, blocks)


def line_blocks(line: Line, look: Look) -> tuple[Block, ...]:
    """Draw one request: what is asked with its buttons, or what became of it."""
    if line.decision.state is DecisionState.ASKED:
        return _asking(line, look)
    subject = Code(_first_line(line.decision.subject))
    return Text(f"**{_verdict(line.decision, look)}**"), subject


def _asking(line: Line, look: Look) -> tuple[Block, ...]:
    decision = line.decision
    shown, left_out = cut_arguments(decision.arguments, look.argument_bytes)
    words = [_cut(decision.subject), *filter(None, (decision.reason, shown))]
    risk = look.say(f"risk.{decision.risk}")
    blocks: list[Block] = [
        Text(look.say("line", risk=risk, session=decision.session_id, code=decision.code)),
        Code("\n".join(words)),
    ]
    if left_out:
        blocks.append(Note(look.say("left_out", amount=f"{left_out:,}")))
    blocks.append(Buttons(tuple(_button(button, look) for button in line.buttons)))
    return tuple(blocks)


def _button(button: IssuedButton, look: Look) -> Button:
    return Button(look.say(f"button.{button.act}"), button.id, _STYLES.get(button.act, Style.PLAIN))


def _verdict(decision: Decision, look: Look) -> str:
    if decision.state is DecisionState.EXPIRED:
        return look.say("expired")
    said = look.say(f"outcome.{decision.outcome}") + by_whom(decision.decided_where, decision.decided_at, look)
    not_applied = decision.applied is Applied.NOT_APPLIED and decision.outcome is not Outcome.CANCELLED
    return said + (look.say("not_applied") if not_applied else "")


def by_whom(where: str, at: int, look: Look) -> str:
    """Say by whom and when (UTC milliseconds) something was done, as the end of a sentence."""
    moment = datetime.fromtimestamp(at / 1_000, UTC).astimezone(look.zone)
    whom = look.say(f"where.{where}") if f"where.{where}" in _WORDS else ""
    return f"{whom}{look.say('at', time=moment.strftime('%H:%M'))}"


def clicked(outcome: Outcome, language: Language) -> Toast:
    """Say that this click decided."""
    kind = ToastKind.TOLD if outcome is Outcome.REJECTED else ToastKind.DONE
    return Toast(kind, _WORDS[f"outcome.{outcome}"][language is Language.CHINESE])


def too_late(decision: Decision, language: Language, zone: tzinfo) -> Toast:
    """Say that this click came second, or after the end, and changed nothing."""
    look = Look(language, zone, 0)
    if decision.state is not DecisionState.DECIDED:  # one that still stands there as asked is past its time
        return Toast(ToastKind.TOLD, look.say("expired"))
    return Toast(ToastKind.TOLD, look.say("already", verdict=_verdict(decision, look)))


def refusal(why: str, language: Language) -> Toast:
    """Say why a click counts for nothing: `stranger`, `unknown`, `changed` or `revoked`."""
    return Toast(ToastKind.REFUSED, _WORDS[f"refused.{why}"][language is Language.CHINESE])


def _cut(subject: str) -> str:
    return subject if len(subject) <= SUBJECT_LETTERS else subject[:SUBJECT_LETTERS] + "…"


def _first_line(subject: str) -> str:
    first, _, rest = _cut(subject).partition("\n")
    return first + (" …" if rest else "")


_STYLES: Final = {Outcome.ALLOWED_ONCE.value: Style.PRIMARY, Outcome.REJECTED.value: Style.DANGER}

_WORDS: Final = {
    "title.asking": ("The agent asks for your decision", "Agent 请你决定"),
    "title.decided": ("Decided", "已决定"),
    "title.over": ("Nothing to decide any more", "已不需要决定"),
    "line": (
        "**{risk}** · {session}\nOr reply “yes {code}”, “always {code}”, “no {code}”.",
        "**{risk}** · {session}\n也可以回复「允许 {code}」「本次会话 {code}」「拒绝 {code}」。",
    ),
    "left_out": (
        "{amount} more bytes are not shown here; the console shows all of it.",
        "还有 {amount} 字节未在此显示；完整内容见本机控制台。",
    ),
    "risk.reads": ("Read", "读取"),
    "risk.writes": ("Write in the workspace", "写入工作区"),
    "risk.commands": ("Run a command", "执行命令"),
    "risk.network": ("Use the network", "访问网络"),
    "risk.outside": ("Touch something outside the workspace", "触及工作区以外"),
    "button.allowed_once": ("Allow once", "允许一次"),
    "button.allowed_session": ("This session", "本次会话"),
    "button.rejected": ("Reject", "拒绝"),
    "outcome.allowed_once": ("Allowed once", "已允许一次"),
    "outcome.allowed_session": ("Allowed for this session", "已允许，限本次会话"),
    "outcome.rejected": ("Rejected", "已拒绝"),
    "outcome.cancelled": ("Withdrawn", "已撤回"),
    "outcome.unavailable": ("Not available", "不可用"),
    "where.card": (" by you on the card", "（你，卡片）"),
    "where.text": (" by you in a message", "（你，消息）"),
    "where.console": (" by you in the console", "（你，控制台）"),
    "where.cli": (" by you on the command line", "（你，命令行）"),
    "where.policy": (" by the policy", "（策略）"),
    "where.session": (" by your earlier yes", "（此前的允许）"),
    "where.agent": (" by the agent", "（Agent）"),
    "where.revoked": (": access here was revoked", "（此处的授权已撤销）"),
    "at": (", {time}", "，{time}"),
    "not_applied": ("; it did not reach the agent", "；未送达 Agent"),
    "expired": ("Expired before it was decided", "未决定，已过期"),
    "already": ("Already decided: {verdict}", "已经决定：{verdict}"),
    "refused.stranger": ("Only the owner can decide this.", "只有所有者可以决定。"),
    "refused.unknown": ("This button is not valid here.", "这个按钮在此无效。"),
    "refused.changed": ("What was asked has changed; this button does not count.", "请求内容已变化，此按钮无效。"),
    "refused.revoked": ("Access here was revoked; nothing was decided.", "此处的授权已撤销，没有作出决定。"),
}
