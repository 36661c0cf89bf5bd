"""Countdowns that run only while they should, and are never started anew by who comes and goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class Grace(NamedTuple):
    """Until a deputy plays for a seat that is away (in the lobby: until the seat is free)."""

    seat: int
    since: int
    waits: int
    """How often it was decided to wait longer: each time is a countdown of its own."""


class Turn(NamedTuple):
    """Until a deputy plays a turn that takes too long."""

    seat: int
    deal: int
    stage: str
    played: int
    """Cards played in the deal: which turn of the stage it is."""


class NextDeal(NamedTuple):
    """Until the next deal starts by itself."""

    deal: int


class Shares(NamedTuple):
    """Until the host draws the shares that have not come."""

    deal: int
    listed: bool
    """Whether what is awaited are shares to be opened, or commitments to them."""


Cause: TypeAlias = Grace | Turn | NextDeal | Shares
"""What a countdown is for; the same cause is the same countdown."""


@dataclass(frozen=True, slots=True)
class Countdown:
    """What is left of one, in milliseconds, at the monotonic time ``at``."""

    left: int
    at: int
    until: int
    """UTC milliseconds when it ends; 0 while it stands still."""

    @property
    def due(self) -> int | None:
        """When it ends (monotonic); None while it stands still."""
        return self.at + self.left if self.until else None

    def going(self, running: bool, now: int, clock: int) -> Countdown:
        """Return it running, or standing still, from now on."""
        if running == bool(self.until):
            return self
        if running:
            return Countdown(self.left, now, clock + self.left)
        return Countdown(max(0, self.left - (now - self.at)), now, 0)


@dataclass(frozen=True, slots=True)
class Clocks:
    """All the countdowns of a table."""

    counting: Mapping[Cause, Countdown] = field(default_factory=dict)

    def adjusted(
        self,
        wanted: Mapping[Cause, int],
        *,
        running: bool,
        now: int,
        clock: int,
        still: Cause | None = None,
    ) -> Clocks:
        """Return exactly the wanted countdowns; those already there go on from where they are.

        All stand still unless ``running``, and one of them may do so by itself.
        """
        if not wanted and not self.counting:
            return self
        return Clocks(
            {
                cause: self.counting.get(cause, Countdown(length, now, 0)).going(
                    running and cause != still, now, clock
                )
                for cause, length in wanted.items()
            }
        )

    def is_over(self, cause: Cause, now: int) -> bool:
        """Whether a countdown has ended; one that does not exist has not."""
        countdown = self.counting.get(cause)
        return countdown is not None and countdown.due is not None and countdown.due <= now

    def until(self, cause: Cause) -> int:
        """Return when a countdown ends (UTC milliseconds); 0 when none runs."""
        countdown = self.counting.get(cause)
        return countdown.until if countdown is not None else 0

    def deadline(self) -> int | None:
        """Return when the next one ends (monotonic)."""
        dues = [countdown.due for countdown in self.counting.values()]
        return min((due for due in dues if due is not None), default=None)
