"""The answer to `/status`: what was observed of one place, and nothing by inference."""

from collections.abc import Mapping
from typing import Final

from hongyan.application.desk import Desk
from hongyan.domain.bindings import Binding, Place
from hongyan.domain.conversations import Session, SessionState, Turn, TurnState
from hongyan.domain.notices import Language
from hongyan.ports import queries

__all__ = ["describe_place", "running_word"]

_LABELS: Final[Mapping[str, tuple[str, str]]] = {
    "workspace": ("Workspace", "工作区"),
    "agent": ("Agent", "Agent"),
    "session": ("Session", "会话"),
    "lane": ("Running", "运行"),
    "queued": ("Queued", "排队"),
    "owed": ("Owed", "待处理"),
    "not_bound": ("no workspace is bound to this chat", "这个会话还没有绑定工作区"),
    "none_open": ("none open; the next message opens one", "没有打开的会话，下一条消息会开始一个"),
    "nothing": ("nothing", "没有"),
    "undeterminable": ("undeterminable: no agent process was seen", "无法确定：没有看到 Agent 进程"),
    SessionState.READY: ("ready", "空闲"),
    SessionState.BUSY: ("busy", "忙"),
    SessionState.RESUMING: ("resuming", "正在恢复"),
    SessionState.RESUME_FAILED: ("could not be resumed; /new opens another", "未能恢复，/new 可以开始新会话"),
    SessionState.CLOSED: ("closed", "已关闭"),
    TurnState.CLAIMED: ("agent starting", "Agent 启动中"),
    TurnState.STARTING: ("agent starting", "Agent 启动中"),
    TurnState.RUNNING: ("running", "运行中"),
    TurnState.INTERRUPTING: ("stopping", "正在停止"),
    TurnState.COMPLETING: ("completing", "正在收尾"),
    TurnState.HELD: ("held: outcome of the last run unknown", "暂停：上次运行结果不明"),
}


async def describe_place(desk: Desk, place: Place | None, binding: Binding | None, language: Language) -> str:
    """Say what is known of a place now: its workspace, agent, newest session, running Turn and queue."""
    chosen = 1 if language is Language.CHINESE else 0
    if place is None or binding is None:
        return _LABELS["not_bound"][chosen]
    workspace = await desk.store.one(queries.WORKSPACE, id=binding.workspace_id)
    session = await desk.store.one(queries.NEWEST_SESSION, place_id=place.id)
    owed = await desk.store.one(queries.OWED_COUNT, app=place.app, chat_id=place.chat_id)
    lines = [
        _line("workspace", workspace.name if workspace else "?", chosen),
        _line("agent", f"{binding.executor} · {binding.grant_kind.value} · {binding.scope.value}", chosen),
        *await _session_lines(desk, session, chosen),
        _line("owed", str(owed or 0), chosen),
    ]
    return "\n".join(lines)


async def _session_lines(desk: Desk, session: Session | None, chosen: int) -> list[str]:
    if session is None:
        return [_line("session", _LABELS["none_open"][chosen], chosen)]
    holder = await desk.store.one(queries.TURN, id=session.lane) if session.lane else None
    return [
        _line("session", _LABELS[session.state][chosen], chosen),
        _line("lane", _LABELS[running_word(desk, session, holder)][chosen], chosen),
        _line("queued", str(session.queued), chosen),
    ]


def running_word(desk: Desk, session: Session, holder: Turn | None) -> str:
    """Name the state of what holds the lane; a running Turn without a live agent is undeterminable."""
    if holder is None:
        return "nothing"
    seen = session.id in desk.agents.alive()
    if holder.state in {TurnState.RUNNING, TurnState.INTERRUPTING} and not seen:
        return "undeterminable"
    return holder.state


def _line(label: str, value: str, chosen: int) -> str:
    return f"{_LABELS[label][chosen]}: {value}" if chosen == 0 else f"{_LABELS[label][chosen]}：{value}"
