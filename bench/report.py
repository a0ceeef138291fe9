"""What a report says to a reader: the goals with their verdicts, and the figures as tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

__all__ = ["Goal", "goals", "markdown", "verdicts"]

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal: where it stands in the report, its bound and the value that was found."""

    name: str
    bound: float
    kind: Literal["at most", "at least"]
    found: float

    @property
    def met(self) -> bool:
        """Tell whether the value is on the right side of its bound."""
        return self.found <= self.bound if self.kind == "at most" else self.found >= self.bound


_GOALS: Final[Sequence[tuple[str, float, Literal["at most", "at least"], str]]] = (
    ("ack p99 in syncs, 1 under way, slow disk", 4.0, "at most", "accept_ack.slow_disk.ack.1.in_syncs.p99"),
    ("ack p99 in syncs, 16 under way, slow disk", 4.0, "at most", "accept_ack.slow_disk.ack.16.in_syncs.p99"),
    ("answer against the echo bot, 1 chat, 50 ms", 2.2, "at most", "answer.delay_50_ms.1.ratio_to_echo.echo.p50"),
    ("answer against the echo bot, 16 chats, 50 ms", 2.2, "at most", "answer.delay_50_ms.16.ratio_to_echo.echo.p50"),
    ("serial REST calls before the answer", 2.0, "at most", "answer.delay_50_ms.1.serial_rest_calls"),
    ("store pipeline against raw SQLite", 0.6, "at least", "store.ratio_to_raw"),
    ("accept p99, a million messages against none", 1.3, "at most", "growth.ratio.accept"),
    ("claim, a million messages against none", 1.3, "at most", "growth.ratio.claim"),
    ("start-up, a million messages against none", 1.3, "at most", "growth.ratio.start"),
    ("ledger, a million messages against none", 1.3, "at most", "growth.ratio.ledger"),
    ("start to the first answer of /health, seconds", 1.0, "at most", "start.health_seconds"),
    ("idle memory of the gateway, MB", 90.0, "at most", "start.rss_mb"),
    ("first contentful paint of the console, ms", 500.0, "at most", "console.first_contentful_paint_ms"),
    ("frame while 5,000 messages scroll, p95, ms", 33.0, "at most", "console.frame_ms.p95"),
    ("idle memory with the console in one tab, MB", 90.0, "at most", "console.rss_mb"),
)


def goals(report: Json) -> list[Goal]:
    """Give the goals whose section was measured."""
    found = [(name, bound, kind, _at(report, path)) for name, bound, kind, path in _GOALS]
    return [Goal(name, bound, kind, value) for name, bound, kind, value in found if value is not None]


def verdicts(found: Sequence[Goal]) -> list[dict[str, Any]]:
    """Give the goals as JSON."""
    return [{**asdict(goal), "met": goal.met} for goal in found]


def markdown(report: Json) -> str:
    """Give the summary of a report."""
    return "\n".join([*_machine(report), *_verdicts(report), *_tables(report)]) + "\n"


def _at(report: Json, path: str) -> float | None:
    value: Any = report
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return None if value is None else float(value)


def _machine(report: Json) -> Iterator[str]:
    facts = report["machine"]
    yield "# Performance on this machine\n"
    yield f"{facts['cores']} cores, {facts['processor']}, {facts['memory_mb']} MB; {facts['system']} {facts['kernel']};"
    yield f"Python {facts['python']}, SQLite {facts['sqlite']}."
    syncs = "; ".join(f"{when} p50 {one['p50']:.2f}, p99 {one['p99']:.2f}" for when, one in _syncs(report))
    yield f"One fdatasync in milliseconds: {syncs}."
    loads = ", ".join(str(one) for one in facts["load_average"])
    after = ", ".join(str(one) for one in report.get("load_average_after", []))
    yield f"Load average (1, 5, 15 minutes) before: {loads}; after: {after}.\n"


def _syncs(report: Json) -> Iterator[tuple[str, Json]]:
    yield from report["fdatasync_ms"].items()


def _verdicts(report: Json) -> Iterator[str]:
    rows = [[goal.name, f"{goal.kind} {goal.bound:g}", f"{goal.found:g}", _yes(goal.met)] for goal in goals(report)]
    yield from _table(["goal", "bound", "found", "met"], rows)


