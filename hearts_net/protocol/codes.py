"""Every error code of the wire, and the exceptions that carry them."""

from __future__ import annotations

from enum import StrEnum

from hearts_net.rules.errors import HeartsError


class ErrorCode(StrEnum):
    """Codes in ``refused`` and ``reply``, besides those of :mod:`hearts_net.rules.errors`."""

    # a frame that is not a message
    BAD_FRAME = "bad-frame"
    UNKNOWN_MESSAGE = "unknown-message"
    BAD_FIELD = "bad-field"
    # the order of a session
    HELLO_FIRST = "hello-first"
    NOT_JOINED = "not-joined"
    VERSION = "version-mismatch"
    SUPERSEDED = "superseded"
    # admission
    BAD_NAME = "bad-name"
    BAD_ROLE = "bad-role"
    TABLE_FULL = "table-full"
    NOT_ADMITTED = "not-admitted"
    SET_ASIDE = "set-aside"
    SHUT_OUT = "shut-out"
    WRONG_CODE = "wrong-code"
    BANNED = "banned"
    HOST_UNPROVED = "host-unproved"
    # commands
    STALE_EPOCH = "stale-epoch"
    STALE_TRICK = "stale-trick"
    NO_SEAT = "no-seat"
    NOT_ALLOWED = "not-allowed"
    NOT_NOW = "not-now"
    SEAT_TAKEN = "seat-taken"
    SEAT_EMPTY = "seat-empty"
    NOT_AWAY = "not-away"
    ALREADY_SEATED = "already-seated"
    UNKNOWN_LEVEL = "unknown-level"
    PAUSED = "paused"
    SEATS_MISSING = "seats-missing"
    NOT_HERE = "not-here"
    NOTHING_TO_SAY = "nothing-to-say"
    TOO_FAST = "too-fast"
    STORE_FAILED = "store-failed"
    CLOSING = "closing"


class ProtocolError(HeartsError):
    """Bytes or a message that the other side should not have sent."""
