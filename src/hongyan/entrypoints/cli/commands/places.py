"""`workspace` and `binding`: where agents may work, and who talks with which of them."""

import os
from typing import Annotated

import typer

from hongyan.domain.bindings import Audience, Role, Scope
from hongyan.domain.workspaces import Grant
from hongyan.entrypoints.cli.call import Call, command, group
from hongyan.entrypoints.cli.gateway import at
from hongyan.entrypoints.cli.records import record, records
from hongyan.entrypoints.cli.screen import facts, line, table
from hongyan.entrypoints.cli.words import say

__all__ = ["register"]

BINDING_FACTS = (
    "binding_id",
    "revision",
    "state",
    "app",
    "audience",
    "role",
    "workspace",
    "executor",
    "grant",
    "scope",
    "approve",
)


def register(root: typer.Typer) -> None:
    """Add the commands."""
    workspace = group("workspace", root)
    command(workspace, "add", "help.workspace.add")(add_workspace)
    command(workspace, "list", "help.workspace.list")(list_workspaces)
    command(workspace, "revoke", "help.workspace.revoke")(revoke_workspace)
    binding = group("binding", root)
    command(binding, "add", "help.binding.add")(add_binding)
    command(binding, "list", "help.binding.list")(list_bindings)
    command(binding, "show", "help.binding.show")(show_binding)
    command(binding, "revoke", "help.binding.revoke")(revoke_binding)


def add_workspace(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME")],
    path: Annotated[str, typer.Argument(metavar="DIR")],
    grant: Annotated[Grant, typer.Option("--grant", help=say("option.grant"))] = Grant.WRITE,
) -> None:
    """Authorise a directory; a relative path counts from here, not from where the gateway was started."""
    whole = os.path.abspath(os.path.expanduser(path))
    with call.gateway() as gateway:
        added = gateway.post("/workspaces", {"name": name, "path": whole, "grant": grant.value})
    if not call.answered(added):
        line(say("workspace.added", name=record(added).text("name"), path=record(added).text("path")))


def list_workspaces(call: Call) -> None:
    """List the authorised directories."""
    with call.gateway() as gateway:
        found = records(gateway.get("/workspaces"), "workspaces")
    if not call.answered([one.fields for one in found]):
        table(
            [say("name"), say("path"), say("grant"), say("state")],
            [[one.text(key) for key in ("name", "path", "grant", "state")] for one in found],
        )


def revoke_workspace(call: Call, name: Annotated[str, typer.Argument(metavar="NAME")]) -> None:
    """Take an authorisation back."""
    with call.gateway() as gateway:
        revoked = gateway.delete(at("workspaces", name))
    if not call.answered(revoked):
        line(say("workspace.revoked", name=name))


def add_binding(
    call: Call,
    app: Annotated[str, typer.Option("--app", metavar="APP", help=say("option.app"))],
    workspace: Annotated[str, typer.Option("--workspace", metavar="NAME", help=say("option.workspace"))],
    executor: Annotated[str, typer.Option("--executor", metavar="NAME", help=say("option.executor"))],
    audience: Annotated[Audience, typer.Option("--audience", help=say("option.audience"))] = Audience.OWNER_PRIVATE,
    role: Annotated[Role, typer.Option("--role", help=say("option.role"))] = Role.PROJECT,
    grant: Annotated[Grant | None, typer.Option("--grant", help=say("option.grant_of_binding"))] = None,
    scope: Annotated[Scope, typer.Option("--scope", help=say("option.scope"))] = Scope.HOST_DEFAULT,
    approve: Annotated[str | None, typer.Option("--approve", metavar="CLASS=RULE,…", help=say("option.rules"))] = None,
) -> None:
    """Bind a place to a workspace and an executor."""
    wish: dict[str, object] = {
        "app": app,
        "audience": audience.value,
        "role": role.value,
        "workspace": workspace,
        "executor": executor,
        "scope": scope.value,
    }
    wish |= {key: value for key, value in (("grant", grant), ("approve", approve)) if value is not None}
    with call.gateway() as gateway:
        added = gateway.post("/bindings", wish)
    if not call.answered(added):
        line(say("binding.added", binding=record(added).text("binding_id"), revision=record(added).text("revision")))


def list_bindings(call: Call) -> None:
    """List the bindings."""
    with call.gateway() as gateway:
        found = records(gateway.get("/bindings"), "bindings")
    if not call.answered([one.fields for one in found]):
        table([say(key) for key in BINDING_FACTS], [[one.text(key) for key in BINDING_FACTS] for one in found])


def show_binding(call: Call, binding_id: Annotated[str, typer.Argument(metavar="BINDING_ID")]) -> None:
    """Show one binding."""
    with call.gateway() as gateway:
        binding = record(gateway.get(at("bindings", binding_id)))
    if not call.answered(binding.fields):
        made = (say("created_at"), binding.moment("created_at"))
        facts([*((say(key), binding.text(key)) for key in BINDING_FACTS), made])


def revoke_binding(
    call: Call,
    binding_id: Annotated[str, typer.Argument(metavar="BINDING_ID")],
    revision: Annotated[
        int | None, typer.Option("--expect-revision", metavar="N", help=say("option.expect_revision"))
    ] = None,
) -> None:
    """Revoke a binding; without an expected revision the one that is there now is meant."""
    with call.gateway() as gateway:
        path = at("bindings", binding_id)
        expected = record(gateway.get(path)).number("revision") if revision is None else revision
        revoked = gateway.delete(path, {"revision": expected})
    if not call.answered(revoked):
        line(say("binding.revoked", binding=binding_id))
