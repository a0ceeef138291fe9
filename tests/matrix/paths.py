"""Every write that the gateway makes: how it comes about, which call carries it, and which part of the outbox it is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from feishu_simulator.faults import Effect, Match
from feishu_simulator.model import Message as Said
from hongyan.application.decide import decide
from hongyan.application.owed import OwedAction, act_on_owed, list_owed
from hongyan.domain.cards import from_json, is_clickable
from hongyan.domain.decisions import Outcome
from hongyan.domain.deliveries import Phase
from hongyan.domain.errors import NotFoundError, RefusedError
from hongyan.domain.messages import CARD_LOOKS, Transport
from hongyan.ports import queries
from tests.matrix.aim import Target
from tests.matrix.stage import Stage

__all__ = ["PATHS", "WritePath"]

REPLY: Final = "POST /open-apis/im/v1/messages/:message_id/reply"
CREATE: Final = "POST /open-apis/im/v1/messages"
PATCH: Final = "PATCH /open-apis/im/v1/messages/:message_id"
EDIT: Final = "PUT /open-apis/im/v1/messages/:message_id"
REACT: Final = "POST /open-apis/im/v1/messages/:message_id/reactions"
UNREACT: Final = "DELETE /open-apis/im/v1/messages/:message_id/reactions/:reaction_id"
ENTITY: Final = "POST /open-apis/cardkit/v1/cards"
STREAM: Final = "PUT /open-apis/cardkit/*"
CARDKIT: Final = "cardkit:card:write"

WORDS_REFUSED: Final = 230028  # an audit rule: no other form would help
FORM_REFUSED: Final = Effect(error_code=230099, error_message="ext=ErrCode: 11310; ErrMsg: element exceeds the limit;")
MARKS: Final = ("Get", "OnIt")
VERIFIED_CARD: Final = """
SELECT 1 FROM cards c JOIN parts p ON p.id = c.part_id WHERE c.state = 'visible' AND p.state = 'verified'
"""

Arm = Callable[[], None]
Go = Callable[[Stage, str, Arm], Awaitable[Said]]


@dataclass(frozen=True, slots=True)
class WritePath:
    """One kind of write. `go` brings it about with a word of its own and gives the message that it belongs to;
    it calls `arm` when only the write itself is left.

    `refusal` is a code with which the platform refuses it for good; `receipt` labels the commit that keeps what the
    call gave where that is not the part's own outcome; `scope` is a permission that the App lacks.
    """

    name: str
    endpoint: str
    refusal: int
    is_meant: Callable[[Target], bool]
    go: Go
    receipt: str = ""
    scope: str = ""


# --- which part it is ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Looked:
    """What a part has to be. `last` asks for a look without, or with, buttons."""

    phase: Phase
    transports: tuple[Transport, ...]
    ordinal: int | None = None
    replaces: bool = False
    afresh: bool = False
    last: bool | None = None

    def __call__(self, target: Target) -> bool:
        part = target.part
        if target.delivery.phase is not self.phase or part.transport not in self.transports:
            return False
        if self.ordinal not in {None, part.ordinal} or self.replaces != bool(part.replaces):
            return False
        if part.transport in CARD_LOOKS and self.last is not None:
            return self.last is not is_clickable(from_json(part.content))
        return self.afresh is not bool(part.target)


# --- how it comes about -------------------------------------------------------------------------


def saying(words: str) -> Go:
    """Say something; `TOKEN` stands for the word of the cell."""

    async def go(stage: Stage, token: str, arm: Arm) -> Said:
        arm()
        return stage.say(words.replace("TOKEN", token))

    return go


async def ask_in_other_form(stage: Stage, token: str, arm: Arm) -> Said:
    stage.world.platform.faults.add(Match(REPLY, times=1), FORM_REFUSED)
    arm()
    return stage.say(f"[[say:**bold** {token}]]")


async def ask_and_delete(stage: Stage, token: str, arm: Arm) -> Said:
    """Let the question go while its answer is on the way: the answer stands alone."""
    said = stage.say(f"[[say:{token}]] [[wait:{token}]]")
    await stage.flow_rows("SELECT 1 FROM turns WHERE state = 'running'")
    await stage.carried()
    stage.withdraw(said.message_id)
    arm()
    stage.troupe.release(token)
    return said


async def send_again(stage: Stage, token: str, arm: Arm) -> Said:
    """Let an answer be refused, and let the owner send it again."""
    stage.world.platform.faults.add(Match(REPLY, times=1), Effect(error_code=WORDS_REFUSED))
    said = stage.say(token)
    await stage.settle()
    [row] = await list_owed(stage.world.gateway.desk)
    arm()
    await act_on_owed(stage.world.gateway.desk, row.id, OwedAction.SEND_AGAIN, row.version)
    return said


async def show_more(stage: Stage, token: str, arm: Arm) -> Said:
    """Let a card stand there for a Turn that waits, and then goes on."""
    said = stage.say(f"[[tool:a]] [[wait:{token}]] [[open-tool:b]] [[wait:{token}-end]] [[say:{token}]]")
    await stage.flow_rows(VERIFIED_CARD)
    await stage.carried()
    arm()
    stage.troupe.release(token)
    return said


async def end_card(stage: Stage, token: str, arm: Arm) -> Said:
    """Let a card stand there for a Turn that waits, and then ends."""
    said = stage.say(f"[[tool:a]] [[wait:{token}-end]] [[say:{token}]]")
    await stage.flow_rows(VERIFIED_CARD)
    await stage.carried()
    arm()
    stage.troupe.release(f"{token}-end")
    return said


def _not_yet() -> None:
    """The write that is meant comes later."""


async def say_progress(stage: Stage, token: str, arm: Arm) -> Said:
    stage.world.platform.faults.add(Match(REPLY, times=1), FORM_REFUSED)
    arm()
    return stage.say(f"[[tool:a]] [[wait:{token}-end]] [[say:{token}]]")


async def end_text(stage: Stage, token: str, arm: Arm) -> Said:
    said = await say_progress(stage, token, _not_yet)
    await stage.flow_rows(VERIFIED_CARD)
    await stage.carried()
    arm()
    stage.troupe.release(f"{token}-end")
    return said


async def decide_by_console(stage: Stage, token: str, arm: Arm) -> Said:
    said = stage.say(f"[[ask:{token}]]")
    await stage.flow_rows(VERIFIED_CARD)
    await stage.carried()
    arm()
    await reject_all(stage)
    return said


async def reject_all(stage: Stage) -> None:
    """Let the owner say no to whatever is asked."""
    for decision in await stage.world.gateway.desk.store.all(queries.OPEN_DECISIONS):
        try:
            await decide(stage.world.gateway.desk, decision.id, Outcome.REJECTED, "owner", "console")
        except (NotFoundError, RefusedError):
            continue


async def list_what_waits(stage: Stage, token: str, arm: Arm) -> Said:
    stage.say(f"[[crash]] {token}")
    await stage.settle()
    arm()
    return stage.say("/owed")


async def act_on_list(stage: Stage, token: str, arm: Arm) -> Said:
    said = await list_what_waits(stage, token, _not_yet)
    await stage.flow_rows("SELECT 1 FROM cards WHERE kind = 'owed' AND state = 'visible'")
    await stage.carried()
    [row] = await list_owed(stage.world.gateway.desk)
    arm()
    await act_on_owed(stage.world.gateway.desk, row.id, OwedAction.CLOSE, row.version)
    return said


async def end_work(stage: Stage, token: str, arm: Arm) -> Said:
    """Let a Turn run until it is marked as working, and then end."""
    said = stage.say(f"[[say:{token}]] [[wait:{token}-end]]")
    await stage.flow(lambda: len(stage.world.marks_on(said)) == len(MARKS))
    await stage.carried()
    arm()
    stage.troupe.release(f"{token}-end")
    return said


_F, _T = Phase, Transport
_STREAMED: Final = (_T.CARD_STREAM,)
PATHS: Final = (
    WritePath("answer as a text", REPLY, WORDS_REFUSED, Looked(_F.FINAL, (_T.TEXT,)), saying("TOKEN")),
    WritePath("answer as a post", REPLY, WORDS_REFUSED, Looked(_F.FINAL, (_T.POST,)), saying("[[say:**b** TOKEN]]")),
    WritePath(
        "answer as a card", REPLY, WORDS_REFUSED, Looked(_F.FINAL, (_T.WORDS_CARD,)), saying("[[say:# Title\n\nTOKEN]]")
    ),
    WritePath(
        "second part of an answer",
        REPLY,
        WORDS_REFUSED,
        Looked(_F.FINAL, (_T.WORDS_CARD,), ordinal=1),
        saying("[[long]] [[say:TOKEN]]"),
    ),
    WritePath(
        "answer in its next form", REPLY, WORDS_REFUSED, Looked(_F.FINAL, (_T.TEXT,), replaces=True), ask_in_other_form
    ),
    WritePath(
        "answer that stands alone",
        CREATE,
        WORDS_REFUSED,
        Looked(_F.FINAL, (_T.TEXT,), replaces=True, afresh=True),
        ask_and_delete,
    ),
    WritePath("answer sent again", REPLY, WORDS_REFUSED, Looked(_F.FINAL, (_T.TEXT,), replaces=True), send_again),
    WritePath("notice", REPLY, WORDS_REFUSED, Looked(_F.NOTICE, (_T.TEXT,)), saying("[[crash]] TOKEN")),
    WritePath("reply to a command", REPLY, WORDS_REFUSED, Looked(_F.REPLY, (_T.TEXT,)), saying("/help")),
    WritePath("card that asks", REPLY, WORDS_REFUSED, Looked(_F.ASK, (_T.CARD,)), saying("[[ask:TOKEN]]")),
    WritePath("last look of a card that asks", PATCH, 230031, Looked(_F.ASK, (_T.CARD_PATCH,)), decide_by_console),
    WritePath(
        "entity of a progress card",
        ENTITY,
        300305,
        Looked(_F.PROGRESS, (_T.CARD,)),
        saying("[[tool:a]] [[wait:TOKEN-end]] [[say:TOKEN]]"),
        receipt="keep_entity",
    ),
    WritePath(
        "progress card",
        REPLY,
        WORDS_REFUSED,
        Looked(_F.PROGRESS, (_T.CARD,)),
        saying("[[tool:a]] [[wait:TOKEN-end]] [[say:TOKEN]]"),
    ),
    WritePath("streamed update", STREAM, 200750, Looked(_F.PROGRESS, _STREAMED, last=False), show_more),
    WritePath("end of a streamed card", STREAM, 200750, Looked(_F.PROGRESS, _STREAMED, last=True), end_card),
    WritePath(
        "patched update", PATCH, 230031, Looked(_F.PROGRESS, (_T.CARD_PATCH,), last=False), show_more, scope=CARDKIT
    ),
    WritePath(
        "end of a patched card",
        PATCH,
        230031,
        Looked(_F.PROGRESS, (_T.CARD_PATCH,), last=True),
        end_card,
        scope=CARDKIT,
    ),
    WritePath(
        "progress as a text", REPLY, WORDS_REFUSED, Looked(_F.PROGRESS, (_T.CARD_TEXT,)), say_progress, scope=CARDKIT
    ),
    WritePath(
        "edit of a progress text",
        EDIT,
        230075,
        Looked(_F.PROGRESS, (_T.CARD_EDIT,), last=True),
        end_text,
        scope=CARDKIT,
    ),
    WritePath("received mark", REACT, 231002, Looked(_F.RECEIVED, (_T.REACTION_ADD,)), saying("TOKEN")),
    WritePath(
        "working mark",
        REACT,
        231002,
        Looked(_F.PROCESSING, (_T.REACTION_ADD,)),
        saying("[[say:TOKEN]] [[wait:TOKEN-end]]"),
    ),
    WritePath("working mark taken away", UNREACT, 231007, Looked(_F.PROCESSING, (_T.REACTION_REMOVE,)), end_work),
    WritePath("list of what waits", REPLY, WORDS_REFUSED, Looked(_F.REPLY, (_T.CARD,)), list_what_waits),
    WritePath("last look of the list", PATCH, 230031, Looked(_F.REPLY, (_T.CARD_PATCH,)), act_on_list),
)
