"""Everything that reads what others write, each fed with one input and held to its promise."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Final

import zmq

from hearts_net.host.errors import HostError, StoreError
from hearts_net.host.facts import decode_entry, encode_entry
from hearts_net.host.settings import settings_from_json
from hearts_net.host.zap import Doorkeeper
from hearts_net.peer.errors import LinkError
from hearts_net.peer.invite import parse_address, parse_invite
from hearts_net.protocol import limits
from hearts_net.protocol.codec import decode_to_host, decode_to_peer, encode, refusal
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.datagram import read_answer, read_question
from hearts_net.rules.check import check_file
from hearts_net.rules.errors import RecordError

CODES: Final = {ErrorCode.BAD_FRAME, ErrorCode.UNKNOWN_MESSAGE, ErrorCode.BAD_FIELD}


def held(error: ProtocolError) -> None:
    """The error is one of the three, and can be told to whoever sent the message."""
    assert error.code in CODES
    assert len(encode(refusal(error))) < 300


def read_to_host(body: bytes) -> None:
    """A message to the host, or a protocol error."""
    try:
        message = decode_to_host(body)
    except ProtocolError as error:
        held(error)
    else:
        assert decode_to_host(encode(message)) == message


def read_to_peer(body: bytes) -> None:
    """A message to a peer, or a protocol error."""
    try:
        message = decode_to_peer(body)
    except ProtocolError as error:
        held(error)
    else:
        assert decode_to_peer(encode(message)) == message


def read_datagram(body: bytes) -> None:
    """A question or an answer, or a protocol error; only a whole question is one."""
    try:
        read_question(body)
        assert len(body) == limits.DATAGRAM
    except ProtocolError as error:
        held(error)
    try:
        read_answer(body, "5f0c9a7be21d4483")
    except ProtocolError as error:
        held(error)


def read_entry(body: bytes) -> None:
    """An entry of a store, or ``store-damaged``."""
    try:
        entry = decode_entry(body, 3)
    except StoreError:
        return
    assert decode_entry(encode_entry(entry), 3) == entry


def read_record(body: bytes) -> None:
    """A game record, or an error that names the line."""
    with contextlib.suppress(RecordError):
        for _game in check_file(BytesIO(body)):
            pass


def read_settings(body: bytes) -> None:
    """Settings of a table, or ``bad-settings``."""
    try:
        settings = settings_from_json(body, Path("tables"), "k", "s")
    except HostError:
        return
    settings.to_json()


def read_invite(body: bytes) -> None:
    """An invite or an address, or a link error."""
    text = body.decode("utf-8", "replace")
    with contextlib.suppress(LinkError):
        invite = parse_invite(text)
        assert parse_invite(invite.text()) == invite
    with contextlib.suppress(LinkError):
        parse_address(text)


class Zap:
    """The doorkeeper, asked by hand."""

    def __init__(self) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._doorkeeper = Doorkeeper(self._context, lambda: 0.0)

    def close(self) -> None:
        """End it."""
        self._doorkeeper.close()
        self._context.term()

    def __call__(self, body: bytes) -> None:
        """A question in frames, split at line ends: answered, and seldom with yes."""
        frames = body.split(b"\n")
        answer = self._doorkeeper.answer(frames)
        assert len(answer) == 6
        assert answer[0] == b"1.0"
        if answer[2] == b"200":
            assert len(frames) == 7
            assert frames[2] == b"hearts-control"
            assert frames[5] == b"CURVE"
            assert len(frames[6]) == 32


READERS: Final[dict[str, Callable[[bytes], None]]] = {
    "to-host": read_to_host,
    "to-peer": read_to_peer,
    "datagram": read_datagram,
    "entry": read_entry,
    "record": read_record,
    "settings": read_settings,
    "invite": read_invite,
}
"""By the folder of the corpus."""
