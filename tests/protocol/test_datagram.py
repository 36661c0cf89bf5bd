"""The UDP question: only a whole question is answered, and never with more bytes than it had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hearts_net.protocol import limits
from hearts_net.protocol.codec import encode
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.datagram import (
    Answer,
    Question,
    pack_answer,
    pack_question,
    read_answer,
    read_question,
)

Draw = Callable[[type], st.SearchStrategy[Any]]
NONCE = "0123456789abcdef"
ANSWER = Answer(NONCE, "k" * 40, 26052, 26053, [1], "Kitchen", "attic-pc", 3, "open", "lobby")


def test_a_question_has_exactly_the_size_that_is_answered() -> None:
    body = pack_question(NONCE)
    assert len(body) == limits.DATAGRAM
    assert read_question(body).nonce == NONCE


@settings(max_examples=50)
@given(data=st.data())
def test_every_answer_arrives_and_is_no_longer_than_the_question(
    drawn: Draw, data: st.DataObject
) -> None:
    answer = data.draw(drawn(Answer))
    body = pack_answer(answer)
    assert len(body) <= limits.DATAGRAM
    assert read_answer(body, answer.nonce) == answer


def test_the_largest_answer_is_no_longer_than_the_question() -> None:
    wide = "\U0001f0a1"
    largest = Answer(
        NONCE, "#" * 40, 65535, 65535, [2**53] * 8, wide * 64, wide * 32, 4, wide * 16, wide * 16
    )
    assert len(pack_answer(largest)) <= limits.DATAGRAM


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", ErrorCode.BAD_FRAME),
        (pack_question(NONCE)[:-1], ErrorCode.BAD_FRAME),
        (pack_question(NONCE) + b" ", ErrorCode.BAD_FRAME),
        (encode(Question(NONCE, "short")), ErrorCode.BAD_FRAME),
        (b"\x00" * limits.DATAGRAM, ErrorCode.BAD_FRAME),
        (pack_question(NONCE).replace(NONCE.encode(), b"G" * 16), ErrorCode.BAD_FIELD),
        (pack_question(NONCE).replace(b"who-is-there", b"who-was-here"), ErrorCode.UNKNOWN_MESSAGE),
    ],
)
def test_what_is_no_question_gets_no_answer(body: bytes, code: ErrorCode) -> None:
    with pytest.raises(ProtocolError) as raised:
        read_question(body)
    assert raised.value.code == code


def test_an_answer_to_another_question_is_refused() -> None:
    with pytest.raises(ProtocolError) as raised:
        read_answer(pack_answer(ANSWER), "f" * 16)
    assert (raised.value.code, raised.value.detail) == (ErrorCode.BAD_FIELD, {"field": "nonce"})


@pytest.mark.parametrize(
    "wrong",
    [
        {"nonce": "short"},
        {"key": "k" * 39},
        {"key": "\xe9" * 40},
        {"control": 65536},
        {"versions": []},
        {"table": ""},
        {"machine": "m" * 33},
        {"free": 5},
        {"free": -1},
        {"admit": "a" * 17},
    ],
)
def test_an_answer_out_of_range_cannot_be_packed(wrong: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError) as raised:
        pack_answer(replace(ANSWER, **wrong))
    assert raised.value.code == ErrorCode.BAD_FIELD


def test_a_nonce_of_another_form_cannot_be_asked_with() -> None:
    for nonce in ("", "0" * 15, "0" * 17, "G" * 16, "\ud800" * 16):
        with pytest.raises(ProtocolError):
            pack_question(nonce)


@given(body=st.binary(max_size=600))
def test_any_datagram_is_read_or_refused(body: bytes) -> None:
    for read in (read_question, lambda b: read_answer(b, NONCE)):
        with pytest.raises(ProtocolError):
            read(body)
