"""What libzmq's monitor shows of a host, and what a player may be told from it.

Events of one socket go in, in order; out comes what has been sighted. No socket and no clock here.
"""

from __future__ import annotations

import errno
from enum import StrEnum
from typing import Final

import zmq

from hearts_net.peer.errors import LinkCode

WATCHED: Final = (
    zmq.EVENT_CONNECTED
    | zmq.EVENT_CLOSED
    | zmq.EVENT_DISCONNECTED
    | zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)
"""The events that a monitor has to be made for."""

SURE_AFTER: Final = 2
"""Broken handshakes in a row that tell of another key; one may be a host just being restarted."""

_HUNG: Final = frozenset({errno.EAGAIN, errno.EWOULDBLOCK, errno.ETIMEDOUT})


class Sighting(StrEnum):
    """What there is at an address, as far as has been seen."""

    NOTHING = "nothing"
    """No answer yet, not even a refusal."""
    DOWN = "down"
    """The machine, or the way to it, refuses the connection."""
    OPEN = "open"
    """A TCP connection; whether it is a host is not known yet."""
    UP = "up"
    """The right host: the handshake has succeeded."""
    LOST = "lost"
    """The right host was here, and the connection has ended."""
    SILENT = "silent"
    """Something accepts connections and says nothing: a hung host, or another program."""
    WRONG_KEY = "wrong-key"
    """Handshakes break off again and again: not this game, or the host's key has changed."""
    REFUSED = "refused"
    """The host does not want this key."""
    NOT_THIS_GAME = "not-this-game"
    """Something else listens there."""


STOPPED: Final = frozenset({Sighting.REFUSED, Sighting.NOT_THIS_GAME})
"""After these libzmq does not try again by itself."""

FINAL: Final = STOPPED | {Sighting.WRONG_KEY}
"""After these waiting does not help somebody who joins."""

_CODES: Final = {
    Sighting.REFUSED: LinkCode.REFUSED,
    Sighting.WRONG_KEY: LinkCode.WRONG_KEY,
    Sighting.NOT_THIS_GAME: LinkCode.NOT_THIS_GAME,
    Sighting.SILENT: LinkCode.HOST_SILENT,
    Sighting.UP: LinkCode.HOST_SILENT,
    Sighting.OPEN: LinkCode.HOST_SILENT,
}


def code_of(sightings: list[Sighting]) -> LinkCode:
    """Choose the code that says most, of what was seen at several addresses of one host."""
    for sighting, code in _CODES.items():
        if sighting in sightings:
            return code
    return LinkCode.HOST_DOWN


class Watch:
    """What has been sighted at the other end of one socket."""

    def __init__(self) -> None:
        self.sighting = Sighting.NOTHING
        self._broken = 0
        self._failed = False
        self._ruled_out = False

    def rule_out(self) -> None:
        """Take it as known from elsewhere that something else listens there."""
        self._ruled_out = True
        self.sighting = Sighting.NOT_THIS_GAME

    def see(self, event: int, value: int) -> Sighting | None:
        """Take one monitor event; return the sighting when it is new (``UP`` each time)."""
        if self._ruled_out:
            return None
        before = self.sighting
        self._take(event, value)
        news = self.sighting is not before or event == zmq.EVENT_HANDSHAKE_SUCCEEDED
        return self.sighting if news else None

    def _take(self, event: int, value: int) -> None:
        if event == zmq.EVENT_CONNECTED:
            self._failed = False
            if self.sighting not in (Sighting.WRONG_KEY, Sighting.SILENT):
                self.sighting = Sighting.OPEN
        elif event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            self._broken = 0
            self.sighting = Sighting.UP
        elif event == zmq.EVENT_CLOSED:
            self._broken = 0
            self.sighting = Sighting.DOWN
        elif event == zmq.EVENT_DISCONNECTED:
            self._disconnected()
        else:
            self._handshake_failed(event, value)

    def _disconnected(self) -> None:
        if self.sighting is Sighting.UP:
            self.sighting = Sighting.LOST
        elif not self._failed:  # hung up before, or instead of, speaking ZMTP
            self.sighting = Sighting.NOT_THIS_GAME

    def _handshake_failed(self, event: int, value: int) -> None:
        self._failed = True
        if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
            self.sighting = Sighting.REFUSED
        elif event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL:
            self.sighting = Sighting.NOT_THIS_GAME
        elif event == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL and value in _HUNG:
            self._broken = 0
            self.sighting = Sighting.SILENT
        elif event == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL:
            self._broken += 1
            if self._broken >= SURE_AFTER:
                self.sighting = Sighting.WRONG_KEY
