"""The frame codec, judged by Google's protobuf on the documented message."""

from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given
from hypothesis import strategies as st

from feishu_simulator.frames import Frame, FrameError, decode

_TYPES = descriptor_pb2.FieldDescriptorProto
_FRAME = (
    ("SeqID", 1, "uint64", "required"),
    ("LogID", 2, "uint64", "required"),
    ("service", 3, "int32", "required"),
    ("method", 4, "int32", "required"),
    ("headers", 5, "message", "repeated"),
    ("payload_encoding", 6, "string", "optional"),
    ("payload_type", 7, "string", "optional"),
    ("payload", 8, "bytes", "optional"),
    ("LogIDNew", 9, "string", "optional"),
)


def _frame_class() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="judge.proto", package="judge", syntax="proto2")
    header = file.message_type.add(name="Header")
    for number, name in enumerate(("key", "value"), start=1):
        header.field.add(name=name, number=number, type=_TYPES.TYPE_STRING, label=_TYPES.LABEL_REQUIRED)
    frame = file.message_type.add(name="Frame")
    for name, number, kind, label in _FRAME:
        column = frame.field.add(name=name, number=number)
        column.type = getattr(_TYPES, f"TYPE_{kind.upper()}")
        column.label = getattr(_TYPES, f"LABEL_{label.upper()}")
        if kind == "message":
            column.type_name = ".judge.Header"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("judge.Frame"))


Judge = _frame_class()
words = st.text(max_size=20)
frames = st.builds(
    Frame,
    method=st.integers(0, 1),
    headers=st.lists(st.tuples(words, words), max_size=4),
    payload=st.none() | st.binary(max_size=300),
    seq_id=st.integers(0, 2**64 - 1),
    log_id=st.integers(0, 2**64 - 1),
    service=st.integers(0, 2**31 - 1),
)


@given(frames)
def test_protobuf_reads_what_we_write(frame: Frame) -> None:
    judged = Judge.FromString(frame.encode())
    assert (judged.SeqID, judged.LogID, judged.service, judged.method) == (
        frame.seq_id,
        frame.log_id,
        frame.service,
        frame.method,
    )
    assert [(header.key, header.value) for header in judged.headers] == frame.headers
    assert judged.HasField("payload") == (frame.payload is not None)
    assert judged.payload == (frame.payload or b"")


@given(frames)
def test_we_read_what_protobuf_writes(frame: Frame) -> None:
    judged = Judge.FromString(frame.encode())
    assert decode(judged.SerializeToString()) == frame


def test_a_frame_without_a_required_field_is_refused() -> None:
    judged = Judge(SeqID=1, LogID=1, service=1)
    with pytest.raises(FrameError):
        decode(judged.SerializePartialToString())


def test_bytes_that_end_early_are_refused() -> None:
    with pytest.raises(FrameError):
        decode(Frame(1, payload=b"hello").encode()[:-1])