def _yes(met: bool) -> str:
    return "yes" if met else "**no**"


def _tables(report: Json) -> Iterator[str]:
    if "accept_ack" in report:
        yield from _ack(report["accept_ack"])
    if "dispatch" in report:
        yield from _dispatch(report["dispatch"])
    if "answer" in report:
        yield from _answer(report["answer"])
    if "store" in report:
        yield from _store(report["store"])
    if "start" in report:
        yield from _start(report["start"])
    if "console" in report:
        yield from _console(report["console"])


def _ack(section: Json) -> Iterator[str]:
    yield "## Event frame to acknowledgement\n"
    rows = []
    for disk, measured in {"this disk": section, "slow disk (+2 ms)": section.get("slow_disk")}.items():
        for concurrent, one in (measured or {}).get("ack", {}).items():
            ms, syncs = one["ms"], one["in_syncs"]
            rows.append(
                [disk, concurrent, f"{ms['p50']:.2f} / {ms['p99']:.2f}", f"{syncs['p50']:.1f} / {syncs['p99']:.1f}"]
            )
    yield from _table(["disk", "under way", "ms p50 / p99", "in syncs p50 / p99"], rows)


def _dispatch(section: Json) -> Iterator[str]:
    yield "## Accepted to prompt dispatched (warm agent)\n"
    names = ("accept_to_prompt_ms", "of_it_read_back_ms", "without_read_back_ms", "without_read_back_in_syncs")
    rows = [[name.replace("_", " "), f"{section[name]['p50']} / {section[name]['p99']}"] for name in names]
    yield from _table(["", "p50 / p99"], rows)


def _answer(section: Json) -> Iterator[str]:
    yield "## Event to answer visible, beside a bare echo bot\n"
    rows, stages = [], []
    for delay, chats, one in _answers(section):
        for bot, ms in one["visible_ms"].items():
            ratio = one["ratio_to_echo"].get(bot, {})
            shown = f"{ratio['p50']} ({ratio['p50_without_agent']})" if ratio else ""
            cost = one["processor_ms_a_message"][bot]
            rows.append([delay, chats, bot, f"{ms['p50']:.0f} / {ms['p99']:.0f}", shown, f"{cost}"])
        stages.append([delay, chats, *(f"{value}" for value in one["stages_ms"].values())])
        names = list(one["stages_ms"])
    head = ["each call", "chats", "bot", "ms p50 / p99", "ours ÷ it (without agent)", "processor ms a message"]
    yield from _table(head, rows)
    yield "Where the time of our answers went, medians in milliseconds:\n"
    yield from _table(["each call", "chats", *names], stages)
    for delay, chats, one in _answers(section):
        names = [f"{name} × {count}" for name, count in one["serial_rest_call_names"].items()]
        yield f"- {delay}, {chats} chats: {one['serial_rest_calls']} serial REST calls a message ({'; '.join(names)})"
    yield ""


def _answers(section: Json) -> Iterator[tuple[str, str, Json]]:
    for key, found in section.items():
        if key.startswith("delay_"):
            for chats, one in found.items():
                yield f"+{key.split('_')[1]} ms", chats, one


def _store(section: Json) -> Iterator[str]:
    yield "## Store pipeline\n"
    rows = []
    for disk, one in {"this disk": section, "slow disk (+2 ms)": section.get("slow_disk")}.items():
        if one:
            ours, raw = one["messages_a_second"], one["raw_messages_a_second"]
            rows.append([disk, f"{ours}", f"{raw}", f"{one['ratio_to_raw']}", f"{one['ratio_with_decisions']}"])
    yield from _table(["disk", "messages/s", "raw SQLite", "ratio", "with decisions"], rows)


def _start(section: Json) -> Iterator[str]:
    yield "## Start and idle memory\n"
    rows = [[name.replace("_", " "), f"{value}"] for name, value in section.items() if name != "took_seconds"]
    yield from _table(["", "found"], rows)


def _console(section: Json) -> Iterator[str]:
    yield "## The console\n"
    rows = [[name.replace("_", " "), _shown(value)] for name, value in section.items() if name != "took_seconds"]
    yield from _table(["", "found"], rows)


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    return f"{value}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""
