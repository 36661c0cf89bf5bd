"""How much somebody may say: a few things at once, then one a second.

Everything said is stored and told to everybody, and its answer is kept for ever.
"""

from __future__ import annotations

from hearts_net.host.permissions import refuse
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.limits import SAY_AT_ONCE, SAY_EVERY


class Talk:
    """Notes when whoever has talked of late may talk freely again; times in milliseconds."""

    __slots__ = ("_free_at",)

    def __init__(self) -> None:
        self._free_at: dict[str, int] = {}

    def check(self, key: str, now: int) -> None:
        """Raise :class:`Refusal` ``too-fast`` where a key has said too much to say more now."""
        if self._free_at.get(key, now) > now + (SAY_AT_ONCE - 1) * SAY_EVERY:
            refuse(ErrorCode.TOO_FAST)

    def said(self, key: str, now: int) -> None:
        """Note that a key has said something."""
        # who may talk freely need not be remembered
        self._free_at = {other: free for other, free in self._free_at.items() if free > now}
        self._free_at[key] = self._free_at.get(key, now) + SAY_EVERY
