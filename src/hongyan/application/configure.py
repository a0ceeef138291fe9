"""Authorise workspaces and bind places; every change is one transaction, and doing the same again changes nothing."""

from dataclasses import dataclass, replace

from hongyan.application.desk import CARDS, LANES, OUTBOX, Desk, decide_again
from hongyan.application.withdraw_access import withdraw_access
from hongyan.domain.approvals import parse_policy
from hongyan.domain.bindings import Audience, Binding, BindingState, Place, Role, Scope, revoke
from hongyan.domain.changes import ONE_OR_NONE, Change, Changes, Update, Where, insert
from hongyan.domain.errors import BlockedError, NotFoundError, RefusedError
from hongyan.domain.identity import AppId, BindingId, ChatId, OpenId, WorkspaceId, derive, place_id
from hongyan.domain.labels import one_line
from hongyan.domain.workspaces import Grant, Workspace, WorkspaceState, usable
from hongyan.ports import queries

__all__ = ["BindingWish", "add_binding", "add_workspace", "revoke_binding", "revoke_workspace", "set_policy"]


@dataclass(frozen=True, slots=True)
class BindingWish:
    """What a new binding should join. `grant_kind` is the workspace's own when None."""

    app: AppId
    audience: Audience
    role: Role
    workspace: str
    executor: str
    grant_kind: Grant | None
    scope: Scope


async def add_workspace(desk: Desk, name: str, path: str, grant_kind: Grant) -> Workspace:
    """Authorise a directory under a name; the same name, path and grant again gives the one that is there.

    Raise BlockedError `workspace.unavailable` when the path is no directory, RefusedError `workspace.name_taken` or
    `workspace.name_unsafe`.
    """
    if not name or name != one_line(name):
        raise RefusedError("workspace.name_unsafe", "a workspace's name is one line of letters", hint="Choose another.")
    seen = desk.folders.look(path)
    if seen.canonical is None:
        raise BlockedError(
            "workspace.unavailable", f"{path} is not a folder that can be read", hint="Create it, or name another."
        )
    fresh = Workspace(
        id=WorkspaceId(derive("ws", desk.options.node_id, name, seen.canonical, seen.inode, grant_kind.value)),
        name=name,
        path=seen.canonical,
        device=seen.device,
        inode=seen.inode,
        grant_kind=grant_kind,
        state=WorkspaceState.LIVE,
        node_id=desk.options.node_id,
        created_at=desk.clock.now(),
    )

    async def decide() -> tuple[Changes | None, Workspace]:
        known = await desk.store.one(queries.WORKSPACE_BY_NAME, name=name)
        if known is None:
            back = Update("workspaces", {"id": fresh.id}, {"state": "live"}, ONE_OR_NONE)
            return Changes("add_workspace", (insert("workspaces", fresh, ONE_OR_NONE), back)), fresh
        if known.id != fresh.id:
            raise RefusedError(
                "workspace.name_taken",
                f"a workspace named {name} is {known.path}",
                hint="Revoke it or use another name.",
            )
        return None, known

    return await decide_again(desk, decide)


async def revoke_workspace(desk: Desk, name: str) -> None:
    """Take a workspace's authorisation back: new work is refused, history stays readable."""
    known = await desk.store.one(queries.WORKSPACE_BY_NAME, name=name)
    if known is None:
        raise NotFoundError("workspace", name, hint="`hongyan workspace list` shows them.")
    step = Update("workspaces", {"id": known.id, "state": "live"}, {"state": WorkspaceState.REVOKED.value})
    await desk.store.commit(Changes("revoke_workspace", (step,)))


async def add_binding(desk: Desk, wish: BindingWish) -> Binding:
    """Bind the owner's private chat to a workspace and an executor; the same wish again gives the one that is there.

    It becomes the chat's current binding: after a change the next message opens a Session of it. Raise
    RefusedError (`owner.not_paired`, `audience.unavailable`), NotFoundError, BlockedError `workspace.unavailable`.
    """
    if wish.executor not in desk.options.executors:
        known = ", ".join(sorted(desk.options.executors)) or "none"
        raise NotFoundError("executor", wish.executor, hint=f"Configured executors: {known}.")
    if wish.audience is not Audience.OWNER_PRIVATE:
        raise RefusedError("audience.unavailable", f"{wish.audience} cannot be bound yet", hint="Use owner_private.")
    if wish.scope is Scope.WORKSPACE_ONLY:
        raise RefusedError("scope.unavailable", "workspace_only needs the sandbox, which is not available yet")
    return await decide_again(desk, lambda: _decide(desk, wish))


