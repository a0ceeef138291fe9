"""Every sentence that the gateway itself says in a chat, in English and Chinese, from one catalogue.

A sentence says what was observed and what the reader can do next. The language follows the message that it answers.
"""

from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Final

__all__ = [
    "CATALOGUE",
    "Language",
    "Notice",
    "age_in_words",
    "language_of",
    "moment_in_words",
    "says_why_not",
    "sentence",
]


class Language(StrEnum):
    """The languages of the catalogue."""

    ENGLISH = "en"
    CHINESE = "zh"


class Notice(StrEnum):
    """The sentences, by what happened."""

    NOT_BOUND = "access.not_bound"
    UNREADABLE_PART = "source.unreadable_part"
    WORKSPACE_UNAVAILABLE = "workspace.unavailable"
    EXECUTOR_UNAVAILABLE = "executor.unavailable"
    QUEUE_FULL = "queue.full"
    QUEUE_TIMED_OUT = "queue.timed_out"
    SESSION_LOST = "agent.session_lost"
    COMMAND_MALFORMED = "command.malformed"
    COMMAND_UNAVAILABLE = "command.unavailable"
    SOURCE_CHANGED = "source.conflict"
    AGENT_FAILED = "agent.failed"
    AGENT_LOST = "agent.lost"
    AGENT_PROTOCOL = "agent.protocol"
    AGENT_START_FAILED = "agent.start_failed"
    AGENT_SILENT = "agent.idle_timed_out"
    EMPTY_ANSWER = "agent.empty_answer"
    INTERRUPTED_BY_RESTART = "turn.interrupted_by_restart"
    NOT_RUN_AFTER_RESTORE = "restore.not_run"
    HELD_UNKNOWN = "turn.upstream_unknown"
    HELD_EXPIRED = "turn.held_expired"
    DROPPED = "turn.dropped"
    WAITS_BEHIND_HELD = "turn.waits_behind_held"
    ARRIVED_LATE = "source.arrived_late"
    RAN_BEFORE_EDIT = "source.ran_before_edit"
    KEPT_BACK = "source.kept_back"
    STOPPED = "turn.stopped"
    STOPPED_BEFORE_START = "turn.stopped_before_start"
    STOPPED_REVOKED = "access.revoked"
    STOP_DONE = "stop.done"
    STOP_FINISHED_FIRST = "stop.finished_first"
    STOP_NOTHING = "stop.nothing"
    STOP_STOPPING = "stop.stopping"
    STOP_UNCONFIRMED = "stop.unconfirmed"
    NEW_DONE = "new.done"
    NEW_STILL_RUNNING = "new.still_running"
    HELP = "help"
    STATUS = "status"
    OWED_NOTHING = "owed.nothing"
    APPROVAL_ASKED = "approval.asked"
    APPROVAL_ALLOWED_ONCE = "approval.allowed_once"
    APPROVAL_ALLOWED_SESSION = "approval.allowed_session"
    APPROVAL_REJECTED = "approval.rejected"
    APPROVAL_SETTLED = "approval.settled"
    APPROVAL_REVOKED = "approval.revoked"
    SOURCE_EDITED = "source.edited"
    TRIED_AGAIN = "continuation.waits"
    TRIED_AGAIN_WITH_PROOF = "continuation.waits_for_proof"


_E, _C = Language.ENGLISH, Language.CHINESE

_RUN_AGAIN_EN: Final = "Nothing was repeated. Send it again, or see /owed."
_RUN_AGAIN_ZH: Final = "没有自动重跑。可以重新发送，或用 /owed 处理。"

