"""Who may start what, where: one decision for every message, and silence for everybody who is not the owner."""

from dataclasses import replace
from itertools import product

import pytest
from tests.unit.domain import given

from hongyan.domain import limits
from hongyan.domain.access import (
    Admit,
    Ask,
    Facts,
    PairingTry,
    Refusal,
    Refuse,
    RunCommand,
    Silence,
    Silent,
    decide_access,
)
from hongyan.domain.bindings import BindingState
from hongyan.domain.commands import Command, CommandName
from hongyan.domain.identity import ChatId, OpenId, UnionId
from hongyan.domain.messages import ChatKind, MessageKind, PostedMessage, SenderKind
from hongyan.domain.pairing import Owner, OwnerState

CODE = "ABCD2345"
OWNER = Owner("owner_1", given.APP, given.OWNER, UnionId(""), "Lin Yan", given.CHAT, OwnerState.ACTIVE, given.NOW)
STRANGER = OpenId("ou_stranger")
POSTED = PostedMessage(
    message_id=given.request().message_id,
    chat_id=given.CHAT,
    sender=given.OWNER,
    sender_kind=SenderKind.USER,
    kind=MessageKind.TEXT,
    text="hello",
    create_time=given.NOW,
    update_time=0,
    updated=False,
    recalled=False,
    parent="",
    root="",
    thread_id="",
)
FACTS = Facts(
    request=given.request(),
    posted=POSTED,
    owner=OWNER,
    binding=given.binding(),
    pairing_open=False,
    workspace_usable=True,
    executor_known=True,
    bot_name="Hongyan",
    twin=False,
    now=given.NOW,
    owner_said_run=False,
)


def _say(text: str | None, **others: object) -> Facts:
    return replace(FACTS, posted=replace(POSTED, text=text), **others)  # type: ignore[arg-type]  # fields by name


def _from_stranger(text: str = "hello", **others: object) -> Facts:
    request = replace(given.request(), sender=STRANGER)
    return replace(FACTS, request=request, posted=replace(POSTED, sender=STRANGER, text=text), **others)  # type: ignore[arg-type]  # fields by name


def test_the_owners_words_are_admitted() -> None:
    assert decide_access(FACTS) == Admit("hello")
    assert decide_access(_say("/stop")) == RunCommand(Command(CommandName.STOP))


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        pytest.param(replace(FACTS, posted=None), Silent.GONE, id="gone"),
        pytest.param(replace(FACTS, posted=replace(POSTED, recalled=True, text=None)), Silent.RECALLED, id="recalled"),
        pytest.param(replace(FACTS, posted=replace(POSTED, sender=STRANGER)), Silent.CONFLICT, id="another sender"),
        pytest.param(replace(FACTS, posted=replace(POSTED, chat_id=ChatId("x"))), Silent.CONFLICT, id="another chat"),
        pytest.param(replace(FACTS, posted=replace(POSTED, sender_kind=SenderKind.APP)), Silent.FROM_AN_APP, id="app"),
        pytest.param(
            replace(FACTS, request=replace(given.request(), chat_kind=ChatKind.GROUP)),
            Silent.GROUP_NOT_BOUND,
            id="a group",
        ),
        pytest.param(_from_stranger(), Silent.STRANGER, id="a stranger"),
        pytest.param(_from_stranger("/stop"), Silent.STRANGER, id="a stranger's command"),
        pytest.param(_from_stranger(owner=None), Silent.NOT_PAIRED, id="nobody is paired"),
        pytest.param(_from_stranger(CODE), Silent.STRANGER, id="a code while no pairing is open"),
    ],
)
def test_who_may_not_be_here_is_met_with_silence(facts: Facts, code: Silent) -> None:
    assert decide_access(facts) == Silence(code)


def test_a_stranger_gets_nothing_but_silence_or_a_try_whatever_else_holds() -> None:
    texts = ("hello", "/stop", "/model", CODE)
    for text, owner, pairing, binding, twin in product(
        texts, (OWNER, None), (True, False), (given.binding(), None), (True, False)
    ):
        facts = _from_stranger(text, owner=owner, pairing_open=pairing, binding=binding, twin=twin)
        decision = decide_access(facts)
        assert isinstance(decision, Silence | PairingTry)
        assert isinstance(decision, PairingTry) is (pairing and text == CODE)


@pytest.mark.parametrize(
    ("facts", "code", "detail"),
    [
        pytest.param(replace(FACTS, binding=None), Refusal.NOT_BOUND, "", id="not bound"),
        pytest.param(replace(FACTS, workspace_usable=False), Refusal.WORKSPACE_UNAVAILABLE, "", id="no folder"),
        pytest.param(replace(FACTS, executor_known=False), Refusal.EXECUTOR_UNAVAILABLE, "rehearsal", id="no agent"),
        pytest.param(_say("/stop now"), Refusal.COMMAND_MALFORMED, "/stop", id="malformed"),
        pytest.param(
            replace(FACTS, posted=replace(POSTED, kind=MessageKind.IMAGE, text=None)),
            Refusal.UNREADABLE_PART,
            "image",
            id="a picture",
        ),
        pytest.param(
            replace(FACTS, posted=replace(POSTED, kind=MessageKind.POST, text="see [image]", has_attachment=True)),
            Refusal.UNREADABLE_PART,
            "image",
            id="a picture among words",
        ),
        pytest.param(
            replace(FACTS, posted=replace(POSTED, kind=MessageKind.FILE, text="/stop")),
            Refusal.UNREADABLE_PART,
            "file",
            id="a command as a caption",
        ),
    ],
)
def test_the_owner_is_told_why_not(facts: Facts, code: Refusal, detail: str) -> None:
    assert decide_access(facts) == Refuse(code, detail)


def test_a_message_of_before_the_revocation_is_silent_and_a_later_one_is_told() -> None:
    revoked = replace(given.binding(), state=BindingState.REVOKED, revoked_at=given.NOW)
    assert decide_access(replace(FACTS, binding=revoked)) == Silence(Silent.REVOKED)
    later = replace(given.request(), accepted_at=given.NOW + 1)
    assert decide_access(replace(FACTS, binding=revoked, request=later)) == Refuse(Refusal.NOT_BOUND)


@pytest.mark.parametrize("text", ["hello", "/stop", "/new"])
def test_what_is_late_or_may_be_a_duplicate_asks_first_also_when_it_is_a_command(text: str) -> None:
    late = given.NOW + limits.LATE_ASKS_MS
    assert decide_access(_say(text, now=late + 1)) == Ask("source.late")
    assert decide_access(_say(text, twin=True)) == Ask("source.twin")
    assert not isinstance(decide_access(_say(text, now=late)), Ask)
    assert not isinstance(decide_access(_say(text, now=late + 1, twin=True, owner_said_run=True)), Ask)
