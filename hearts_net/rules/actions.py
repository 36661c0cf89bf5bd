"""Everything that can be done to a game: what :meth:`hearts_net.rules.game.Game.apply` takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hearts_net.rules.cards import Card, Hands, Mask
from hearts_net.rules.options import MoonRule


@dataclass(frozen=True, slots=True)
class DealCards:
    """Deal these hands, 13 cards each."""

    hands: Hands
    shuffle: str | None = None
    """What is needed to check that the deal was fair, if anything is given."""


@dataclass(frozen=True, slots=True)
class PassCards:
    """Pass three cards (rule 2)."""

    seat: int
    cards: Mask


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Play one card; ``by_bot`` when a bot plays it for an absent person."""

    seat: int
    card: Card
    by_bot: bool = False


@dataclass(frozen=True, slots=True)
class ClaimRest:
    """Claim all the tricks that are left."""

    seat: int


@dataclass(frozen=True, slots=True)
class ChooseMoon:
    """Choose what shooting the moon does: ``others-gain`` or ``shooter-loses``."""

    seat: int
    choice: MoonRule


Action: TypeAlias = DealCards | PassCards | PlayCard | ClaimRest | ChooseMoon
