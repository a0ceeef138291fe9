"""Seeded identifiers: the same seed and the same order of calls mint the same ids.

Each kind draws from its own stream, so that a run with one request more still names its messages alike.
"""

import hashlib
import random
import string
import uuid

_ALPHANUMERIC = string.ascii_lowercase + string.digits

_LASTING = frozenset({"app", "secret", "user", "chat"})
"""What a world of one seed keeps from visit to visit; messages and everything fleeting are minted anew."""


class IdMint:
    """Mints every id the platform hands out. A `visit` other than 0 is a later day in the same seed's world."""

    def __init__(self, seed: int, visit: int = 0) -> None:
        self._seed, self._visit = seed, visit
        self._streams: dict[str, random.Random] = {}

    def stream(self, name: str) -> random.Random:
        """Return the seeded random stream of that name."""
        if name not in self._streams:
            visit = f":{self._visit}" if self._visit and name not in _LASTING else ""
            self._streams[name] = random.Random(f"{self._seed}:{name}{visit}")
        return self._streams[name]

    def app_id(self) -> str:
        """Mint `cli_` and 16 hexadecimal digits; the Node client refuses other shapes."""
        return f"cli_{self._hex('app', 16)}"

    def secret(self) -> str:
        """Mint an app secret."""
        return self._letters("secret", 32)

    def open_id(self, app_id: str, subject: str) -> str:
        """Derive the id under which one App knows one person (or itself)."""
        return f"ou_{self._derived('open', app_id, subject)}"

    def union_id(self, subject: str) -> str:
        """Derive the id all Apps of one vendor share for a person."""
        return f"on_{self._derived('union', subject)}"

    def user_id(self) -> str:
        """Mint a tenant-wide user id."""
        return self._letters("user", 8)

    def tenant_key(self, name: str) -> str:
        """Derive a tenant's key."""
        return self._derived("tenant", name)[:16]

    def chat_id(self) -> str:
        """Mint a chat id."""
        return f"oc_{self._hex('chat', 32)}"

    def message_id(self) -> str:
        """Mint a message id."""
        return f"om_{self._hex('message', 32)}"

    def thread_id(self) -> str:
        """Mint a thread id."""
        return f"omt_{self._hex('thread', 16)}"

    def reaction_id(self) -> str:
        """Mint a reaction id."""
        return self._letters("reaction", 40)

    def event_id(self) -> str:
        """Mint an event id."""
        return self._hex("event", 32)

    def card_id(self) -> str:
        """Mint a card entity's id: nineteen digits."""
        return str(self.number("card"))

    def card_token(self) -> str:
        """Mint the token that a callback carries for later updates."""
        return f"c-{self._hex('card-token', 40)}"

    def click_id(self) -> str:
        """Mint a click's id; the platform has none, tests and the page need one."""
        return f"click-{self._hex('click', 12)}"

    def resource_key(self, kind: str) -> str:
        """Mint an `img_v3_…` or `file_v3_…` key."""
        return f"{kind}_v3_{self._hex('resource', 24)}"

    def tenant_token(self) -> str:
        """Mint a tenant access token."""
        return f"t-g{self._letters('token', 40)}"

    def uuid(self, stream: str) -> str:
        """Mint a version 4 uuid from the named stream."""
        return str(uuid.UUID(int=self.stream(stream).getrandbits(128), version=4))

    def number(self, stream: str) -> int:
        """Mint a 19-digit number, as used for device ids."""
        return self.stream(stream).randrange(10**18, 9 * 10**18)

    def log_id(self, now_ms: int) -> str:
        """Mint a request's log id."""
        return f"{now_ms}{self._hex('log', 20).upper()}"

    def _hex(self, stream: str, digits: int) -> str:
        return f"{self.stream(stream).getrandbits(4 * digits):0{digits}x}"

    def _letters(self, stream: str, count: int) -> str:
        return "".join(self.stream(stream).choices(_ALPHANUMERIC, k=count))

    def _derived(self, *parts: str) -> str:
        return hashlib.sha256(":".join((str(self._seed), *parts)).encode()).hexdigest()[:32]
