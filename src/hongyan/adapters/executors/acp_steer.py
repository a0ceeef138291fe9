"""The extension `_session/steering`: more words for a prompt that runs, as several agents take them."""

import asyncio
from typing import Final

import acp

from hongyan.adapters.executors.acp_link import AcpLink
from hongyan.domain.agents import SteerOutcome

__all__ = ["steer_session"]

STEER_SECONDS: Final = 10.0
METHOD: Final = "session/steering"  # the SDK puts the underline of an extension before it

_OUTCOMES: Final = {"injected": SteerOutcome.TAKEN, "promptRequired": SteerOutcome.NO_TURN}


async def steer_session(link: AcpLink, session_id: str, text: str) -> SteerOutcome:
    """Ask once and read the answer; an idle agent is told to take nothing, so that no turn of its own begins."""
    request = {
        "sessionId": session_id,
        "prompt": [{"type": "text", "text": text}],
        "_meta": {"steering": {"idleBehavior": "promptRequired"}},
    }
    try:
        async with asyncio.timeout(STEER_SECONDS):
            answer = await link.call(link.connection.ext_method(METHOD, request))
    except acp.RequestError:
        return SteerOutcome.REFUSED
    except (TimeoutError, ConnectionError):
        return SteerOutcome.UNKNOWN
    outcome = answer.get("outcome") if isinstance(answer, dict) else None
    return _OUTCOMES.get(str(outcome), SteerOutcome.UNKNOWN)
