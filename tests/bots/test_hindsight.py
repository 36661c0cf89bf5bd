"""Traits of a card that playouts get wrong, and how a search heeds them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from hearts_net.bots import hindsight, search
from hearts_net.bots.hindsight import (
    DISCARDING,
    FOLLOWING,
    LEADING,
    Look,
    Trait,
    underrated,
)
from hearts_net.bots.search import Effort, Table, choose_card
from hearts_net.bots.sight import FinishedTrick, Sight
from hearts_net.rules.cards import (
    FULL_DECK,
    Card,
    card_text,
    mask_of,
    mask_of_texts,
    parse_card,
)
from tests.bots.sights import sight

ALL_BY_FIRST = (1 << parse_card("2H"), 0, 0, 0)
SPLIT = (1 << parse_card("2H"), 1 << parse_card("3H"), 0, 0)
EIGHT_TRICKS = (FinishedTrick(0, (0, 1, 2, 3), 3),) * 8

HAND = sight("5C 9C AC 4S QS KS 7H KH", gone="2H 3H 4H 5H 6H AH")
TRICK = sight("5C 9C AC 4S QS KS 7H KH", trick="3C 8C", gone="2H AH")
BARE = sight("4C 4D 9D KS AS QH", gone="2C 3C 2D 3D 2H")


EXAMPLES: list[tuple[Trait, Sight, str, float]] = [
    (hindsight.keeps_queen, HAND, "5C", 1),
    (hindsight.keeps_queen, HAND, "QS", 0),
    (hindsight.guards_queen, HAND, "5C", 2),
    (hindsight.guards_queen, HAND, "4S", 1),
    (hindsight.guards_queen, HAND, "QS", 0),
    (hindsight.hunts_queen, HAND, "4S", 0),
    (hindsight.hunts_queen, sight("4S AS 2D"), "4S", 1),
    (hindsight.hunts_queen, sight("4S AS 2D"), "AS", 0),
    (hindsight.hunts_queen_early, sight("4S AS 2D"), "AS", 1),
    (hindsight.hunts_queen_early, replace(sight("4S 2D"), tricks=EIGHT_TRICKS), "4S", 0),
    (hindsight.shuns_spades, BARE, "4C", 1),
    (hindsight.shuns_spades, BARE, "KS", 0),
    (hindsight.bares_high_spades, BARE, "4C", 1),
    (hindsight.bares_high_spades, sight("4S AS 2D"), "2D", 0),
    (hindsight.bares_high_spades, sight("4S AS 2D"), "4S", 1),
    (hindsight.high_heart, HAND, "KH", 11 / 12),
    (hindsight.high_heart, HAND, "AC", 0),
    (hindsight.top_heart, HAND, "KH", 1),
    (hindsight.top_heart, HAND, "7H", 0),
    (hindsight.top_heart, HAND, "AC", 0),
    (hindsight.heart_after_moon, HAND, "7H", 0),
    (hindsight.heart_after_moon, replace(HAND, taken=SPLIT), "7H", 1),
    (hindsight.heart_to_shooter, replace(HAND, taken=ALL_BY_FIRST), "7H", 1),
    (hindsight.heart_to_shooter, replace(HAND, taken=SPLIT), "7H", 0),
    (hindsight.queen_to_shooter, replace(HAND, taken=ALL_BY_FIRST), "QS", 1),
    (hindsight.queen_to_shooter, replace(HAND, taken=ALL_BY_FIRST), "KS", 0),
    (hindsight.takes_after_moon, replace(TRICK, taken=SPLIT), "9C", 1),
    (hindsight.takes_after_moon, replace(TRICK, taken=SPLIT), "5C", 0),
    (hindsight.takes_after_moon, TRICK, "9C", 0),
    (hindsight.higher_out, HAND, "9C", 4 / 8),
    (hindsight.higher_held, HAND, "5C", 2 / 5),
    (hindsight.higher_held, HAND, "AC", 0),
    (hindsight.top_to_shooter, replace(HAND, taken=ALL_BY_FIRST), "AC", 1),
    (hindsight.top_to_shooter, HAND, "AC", 0),
    (hindsight.one_lower_out, BARE, "4D", 0),
    (hindsight.one_lower_out, sight("3D 9D"), "3D", 1),
    (hindsight.from_length, HAND, "5C", 2 / 6),
    (hindsight.early_side_height, HAND, "5C", 3 / 10),
    (hindsight.early_side_height, HAND, "7H", 0),
    (hindsight.early_side_height, replace(HAND, tricks=EIGHT_TRICKS), "5C", 0),
    (hindsight.late_height, HAND, "5C", 0),
    (hindsight.late_height, replace(HAND, tricks=EIGHT_TRICKS), "5C", 3 / 10),
    (hindsight.exits, BARE, "9D", 2),
    (hindsight.exits, BARE, "4C", 1),
    (hindsight.no_exit, BARE, "9D", 0),
    (hindsight.no_exit, sight("9D KC"), "9D", 1),
    (hindsight.tops, HAND, "5C", 2),
    (hindsight.tops, HAND, "AC", 1),
    (hindsight.no_top_against_shooter, replace(HAND, taken=ALL_BY_FIRST), "5C", 0),
    (hindsight.no_top_against_shooter, replace(sight("9D KC"), taken=ALL_BY_FIRST), "9D", 1),
    (hindsight.no_top_against_shooter, sight("9D KC"), "9D", 0),
    (hindsight.top_heart_against_shooter, replace(HAND, taken=ALL_BY_FIRST), "5C", 1),
    (hindsight.top_heart_against_shooter, replace(HAND, taken=ALL_BY_FIRST), "KH", 0),
    (hindsight.lowest_heart_kept, BARE, "KS", 9 / 12),
    (hindsight.lowest_heart_kept, BARE, "QH", 0),
    (hindsight.highest_heart_kept, HAND, "5C", 5 / 6),
    (hindsight.highest_heart_kept, HAND, "KH", 0),
]


@pytest.mark.parametrize(("trait", "seen", "card", "value"), EXAMPLES)
def test_traits(trait: Trait, seen: Sight, card: str, value: float) -> None:
    assert trait(Look(seen, parse_card(card))) == pytest.approx(value)


def test_every_trait_that_counts_is_tried_above() -> None:
    assert {trait for trait, *_ in EXAMPLES} >= {
        trait for table in (LEADING, FOLLOWING, DISCARDING) for _, trait in table
    }


@pytest.mark.parametrize(
    ("seen", "card", "traits"),
    [
        (HAND, "9C", LEADING),
        (TRICK, "9C", FOLLOWING),
        (sight("7H KS", trick="3C"), "7H", DISCARDING),
    ],
)
def test_each_kind_of_play_has_its_weights(
    seen: Sight, card: str, traits: tuple[tuple[float, Trait], ...]
) -> None:
    look = Look(seen, parse_card(card))
    expected = sum(weight * trait(look) for weight, trait in traits)
    assert expected != 0
    assert underrated(seen, parse_card(card)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("trick", "favoured", "played"),
    [("3C 8C QS", "AC", "5C"), ("3C 8C 2D", "AC", "AC"), ("3C 8C 2D", "5C", "5C")],
)
def test_hindsight_chooses_among_close_cards_alone(
    monkeypatch: pytest.MonkeyPatch, trick: str, favoured: str, played: str
) -> None:
    """What playouts put far behind, as taking the queen, is not played whatever hindsight says."""
    unseen = mask_of_texts(["6C", "7C", "9C"])
    seen = replace(sight("5C AC", trick=trick), unseen=unseen, left=(1, 1, 1, 2))
    hearts = mask_of_texts(["2H", "3H"])
    gone = FULL_DECK & ~(unseen | seen.hand | hearts | mask_of(seen.table))
    seen = replace(seen, taken=(gone, hearts, 0, 0))

    def favour(_: Sight, card: Card) -> float:
        return 1000.0 * (card_text(card) == favoured)

    monkeypatch.setattr(search, "underrated", favour)
    effort = Effort((6, 6), most=10**6, hindsight=True)
    assert card_text(choose_card(Table(seen), effort, random.Random(5).random).card) == played
