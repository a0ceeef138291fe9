"""What an agent's error to a prompt means: read from its number and its structured facts, never from its sentence."""

from typing import Final

import acp

from hongyan.adapters.executors.acp_handshake import LOGIN_REQUIRED, LOGIN_REQUIRED_CODE
from hongyan.domain.errors import AgentQuotaError, AgentRefusedError, AgentUnavailableError

__all__ = ["failure_of"]

_FIRST_SERVER_ERROR: Final = 500


def failure_of(error: acp.RequestError) -> tuple[str, int]:
    """Give the code of a failure, and when a quota comes back (UTC milliseconds, 0 when that is not told)."""
    if error.code == LOGIN_REQUIRED:
        return LOGIN_REQUIRED_CODE, 0
    facts = error.data if isinstance(error.data, dict) else {}
    quota = facts.get("quota")
    if isinstance(quota, dict):
        resets_at = quota.get("resetsAt")
        return AgentQuotaError.code, resets_at if isinstance(resets_at, int) else 0
    status = facts.get("status")
    if facts.get("retryable") is True and isinstance(status, int) and status >= _FIRST_SERVER_ERROR:
        return AgentUnavailableError.code, 0
    return AgentRefusedError.code, 0
