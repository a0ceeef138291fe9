"""Chance that is the same in every run."""

import random

__all__ = ["SeededEntropy"]


class SeededEntropy:
    """Implements `Entropy` from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def token(self, length_bytes: int = 16) -> str:
        """Give the next token."""
        return self._random.randbytes(length_bytes).hex()

    def code(self, alphabet: str, length: int) -> str:
        """Give the next code."""
        return "".join(self._random.choice(alphabet) for _ in range(length))

    def fraction(self) -> float:
        """Give the next fraction."""
        return self._random.random()
