"""A look at a public body's stamp says what decoding it would, or nothing."""

from __future__ import annotations

import os

import msgpack
import pytest

from hearts_net.protocol import limits
from hearts_net.protocol.codec import decode_to_peer, encode, peek_stamp
from hearts_net.protocol.messages import Alive, Beat, Bye, Reply


@pytest.mark.parametrize("stamp", [(0, 0), (1, 2), (2**53, 2**53)])
def test_a_beats_stamp_is_what_it_says(stamp: tuple[int, int]) -> None:
    body = encode(Beat(*stamp))
    assert peek_stamp(body) == stamp
    assert decode_to_peer(body) == Beat(*stamp)


def test_a_public_bodys_stamp_is_found_in_any_order_of_keys() -> None:
    fields = {"public": {"seats": [{"name": "Chloé"}] * 4}, "seq": 7, "type": "public", "epoch": 3}
    assert peek_stamp(msgpack.packb(fields)) == (3, 7)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xc1",
        os.urandom(300),
        encode(Bye()),
        encode(Alive(1, 2)),
        encode(Reply(1, True, "", {}, 1, 2)),
        msgpack.packb({"type": "public"}),
        msgpack.packb({"type": "public", "epoch": 1.0, "seq": 2}),
        msgpack.packb({"type": "public", "epoch": -1, "seq": 2}),
        msgpack.packb({"type": "public", "epoch": 2**53 + 1, "seq": 2}),
        msgpack.packb({"type": 5, "epoch": 1, "seq": 2}),
        msgpack.packb([1, 2, 3]),
        b"\x91" * 10_000,
        b"\x83\xa4type\xa6public\xa5epoch\x01" + b"\xa1x" + b"\x91" * 5_000,
        encode(Beat(1, 2)) + b"\0" * limits.MAX_TO_PEER,
    ],
)
def test_anything_else_has_none(body: bytes) -> None:
    assert peek_stamp(body) is None
