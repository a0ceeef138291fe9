"""The frames of the long connection: the platform's two-message protobuf schema `pbbp2`.

The schema is built here at import, in a pool of its own, because the platform's own SDK registers the same names.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

__all__ = ["Frame", "Method", "UnreadableFrameError", "ping"]


class Method(IntEnum):
    """What a frame is for."""

    CONTROL = 0
    EVENT = 1


class UnreadableFrameError(Exception):
    """The bytes are no frame."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame. Headers keep their order, for an acknowledgement gives them back as they came."""

    method: int
    headers: tuple[tuple[str, str], ...]
    service: int = 0
    payload: bytes = b""
    sequence: int = 0
    log_id: int = 0
    payload_encoding: str = ""
    payload_type: str = ""
    log_id_new: str = ""

    @classmethod
    def decode(cls, raw: bytes) -> "Frame":
        """Read a frame; raise UnreadableFrameError when the bytes are none."""
        message: Any = _FrameMessage()
        try:
            message.ParseFromString(raw)
        except DecodeError:
            raise UnreadableFrameError from None  # the cause would quote the bytes
        return cls(
            method=message.method,
            headers=tuple((header.key, header.value) for header in message.headers),
            service=message.service,
            payload=message.payload,
            sequence=message.SeqID,
            log_id=message.LogID,
            payload_encoding=message.payload_encoding,
            payload_type=message.payload_type,
            log_id_new=message.LogIDNew,
        )

    def encode(self) -> bytes:
        """Write the frame; the four required fields are written even when they are 0."""
        message: Any = _FrameMessage(SeqID=self.sequence, LogID=self.log_id, service=self.service, method=self.method)
        for key, value in self.headers:
            message.headers.add(key=key, value=value)
        for name, content in self._optional():
            if content:
                setattr(message, name, content)
        raw: bytes = message.SerializeToString()
        return raw

    def header(self, key: str) -> str:
        """Give a header's value, empty when it is absent."""
        return dict(self.headers).get(key, "")

    def number(self, key: str, default: int) -> int:
        """Give a header's value as a number, `default` when it is absent or none."""
        value = self.header(key)
        return int(value) if value.isascii() and value.isdigit() else default

    def answer(self, code: int, milliseconds: int, body: Mapping[str, object] | None = None) -> "Frame":
        """Make the acknowledgement: the same frame, how long it took, and the code (200 taken, 500 send it again).

        A callback is answered with a body as well.
        """
        headers = (*self.headers, ("biz_rt", str(milliseconds)))
        told: dict[str, object] = {"code": code}
        if body is not None:
            told["data"] = base64.b64encode(json.dumps(body, ensure_ascii=False).encode()).decode()
        return replace(self, headers=headers, payload=json.dumps(told).encode())

    def _optional(self) -> tuple[tuple[str, str | bytes], ...]:
        return (
            ("payload_encoding", self.payload_encoding),
            ("payload_type", self.payload_type),
            ("payload", self.payload),
            ("LogIDNew", self.log_id_new),
        )


def ping(service: int) -> Frame:
    """Make the ping that asks the platform for a sign of life."""
    return Frame(method=Method.CONTROL, headers=(("type", "ping"),), service=service)


_Field = descriptor_pb2.FieldDescriptorProto

_HEADER_FIELDS: Final = {
    "key": (1, _Field.LABEL_REQUIRED, _Field.TYPE_STRING),
    "value": (2, _Field.LABEL_REQUIRED, _Field.TYPE_STRING),
}
_FRAME_FIELDS: Final = {
    "SeqID": (1, _Field.LABEL_REQUIRED, _Field.TYPE_UINT64),
    "LogID": (2, _Field.LABEL_REQUIRED, _Field.TYPE_UINT64),
    "service": (3, _Field.LABEL_REQUIRED, _Field.TYPE_INT32),
    "method": (4, _Field.LABEL_REQUIRED, _Field.TYPE_INT32),
    "headers": (5, _Field.LABEL_REPEATED, _Field.TYPE_MESSAGE),
    "payload_encoding": (6, _Field.LABEL_OPTIONAL, _Field.TYPE_STRING),
    "payload_type": (7, _Field.LABEL_OPTIONAL, _Field.TYPE_STRING),
    "payload": (8, _Field.LABEL_OPTIONAL, _Field.TYPE_BYTES),
    "LogIDNew": (9, _Field.LABEL_OPTIONAL, _Field.TYPE_STRING),
}


def _message(
    name: str, fields: Mapping[str, tuple[int, _Field.Label.ValueType, _Field.Type.ValueType]]
) -> descriptor_pb2.DescriptorProto:
    message = descriptor_pb2.DescriptorProto(name=name)
    for field, (number, label, kind) in fields.items():
        added = message.field.add(name=field, number=number, label=label, type=kind)
        if kind == _Field.TYPE_MESSAGE:
            added.type_name = ".pbbp2.Header"
    return message


def _frame_message() -> type[Any]:
    schema = descriptor_pb2.FileDescriptorProto(name="pbbp2.proto", package="pbbp2", syntax="proto2")
    schema.message_type.append(_message("Header", _HEADER_FIELDS))
    schema.message_type.append(_message("Frame", _FRAME_FIELDS))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(schema)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("pbbp2.Frame"))


_FrameMessage: Final = _frame_message()
