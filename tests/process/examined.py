"""An interface, examined by its own description: whatever is asked, it answers as it says, and never with a fault."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

__all__ = ["EXAMPLES", "Call", "Interface", "examine"]

EXAMPLES: Final = int(os.environ.get("HONGYAN_EXAMPLES", "12"))  # a call and a mode; thousands by hand
SECONDS: Final = 30
REFUSED: Final = ["400", "403", "404", "409", "413", "422"]
CHECKS: Final = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    negative_data_rejection,
]

Operation = Any  # schemathesis gives its operations no public type
Call = Case[Any]


@dataclass(frozen=True, slots=True)
class Interface:
    """Where it is, what opens it, what is known to exist there, and what is left alone.

    `known` names a value by a field of the address or of the body; it takes that field's place in half of the calls.
    """

    url: str
    token: str
    known: Mapping[str, Any]
    besides: frozenset[tuple[str, str]]
    mend: Callable[[Call], None] = field(default=lambda case: None)

    @property
    def headers(self) -> dict[str, str]:
        """Give what opens it."""
        return {"authorization": f"Bearer {self.token}"}


def examine(interface: Interface, description: str) -> list[str]:
    """Ask everything, as it should be asked and as it should not; give the calls that were asked."""
    schema = schemathesis.openapi.from_url(f"{interface.url}{description}", headers=interface.headers)
    schema.config.generation.update(with_security_parameters=False)  # each call carries what opens the interface
    schema.config.checks.negative_data_rejection.expected_statuses = REFUSED
    with requests.Session() as session:
        session.trust_env = False
        return [_examined(interface, session, operation) for operation in _operations(schema, interface.besides)]


def _operations(schema: Any, besides: frozenset[tuple[str, str]]) -> list[Operation]:
    """List what is asked; what takes things away comes last."""
    found = []
    for one in schema.get_all_operations():
        assert isinstance(one, Ok), one
        if (one.ok().method.upper(), one.ok().path) not in besides:
            found.append(one.ok())
    return sorted(found, key=lambda operation: str(operation.method).upper() == "DELETE")


def _examined(interface: Interface, session: requests.Session, operation: Operation) -> str:
    _ask(interface, session, operation, GenerationMode.POSITIVE)
    if _can_be_wrong(operation):
        _ask(interface, session, operation, GenerationMode.NEGATIVE)
    return f"{operation.method.upper()} {operation.path}"


def _ask(interface: Interface, session: requests.Session, operation: Operation, mode: GenerationMode) -> None:
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), at_home=st.booleans())
    def ask(case: Call, at_home: bool) -> None:
        if at_home:
            _use_known(case, interface.known, mode)
        interface.mend(case)
        case.call_and_validate(
            base_url=interface.url, session=session, headers=interface.headers, checks=CHECKS, timeout=SECONDS
        )

    ask()


def _can_be_wrong(operation: Operation) -> bool:
    """Tell whether there is a wrong way to call it: a text in an address or a query is never one."""
    return bool(list(operation.body))


def _use_known(case: Call, known: Mapping[str, Any], mode: GenerationMode) -> None:
    for name in set(case.path_parameters or {}) & set(known):
        case.path_parameters[name] = known[name]
    if mode is GenerationMode.POSITIVE and isinstance(case.body, dict):
        case.body.update({name: value for name, value in known.items() if isinstance(case.body.get(name), str)})
