"""Tables for the client's tests, and the screens that are kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hearts_client.settings import ClientSettings
from hearts_client.testing.sitting import Sitting
from hearts_net.rules.cards import mask_of, parse_card

GOLDEN = Path(__file__).parent / "golden"
RANKS = "23456789TJQKA"


@pytest.fixture
def sitting() -> Callable[..., Sitting]:
    """Make tables; the arguments are the fields of :class:`Sitting`."""
    return Sitting


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a screen with the one kept under a name; HEARTS_GOLDEN=write keeps it anew."""

    def compare(name: str, screen: str) -> None:
        path = GOLDEN / f"{name}.txt"
        text = screen + "\n"
        if os.environ.get("HEARTS_GOLDEN") == "write":
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path.name} is missing: run with HEARTS_GOLDEN=write and look"
        assert text == path.read_text(encoding="utf-8"), request.node.name

    return compare


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
