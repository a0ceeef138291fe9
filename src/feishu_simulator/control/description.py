"""The control API described as an OpenAPI document, made of the same table as its routes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic.json_schema import models_json_schema

from feishu_simulator.control.act import Asked
from feishu_simulator.control.forms import Form

__all__ = ["Call", "description"]

REFERENCE: Final = "#/components/schemas/{model}"
PATH_FIELD: Final = re.compile(r"{(\w+)}")
TEXT: Final = {"type": "string"}
CODES: Final = ["bad_request", "unknown", "refused", "forbidden", "unauthorized", "bad_method"]
REFUSED: Final = ("400", "401", "403", "404", "405", "409")
ERROR: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"enum": ["bad_request", "unknown", "refused", "forbidden", "unauthorized", "bad_method"]}
            },
        }
    },
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its act, the form of its body (None for none), and what its address may ask."""

    method: str
    path: str
    act: Callable[[Asked], Any]
    form: type[Form] | None = None
    query: tuple[str, ...] = ()


def description(calls: Sequence[Call]) -> dict[str, Any]:
    """Describe the calls."""
    forms = list(dict.fromkeys(call.form for call in calls if call.form is not None))
    _, schemas = models_json_schema([(form, "validation") for form in forms], ref_template=REFERENCE)
    paths: dict[str, dict[str, Any]] = {}
    for call in calls:
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Simulated Feishu: control", "version": "1"},
        "paths": paths,
        "components": {
            "schemas": {**schemas.get("$defs", {}), "Refusal": ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(call: Call) -> dict[str, Any]:
    fields = [
        *({"name": name, "in": "path", "required": True, "schema": TEXT} for name in PATH_FIELD.findall(call.path)),
        *({"name": name, "in": "query", "schema": TEXT} for name in call.query),
    ]
    operation: dict[str, Any] = {
        "summary": (call.act.__doc__ or "").split("\n")[0],
        "parameters": fields,
        "responses": {
            "200": _answer("What came of it", {"type": "object"}),
            **{status: _answer("Why nothing was done", _named("Refusal")) for status in REFUSED},
        },
    }
    if call.form is not None:
        operation["requestBody"] = {"required": True, "content": _json(_named(call.form.__name__))}
    return operation


def _answer(words: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": words, "content": _json(schema)}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _named(model: str) -> dict[str, Any]:
    return {"$ref": REFERENCE.format(model=model)}
