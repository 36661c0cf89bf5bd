"""Every limit and every timing of the protocol, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Rate:
    """A number of times at once, and from then on one in a number of milliseconds."""

    at_once: int
    every: int

    @property
    def slack(self) -> int:
        """How far ahead of the steady rate, in milliseconds, somebody may be."""
        return (self.at_once - 1) * self.every


VERSION: Final = 1
"""The protocol's version, apart from the package's."""
VERSIONS: Final = (1,)
"""What this program can speak, newest first."""

# ---- sizes ---------------------------------------------------------------------------------------
MAX_TO_HOST: Final = 16 * 1024
"""Bytes in a frame to the host: no command that could be accepted has 4 KiB."""
MAX_ON_PUBLIC: Final = 512
"""Bytes in a frame to the public socket: a subscription, and the handshake's own."""
MAX_TO_PEER: Final = 256 * 1024
"""Bytes in a frame to a peer: the largest page of the log (50 long texts said) has under 128 KiB,
the largest view under 96 KiB."""
DATAGRAM: Final = 768
"""Bytes in the UDP question; its answer never has more."""
MAX_STR: Final = 1600
"""Bytes of UTF-8 in a string: 400 characters of chat, four bytes each."""
MAX_ARRAY: Final = 64
"""Items in an array: the 52 cards seen are the longest."""
MAX_MAP: Final = 32
"""Keys in a map: the public view has the most, 27."""
MAX_BIN: Final = 0
"""Raw bytes: no message carries any."""
MAX_EXT: Final = 0
"""Extension types: none, timestamps included."""
MAX_DEPTH: Final = 8
"""Nested maps and arrays; a view needs 6."""
PAGE: Final = 50
"""Entries in a page of the log or of the deals."""
CODE_TRIES: Final = 10
"""Wrong codes for a table, whatever the keys; then newcomers are asked about instead."""
MOST_ASKING: Final = 16
"""Newcomers that the host's player is asked about at once."""
MOST_BANNED: Final = 32
"""Keys banned at one table; one more takes the place of the oldest."""

# ---- how often -----------------------------------------------------------------------------------
RATES: Final[dict[str, Rate]] = {
    "arrive": Rate(20, 500),
    "command": Rate(40, 200),
    "say": Rate(5, 1000),
    "look": Rate(60, 50),
    "alive": Rate(20, 250),
    "strike": Rate(20, 1000),
    "stranger": Rate(40, 100),
    "stranger-look": Rate(130, 25),
    "connection": Rate(200, 25),
    "handshake": Rate(100, 50),
    "question": Rate(50, 50),
    "all-questions": Rate(200, 4),
}
"""What a key (``stranger…``: all without a seat together; the last four: an address, and all of
them together) may do how often; ``protocol.md`` says what counts as what.

Far above what people and computer players need: an honest peer never meets one of them.
"""
PAUSES: Final = 3
"""Times that a key is set aside in one game; at the next it is shut out for the rest of it."""
UNREAD: Final = 200
"""Messages that a key set aside may send; with more it is shut out."""
TOPICS: Final = 8
"""Subscriptions to anything but everything or the beats that a key may make; with more it is shut
out."""
CONNECTIONS: Final = 256
"""Connections at once, of both sockets."""
CONNECTIONS_PER_ADDRESS: Final = 96
"""Of those from one address: a whole family behind one router, and a few to spare."""
CONNECTIONS_PER_KEY: Final = 8
"""Control connections of one key: a peer that dials anew has the old ones for a moment."""
HELD: Final = 64 * 1024
"""Bytes that one control connection may have sent and that were not read yet as messages."""
HELD_ON_PUBLIC: Final = 16 * 1024
"""Bytes that one public connection may send: a subscription has under 100."""

# ---- milliseconds --------------------------------------------------------------------------------
ALIVE_EVERY: Final = 1000
"""Between two signs of life, in both directions."""
SLOW_AFTER: Final = 3000
"""After this time without a sign of life a peer is shown as slow."""
AWAY_AFTER: Final = 6000
"""After this time without a sign of life a peer is away, and its seat's grace begins."""
DIAL_AFTER: Final = 2000
"""A peer that has heard nothing for this time dials anew beside the old connection."""
DIAL_EVERY: Final = 500
"""Between two such dials."""
PAUSE: Final = 10_000
"""For this time a key with too many strikes is set aside."""
SPEAK_WITHIN: Final = 10_000
"""A control connection on which nothing was said by then is closed."""
REPLY_WITHIN: Final = 2000
"""After this time a command without a reply is sent again (same id)."""
SHARE_WITHIN: Final = 1000
"""A share of the shuffle that is not committed to, or not opened, by then is the host's to draw."""
OWN_VIEW_WITHIN: Final = 300
"""A state known from elsewhere whose view has not come by then is asked for with a snapshot."""
LEAVE_WITHIN: Final = 500
"""A peer that has said bye waits this time for the host's bye, then goes all the same."""
FETCH_TRIES: Final = 3
"""A page that does not come is asked for at most this many times, ``REPLY_WITHIN`` apart."""
HELLO_WITHIN: Final = 5000
"""A host that has not answered hello by then is reported as not answering."""
GRACE: Final = 60_000
"""An away seat is held for this time before a bot plays for it (``--grace``)."""
NEXT_DEAL: Final = 20_000
"""After this time between deals the next one starts by itself, while several persons are there and
none of them has said "not yet"."""

# ---- ports ---------------------------------------------------------------------------------------
CONTROL_PORT: Final = 26052
"""The default; public is the next one."""

# ---- mDNS ----------------------------------------------------------------------------------------
SERVICE: Final = "_hearts-net._tcp.local."
"""The service type under which a table is advertised."""
