"""What the interface answers about missed messages. Times are UTC milliseconds."""

from typing import Self

from hongyan.application.owed import gap_actions
from hongyan.application.read_coverage import CoverageReport
from hongyan.domain.coverage import Gap
from hongyan.entrypoints.web.gateway import Gateway, name_of
from hongyan.entrypoints.web.views import View, moment

__all__ = ["CoverageList", "CoverageView", "GapView"]


class GapView(View):
    """One message that never arrived; act on it through `/owed` with `version`. `found_by` is live or history."""

    id: str
    version: int
    text: str
    written_at: int
    found_by: str
    actions: list[str]

    @classmethod
    def of(cls, gateway: Gateway, gap: Gap) -> Self:
        """Render a gap."""
        return cls(
            id=gap.id,
            version=gap.version,
            text=gap.text,
            written_at=gap.create_time,
            found_by=gap.side.value,
            actions=[action.value for action in gap_actions(gateway.desk, gap)],
        )


class CoverageView(View):
    """One binding: its status, the stretch that was compared, the stretch that is still to be read, and its gaps.

    `unread_from` and `unread_until` are null when all history was read. `permission` names what the App lacks.
    """

    binding_id: str
    app: str
    chat_id: str
    status: str
    permission: str
    problem: str
    since: int | None
    live_until: int | None
    unread_from: int | None
    unread_until: int | None
    gaps: list[GapView]

    @classmethod
    def of(cls, gateway: Gateway, report: CoverageReport) -> Self:
        """Render a report."""
        seen = report.coverage
        unread = seen is not None and seen.history_cursor < seen.history_until
        return cls(
            binding_id=report.binding.id,
            app=name_of(gateway, report.binding.app),
            chat_id=report.binding.chat_id,
            status=report.status.value,
            permission=seen.permission if seen else "",
            problem=seen.problem if seen else "",
            since=seen.began if seen else None,
            live_until=moment(seen.live_cursor) if seen and seen.read_at else None,
            unread_from=seen.history_cursor if seen and unread else None,
            unread_until=seen.history_until if seen and unread else None,
            gaps=[GapView.of(gateway, gap) for gap in report.gaps],
        )


class CoverageList(View):
    """Every current binding."""

    coverage: list[CoverageView]