CATALOGUE: Final = {
    Notice.NOT_BOUND: (
        "Not run: no workspace is bound to this chat yet. On the machine: `hongyan binding add`.",
        "未运行：这个会话还没有绑定工作区。请在本机执行 `hongyan binding add`。",
    ),
    Notice.UNREADABLE_PART: (
        "Not run: this message holds a part that cannot be read yet ({detail}). Send the text alone to go on.",
        "未运行：这条消息含有暂不能读取的内容（{detail}）。请只发送文字继续。",
    ),
    Notice.WORKSPACE_UNAVAILABLE: (
        "Not run: the workspace folder is not available. History stays readable; put the folder back and send again.",
        "未运行：工作区文件夹不可用。历史仍可查看；恢复文件夹后请重新发送。",
    ),
    Notice.EXECUTOR_UNAVAILABLE: (
        "Not run: the agent “{detail}” is not configured on this machine. `hongyan doctor` says more.",
        "未运行：本机没有配置 Agent「{detail}」。`hongyan doctor` 会说明原因。",
    ),
    Notice.QUEUE_FULL: (
        "Not accepted: {detail} messages already wait here. Nothing of this one was kept; send it again later.",
        "未接收：这里已有 {detail} 条消息在排队。这一条没有保留，请稍后重新发送。",
    ),
    Notice.QUEUE_TIMED_OUT: (
        "Timed out: this message waited longer than 24 hours and was not run. Send it again if you still want it.",
        "已超时：这条消息排队超过 24 小时，没有运行。如仍需要，请重新发送。",
    ),
    Notice.SESSION_LOST: (
        "Not run: the agent no longer knows this conversation, so it could not be resumed. /new opens a new one.",
        "未运行：Agent 已找不到这个会话，未能恢复。发送 /new 可以开始新会话。",
    ),
    Notice.COMMAND_MALFORMED: (
        "Not carried out: {detail} does not work like that here. /help lists what does.",
        "未执行：{detail} 在这里不能这样用。/help 列出可用的命令。",
    ),
    Notice.COMMAND_UNAVAILABLE: (
        "Not carried out: {detail} is not available in this version. /help lists what is.",
        "未执行：这个版本还不支持 {detail}。/help 列出可用的命令。",
    ),
    Notice.SOURCE_CHANGED: (
        "Not run: the message changed in a way that the platform does not explain.",
        "未运行：消息内容发生了平台没有说明的变化。",
    ),
    Notice.AGENT_FAILED: (
        "Failed: the agent said: {detail}",
        "失败：Agent 返回：{detail}",
    ),
    Notice.AGENT_LOST: (
        f"Failed: the agent's process ended before it answered. {_RUN_AGAIN_EN}",
        f"失败：Agent 进程在回答之前结束了。{_RUN_AGAIN_ZH}",
    ),
    Notice.AGENT_PROTOCOL: (
        "Failed: the agent wrote something that is not its protocol (agent.protocol). `hongyan doctor` names its log.",
        "失败：Agent 输出了不符合协议的内容（agent.protocol）。`hongyan doctor` 会指出它的日志。",
    ),
    Notice.AGENT_START_FAILED: (
        "Failed: the agent could not be started. Nothing ran; `hongyan doctor` says why.",
        "失败：Agent 未能启动，没有运行任何内容。`hongyan doctor` 会说明原因。",
    ),
    Notice.AGENT_SILENT: (
        "Timed out: {detail} s without a sign from the agent; it was stopped.",
        "已超时：Agent {detail} 秒没有动静，已被停止。",
    ),
    Notice.EMPTY_ANSWER: ("The agent ended without a word.", "Agent 结束了，没有给出文字。"),
    Notice.INTERRUPTED_BY_RESTART: (
        f"Interrupted by a restart: the agent had begun and did not finish. {_RUN_AGAIN_EN}",
        f"因重启中断：Agent 已经开始但没有完成。{_RUN_AGAIN_ZH}",
    ),
    Notice.NOT_RUN_AFTER_RESTORE: (
        "Not run: a backup was put back while this waited, and no answer to it was found. /owed lets you run it.",
        "未运行：它等待期间恢复了备份，也没有找到它的回答。可以用 /owed 让它运行。",
    ),
    Notice.HELD_UNKNOWN: (
        "Held: a restart hit while this was with the agent, and its outcome is unknown. /owed lets you run it again "
        "or drop it. Later messages wait.",
        "已暂停：重启时这条消息正在 Agent 手里，结果不明。用 /owed 决定重跑或放弃，后面的消息会等待。",
    ),
    Notice.HELD_EXPIRED: (
        "Failed: nobody decided for 24 hours; whether the agent did this stays unknown.",
        "失败：24 小时内没有人处理；Agent 是否执行过仍不清楚。",
    ),
    Notice.DROPPED: ("Dropped by you; it was not run again.", "已由你放弃，没有重跑。"),
    Notice.WAITS_BEHIND_HELD: (
        "Queued. An earlier message is held because its outcome is unknown; this one waits until you decide about it.",
        "已排队。前面有一条结果不明的消息被暂停，处理之后才会轮到这一条。",
    ),
    Notice.ARRIVED_LATE: (
        "This message arrived {detail} after it was written. It runs now, once.",
        "这条消息在发出 {detail} 后才收到，现在开始运行，只运行一次。",
    ),
    Notice.RAN_BEFORE_EDIT: (
        "You edited this message after the agent had it. The text from before ran, once: “{detail}”",
        "你编辑这条消息时，Agent 已经收到它。运行的是编辑前的文字，只运行了一次：“{detail}”",
    ),
    Notice.KEPT_BACK: (
        "You recalled a message while it ran. Its answer is kept back for 24 hours: /owed sends it or drops it.",
        "你在一条消息运行时撤回了它。它的回答保留 24 小时：用 /owed 送出或放弃。",
    ),
    Notice.STOPPED: ("Stopped by you after {detail} s.", "你在 {detail} 秒后停止了它。"),
    Notice.STOPPED_BEFORE_START: ("Stopped by you before it started.", "在开始之前已由你停止。"),
    Notice.STOPPED_REVOKED: ("Stopped: access here was revoked.", "已停止：此处的授权已撤销。"),
    Notice.STOP_DONE: ("Stopped.", "已停止。"),
    Notice.STOP_FINISHED_FIRST: ("Finished before the stop.", "停止之前已经完成。"),
    Notice.STOP_NOTHING: ("Nothing was running here when you asked.", "你发出时这里没有正在运行的内容。"),
    Notice.STOP_STOPPING: (
        "Stopping: the agent has not confirmed yet.",
        "正在停止：Agent 还没有确认。",
    ),
    Notice.STOP_UNCONFIRMED: (
        "Stop not confirmed: the agent did not answer, so its process was ended.",
        "停止未获确认：Agent 没有回应，已结束它的进程。",
    ),
    Notice.NEW_DONE: ("New conversation: your next message opens it.", "新会话：你的下一条消息会开始它。"),
    Notice.NEW_STILL_RUNNING: (
        "New conversation: your next message opens it. {detail} accepted earlier still finish.",
        "新会话：你的下一条消息会开始它。之前接收的 {detail} 条仍会完成。",
    ),
    Notice.HELP: (
        "Write to me and the agent answers here.\n"
        "/status what runs and what waits\n"
        "/stop stop what runs now\n"
        "/new start a new conversation\n"
        "/owed what waits for you, with buttons\n"
        "/help this list",
        "直接写给我，Agent 会在这里回答。\n"
        "/status（/状态）正在运行和等待的\n"
        "/stop（/停止）停止正在运行的\n"
        "/new（/新会话）开始新会话\n"
        "/owed（/待处理）等你处理的事，带按钮\n"
        "/help（/帮助）显示这份说明",
    ),
    Notice.STATUS: ("{detail}", "{detail}"),
    Notice.OWED_NOTHING: ("Nothing waits for you.", "没有等你处理的事。"),
    Notice.APPROVAL_ASKED: ("The agent asks for your decision: {detail}", "Agent 请你决定：{detail}"),
    Notice.APPROVAL_ALLOWED_ONCE: ("Allowed once.", "已允许一次。"),
    Notice.APPROVAL_ALLOWED_SESSION: ("Allowed for this session.", "已允许，限本次会话。"),
    Notice.APPROVAL_REJECTED: ("Rejected.", "已拒绝。"),
    Notice.SOURCE_EDITED: (
        "Not tried again: the message was edited meanwhile. Send it again, or see /owed.",
        "没有再试：消息已被编辑。可以重新发送，或用 /owed 处理。",
    ),
    Notice.TRIED_AGAIN: (
        "It is tried again at {detail}, unless you write something else first.",
        "将在 {detail} 自动再试；若你先发了别的消息则不再试。",
    ),
    Notice.TRIED_AGAIN_WITH_PROOF: (
        "At {detail} the agent's history is read; it is tried again only if nothing ran and you wrote nothing else.",
        "{detail} 会查看 Agent 的历史；只有确认什么都没有运行、且你没有发别的消息，才会再试。",
    ),
    Notice.APPROVAL_SETTLED: (
        "Already decided elsewhere, or expired; your answer changed nothing.",
        "已在别处决定或已过期，你的回答没有改变结果。",
    ),
    Notice.APPROVAL_REVOKED: (
        "Access here was revoked; nothing was decided.",
        "此处的授权已撤销，没有作出决定。",
    ),
}


