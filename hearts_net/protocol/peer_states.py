"""The states of a peer's session and the table of what moves it.

``TRANSITIONS`` is the whole life of a session; the diagram in ``protocol.md`` is drawn from it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class LinkState(StrEnum):
    """Where a session stands, seen from the peer."""

    __hash__ = str.__hash__  # quicker than that of enums, and asked for at every card

    CONNECTING = "connecting"
    """No connection yet."""
    GREETING = "greeting"
    """Hello is sent."""
    JOINING = "joining"
    """Welcomed; join is sent, or granted with the first view still to come. Newcomers may have to
    wait here for the table's code, or for the host's player."""
    LIVE = "live"
    """Admitted, with a view: commands go out."""
    LOST = "lost"
    """Was live; the connection is gone or has been silent for too long."""
    LEAVING = "leaving"
    """Bye is sent."""
    ENDED = "ended"
    """Left, refused, superseded, sent away, or the table is closed: nothing goes on from here."""


class Cause(StrEnum):
    """What moves a session from one state to another."""

    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    WELCOME = "welcome"
    FIRST_VIEW = "joined and view"
    SILENCE = "silence"
    HEARD = "heard again"
    ASKED_HELLO = "hello-first or not-joined"
    OTHER_TABLE = "another table"
    REFUSED = "refused"
    SHUT_OUT = "shut-out"
    TAKEN_OVER = "superseded"
    SENT_AWAY = "removed"
    CLOSED = "closing"
    LEAVE = "leave"
    BYE = "bye"


_S, _C = LinkState, Cause
_ENDS: Final = dict.fromkeys((_C.TAKEN_OVER, _C.SENT_AWAY, _C.CLOSED, _C.BYE), _S.ENDED)
TRANSITIONS: Final[dict[LinkState, dict[Cause, LinkState]]] = {
    _S.CONNECTING: {_C.CONNECTED: _S.GREETING, _C.LEAVE: _S.ENDED},
    _S.GREETING: {
        _C.CONNECTED: _S.GREETING,
        _C.DISCONNECTED: _S.CONNECTING,
        _C.OTHER_TABLE: _S.CONNECTING,
        _C.WELCOME: _S.JOINING,
        _C.REFUSED: _S.ENDED,
        _C.LEAVE: _S.LEAVING,
        **_ENDS,
    },
    _S.JOINING: {
        _C.CONNECTED: _S.GREETING,
        _C.DISCONNECTED: _S.CONNECTING,
        _C.FIRST_VIEW: _S.LIVE,
        _C.ASKED_HELLO: _S.GREETING,
        _C.REFUSED: _S.ENDED,
        _C.LEAVE: _S.LEAVING,
        **_ENDS,
    },
    _S.LIVE: {
        _C.CONNECTED: _S.GREETING,
        _C.DISCONNECTED: _S.LOST,
        _C.SILENCE: _S.LOST,
        _C.ASKED_HELLO: _S.GREETING,
        _C.SHUT_OUT: _S.ENDED,
        _C.LEAVE: _S.LEAVING,
        **_ENDS,
    },
    _S.LOST: {
        _C.CONNECTED: _S.GREETING,
        _C.HEARD: _S.LIVE,
        _C.ASKED_HELLO: _S.GREETING,
        _C.SHUT_OUT: _S.ENDED,
        _C.LEAVE: _S.LEAVING,
        **_ENDS,
    },
    _S.LEAVING: {
        _C.CONNECTED: _S.LEAVING,
        _C.DISCONNECTED: _S.ENDED,
        _C.SILENCE: _S.ENDED,
        **_ENDS,
    },
    _S.ENDED: {},
}
"""For each state, what moves it and where to; a cause that is not listed moves nothing."""
