"""Directories that the owner authorised, and what an agent may do there."""

from dataclasses import dataclass
from enum import StrEnum

from hongyan.domain.identity import WorkspaceId

__all__ = ["DirectoryState", "Grant", "Workspace", "WorkspaceState", "usable"]


class Grant(StrEnum):
    """What an agent may do with the files of a workspace."""

    READ = "workspace_read"
    WRITE = "workspace_write"


class WorkspaceState(StrEnum):
    """Whether the owner still allows a workspace."""

    LIVE = "live"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Workspace:
    """An authorised directory. `path` is canonical; `device` and `inode` say which directory it was when authorised."""

    id: WorkspaceId
    name: str
    path: str
    device: str
    inode: str
    grant_kind: Grant
    state: WorkspaceState
    node_id: str
    created_at: int


@dataclass(frozen=True, slots=True)
class DirectoryState:
    """What the file system says of a path now: its canonical form, or None when it is no directory."""

    canonical: str | None
    device: str = ""
    inode: str = ""


def usable(workspace: Workspace, seen: DirectoryState) -> bool:
    """Tell whether the path still is the directory that was authorised: not removed, not retargeted, not replaced."""
    return (
        workspace.state is WorkspaceState.LIVE
        and seen.canonical == workspace.path
        and (seen.device, seen.inode) == (workspace.device, workspace.inode)
    )
