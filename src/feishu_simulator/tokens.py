"""Tenant access tokens: two hours of life, the same one while half an hour remains."""

from dataclasses import dataclass
from typing import Final

from feishu_simulator.errors import PlatformError
from feishu_simulator.model import App
from feishu_simulator.world import World

LIFE_MS: Final = 7_200_000
RENEWED_BELOW_MS: Final = 1_800_000


@dataclass(slots=True)
class TenantToken:
    """One issued token."""

    token: str
    app_id: str
    expires_ms: int


class Tokens:
    """Issues tokens and says whose a token is."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._by_token: dict[str, TenantToken] = {}
        self._latest: dict[str, TenantToken] = {}

    def issue(self, app: App) -> tuple[str, int]:
        """Return a token and its remaining seconds."""
        now_ms = self._world.clock.now_ms()
        token = self._latest.get(app.app_id)
        if token is None or token.expires_ms - now_ms < RENEWED_BELOW_MS:
            token = TenantToken(self._world.ids.tenant_token(), app.app_id, now_ms + LIFE_MS)
            self._latest[app.app_id] = token
            self._by_token[token.token] = token
        return token.token, (token.expires_ms - now_ms) // 1000

    def owner(self, token: str) -> str:
        """Return the app_id of a valid token; an unknown or expired one is refused."""
        known = self._by_token.get(token)
        if known is None or known.expires_ms <= self._world.clock.now_ms():
            raise PlatformError(99991663)
        return known.app_id

    def holder(self, token: str) -> str | None:
        """Return whose token it is or was, valid or not."""
        known = self._by_token.get(token)
        return None if known is None else known.app_id

    def revoke(self, token: str) -> None:
        """Make a token unknown; safe to repeat."""
        known = self._by_token.pop(token, None)
        if known is not None and self._latest.get(known.app_id) is known:
            del self._latest[known.app_id]
