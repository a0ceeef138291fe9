"""Apps, their owners, workspaces, bindings and executors."""

from typing import Annotated

from fastapi import APIRouter, Query

from hongyan.application.browse import (
    find_binding,
    find_pairing,
    list_bindings,
    list_observed_apps,
    list_owners,
    list_workspaces,
)
from hongyan.application.configure import (
    BindingWish,
    add_binding,
    add_workspace,
    revoke_binding,
    revoke_workspace,
    set_policy,
)
from hongyan.application.pair_owner import begin_pairing, confirm_pairing
from hongyan.domain.approvals import parse_policy
from hongyan.domain.bindings import Binding
from hongyan.entrypoints.web.forms import MOST_NUMBER, BindingForm, PairingForm, PolicyForm, WorkspaceForm
from hongyan.entrypoints.web.gateway import Gateway, app_called, name_of
from hongyan.entrypoints.web.routes.given import PROBLEMS, TheCaller, TheGateway, refuse_programs
from hongyan.entrypoints.web.views import (
    AppList,
    AppReportView,
    AppView,
    BindingList,
    BindingView,
    ExecutorList,
    ExecutorView,
    NewPairingView,
    OwnerList,
    OwnerView,
    PairingView,
    WorkspaceList,
    WorkspaceView,
)

__all__ = ["app_views", "router"]

Revision = Annotated[int, Query(ge=0, le=MOST_NUMBER)]

router = APIRouter(tags=["setup"], responses=PROBLEMS)


async def app_views(gateway: Gateway) -> list[AppView]:
    """Render the configured Apps with what is known of each."""
    observed = {row.app_id: row for row in await list_observed_apps(gateway.desk)}
    owners = {owner.app: owner for owner in await list_owners(gateway.desk)}
    views = []
    for listener in gateway.listeners():
        app = app_called(gateway, listener.app)
        views.append(AppView.of(listener, observed.get(app), owners.get(app)))
    return views


@router.get("/apps")
async def apps(gateway: TheGateway) -> AppList:
    """List the Apps and their listeners."""
    return AppList(apps=await app_views(gateway))


@router.post("/apps/{name}/verify")
async def verify(name: str, gateway: TheGateway) -> AppReportView:
    """Read back what the platform says of an App, step by step."""
    return AppReportView.of(await gateway.verify_app(name))


@router.post("/pairings", status_code=201)
async def pair(form: PairingForm, gateway: TheGateway) -> NewPairingView:
    """Begin a pairing: the person sends the code to the bot, privately."""
    return NewPairingView.of(await begin_pairing(gateway.desk, app_called(gateway, form.app), form.replace))


@router.get("/pairings/{pairing_id}")
async def pairing(pairing_id: str, gateway: TheGateway) -> PairingView:
    """Tell where a pairing stands and who sent the code."""
    found = await find_pairing(gateway.desk, pairing_id)
    return PairingView.of(found, name_of(gateway, found.app))


@router.post("/pairings/{pairing_id}/confirm")
async def confirm(pairing_id: str, gateway: TheGateway) -> OwnerView:
    """Make the person who sent the code the owner."""
    owner = await confirm_pairing(gateway.desk, pairing_id)
    return OwnerView.of(owner, name_of(gateway, owner.app))


@router.get("/owners")
async def owners(gateway: TheGateway) -> OwnerList:
    """List the paired owners."""
    found = await list_owners(gateway.desk)
    return OwnerList(owners=[OwnerView.of(owner, name_of(gateway, owner.app)) for owner in found])


@router.get("/workspaces")
async def workspaces(gateway: TheGateway) -> WorkspaceList:
    """List the authorised folders."""
    return WorkspaceList(workspaces=[WorkspaceView.of(one) for one in await list_workspaces(gateway.desk)])


@router.post("/workspaces", status_code=201)
async def authorise(form: WorkspaceForm, gateway: TheGateway) -> WorkspaceView:
    """Authorise a folder; the same again changes nothing."""
    return WorkspaceView.of(await add_workspace(gateway.desk, form.name, form.path, form.grant))


@router.delete("/workspaces/{name}", status_code=204)
async def withdraw(name: str, gateway: TheGateway) -> None:
    """Take a folder's authorisation back."""
    await revoke_workspace(gateway.desk, name)


@router.get("/bindings")
async def bindings(gateway: TheGateway) -> BindingList:
    """List the bindings."""
    return BindingList(bindings=await _rendered(gateway, *await list_bindings(gateway.desk)))


@router.post("/bindings", status_code=201)
async def bind(form: BindingForm, gateway: TheGateway, caller: TheCaller) -> BindingView:
    """Bind a place to a workspace and an executor; the same again changes nothing.

    Raise RefusedError `approval.program` for a program that names approval rules.
    """
    if form.approve is not None:
        refuse_programs(caller)
        parse_policy(form.approve)
    wish = BindingWish(
        app=app_called(gateway, form.app),
        audience=form.audience,
        role=form.role,
        workspace=form.workspace,
        executor=form.executor,
        grant_kind=form.grant,
        scope=form.scope,
    )
    bound = await add_binding(gateway.desk, wish)
    if form.approve is not None:
        bound = await set_policy(gateway.desk, bound.id, form.approve, bound.revision)
    [view] = await _rendered(gateway, bound)
    return view


@router.patch("/bindings/{binding_id}")
async def change_rules(binding_id: str, form: PolicyForm, gateway: TheGateway, caller: TheCaller) -> BindingView:
    """Change what the agent must ask leave for. Raise RefusedError `approval.program` for a program."""
    refuse_programs(caller)
    [view] = await _rendered(gateway, await set_policy(gateway.desk, binding_id, form.approve, form.revision))
    return view


@router.get("/bindings/{binding_id}")
async def binding(binding_id: str, gateway: TheGateway) -> BindingView:
    """Show a binding."""
    [view] = await _rendered(gateway, await find_binding(gateway.desk, binding_id))
    return view


@router.delete("/bindings/{binding_id}")
async def unbind(binding_id: str, gateway: TheGateway, revision: Revision | None = None) -> BindingView:
    """Revoke a binding, only at the revision that is named; give it as it is then."""
    await revoke_binding(gateway.desk, binding_id, revision)
    return await binding(binding_id, gateway)


@router.get("/executors")
async def executors(gateway: TheGateway) -> ExecutorList:
    """List the configured agent programs."""
    return ExecutorList(executors=[ExecutorView.of(one) for one in gateway.settings.executors])


async def _rendered(gateway: Gateway, *found: Binding) -> list[BindingView]:
    names = {workspace.id: workspace.name for workspace in await list_workspaces(gateway.desk)}
    return [BindingView.of(one, name_of(gateway, one.app), names.get(one.workspace_id, "")) for one in found]
