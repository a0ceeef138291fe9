"""Secrets: where one lies, and a value that does not show itself."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from hongyan.domain.errors import BlockedError

__all__ = ["Secret", "SecretKind", "SecretSource"]

KEYRING_SECONDS: Final = 10  # a keyring on a machine without a desktop may wait for a prompt that nobody sees
MISSING: Final = "config.secret_missing"


class Secret(SecretStr):
    """A secret value. It shows itself by `reveal` only: never in a log, a message or a traceback."""

    def reveal(self) -> str:
        """Give the value."""
        return self.get_secret_value()

    def __format__(self, _spec: str) -> str:
        return str(self)

    def __reduce__(self) -> str:
        raise TypeError("a secret is not copied or stored")


class SecretKind(StrEnum):
    """Where a secret may lie."""

    ENV = "env"
    FILE = "file"
    KEYRING = "keyring"


@dataclass(frozen=True, slots=True)
class SecretSource:
    """Where a secret lies: the name of a variable, an absolute path, or `service/name` in the keyring."""

    kind: SecretKind
    name: str

    def resolve(self, environ: Mapping[str, str]) -> Secret:
        """Read the secret now. Raise BlockedError `config.secret_missing` with what to do.

        Blocks: a file read, or up to ten seconds of the keyring's own program.
        """
        read = {SecretKind.FILE: self._from_file, SecretKind.KEYRING: self._from_keyring}.get(self.kind)
        value = read() if read else environ.get(self.name, "")
        if not value:
            raise BlockedError(MISSING, f"the secret {self} is empty or not there", hint=self._mend())
        return Secret(value)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def _from_file(self) -> str:
        try:
            return Path(self.name).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise BlockedError(MISSING, f"the secret {self} cannot be read: {reason}", hint=self._mend()) from None

    def _from_keyring(self) -> str:
        """Ask the keyring in a process of its own, which can be ended when it hangs."""
        if find_spec("keyring") is None:
            raise BlockedError(
                MISSING,
                f"the secret {self} cannot be read: the package keyring is not installed",
                hint="Run `pip install keyring` in Hongyan's environment, or use { env = … } or { file = … }.",
            )
        service, _, user = self.name.rpartition("/")
        command = [sys.executable, "-m", "keyring", "get", service, user]
        try:
            asked = subprocess.run(command, capture_output=True, text=True, timeout=KEYRING_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            message = f"the keyring gave no answer within {KEYRING_SECONDS} s"
            raise BlockedError(MISSING, message, hint="Unlock it, or use { env = … } or { file = … }.") from None
        return asked.stdout.rstrip("\r\n") if asked.returncode == 0 else ""

    def _mend(self) -> str:
        service, _, user = self.name.rpartition("/")
        return {
            SecretKind.ENV: f"Set the variable {self.name} where the gateway is started.",
            SecretKind.FILE: f"Write the secret into {self.name}, readable by you alone (chmod 600).",
            SecretKind.KEYRING: f"Store it: `keyring set {service} {user}`.",
        }[self.kind]
