"""A clock that stands still until it is told."""

from __future__ import annotations

from dataclasses import dataclass

UTC_START = 1_700_000_000_000


@dataclass(slots=True)
class FakeClock:
    """Milliseconds: ``now`` is monotonic, ``utc`` what the host calls its clock."""

    now: int = 1000
    utc_offset: int = UTC_START

    @property
    def utc(self) -> int:
        """Milliseconds since 1970."""
        return self.now + self.utc_offset

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        assert milliseconds >= 0
        self.now += milliseconds

    def advance_to(self, now: int) -> None:
        """Let time pass until ``now``; time never goes back."""
        self.now = max(self.now, now)