def language_of(text: str) -> Language:
    """Choose Chinese for a text with any Han letter, English otherwise."""
    return _C if any("\u4e00" <= letter <= "\u9fff" for letter in text) else _E


def sentence(notice: Notice, language: Language, detail: str = "") -> str:
    """Give the sentence; `detail` fills its one gap."""
    english, chinese = CATALOGUE[notice]
    return (chinese if language is _C else english).format(detail=detail)


def says_why_not(text: str) -> bool:
    """Tell whether a text is one of the sentences that say why a message has no answer, or not yet."""
    return text.startswith(_WHY_NOT)


def moment_in_words(at: int, zone: tzinfo) -> str:
    """Say a moment (UTC milliseconds) as a person's clock shows it."""
    return datetime.fromtimestamp(at / 1_000, UTC).astimezone(zone).strftime("%m-%d %H:%M")


def age_in_words(milliseconds: int, language: Language) -> str:
    """Say a span as people do: minutes up to two hours, then hours, from two days on days."""
    minutes = milliseconds // 60_000
    column = 0 if language is Language.ENGLISH else 1
    if minutes < 120:
        return f"{minutes} {('minutes', '分钟')[column]}"
    if minutes < 48 * 60:
        return f"{minutes // 60} {('hours', '小时')[column]}"
    return f"{minutes // (24 * 60)} {('days', '天')[column]}"


_NO_ANSWERS: Final = frozenset({"access", "source", "workspace", "executor", "queue", "agent", "turn", "restore"})
_WHY_NOT: Final = tuple(
    words.partition("{")[0]
    for notice, pair in CATALOGUE.items()
    if notice.value.partition(".")[0] in _NO_ANSWERS and notice is not Notice.EMPTY_ANSWER
    for words in pair
)
