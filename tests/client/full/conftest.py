"""Tables for the client's tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hearts_client.settings import ClientSettings
from hearts_client.testing.sitting import Sitting
from hearts_net.rules.cards import mask_of, parse_card

RANKS = "23456789TJQKA"


@pytest.fixture
def sitting() -> Callable[..., Sitting]:
    """Make tables; the arguments are the fields of :class:`Sitting`."""
    return Sitting


@pytest.fixture
def moon_hands() -> tuple[int, int, int, int]:
    """Hands with which seat 0 takes everything: all the clubs, which nobody else can follow."""
    first, second, third, fourth = (
        mask_of(parse_card(rank + suit) for rank in RANKS) for suit in "CDSH"
    )
    return first, second, third, fourth


@pytest.fixture
def settings() -> Callable[..., ClientSettings]:
    """Make settings for Asha."""

    def make(**values: object) -> ClientSettings:
        return replace(ClientSettings(name="Asha"), **values)  # type: ignore[arg-type]

    return make
