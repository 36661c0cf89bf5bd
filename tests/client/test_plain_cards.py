from __future__ import annotations

import pytest

from hearts_client.plain_cards import NotUnderstoodError, looks_like_cards, read_cards

HAND = ["5C", "9C", "9D", "TD", "2S", "7S", "QS", "5H", "9H", "AH"]
LEGAL = ["5H", "9H", "AH"]


@pytest.mark.parametrize(
    ("typed", "cards"),
    [
        ("qs", ["QS"]),
        ("QS", ["QS"]),
        ("10d", ["TD"]),
        ("td", ["TD"]),
        ("a♥", ["AH"]),
        ("queen of spades", ["QS"]),
        ("Queen spades", ["QS"]),
        ("q of s", ["QS"]),
        ("que sp", ["QS"]),
        ("ten of diamonds", ["TD"]),
        ("the nine of hearts", ["9H"]),
        ("queen", ["QS"]),
        ("10", ["TD"]),
        ("9", ["9H"]),
        ("5", ["5H"]),
        ("ace", ["AH"]),
        ("2", ["2S"]),
        ("qs 7s 2s", ["QS", "7S", "2S"]),
        ("qs,7s, 2s", ["QS", "7S", "2S"]),
        ("queen of spades, 7 of spades and 2 of spades", ["QS", "7S", "2S"]),
        ("KC", ["KC"]),  # not held: the table says so
    ],
)
def test_cards_as_people_type_them(typed: str, cards: list[str]) -> None:
    assert read_cards(typed, HAND, LEGAL) == cards


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("hello", "is no card"),
        ("1s", "is no card"),
        ("q", "Name the suit as well"),
        ("k", "Name the suit as well"),
        ("king", "You hold no king"),
        ("qs hello", "is no card"),
    ],
)
def test_what_is_no_card_is_said(typed: str, says: str) -> None:
    with pytest.raises(NotUnderstoodError, match=says):
        read_cards(typed, HAND, LEGAL)


def test_a_rank_that_could_be_several_is_asked_about() -> None:
    with pytest.raises(NotUnderstoodError, match="could be 9 of clubs; 9 of diamonds; 9 of hearts"):
        read_cards("9", HAND)


@pytest.mark.parametrize("typed", ["hand", "quit", "q", "say 5", "", "he"])
def test_commands_and_slips_are_no_cards(typed: str) -> None:
    assert not looks_like_cards(typed)
