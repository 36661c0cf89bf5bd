"""What a computer player is: a choice from what one seat sees, and from nothing else."""

from __future__ import annotations

import random
from enum import StrEnum
from typing import Protocol

from hearts_net.protocol.messages import View
from hearts_net.rules.errors import HeartsError


class BotCode(StrEnum):
    """Codes of :class:`BotError`."""

    UNKNOWN_LEVEL = "unknown-level"
    NO_SEAT = "no-seat"
    NOTHING_TO_CHOOSE = "nothing-to-choose"
    BAD_ORDER = "bad-order"


class BotError(HeartsError):
    """A level that does not exist, or a question that a view does not ask."""


class Player(Protocol):
    """A way of playing. It keeps nothing between two questions: view and ``rng`` are all it has.

    So a bot that is killed and started again goes on as if nothing had happened, and one player can
    serve any number of seats. ``rng`` is seeded by whoever asks: the same view and seed give the
    same choice.
    """

    def choose_pass(self, view: View, rng: random.Random) -> list[str]:
        """Return the three cards to pass on, as text."""
        ...

    def choose_play(self, view: View, rng: random.Random) -> str:
        """Return one of ``view.own.legal``."""
        ...

    def choose_moon(self, view: View, rng: random.Random) -> str:
        """Return ``others-gain`` or ``shooter-loses`` for the moon that this seat has shot."""
        ...
