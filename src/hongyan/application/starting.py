"""How far the start of each App has come: what it may do before everything that a former process left is settled."""

from dataclasses import dataclass
from enum import StrEnum

from hongyan.domain.deliveries import Part, PartState
from hongyan.domain.identity import AppId
from hongyan.domain.messages import CARD_LOOKS

__all__ = ["Stage", "Starts"]


class Stage(StrEnum):
    """What a start does: it reads what happened since a backup, then ties up loose ends."""

    READING = "reading"
    SETTLING = "settling"


@dataclass(slots=True)
class _Start:
    stage: Stage
    problem: str = ""


class Starts:
    """The Apps whose queues do not move yet, each with how far it came and what keeps it."""

    def __init__(self) -> None:
        self._apps: dict[AppId, _Start] = {}

    def __bool__(self) -> bool:
        return bool(self._apps)

    def begin(self, app: AppId, stage: Stage) -> None:
        """Hold an App's queues, or let it go on to the next stage."""
        self._apps[app] = _Start(stage)

    def fail(self, app: AppId, code: str) -> None:
        """Note what keeps an App from settling; it goes on trying."""
        if app in self._apps:
            self._apps[app].problem = code

    def end(self, app: AppId) -> None:
        """Let an App's queues go."""
        self._apps.pop(app, None)

    def holds(self, app: AppId) -> bool:
        """Tell whether an App takes nothing in and runs nothing yet."""
        return app in self._apps

    def problem(self, app: AppId) -> str | None:
        """Give the code of what keeps an App that is starting, empty for nothing; None once it works."""
        start = self._apps.get(app)
        return start.problem if start else None

    def keeps(self, part: Part) -> bool:
        """Tell whether a write has to wait: only loose ends are tied up before the App works, none while it reads."""
        start = self._apps.get(part.app)
        if start is None:
            return False
        loose = part.state in {PartState.UNKNOWN, PartState.WRITTEN} or part.transport in CARD_LOOKS
        return start.stage is Stage.READING or not loose
