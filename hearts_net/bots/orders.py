"""What the table's host tells its bots' process: one JSON object a line on standard input."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct

from hearts_net.bots.player import BotCode, BotError
from hearts_net.protocol.messages import Key, Name, Seat

Port: TypeAlias = Annotated[int, Meta(ge=1, le=65535)]
Level: TypeAlias = Annotated[str, Meta(max_length=16)]

MAX_LINE: Final = 4096
"""Bytes in a line; a longer one is no order."""
LOOPBACK: Final = "127.0.0.1"


class Order(Struct, frozen=True, tag_field="do"):
    """One line; ``do`` says which."""


class SitDown(Order, frozen=True, tag="sit"):
    """Join the table with this key pair as a bot and play."""

    control: Port
    key: Key
    public: Key
    secret: Key
    seat: Seat
    name: Name
    level: Level
    host: str = LOOPBACK
    pause: bool = True
    """Take a person's time for a card while people are at the table."""


class Deputise(Order, frozen=True, tag="deputy"):
    """Join as the deputy of ``seat``: the host sends its views, and the cards are played for it."""

    control: Port
    key: Key
    public: Key
    secret: Key
    seat: Seat
    level: Level = ""
    host: str = LOOPBACK
    pause: bool = True


class Leave(Order, frozen=True, tag="leave"):
    """Leave: the one with key ``public``, or without a key whoever plays ``seat``."""

    seat: Seat
    public: str = ""


AnyOrder: TypeAlias = SitDown | Deputise | Leave
_DECODER: Final = msgspec.json.Decoder(AnyOrder)


def read_order(line: bytes) -> AnyOrder:
    """Return the order on a line; raises :class:`BotError` ``bad-order``, quoting nothing."""
    try:
        return _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise BotError(BotCode.BAD_ORDER) from None


def write_order(order: AnyOrder) -> bytes:
    """Return the line of an order, its end included."""
    return msgspec.json.encode(order) + b"\n"
