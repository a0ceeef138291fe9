"""Every word of the console in English and Chinese; a state has the same words wherever it is shown."""

from enum import StrEnum
from typing import Final

from hongyan.application.owed import OwedAction
from hongyan.domain.conversations import HoldReason, SessionState, TurnState
from hongyan.domain.deliveries import PartState, Phase
from hongyan.domain.ledger import ReceivedClass
from hongyan.entrypoints.web.phrases import PHRASES

__all__ = ["CATALOGUE", "Tongue", "choose", "word"]


class Tongue(StrEnum):
    """The languages of the page."""

    ENGLISH = "en"
    CHINESE = "zh"


_T, _P, _S, _R = TurnState, PartState, SessionState, ReceivedClass

CATALOGUE: Final[dict[str, tuple[str, str]]] = {
    **PHRASES,
    "listener.starting": ("starting", "正在启动"),
    "listener.listening": ("listening", "正在收信"),
    "listener.retrying": ("retrying", "正在重试"),
    "listener.stopped": ("stopped", "已停止"),
    "listener.standby": ("standby, another listens", "待命，由另一进程收信"),
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
    f"hold.{HoldReason.UPSTREAM_UNKNOWN}": ("held: outcome unknown", "暂停：结果不明"),
    f"hold.{HoldReason.MODEL_UNCONFIRMED}": ("held: model unclear", "暂停：模型未确认"),
    f"hold.{HoldReason.QUOTA}": ("held: quota used up", "暂停：额度用完"),
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
    "why.source.missed": (
        "This message never reached the gateway; it was found in the chat's history.",
        "这条消息没有送达网关，是在会话历史中找到的。",
    ),
    "why.ledger.unbalanced": (
        "The books do not add up: a sum is not its total, or a tally not its count. "
        "Keep the home as it is and report this.",
        "账目不符：各类之和与总数不等，或累计与清点不等。请保留主目录原状并报告。",
    ),
    "why.source.recalled": (
        "Recalled while it ran; its answer is kept back for 24 hours.",
        "运行时被撤回；回答保留 24 小时。",
    ),
    "why.restore.not_run": (
        "A backup was put back while this waited; no answer to it was found.",
        "它等待期间恢复了备份，也没有找到它的回答。",
    ),
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
    "why.agent.refused": ("The agent refused the request.", "Agent 拒绝了请求。"),
    "why.agent.unavailable": (
        "The agent's model could not be reached or had no capacity.",
        "Agent 的模型不可用或没有余量。",
    ),
    "why.agent.quota": ("The agent's quota is spent.", "Agent 的额度用完了。"),
    "why.source.edited": ("The message was edited meanwhile; it was not tried again.", "消息已被编辑，没有再试。"),
    "next.waiting": (
        "Looked at again by itself at {at}; only what provably did not run is tried again.",
        "{at} 会自动再看一次；只有确认没有运行过才会再试。",
    ),
    "next.reserved": ("It is tried again by itself now.", "正在自动再试。"),
    "next.blocked": ("Not tried again by itself ({why}).", "没有自动再试（{why}）。"),
    "why.agent.login_required": ("The agent needs a login.", "Agent 需要登录。"),
    "why.access.pairing_code": ("A pairing code, taken in.", "配对码，已收下。"),
    "why.access.stranger": ("Not from the owner.", "不是所有者发来的。"),
    "why.turn.stopped": ("It was stopped.", "已被停止。"),
    "why.other": ("No verified answer yet ({code}).", "还没有核实的答复（{code}）。"),
}


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
