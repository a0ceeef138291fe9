"""Every word of the status page in English and Chinese; a state has the same words wherever it is shown.

A state is said with its tone: quiet, running, waits, failed, verified. The tone only repeats what the word says.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hongyan.application.owed import OwedAction
from hongyan.domain.conversations import HoldReason, SessionState, TurnState
from hongyan.domain.deliveries import PartState, Phase
from hongyan.domain.ledger import ReceivedClass

__all__ = ["CATALOGUE", "Said", "Tone", "Tongue", "choose", "clock_wait", "said", "word"]


class Tongue(StrEnum):
    """The languages of the page."""

    ENGLISH = "en"
    CHINESE = "zh"


class Tone(StrEnum):
    """How loudly a state is said."""

    QUIET = "quiet"
    RUNNING = "running"
    WAITS = "waits"
    FAILED = "failed"
    VERIFIED = "verified"


@dataclass(frozen=True, slots=True)
class Said:
    """A state in one language, with its tone."""

    words: str
    tone: Tone


_T, _P, _S, _R = TurnState, PartState, SessionState, ReceivedClass

CATALOGUE: Final[dict[str, tuple[str, str]]] = {
    "title": ("What runs here", "运行状态"),
    "skip": ("To the content", "跳到内容"),
    "soon": ("The console comes next; this page shows what is so.", "控制台随后提供；这里显示目前的情况。"),
    "language": ("中文", "English"),
    "apps": ("Apps", "应用"),
    "no_apps": ("No App is configured.", "没有配置应用。"),
    "ledger": ("Ledger", "账本"),
    "received": ("Received", "收到"),
    "writes": ("Writes", "写出"),
    "adds_up": ("adds up", "合得上"),
    "off_by": ("does not add up by {n}", "差 {n}"),
    "sessions": ("Sessions", "会话"),
    "no_sessions": ("No session yet: write to the bot.", "还没有会话，给机器人写一条消息。"),
    "needs_you": ("Needs you", "等你处理"),
    "nothing_owed": ("Nothing waits for you.", "没有等你处理的事。"),
    "deliveries": ("Last writes", "最近写出"),
    "no_deliveries": ("Nothing was written yet.", "还没有写出任何内容。"),
    "advisory": (
        "Approvals are advisory on this machine: agents run without a sandbox.",
        "本机上的审批仅供参考：Agent 没有在沙箱里运行。",
    ),
    "seen_at": ("seen {time}", "最近 {time}"),
    "here": ("this machine", "本机"),
    "queued_count": ("{n} queued", "排队 {n} 条"),
    "out_of_reach": (
        "The gateway does not answer. This is what was seen last.",
        "网关没有应答。以下是最后看到的情况。",
    ),
    "not_done": ("Not done: {reason}", "未执行：{reason}"),
    "login": ("Open the console with a link", "用链接打开控制台"),
    "login_how": (
        "A link opens this page once, within a minute. On this machine, run:",
        "链接在一分钟内有效，只能打开一次。请在本机运行：",
    ),
    "link_over": ("This link was used or is older than a minute.", "这个链接已经用过，或已超过一分钟。"),
    "listener.starting": ("starting", "正在启动"),
    "listener.listening": ("listening", "正在收信"),
    "listener.retrying": ("retrying", "正在重试"),
    "listener.stopped": ("stopped", "已停止"),
    "listener.standby": ("standby, another process listens", "待命，由另一进程收信"),
    "listener.inactive": ("inactive, no binding", "未启用，没有绑定"),
    "listener.unknown": ("not confirmed", "未确认"),
    f"session.{_S.READY}": ("ready", "空闲"),
    f"session.{_S.BUSY}": ("running", "运行中"),
    f"session.{_S.RESUMING}": ("resuming", "正在恢复"),
    f"session.{_S.RESUME_FAILED}": ("could not be resumed", "未能恢复"),
    f"session.{_S.CLOSED}": ("closed", "已关闭"),
    f"turn.{_T.QUEUED}": ("next in line", "排在下一个"),
    f"turn.{_T.CLAIMED}": ("agent starting", "Agent 启动中"),
    f"turn.{_T.STARTING}": ("agent starting", "Agent 启动中"),
    f"turn.{_T.RUNNING}": ("running", "运行中"),
    f"turn.{_T.INTERRUPTING}": ("stopping", "正在停止"),
    f"turn.{_T.COMPLETING}": ("completing", "正在收尾"),
    f"turn.{_T.HELD}": ("held: outcome unknown", "暂停：结果不明"),
    f"turn.{_T.COMPLETED}": ("completed", "已完成"),
    f"turn.{_T.FAILED}": ("failed", "失败"),
    f"turn.{_T.TIMED_OUT}": ("timed out", "超时"),
    f"turn.{_T.CANCELLED}": ("stopped before start", "开始前已停止"),
    f"turn.{_T.INTERRUPTED}": ("stopped", "已停止"),
    f"hold.{HoldReason.LOGIN}": ("held: needs a login", "暂停：需要登录"),
    f"part.{_P.PLANNED}": ("planned", "准备写出"),
    f"part.{_P.INTENDED}": ("in flight", "正在写出"),
    f"part.{_P.WRITTEN}": ("written, not read back yet", "已写出，还没有读回"),
    f"part.{_P.VERIFIED}": ("verified", "已核实"),
    f"part.{_P.MISMATCH}": ("does not match what was sent", "与发出的内容不一致"),
    f"part.{_P.REJECTED}": ("rejected by the platform", "平台拒绝"),
    f"part.{_P.UNKNOWN}": ("outcome unknown", "结果未知"),
    f"part.{_P.WITHHELD}": ("withheld: access revoked", "未发出：授权已撤销"),
    f"part.{_P.SUPERSEDED}": ("superseded", "已被取代"),
    f"class.{_R.CAPTURED}": ("received", "已收到"),
    f"class.{_R.ADMITTED}": ("admitted", "已受理"),
    f"class.{_R.ASKING}": ("needs your decision", "需要你决定"),
    f"class.{_R.QUEUED}": ("queued", "排队"),
    f"class.{_R.ACTIVE}": ("running", "运行中"),
    f"class.{_R.HELD}": ("held", "暂停"),
    f"class.{_R.DELIVERING}": ("delivering", "正在送达"),
    f"class.{_R.ANSWERED}": ("answered", "已答复"),
    f"class.{_R.TOLD}": ("told why not", "已说明原因"),
    f"class.{_R.MERGED}": ("merged into a running turn", "已并入运行中的回合"),
    f"class.{_R.SILENT}": ("silent by rule", "按规则不答复"),
    f"class.{_R.UNDELIVERED}": ("not delivered", "未送达"),
    f"phase.{Phase.RECEIVED}": ("received mark", "收到标记"),
    f"phase.{Phase.PROCESSING}": ("working mark", "处理标记"),
    f"phase.{Phase.NOTICE}": ("notice", "通知"),
    f"phase.{Phase.REPLY}": ("reply to a command", "命令回复"),
    f"phase.{Phase.ASK}": ("question", "询问"),
    f"phase.{Phase.PROGRESS}": ("progress", "进度"),
    f"phase.{Phase.FINAL}": ("answer", "答复"),
    f"phase.{Phase.RECOVERED}": ("answer after a restart", "重启后的答复"),
    f"phase.{Phase.RETURN}": ("returned result", "送回的结果"),
    f"phase.{Phase.MIRROR}": ("mirror", "镜像"),
    f"phase.{Phase.CONSENTED}": ("consented message", "经同意的消息"),
    f"phase.{Phase.OWNER}": ("note to the owner", "给所有者的说明"),
    f"act.{OwedAction.RUN_AGAIN}": ("Run again", "重跑"),
    f"act.{OwedAction.DROP}": ("Drop", "放弃"),
    f"act.{OwedAction.CLOSE}": ("Close without answer", "结案，不答复"),
    f"act.{OwedAction.RUN}": ("Run", "运行"),
    f"act.{OwedAction.IGNORE}": ("Ignore", "忽略"),
    f"act.{OwedAction.SEND_AGAIN}": ("Send again", "再次发送"),
    "why.source.twin": ("This message may be a repetition of an earlier one.", "这条消息可能与之前的一条重复。"),
    "why.source.late": ("This message arrived late and was not run.", "这条消息到得太晚，没有运行。"),
    "why.delivery.not_verified": (
        "The answer could not be verified at the platform.",
        "答复没有能在平台上核实。",
    ),
    "why.turn.upstream_unknown": (
        "Whether the agent did this is unknown; later messages wait.",
        "不清楚 Agent 是否执行过；后面的消息在等待。",
    ),
    "why.turn.interrupted_by_restart": (
        "A restart interrupted this; it was not run again.",
        "因重启中断，没有重跑。",
    ),
    "why.agent.lost": ("The agent's process ended before it answered.", "Agent 进程在回答之前结束了。"),
    "why.agent.failed": ("The agent answered with an error.", "Agent 返回了错误。"),
    "why.agent.protocol": ("The agent wrote something that is not its protocol.", "Agent 输出了不符合协议的内容。"),
    "why.agent.start_failed": ("The agent could not be started.", "Agent 未能启动。"),
    "why.agent.idle_timed_out": ("The agent gave no sign and was stopped.", "Agent 没有动静，已被停止。"),
    "why.queue.timed_out": ("It waited longer than a day and was not run.", "排队超过一天，没有运行。"),
    "why.turn.held_expired": (
        "Nobody decided for a day; the outcome is unknown.",
        "一天内没有人处理，结果不明。",
    ),
    "why.other": ("No verified answer yet ({code}).", "还没有核实的答复（{code}）。"),
}

_TONES: Final[dict[str, Tone]] = {
    "listener.retrying": Tone.WAITS,
    "listener.unknown": Tone.WAITS,
    "listener.stopped": Tone.FAILED,
    f"session.{_S.BUSY}": Tone.RUNNING,
    f"session.{_S.RESUME_FAILED}": Tone.FAILED,
    f"turn.{_T.CLAIMED}": Tone.RUNNING,
    f"turn.{_T.STARTING}": Tone.RUNNING,
    f"turn.{_T.RUNNING}": Tone.RUNNING,
    f"turn.{_T.INTERRUPTING}": Tone.RUNNING,
    f"turn.{_T.COMPLETING}": Tone.RUNNING,
    f"turn.{_T.HELD}": Tone.WAITS,
    f"hold.{HoldReason.LOGIN}": Tone.WAITS,
    f"turn.{_T.FAILED}": Tone.FAILED,
    f"turn.{_T.TIMED_OUT}": Tone.FAILED,
    f"part.{_P.INTENDED}": Tone.RUNNING,
    f"part.{_P.VERIFIED}": Tone.VERIFIED,
    f"part.{_P.MISMATCH}": Tone.FAILED,
    f"part.{_P.REJECTED}": Tone.FAILED,
    f"part.{_P.UNKNOWN}": Tone.WAITS,
    f"class.{_R.ASKING}": Tone.WAITS,
    f"class.{_R.HELD}": Tone.WAITS,
    f"class.{_R.UNDELIVERED}": Tone.FAILED,
    "adds_up": Tone.VERIFIED,
    "off_by": Tone.FAILED,
}

MINUTE: Final = 60
HOUR: Final = 3_600


def choose(asked: str | None, accept_language: str) -> Tongue:
    """Choose the language that was asked for, else the browser's first one that we speak, else English."""
    if asked in set(Tongue):
        return Tongue(asked)
    for wish in accept_language.lower().split(","):
        for tongue in Tongue:
            if wish.strip().startswith(tongue.value):
                return tongue
    return Tongue.ENGLISH


def word(key: str, tongue: Tongue, **gaps: object) -> str:
    """Give the words of a key with its gaps filled."""
    english, chinese = CATALOGUE[key]
    return (chinese if tongue is Tongue.CHINESE else english).format(**gaps)


def said(key: str, tongue: Tongue, **gaps: object) -> Said:
    """Say a state with its tone."""
    return Said(word(key, tongue, **gaps), _TONES.get(key, Tone.QUIET))


def clock_wait(seconds: int) -> str:
    """Write a wait as `0:58` or `1:02:03`."""
    hours, rest = divmod(max(seconds, 0), HOUR)
    minutes, left = divmod(rest, MINUTE)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
