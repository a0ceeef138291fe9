"""The long connection's frame: protobuf (proto2) package pbbp2, written and read by hand.

Four fields are required and always written, zero too; a client that uses generated code refuses a frame without them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

CONTROL: Final = 0
DATA: Final = 1

_VARINT: Final = 0
_FIXED64: Final = 1
_BYTES: Final = 2
_FIXED32: Final = 5
_UINT64_MASK: Final = (1 << 64) - 1


class FrameError(ValueError):
    """Bytes are no frame."""


@dataclass(slots=True)
class Frame:
    """One binary WebSocket message; headers keep their order."""

    method: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    payload: bytes | None = None
    seq_id: int = 0
    log_id: int = 0
    service: int = 0
    payload_encoding: str | None = None
    payload_type: str | None = None
    log_id_new: str | None = None

    def header(self, key: str) -> str | None:
        """Return the first header of that key."""
        return next((value for name, value in self.headers if name == key), None)

    def encode(self) -> bytes:
        """Write the frame."""
        parts = [_number(1, self.seq_id), _number(2, self.log_id), _number(3, self.service)]
        parts.append(_number(4, self.method))
        for key, value in self.headers:
            parts.append(_block(5, _block(1, key.encode()) + _block(2, value.encode())))
        optional = (
            (6, self.payload_encoding and self.payload_encoding.encode()),
            (7, self.payload_type and self.payload_type.encode()),
            (8, self.payload),
            (9, self.log_id_new and self.log_id_new.encode()),
        )
        parts.extend(_block(number, value) for number, value in optional if isinstance(value, bytes))
        return b"".join(parts)


def decode(raw: bytes) -> Frame:
    """Read a frame, skipping unknown fields; FrameError when a required one is missing or bytes end early."""
    numbers: dict[int, int] = {}
    blocks: dict[int, bytes] = {}
    headers: list[tuple[str, str]] = []
    for number, value in _fields(raw):
        if isinstance(value, int):
            numbers[number] = value
        elif number == 5:
            headers.append(_header(value))
        else:
            blocks[number] = value
    if not {1, 2, 3, 4} <= numbers.keys():
        raise FrameError("a required field is missing")
    return Frame(
        method=numbers[4],
        headers=headers,
        payload=blocks.get(8),
        seq_id=numbers[1],
        log_id=numbers[2],
        service=numbers[3],
        payload_encoding=_string(blocks.get(6)),
        payload_type=_string(blocks.get(7)),
        log_id_new=_string(blocks.get(9)),
    )


def _header(raw: bytes) -> tuple[str, str]:
    parts = dict(_fields(raw))
    key, value = parts.get(1), parts.get(2)
    if not isinstance(key, bytes) or not isinstance(value, bytes):
        raise FrameError("a header needs key and value")
    return key.decode(), value.decode()


def _string(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode()


def _fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
    position = 0
    while position < len(raw):
        tag, position = _read_varint(raw, position)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == _VARINT:
            value, position = _read_varint(raw, position)
            yield number, value
            continue
        if wire_type == _BYTES:
            length, position = _read_varint(raw, position)
        elif wire_type in (_FIXED64, _FIXED32):
            length = 8 if wire_type == _FIXED64 else 4
        else:
            raise FrameError(f"unknown wire type {wire_type}")
        if position + length > len(raw):
            raise FrameError("the frame ends early")
        yield number, raw[position : position + length]
        position += length


def _read_varint(raw: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if position >= len(raw) or shift > 63:
            raise FrameError("a number ends early")
        byte = raw[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value & _UINT64_MASK)


def _block(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
