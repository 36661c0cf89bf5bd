"""The UDP question and its answer: how to learn a table's key from nothing but an address.

CURVE needs the host's key before it connects. Who has only an address sends one datagram of exactly
``DATAGRAM`` bytes to the control port's number; the answer carries the key, the ports, the versions
and what a list of tables shows, and is never longer than the question, so that nobody can use a
host to flood a third party. A key learned so is unverified: the invite is what pins a host.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from hearts_net.protocol import limits
from hearts_net.protocol.codec import decode_as, encode
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.messages import Admission, Count, Key, Machine, Message, Name, Phase

Nonce = Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
Port = Annotated[int, Meta(ge=0, le=65535)]
Versions = Annotated[list[Count], Meta(min_length=1, max_length=8)]
Free = Annotated[int, Meta(ge=0, le=4)]


class Question(Message, frozen=True, tag_field="type", tag="who-is-there"):
    """Ask what is at this address; ``nonce`` comes back in the answer."""

    nonce: Nonce
    pad: Annotated[str, Meta(max_length=768)]  # fills the datagram; its content means nothing


class Answer(Message, frozen=True, tag_field="type", tag="table-here"):
    """Tell what is here."""

    nonce: Nonce
    key: Key  # the host's public key
    control: Port
    public: Port
    versions: Versions
    table: Name
    machine: Machine  # that of the host, as it calls itself
    free: Free  # seats that somebody who joins now can have
    admit: Admission  # who is let in
    phase: Phase


_FRAME: Final = len(encode(Question("0" * 16, ""))) + 2
"""A question without its padding: the pad's own header is two bytes longer than that of "" ."""


def pack_question(nonce: str) -> bytes:
    """Return the datagram to send; ``nonce`` is 16 random hexadecimal digits.

    Raises:
        ProtocolError: ``bad-field``, for another kind of nonce.

    """
    body = encode(Question(nonce, " " * (limits.DATAGRAM - _FRAME)))
    read_question(body)
    return body


def read_question(body: bytes) -> Question:
    """Return the question in a datagram.

    Raises:
        ProtocolError: for anything else, and for a question that is not exactly ``DATAGRAM`` bytes;
            such a datagram gets no answer at all.

    """
    if len(body) != limits.DATAGRAM:
        raise ProtocolError(ErrorCode.BAD_FRAME, reason="size")
    return decode_as(body, Question, limits.DATAGRAM)


def pack_answer(answer: Answer) -> bytes:
    """Return the datagram to answer with, never longer than a question.

    Raises:
        ProtocolError: ``bad-field``, where a field is out of its range.

    """
    body = encode(answer)
    decode_as(body, Answer, limits.DATAGRAM)
    return body


def read_answer(body: bytes, nonce: str) -> Answer:
    """Return the answer to the question with this nonce.

    Raises:
        ProtocolError: for anything else, an answer to another question among it.

    """
    answer = decode_as(body, Answer, limits.DATAGRAM)
    if answer.nonce != nonce:
        raise ProtocolError(ErrorCode.BAD_FIELD, field="nonce")
    return answer
