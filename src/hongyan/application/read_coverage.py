"""What is known of missed messages: how far each chat was compared, and what is missing."""

from dataclasses import dataclass

from hongyan.application.desk import Desk
from hongyan.domain.bindings import Binding
from hongyan.domain.coverage import Coverage, CoverageStatus, Gap, GapState, status_of
from hongyan.ports import queries

__all__ = ["CoverageReport", "read_coverage"]


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """One binding: what can be said of it, how far it was read, and its declared gaps, oldest first."""

    binding: Binding
    status: CoverageStatus
    coverage: Coverage | None
    gaps: tuple[Gap, ...]


async def read_coverage(desk: Desk) -> list[CoverageReport]:
    """Tell it of every current binding, from the store alone: the platform is not asked."""
    return [await _report(desk, binding) for binding in await desk.store.all(queries.COVERED_BINDINGS)]


async def _report(desk: Desk, binding: Binding) -> CoverageReport:
    coverage = await desk.store.one(queries.COVERAGE, binding_id=binding.id)
    found = await desk.store.all(queries.GAPS_OF_CHAT, app=binding.app, chat_id=binding.chat_id)
    declared = tuple(gap for gap in found if gap.state is GapState.DECLARED)
    # A suspected message is not told of yet, but nothing may be called checked while there is one.
    status = status_of(coverage, len(found), desk.platform_now(binding.app))
    if status is CoverageStatus.GAPS and not declared:
        status = CoverageStatus.UNCHECKED
    return CoverageReport(binding, status, coverage, declared)
