"""The process itself: does it serve, what runs, stop, links, checks, copies."""

from pathlib import Path
from typing import Final

from fastapi import APIRouter

from hongyan.application.browse import list_running, list_sessions
from hongyan.application.read_ledger import read_ledger
from hongyan.domain.conversations import SessionState
from hongyan.domain.errors import RefusedError
from hongyan.entrypoints.web.access import LINK_SECONDS
from hongyan.entrypoints.web.forms import BackupForm
from hongyan.entrypoints.web.guard import Caller
from hongyan.entrypoints.web.routes.given import PROBLEMS, TheAccess, TheCaller, TheGateway, TheHouse
from hongyan.entrypoints.web.routes.setup import app_views
from hongyan.entrypoints.web.views import BackupView, CheckView, DoctorView, HealthView, LinksView, StoppingView
from hongyan.entrypoints.web.work_views import StatusView, TurnStateView

__all__ = ["health", "router"]

NO_SANDBOX: Final = "none"  # nothing keeps an agent from what its user may do

health = APIRouter(tags=["house"], responses=PROBLEMS)
router = APIRouter(tags=["house"], responses=PROBLEMS)


@health.get("/health")
async def is_served(house: TheHouse) -> HealthView:
    """Answer as soon as the process serves; says nothing about Apps."""
    return HealthView(version=house.version)


@router.get("/status")
async def status(gateway: TheGateway, house: TheHouse, access: TheAccess) -> StatusView:
    """Tell what runs and what is owed."""
    ledger = await read_ledger(gateway.desk)
    sessions = [one for one in await list_sessions(gateway.desk) if one.state is not SessionState.CLOSED]
    running = await list_running(gateway.desk)
    return StatusView(
        version=house.version,
        pid=house.pid,
        home=str(house.home),
        started_at=house.started_at,
        console_url=access.base_url,
        simulator_url=house.simulator_url,
        apps=await app_views(gateway),
        running=[TurnStateView(turn_id=turn.id, state=turn.state) for turn in running],
        sessions=len(sessions),
        queued=sum(session.queued for session in sessions),
        owed=ledger.owed,
        balanced=ledger.received.balanced and ledger.writes.balanced,
        sandbox=NO_SANDBOX,
    )


@router.post("/stop", status_code=202)
async def stop(house: TheHouse) -> StoppingView:
    """Stop the gateway: what is committed stays, what runs is taken up again at the next start."""
    house.stop()
    return StoppingView()


@router.post("/login-links", status_code=201)
async def new_links(house: TheHouse, access: TheAccess, caller: TheCaller) -> LinksView:
    """Make links for a person at this machine. Raise RefusedError for anybody else.

    A page must not mint another one, and a program must not let itself in as a person: it could decide approvals then.
    """
    if caller is not Caller.SOCKET:
        raise RefusedError("access.links", "only this machine's user makes links", hint="Run `hongyan status` there.")
    return LinksView(console_url=access.new_link(), expires_in_seconds=LINK_SECONDS, simulator_url=house.simulator_link)


@router.get("/doctor")
async def look(gateway: TheGateway) -> DoctorView:
    """Look at everything that can fail, each with its mend."""
    checks = [CheckView.of(check) for check in await gateway.doctor()]
    return DoctorView(ok=all(check.ok for check in checks), checks=checks)


@router.post("/backups", status_code=201)
async def back_up(form: BackupForm, gateway: TheGateway) -> BackupView:
    """Copy the database while the gateway runs."""
    target = Path(form.path)
    await gateway.backup(target)
    return BackupView(path=str(target))