async def _decide(desk: Desk, wish: BindingWish) -> tuple[Changes | None, Binding]:
    owner = await desk.store.one(queries.OWNER, app=wish.app)
    if owner is None:
        raise RefusedError("owner.not_paired", "nobody is paired as this App's owner", hint="`hongyan owner pair`.")
    workspace = await desk.store.one(queries.WORKSPACE_BY_NAME, name=wish.workspace)
    if workspace is None:
        raise NotFoundError("workspace", wish.workspace, hint="Add it with `hongyan workspace add`.")
    if not usable(workspace, desk.folders.look(workspace.path)):
        raise BlockedError("workspace.unavailable", f"{workspace.path} is no longer the folder that was authorised")
    grant_kind = wish.grant_kind or workspace.grant_kind
    for known in await desk.store.all(queries.BINDINGS_OF_OWNER, app=wish.app, owner=owner.open_id):
        same = (known.workspace_id, known.executor, known.grant_kind) == (workspace.id, wish.executor, grant_kind)
        if same and known.role is wish.role:
            return await _point_back(desk, known), known
    binding = _binding(desk, wish, workspace, (owner.chat_id, owner.open_id))
    return Changes("add_binding", (insert("bindings", binding), *await _point(desk, binding))), binding


def _binding(desk: Desk, wish: BindingWish, workspace: Workspace, owner: tuple[ChatId, OpenId]) -> Binding:
    return Binding(
        id=BindingId(derive("bind", wish.app, wish.workspace, desk.entropy.token())),
        app=wish.app,
        audience=wish.audience,
        chat_id=owner[0],
        owner=owner[1],
        role=wish.role,
        workspace_id=workspace.id,
        executor=wish.executor,
        grant_kind=wish.grant_kind or workspace.grant_kind,
        scope=wish.scope,
        state=BindingState.LIVE,
        revision=1,
        created_at=desk.clock.now(),
    )


async def _point_back(desk: Desk, binding: Binding) -> Changes | None:
    """Make an earlier binding the current one again; nothing when it is."""
    place = await desk.store.one(queries.PLACE, id=place_id(binding.app, binding.chat_id))
    if place is not None and place.binding_id == binding.id:
        return None
    return Changes("use_binding", await _point(desk, binding))


async def _point(desk: Desk, binding: Binding) -> tuple[Change, ...]:
    """Make the binding the chat's current one; the Session that was open stays with its own binding."""
    identity = place_id(binding.app, binding.chat_id)
    known = await desk.store.one(queries.PLACE, id=identity)
    if known is not None:
        return (Update("places", {"id": identity}, {"binding_id": binding.id, "session_id": None}),)
    place = Place(identity, binding.app, binding.chat_id, "", binding.id, None, None, 0)
    return (insert("places", place),)


async def revoke_binding(desk: Desk, binding_id: str, expected_revision: int | None = None) -> Binding:
    """Revoke a binding: nothing more is admitted or sent under it, its queue is cancelled, what runs is stopped.

    The revocation is published first and stays, whatever becomes of the rest; the same call again goes on with it.
    Raise NotFoundError, or RefusedError `binding.changed` when its revision is another than expected.
    """
    known = await _expected(desk, binding_id, expected_revision)
    if known.state is BindingState.LIVE:
        await desk.store.commit(Changes("revoke_binding", (revoke(known, desk.clock.now()),)))
    await withdraw_access(desk)
    for topic in (LANES, CARDS, OUTBOX):
        desk.wakeup.wake(topic)
    return known


async def set_policy(desk: Desk, binding_id: str, rules: str, expected_revision: int | None = None) -> Binding:
    """Change the approval rules that are named, and give the binding with all of them; what is asked already stays.

    The id and the revision stay too: whoever waits in a queue waits on. Raise NotFoundError, ConfigurationError
    `approvals.policy`, or RefusedError (`binding.changed`, `binding.revoked`).
    """

    async def decide() -> tuple[Changes, Binding]:
        known = await _expected(desk, binding_id, expected_revision)
        if known.state is not BindingState.LIVE:
            raise RefusedError("binding.revoked", "this binding is revoked", hint="Add another one.")
        approve = parse_policy(rules, parse_policy(known.approve)).text()
        seen: Where = {"id": known.id, "revision": known.revision, "state": "live", "approve": known.approve}
        return Changes("set_policy", (Update("bindings", seen, {"approve": approve}),)), replace(known, approve=approve)

    return await decide_again(desk, decide)


async def _expected(desk: Desk, binding_id: str, revision: int | None) -> Binding:
    known = await desk.store.one(queries.BINDING, id=binding_id)
    if known is None:
        raise NotFoundError("binding", binding_id, hint="`hongyan binding list` shows them.")
    if revision is not None and known.revision != revision:
        raise RefusedError(
            "binding.changed", f"the binding is at revision {known.revision}", hint="Look at it again and repeat."
        )
    return known
