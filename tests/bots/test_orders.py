"""The lines that a host writes to its bots' process."""

from __future__ import annotations

import json

import msgspec
import pytest
import zmq

from hearts_net.bots.orders import read_order
from hearts_net.bots.player import BotError
from hearts_net.protocol.orders import Deputise, Leave, SitDown

PUBLIC, SECRET = (key.decode() for key in zmq.curve_keypair())
SIT = {
    "do": "sit",
    "control": 26052,
    "key": PUBLIC,
    "public": PUBLIC,
    "secret": SECRET,
    "seat": 2,
    "name": "Ada",
    "level": "easy",
}


def line(**changes: object) -> bytes:
    return json.dumps({**SIT, **changes}).encode()


def test_each_order_is_read() -> None:
    assert read_order(line()) == SitDown(26052, PUBLIC, PUBLIC, SECRET, 2, "Ada", "easy")
    deputy = read_order(line(do="deputy", name=7))
    assert deputy == Deputise(26052, PUBLIC, PUBLIC, SECRET, 2, "easy")
    assert read_order(b'{"do":"leave","seat":1}') == Leave(1)
    assert read_order(json.dumps({"do": "leave", "seat": 1, "public": PUBLIC}).encode()) == Leave(
        1, PUBLIC
    )


def test_what_is_written_is_what_is_read() -> None:
    for order in (
        SitDown(1, PUBLIC, PUBLIC, SECRET, 0, "Zoë", "medium", 0),
        Deputise(65535, PUBLIC, PUBLIC, SECRET, 3),
        Leave(3),
    ):
        assert read_order(msgspec.json.encode(order)) == order


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff\xfe",
        b'{"do":"dance"}',
        b'{"seat":1}',
        b'{"do":"leave","seat":4}',
        b'{"do":"leave","seat":"1"}',
        line(control=0),
        line(control=70000),
        line(secret="short"),
        line(name=""),
        line(level="x" * 17),
        b"[" * 3000,
    ],
    ids=range(15),
)
def test_anything_else_is_a_typed_error_that_quotes_nothing(bad: bytes) -> None:
    with pytest.raises(BotError) as caught:
        read_order(bad)
    assert caught.value.code == "bad-order"
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
