"""What the table's host tells its bots' process: one JSON object a line on standard input."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from hearts_net.protocol.messages import Key, Name, Seat

Port: TypeAlias = Annotated[int, Meta(ge=1, le=65535)]
Level: TypeAlias = Annotated[str, Meta(max_length=16)]
LONGEST_PAUSE: Final = 60_000
Pause: TypeAlias = Annotated[int, Meta(ge=0, le=LONGEST_PAUSE)]
PAUSE: Final = 1200
"""Milliseconds that a bot seems to think at most, where people play."""


class Order(Struct, frozen=True, tag_field="do"):
    """One line; ``do`` says which."""


class SitDown(Order, frozen=True, tag="sit"):
    """Join this machine's table with this key pair as a bot and play."""

    control: Port
    key: Key
    public: Key
    secret: Key
    seat: Seat
    name: Name
    level: Level
    pause: Pause = PAUSE
    """Milliseconds that a card may take while people are at the table."""


class Deputise(Order, frozen=True, tag="deputy"):
    """Join as the deputy of ``seat``: the host sends its views, and the cards are played for it."""

    control: Port
    key: Key
    public: Key
    secret: Key
    seat: Seat
    level: Level = ""
    pause: Pause = PAUSE


class Leave(Order, frozen=True, tag="leave"):
    """Leave: the one with key ``public``, or without a key whoever plays ``seat``."""

    seat: Seat
    public: str = ""


AnyOrder: TypeAlias = SitDown | Deputise | Leave
