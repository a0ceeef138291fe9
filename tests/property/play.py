"""Carry out the acts of an example in a world that other examples used before, and bring it to rest."""

from dataclasses import dataclass, field

from feishu_simulator.delivery import LADDER_MS
from feishu_simulator.errors import PlatformError
from feishu_simulator.faults import Match
from feishu_simulator.model import Message as Said
from feishu_simulator.people import Speech
from hongyan.application.owed import OwedAction, act_on_owed, list_owed
from hongyan.domain.errors import HongyanError
from tests.matrix.cell import release_and_reject
from tests.matrix.stage import Stage
from tests.property.acts import Act

__all__ = ["Example"]

PASS_MS = 700


@dataclass(slots=True)
class Example:
    """What was done in one example, for the promises to be checked against."""

    stage: Stage
    started_ms: int = 0
    said: dict[str, Said] = field(default_factory=dict)  # by token, in order
    moved: set[str] = field(default_factory=set)  # tokens whose answer may stand elsewhere or twice: sent again
    before: frozenset[str] = frozenset()
    jumped: bool = False

    async def play(self, acts: list[Act]) -> None:
        """Carry out every act, then let everything come to rest."""
        world = self.stage.world
        self.started_ms = world.simulator.clock.now_ms()
        self.before = frozenset(message.message_id for message in world.platform.visible(world.chat.chat_id))
        for act in acts:
            await getattr(self, f"_{act.kind}")(act)
            await self._live()
        await self._rest()

    async def _live(self) -> None:
        """A gateway that died is started again; nothing else waits."""
        if self.stage.crash.dead.is_set():
            await self.stage.rise()

    async def _rest(self) -> None:
        world = self.stage.world
        world.platform.faults.rules.clear()
        for token in self.said:
            self.stage.troupe.release(token)
        for _ in range(100):
            await self.stage.quiet()
            if self.stage.crash.dead.is_set():
                await self.stage.rise()
            await release_and_reject(self.stage, tuple(self.said))
            if await self.stage.is_settled():
                return
            if await self.stage.waits_for_event():
                await self.stage.hear()
                await world.advance(LADDER_MS[-1] + 1, leap=True)
                await self.stage.hear()
            await self.stage.flow_some()
        raise AssertionError(await self.stage.explain())

    # --- acts -----------------------------------------------------------------------------------

    async def _say(self, act: Act) -> None:
        token = self.stage.token()
        self.said[token] = self.stage.say(act.words.replace("TOKEN", token))
        await self.stage.world.advance(1)

    async def _stranger(self, _: Act) -> None:
        platform, world = self.stage.world.platform, self.stage.world
        platform.people.write(world.colleague.user_id, world.app.app_id, self.stage.token())

    async def _command(self, act: Act) -> None:
        self.stage.say(act.words)
        await self.stage.world.advance(1)

    async def _edit(self, act: Act) -> None:
        _, said = self._choose(act)
        world = self.stage.world
        try:
            world.platform.people.edit(world.owner.user_id, said.message_id, Speech(text=f"{said.text} edited"))
        except PlatformError:
            return

    async def _recall(self, act: Act) -> None:
        token, said = self._choose(act)
        self.moved.add(token)
        try:
            self.stage.world.platform.people.recall(said.message_id)
        except PlatformError:
            return

    async def _decide(self, _: Act) -> None:
        await release_and_reject(self.stage, ())

    async def _release(self, act: Act) -> None:
        self.stage.troupe.release(self._choose(act)[0])

    async def _pass(self, act: Act) -> None:
        for _ in range(1 + act.number % 3):
            await self.stage.quiet()
            await self.stage.world.advance(PASS_MS)

    async def _leap(self, act: Act) -> None:
        await self.stage.hear()
        await self.stage.world.advance(act.number, leap=True)

    async def _fault(self, act: Act) -> None:
        if act.effect is not None:
            self.stage.world.platform.faults.add(Match(act.words, times=act.number), act.effect)

    _event = _fault

    async def _crash(self, act: Act) -> None:
        """Let the gateway die when it next comes to a moment."""
        self.stage.crash.point, self.stage.crash.nth = act.words, act.number

    async def _restart(self, _: Act) -> None:
        await self.stage.quiet()
        await self.stage.rise()

    async def _repeat(self, _: Act) -> None:
        platform = self.stage.world.platform
        platform.delivery.repeat(platform.events("im.message.receive_v1")[-1])

    async def _resend(self, _: Act) -> None:
        """Let the owner send again what is owed."""
        desk = self.stage.world.gateway.desk
        try:
            for row in await list_owed(desk):
                if OwedAction.SEND_AGAIN in row.actions:
                    self.moved.update(token for token in self.said if token in row.text)
                    await act_on_owed(desk, row.id, OwedAction.SEND_AGAIN, row.version)
        except HongyanError:
            return

    async def _skew(self, act: Act) -> None:
        self.stage.world.clock.skew_ms = act.number
        self.jumped = True

    def _choose(self, act: Act) -> tuple[str, Said]:
        tokens = list(self.said)
        token = tokens[act.number % len(tokens)]
        return token, self.said[token]
