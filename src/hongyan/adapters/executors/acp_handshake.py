"""The first words with an agent: what it can do, and the session that it opens or takes up again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import acp
from acp.schema import AgentCapabilities, ClientCapabilities, Implementation, InitializeResponse
from pydantic import ValidationError

from hongyan.adapters.executors.acp_history import TURN_LEDGER
from hongyan.adapters.executors.acp_link import AcpLink
from hongyan.domain.agents import AgentSeat, Capabilities, ReadBackKind
from hongyan.domain.errors import AgentProtocolError, AgentSessionLostError, AgentStartError

__all__ = [
    "LOGIN_REQUIRED",
    "LOGIN_REQUIRED_CODE",
    "Greeting",
    "agent_words",
    "greet",
    "open_session",
    "resume_session",
]

METHOD_NOT_FOUND: Final = -32601
LOGIN_REQUIRED: Final = -32000
LOGIN_REQUIRED_CODE: Final = "agent.login_required"
CLIENT: Final = Implementation(name="hongyan", title="Hongyan", version="1")


@dataclass(frozen=True, slots=True)
class Greeting:
    """What the agent said about itself, and the ways in which it says it takes a session up again."""

    capabilities: Capabilities
    can_resume: bool
    can_load: bool


def agent_words(error: acp.RequestError) -> str:
    """Give the agent's own sentence and number, with its details where it gave some."""
    details = error.data.get("details") if isinstance(error.data, dict) else None
    sentence = f"{error}: {details}" if isinstance(details, str) and details else str(error)
    return f"{sentence} ({error.code})"


async def greet(link: AcpLink, executor: str) -> Greeting:
    """Start the protocol. Raise AgentStartError or AgentProtocolError."""
    async with _starting(link, "initialize"):
        answer = await link.call(link.connection.initialize(acp.PROTOCOL_VERSION, ClientCapabilities(), CLIENT))
    if answer.protocol_version != acp.PROTOCOL_VERSION:
        raise AgentStartError(f"the agent speaks version {answer.protocol_version} of the protocol")
    return _read_greeting(answer, executor)


async def open_session(link: AcpLink, seat: AgentSeat) -> str:
    """Open a new session in the seat's workspace and give its id."""
    async with _starting(link, "open a session"):
        opened = await link.call(link.connection.new_session(cwd=seat.workspace, mcp_servers=[]))
    return opened.session_id


async def resume_session(link: AcpLink, seat: AgentSeat, greeting: Greeting) -> None:
    """Take the seat's session up again, without a replay where the agent can.

    Raise AgentSessionLostError when the agent does not know it any more or cannot take sessions up.
    """
    async with _starting(link, "take the session up again"):
        try:
            if greeting.can_resume and await _resume(link, seat):
                return
            if greeting.can_load:
                await link.call(_loading(link, seat))
                return
        except acp.RequestError as error:
            if error.code == LOGIN_REQUIRED:
                raise
            raise AgentSessionLostError(f"the agent lost the session: {agent_words(error)}") from error
    raise AgentSessionLostError("the agent cannot take a session up again after its process ended")


async def _resume(link: AcpLink, seat: AgentSeat) -> bool:
    """Tell whether that worked; some agents announce the method and then do not have it."""
    resuming = link.connection.resume_session(session_id=seat.upstream, cwd=seat.workspace, mcp_servers=[])
    try:
        await link.call(resuming)
    except acp.RequestError as error:
        if error.code == METHOD_NOT_FOUND:
            return False
        raise
    return True


async def _loading(link: AcpLink, seat: AgentSeat) -> None:
    await link.connection.load_session(cwd=seat.workspace, session_id=seat.upstream, mcp_servers=[])


@asynccontextmanager
async def _starting(link: AcpLink, doing: str) -> AsyncIterator[None]:
    """Turn what can go wrong before the first prompt into our errors."""
    try:
        yield
    except acp.RequestError as error:
        failure = AgentStartError(f"the agent would not {doing}: {agent_words(error)}")
        if error.code == LOGIN_REQUIRED:
            failure.code, failure.hint = LOGIN_REQUIRED_CODE, "Log in to the agent first."
        raise failure from error
    except ValidationError as error:
        raise AgentProtocolError(f"the agent's answer to “{doing}” is not of the protocol") from error
    except ConnectionError as error:
        if link.wire.is_garbled:
            raise AgentProtocolError("the agent wrote a line that is not of its protocol") from error
        await link.process.wait_gone(1.0)
        raise AgentStartError(f"the agent {link.process.ending()} before it could {doing}") from error


def _read_greeting(answer: InitializeResponse, executor: str) -> Greeting:
    told = answer.agent_capabilities or AgentCapabilities()
    sessions = told.session_capabilities
    can_load = bool(told.load_session)
    can_resume = sessions is not None and sessions.resume is not None
    read_back = ReadBackKind.REPLAY if can_load else ReadBackKind.NONE
    if can_load and _is_supported(answer.field_meta, TURN_LEDGER):
        read_back = ReadBackKind.LEDGER
    capabilities = Capabilities(
        name=answer.agent_info.name if answer.agent_info else executor,
        version=answer.agent_info.version if answer.agent_info else "",
        resume=can_resume or can_load,
        read_back=read_back,
        steer=_is_supported(answer.field_meta, "steering"),
        images=bool(told.prompt_capabilities and told.prompt_capabilities.image),
    )
    return Greeting(capabilities, can_resume=can_resume, can_load=can_load)


def _is_supported(meta: dict[str, Any] | None, name: str) -> bool:
    extension = (meta or {}).get(name)
    return isinstance(extension, dict) and extension.get("supported") is True
