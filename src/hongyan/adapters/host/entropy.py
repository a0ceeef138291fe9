"""The machine's chance."""

import random
import secrets

__all__ = ["SystemEntropy"]


class SystemEntropy:
    """Implement `Entropy` with the operating system's generator."""

    def __init__(self) -> None:
        self._jitter = random.Random()  # jitter is no secret

    def token(self, length_bytes: int = 16) -> str:
        """Give a fresh URL-safe secret."""
        return secrets.token_urlsafe(length_bytes)

    def code(self, alphabet: str, length: int) -> str:
        """Give a fresh code."""
        return "".join(secrets.choice(alphabet) for _ in range(length))

    def fraction(self) -> float:
        """Give a number in [0, 1)."""
        return self._jitter.random()
