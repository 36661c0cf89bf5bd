"""Every limit and every timing of the protocol, each with its reason."""

from __future__ import annotations

from typing import Final

VERSION: Final = 1
"""The protocol's version, apart from the package's."""
VERSIONS: Final = (1,)
"""What this program can speak, newest first."""

# ---- sizes ---------------------------------------------------------------------------------------
MAX_TO_HOST: Final = 16 * 1024
"""Bytes in a frame to the host: the largest command is under 2 KiB."""
MAX_TO_PEER: Final = 256 * 1024
"""Bytes in a frame to a peer: a page of 50 deals is under 16 KiB."""
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
SAY_AT_ONCE: Final = 5
"""Things said one right after the other; everything said is kept for ever."""

# ---- milliseconds --------------------------------------------------------------------------------
ALIVE_EVERY: Final = 1000
"""Between two signs of life, in both directions."""
SLOW_AFTER: Final = 3000
"""Without a sign of life a peer is shown as slow."""
AWAY_AFTER: Final = 6000
"""Without a sign of life a peer is away, and its seat's grace begins."""
DIAL_AFTER: Final = 2000
"""A peer that has heard nothing for so long dials anew beside the old connection."""
DIAL_EVERY: Final = 500
"""Between two such dials."""
SAY_EVERY: Final = 1000
"""Beyond that, one key may say one thing in so long."""
REPLY_WITHIN: Final = 2000
"""A command without a reply is sent again after so long (same id)."""
OWN_VIEW_WITHIN: Final = 300
"""A state known from elsewhere whose view has not come by then is asked for with a snapshot."""
LEAVE_WITHIN: Final = 500
"""A peer that has said bye waits so long for the host's bye, then goes all the same."""
FETCH_TRIES: Final = 3
"""A page that does not come is asked for so often, ``REPLY_WITHIN`` apart."""
HELLO_WITHIN: Final = 5000
"""A host that has not answered hello by then is reported as not answering."""
GRACE: Final = 60_000
"""An away seat is held so long before a bot plays for it (``--grace``)."""
NEXT_DEAL: Final = 20_000
"""Between deals, the next one starts by itself after so long while a person is present."""

# ---- ports ---------------------------------------------------------------------------------------
CONTROL_PORT: Final = 26052
"""The default; public is the next one."""

# ---- mDNS ----------------------------------------------------------------------------------------
SERVICE: Final = "_hearts-net._tcp.local."
"""The service type under which a table is advertised."""
