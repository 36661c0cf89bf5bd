"""What the monitor's events mean, one after the other."""

from __future__ import annotations

import errno

import pytest
import zmq

from hearts_net.peer.errors import LinkCode
from hearts_net.peer.monitor import FINAL, STOPPED, Sighting, Watch, code_of

CONNECTED = (zmq.EVENT_CONNECTED, 7)
CLOSED = (zmq.EVENT_CLOSED, 7)
GONE = (zmq.EVENT_DISCONNECTED, 7)
SHAKEN = (zmq.EVENT_HANDSHAKE_SUCCEEDED, 0)
BROKEN = (zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL, errno.EPIPE)
RESET = (zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL, errno.ECONNRESET)
HUNG = (zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL, errno.EAGAIN)
AUTH = (zmq.EVENT_HANDSHAKE_FAILED_AUTH, 400)
PROTOCOL = (zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL, 0x11000002)


def last(*events: tuple[int, int]) -> Sighting:
    watch = Watch()
    for event in events:
        watch.see(*event)
    return watch.sighting


@pytest.mark.parametrize(
    ("events", "sighting"),
    [
        ([], Sighting.NOTHING),
        ([CLOSED], Sighting.DOWN),
        ([CONNECTED], Sighting.OPEN),
        ([CONNECTED, SHAKEN], Sighting.UP),
        ([CONNECTED, SHAKEN, GONE], Sighting.LOST),
        ([CONNECTED, SHAKEN, GONE, CLOSED], Sighting.DOWN),
        ([CONNECTED, BROKEN, GONE], Sighting.OPEN),
        ([CONNECTED, BROKEN, GONE, CONNECTED, BROKEN], Sighting.WRONG_KEY),
        ([CONNECTED, RESET, GONE, CONNECTED, RESET, GONE, CONNECTED], Sighting.WRONG_KEY),
        ([CONNECTED, BROKEN, GONE, CLOSED, CONNECTED, BROKEN, GONE], Sighting.OPEN),
        ([CONNECTED, BROKEN, GONE, CONNECTED, HUNG, GONE, CONNECTED, BROKEN], Sighting.SILENT),
        ([CONNECTED, BROKEN, GONE, CONNECTED, BROKEN, GONE, CONNECTED, SHAKEN], Sighting.UP),
        ([CONNECTED, HUNG, GONE, CONNECTED], Sighting.SILENT),
        ([CONNECTED, AUTH, GONE], Sighting.REFUSED),
        ([CONNECTED, PROTOCOL, GONE], Sighting.NOT_THIS_GAME),
        ([CONNECTED, GONE], Sighting.NOT_THIS_GAME),
    ],
)
def test_what_is_sighted(events: list[tuple[int, int]], sighting: Sighting) -> None:
    assert last(*events) is sighting


def test_only_news_is_told_and_every_handshake_is_news() -> None:
    watch = Watch()
    assert watch.see(*CLOSED) is Sighting.DOWN
    assert watch.see(*CLOSED) is None
    assert watch.see(*CONNECTED) is Sighting.OPEN
    assert watch.see(*SHAKEN) is Sighting.UP
    assert watch.see(*SHAKEN) is Sighting.UP
    assert watch.see(*GONE) is Sighting.LOST


def test_what_is_ruled_out_stays_so() -> None:
    watch = Watch()
    watch.see(*CONNECTED)
    watch.rule_out()
    assert watch.see(*HUNG) is None
    assert watch.sighting is Sighting.NOT_THIS_GAME


def test_what_stops_is_final_and_what_is_final_has_a_code_of_its_own() -> None:
    assert STOPPED < FINAL
    codes = [code_of([sighting]) for sighting in FINAL]
    assert set(codes) == {LinkCode.REFUSED, LinkCode.WRONG_KEY, LinkCode.NOT_THIS_GAME}


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        ([], LinkCode.HOST_DOWN),
        ([Sighting.NOTHING, Sighting.DOWN], LinkCode.HOST_DOWN),
        ([Sighting.LOST], LinkCode.HOST_DOWN),
        ([Sighting.DOWN, Sighting.OPEN], LinkCode.HOST_SILENT),
        ([Sighting.UP], LinkCode.HOST_SILENT),
        ([Sighting.SILENT, Sighting.NOT_THIS_GAME], LinkCode.NOT_THIS_GAME),
        ([Sighting.NOT_THIS_GAME, Sighting.WRONG_KEY], LinkCode.WRONG_KEY),
        ([Sighting.WRONG_KEY, Sighting.REFUSED, Sighting.DOWN], LinkCode.REFUSED),
    ],
)
def test_of_several_addresses_the_one_that_says_most_is_told(
    seen: list[Sighting], code: LinkCode
) -> None:
    assert code_of(seen) == code
