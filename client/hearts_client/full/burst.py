"""Tells text that was pasted from keys that were typed, where the terminal does not say so."""

from __future__ import annotations

from collections.abc import Collection

MANY = 64
"""Keys that are there at once: more than anybody types, and than a program types for somebody."""
DIFFERENT = 8
"""A key held down comes in heaps too where the line is slow, but it is one key."""
QUIET_MS = 100
"""After a pause of this length the next key is a typed one again."""


class Burst:
    """Watches the keys go by."""

    def __init__(self) -> None:
        self._until = 0

    def is_pasted(self, waiting: Collection[str], now: int) -> bool:
        """Tell whether a key is part of a paste; ``waiting`` are the keys that came with it."""
        if (len(waiting) >= MANY and len(set(waiting)) >= DIFFERENT) or now < self._until:
            self._until = now + QUIET_MS
        return now < self._until
