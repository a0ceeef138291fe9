"""What the interface answers about Apps, owners, workspaces, bindings and this process.

Times are UTC milliseconds, null for "not yet". A name in the configuration and the platform's id stand side by side.
"""

from typing import Self

from pydantic import BaseModel, ConfigDict

from hongyan.application.observe_app import AppReport, Check
from hongyan.application.pair_owner import NewPairing
from hongyan.domain.approvals import parse_policy
from hongyan.domain.bindings import Binding
from hongyan.domain.identity import ChatApp
from hongyan.domain.pairing import Owner, Pairing
from hongyan.domain.workspaces import Workspace
from hongyan.entrypoints.web.gateway import Executor, Listener

__all__ = [
    "AppList",
    "AppReportView",
    "AppView",
    "BackupView",
    "BindingList",
    "BindingView",
    "CheckView",
    "DoctorView",
    "ExecutorList",
    "ExecutorView",
    "HealthView",
    "LinksView",
    "NewPairingView",
    "OwnerList",
    "OwnerView",
    "PairingView",
    "ProblemView",
    "StoppingView",
    "View",
    "WorkspaceList",
    "WorkspaceView",
    "moment",
]


def moment(at: int) -> int | None:
    """Give a time, or None for the 0 that means "not yet"."""
    return at or None


class View(BaseModel):
    """The base: frozen."""

    model_config = ConfigDict(frozen=True)


class FieldView(View):
    """A field of a call that is not as it should be."""

    field: str
    message: str


class ProblemView(View):
    """Why a call was not carried out: a problem document (RFC 9457) with our stable `code`."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    hint: str
    retryable: bool
    fields: list[FieldView] = []


class HealthView(View):
    """The process serves."""

    status: str = "ok"
    version: str


class StoppingView(View):
    """A stop was asked for."""

    stopping: bool = True


class LinksView(View):
    """Fresh links. The console's opens once, within `expires_in_seconds`; the simulator's is null without one."""

    console_url: str
    expires_in_seconds: int
    simulator_url: str | None


class AppView(View):
    """An App: its listener as last observed, and who its bot and its owner are."""

    app: str
    app_id: str
    state: str
    observed_at: int | None
    error_code: str
    bot_open_id: str | None
    bot_name: str
    owner: str | None

    @classmethod
    def of(cls, listener: Listener, observed: ChatApp | None, owner: Owner | None) -> Self:
        """Render an App."""
        return cls(
            app=listener.app,
            app_id=listener.app_id,
            state=listener.state,
            observed_at=moment(listener.observed_at),
            error_code=listener.error_code,
            bot_open_id=observed.bot_open_id if observed else None,
            bot_name=observed.bot_name if observed else "",
            owner=owner.open_id if owner else None,
        )


class AppList(View):
    """The configured Apps."""

    apps: list[AppView]


class CheckView(View):
    """One thing that was looked at, what was found, and how to mend it."""

    name: str
    ok: bool
    found: str
    mend: str

    @classmethod
    def of(cls, check: Check) -> Self:
        """Render a check."""
        return cls(name=check.name, ok=check.ok, found=check.found, mend=check.mend)


class AppReportView(View):
    """What was read back of an App."""

    app: str
    bot_open_id: str
    checks: list[CheckView]

    @classmethod
    def of(cls, report: AppReport) -> Self:
        """Render a report."""
        checks = [CheckView.of(check) for check in report.checks]
        return cls(app=report.app, bot_open_id=report.bot_open_id, checks=checks)


class DoctorView(View):
    """Everything that was looked at; `ok` when nothing needs mending."""

    ok: bool
    checks: list[CheckView]


class NewPairingView(View):
    """A pairing that just began. The code is shown here once and never again."""

    code: str
    expires_at: int
    pairing_id: str

    @classmethod
    def of(cls, pairing: NewPairing) -> Self:
        """Render a new pairing."""
        return cls(code=pairing.code, expires_at=pairing.expires_at, pairing_id=pairing.pairing_id)


class PairingView(View):
    """Where a pairing stands; `open_id` and `name` say who sent the code."""

    pairing_id: str
    app: str
    app_id: str
    state: str
    tries: int
    expires_at: int
    open_id: str | None
    name: str

    @classmethod
    def of(cls, pairing: Pairing, app: str) -> Self:
        """Render a pairing of the App called `app`."""
        return cls(
            pairing_id=pairing.id,
            app=app,
            app_id=pairing.app,
            state=pairing.state,
            tries=pairing.tries,
            expires_at=pairing.expires_at,
            open_id=pairing.open_id,
            name=pairing.name,
        )


class OwnerView(View):
    """The owner under one App."""

    app: str
    app_id: str
    open_id: str
    union_id: str
    name: str
    paired_at: int

    @classmethod
    def of(cls, owner: Owner, app: str) -> Self:
        """Render the owner of the App called `app`."""
        return cls(
            app=app,
            app_id=owner.app,
            open_id=owner.open_id,
            union_id=owner.union_id,
            name=owner.name,
            paired_at=owner.paired_at,
        )


class OwnerList(View):
    """The paired owners, one an App."""

    owners: list[OwnerView]


class WorkspaceView(View):
    """An authorised folder; `state` is `live` or `revoked`."""

    name: str
    path: str
    grant: str
    state: str
    workspace_id: str
    created_at: int

    @classmethod
    def of(cls, workspace: Workspace) -> Self:
        """Render a workspace."""
        return cls(
            name=workspace.name,
            path=workspace.path,
            grant=workspace.grant_kind,
            state=workspace.state,
            workspace_id=workspace.id,
            created_at=workspace.created_at,
        )


class WorkspaceList(View):
    """The authorised folders."""

    workspaces: list[WorkspaceView]


class BindingView(View):
    """Who talks with which agent, where, with what grant, and what the agent must ask leave for."""

    binding_id: str
    revision: int
    app: str
    app_id: str
    audience: str
    chat_id: str
    owner: str
    role: str
    workspace: str
    executor: str
    grant: str
    scope: str
    approve: str
    state: str
    created_at: int

    @classmethod
    def of(cls, binding: Binding, app: str, workspace: str) -> Self:
        """Render a binding with the names of its App and workspace."""
        return cls(
            binding_id=binding.id,
            revision=binding.revision,
            app=app,
            app_id=binding.app,
            audience=binding.audience,
            chat_id=binding.chat_id,
            owner=binding.owner,
            role=binding.role,
            workspace=workspace,
            executor=binding.executor,
            grant=binding.grant_kind,
            scope=binding.scope,
            approve=parse_policy(binding.approve).text(),
            state=binding.state,
            created_at=binding.created_at,
        )


class BindingList(View):
    """All bindings, revoked ones too."""

    bindings: list[BindingView]


class ExecutorView(View):
    """A configured agent program; its arguments stay out, they may hold a secret."""

    name: str
    protocol: str
    program: str

    @classmethod
    def of(cls, executor: Executor) -> Self:
        """Render an executor."""
        program = executor.command[0] if executor.command else ""
        return cls(name=executor.name, protocol=executor.protocol, program=program)


class ExecutorList(View):
    """The configured agent programs."""

    executors: list[ExecutorView]


class BackupView(View):
    """A copy of the database was written."""

    path: str
