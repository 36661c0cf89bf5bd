"""Tells text that was pasted from keys that were typed, where the terminal does not say so."""

from __future__ import annotations

from collections.abc import Collection

MANY = 64
"""Keys that are there at once: more than anybody types, and than a program types for somebody."""
DIFFERENT = 8
"""A key held down comes in heaps too where the line is slow, but it is one key."""
QUIET_MS = 400
"""After such a pause the next key is a typed one again; a busy machine makes shorter ones too."""


class Burst:
    """Watches the keys go by."""

    def __init__(self) -> None:
        self._until = 0
        self._is_new = False

    def is_pasted(self, waiting: Collection[str], now: int) -> bool:
        """Tell whether a key is part of a paste; ``waiting`` are the keys that came with it."""
        if (len(waiting) >= MANY and len(set(waiting)) >= DIFFERENT) or now < self._until:
            self._until = now + QUIET_MS
        self._is_new = now < self._until
        return self._is_new

    def busy(self, now: int) -> None:
        """Note that until now there was no time to read: what is there by now belongs to it too."""
        if self._is_new:
            self._until = now + QUIET_MS
            self._is_new = False
