"""What a caller may send; a field that is not listed is refused."""

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StrictInt

from hongyan.domain.bindings import Audience, Role, Scope
from hongyan.domain.workspaces import Grant

__all__ = [
    "MOST_NUMBER",
    "ActForm",
    "BackupForm",
    "BindingForm",
    "DecideForm",
    "PairingForm",
    "PolicyForm",
    "SessionForm",
    "TextForm",
    "WorkspaceForm",
]

MOST_TEXT: Final = 200_000  # letters; far above a prompt, far below the limit of a request
MOST_NAME: Final = 100

Rules = Annotated[str, Field(min_length=1, max_length=200)]
MOST_NUMBER: Final = 2**62  # what a store can hold

Version = Annotated[StrictInt, Field(ge=0, le=MOST_NUMBER)]
Name = Annotated[str, Field(min_length=1, max_length=MOST_NAME)]


def _absolute(path: str) -> str:
    if not Path(path).is_absolute():
        raise ValueError("the path must be absolute: the gateway runs in another folder")
    if "\0" in path:
        raise ValueError("a path has no character 0")
    return path


AbsolutePath = Annotated[
    str, Field(min_length=1, max_length=4_096, json_schema_extra={"pattern": "^/"}), AfterValidator(_absolute)
]


class Form(BaseModel):
    """The base: frozen, unknown fields refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PairingForm(Form):
    """Begin a pairing. `replace` allows it when an owner is paired already."""

    app: Name
    replace: StrictBool = False


class WorkspaceForm(Form):
    """Authorise a folder under a name."""

    name: Name
    path: AbsolutePath
    grant: Grant = Grant.WRITE


class BindingForm(Form):
    """Bind a place to a workspace and an executor. Without `grant` the workspace's own is meant.

    `approve` names approval rules as `class=rule,…`; a class that is not named keeps its own.
    """

    app: Name
    audience: Audience = Audience.OWNER_PRIVATE
    role: Role = Role.PROJECT
    workspace: Name
    executor: Name
    grant: Grant | None = None
    scope: Scope = Scope.HOST_DEFAULT
    approve: Rules | None = None


class PolicyForm(Form):
    """Change the approval rules that are named, of the binding at this revision."""

    approve: Rules
    revision: int | None = None


class SessionForm(Form):
    """Open a Session that is written to from this machine only."""

    workspace: Name
    executor: Name


class TextForm(Form):
    """Send a text. The same `client_turn_id` with the same text is the same Turn, however often it is sent."""

    message: str = Field(min_length=1, max_length=MOST_TEXT)
    client_turn_id: Annotated[str, Field(min_length=1, max_length=200)]


class ActForm(Form):
    """Act on what is owed; with `expected_version` only when nobody acted since it was listed."""

    expected_version: Version | None = None


class DecideForm(Form):
    """Decide what an agent asks; with `expected_version` only what is still as it was shown."""

    outcome: Literal["allowed_once", "allowed_session", "rejected"]
    expected_version: Version | None = None


class BackupForm(Form):
    """Copy the database to a file that does not exist yet."""

    path: AbsolutePath
