"""Reads what the table's host tells its bots' process."""

from __future__ import annotations

from typing import Final

import msgspec

from hearts_net.bots.player import BotCode, BotError
from hearts_net.protocol.orders import AnyOrder

MAX_LINE: Final = 4096
"""Bytes in a line; a longer one is no order."""
_DECODER: Final = msgspec.json.Decoder(AnyOrder)


def read_order(line: bytes) -> AnyOrder:
    """Return the order on a line; raises :class:`BotError` ``bad-order``, quoting nothing."""
    try:
        return _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise BotError(BotCode.BAD_ORDER) from None
