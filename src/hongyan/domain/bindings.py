"""Who talks with which agent, where, and with what grant."""

from dataclasses import dataclass
from enum import StrEnum

from hongyan.domain.changes import Update, Where
from hongyan.domain.identity import AppId, BindingId, ChatId, OpenId, PlaceId, SessionId, TurnId, WorkspaceId
from hongyan.domain.workspaces import Grant

__all__ = ["Audience", "Binding", "BindingState", "Place", "Role", "Scope", "holds", "revoke"]


class Audience(StrEnum):
    """Who can hear an answer; an audience never widens."""

    LOCAL = "local"
    OWNER_PRIVATE = "owner_private"
    GROUP_TOPIC = "group_topic"


class Role(StrEnum):
    """What the conversation is for."""

    PROJECT = "project"
    MANAGER = "manager"


class Scope(StrEnum):
    """How much of the machine the agent's process may see."""

    HOST_DEFAULT = "host_default"
    WORKSPACE_ONLY = "workspace_only"


class BindingState(StrEnum):
    """Whether a binding admits and sends."""

    LIVE = "live"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Binding:
    """App, audience, role, workspace, executor and grant under one id. Every change names the revision it expects.

    `owner` is the open id of the owner under this App. `chat_id` is empty until the owner's private chat is known.
    """

    id: BindingId
    app: AppId
    audience: Audience
    chat_id: ChatId
    owner: OpenId
    role: Role
    workspace_id: WorkspaceId
    executor: str
    grant_kind: Grant
    scope: Scope
    state: BindingState
    revision: int
    created_at: int
    revoked_at: int = 0
    approve: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """One private chat or topic: which binding and Session are current there, and which Turn holds a lane there now.

    `running_turn` is what `/stop` freezes at acceptance. `generation` counts the Sessions that were opened here.
    """

    id: PlaceId
    app: AppId
    chat_id: ChatId
    thread_key: str
    binding_id: BindingId
    session_id: SessionId | None
    running_turn: TurnId | None
    generation: int


def holds(binding: Binding | None, revision: int) -> bool:
    """Tell whether what was planned under a revision of a binding may still be done."""
    return binding is not None and binding.state is BindingState.LIVE and binding.revision == revision


def revoke(binding: Binding, now: int) -> Update:
    """Plan the end of a binding: the next revision of it admits and sends nothing."""
    where: Where = {"id": binding.id, "revision": binding.revision, "state": BindingState.LIVE.value}
    return Update("bindings", where, {"state": "revoked", "revision": binding.revision + 1, "revoked_at": now})
