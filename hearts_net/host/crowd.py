"""How much comes from each address of late."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from hearts_net.protocol.limits import Rate

_REMEMBERED: Final = 256
"""Addresses; the one that has been quiet longest makes room."""


class Crowd:
    """Holds every address to one rate; times in monotonic milliseconds."""

    __slots__ = ("_every", "_free_at", "_slack")

    def __init__(self, rate: Rate) -> None:
        self._every = rate.every
        self._slack = rate.slack
        self._free_at: OrderedDict[bytes, int] = OrderedDict()

    def is_over(self, address: bytes, now: int) -> bool:
        """Count one more from an address, unless it is too many now; then True."""
        free_at = self._free_at.get(address, 0)
        if free_at > now + self._slack:
            return True
        self._free_at[address] = max(free_at, now) + self._every
        self._free_at.move_to_end(address)
        if len(self._free_at) > _REMEMBERED:
            self._free_at.popitem(last=False)
        return False
