"""Views take a short cut through the decoder: the same outcome as the long way, and no bombs."""

from __future__ import annotations

import tracemalloc
from typing import Any

import msgpack
import pytest

from hearts_net.host.projection import Viewer, project, project_public, public_view
from hearts_net.protocol import limits
from hearts_net.protocol.codec import decode_to_peer, encode, pack_public, splice_public
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.messages import Public, View
from hearts_net.testing.tables import HOST, Driver


def states(seed: int) -> list[View | Public]:
    """Views and public views from every part of a deal."""
    driver = Driver(seed)
    driver.start_game()
    found: list[View | Public] = []
    while driver.table.deal_number == 1:
        viewer = Viewer.of(driver.table, HOST)
        found.append(project(driver.table, viewer, 5))
        found.append(project_public(driver.table, 5, public_view(driver.table)))
        driver.step()
    return found


def the_long_way(body: bytes, **changes: Any) -> bytes:
    """The same map with its tag last, and with changes: no short cut for it."""
    plain = msgpack.unpackb(body)
    plain["type"] = plain.pop("type")
    return bytes(msgpack.packb(plain | changes))


def test_both_ways_lead_to_the_same_view() -> None:
    found = states(1)
    assert len(found) > 100
    for state in found:
        body = encode(state)
        assert decode_to_peer(body) == state
        assert decode_to_peer(the_long_way(body)) == state


def test_a_spliced_public_view_takes_it_too() -> None:
    public = next(state for state in states(2) if isinstance(state, Public))
    body = splice_public(public, pack_public(public.public))
    assert body == encode(public)


def view_with(**changes: Any) -> bytes:
    """A view's body, its tag first, with fields changed or added."""
    plain = msgpack.unpackb(encode(states(3)[0]))
    assert next(iter(plain)) == "type"
    return bytes(msgpack.packb(plain | changes))


def test_events_of_unknown_kinds_are_left_out() -> None:
    events = [{"event": "fireworks", "n": 1, "time": 2, "colour": "red"}]
    view = decode_to_peer(view_with(events=events))
    assert isinstance(view, View)
    assert view.events == []


def test_keys_of_a_later_version_are_ignored() -> None:
    assert decode_to_peer(view_with(weather="fine")) == states(3)[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"seq": -1},
        {"seq": 1.0},
        {"seq": None},
        {"may": ["x"] * 33},
        {"role": 5},
        {"events": [{"event": "said"}]},
        {"public": {}},
    ],
)
def test_what_does_not_fit_is_named(changes: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode_to_peer(view_with(**changes))
    assert caught.value.code in (ErrorCode.BAD_FIELD, ErrorCode.BAD_FRAME)


BEGINNING = b"\x83\xa4type\xa4view"
BOMBS = [
    BEGINNING + b"\xa3may\xdd\xff\xff\xff\xff",
    BEGINNING + b"\xa3may\xdd\x00\x03\xff\xff" + b"\xa0" * 0x3FFF0,
    BEGINNING + b"\xa1x" + b"\x91" * 200_000,
    BEGINNING + b"\xa1x" + b"\xdc\xff\xff" * 80_000,
    BEGINNING + b"\xa6public\x81\xa5rules\xdf\xff\xff\xff\xff",
    BEGINNING + b"\xa6public\x81\xa5seats\xdc\xff\xff" + b"\x80" * 200_000,
    BEGINNING + b"\xa5table\xdb\xff\xff\xff\xff",
    BEGINNING + b"\xa6events\xdc\xff\xff" + b"\x80" * 200_000,
    b"\xdf\xff\xff\xff\xff\xa4type\xa4view",
    b"\x8f\xa4type\xa4view",
    encode(states(4)[0]) + b"\xc0",
    BEGINNING + b"\xa1x" + b"\xc0" * limits.MAX_TO_PEER,
]


@pytest.mark.parametrize("body", BOMBS)
def test_no_body_costs_much_memory(body: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ProtocolError):
            decode_to_peer(body)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1_000_000


def test_rules_are_bounded_too() -> None:
    plain = msgpack.unpackb(encode(states(5)[0]))
    plain["public"]["rules"] = {f"option {number}": number for number in range(40)}
    with pytest.raises(ProtocolError):
        decode_to_peer(msgpack.packb(plain))
