"""Cards, masks and the shuffle."""

from __future__ import annotations

import hashlib
from collections import Counter
from random import Random

import pytest

from hearts_net.rules.cards import (
    ACE_OF_SUIT,
    FULL_DECK,
    HEARTS_MASK,
    JACK_OF_DIAMONDS,
    PENALTY_MASK,
    QUEEN_OF_SPADES,
    SUIT_MASK_OF,
    SUIT_MASKS,
    TWO_OF_CLUBS,
    card_text,
    cards_in,
    hand_texts,
    mask_of,
    mask_of_texts,
    parse_card,
    random_card,
    suit_of,
)
from hearts_net.rules.errors import CardCode, CardError
from hearts_net.rules.shuffle import deal_hands, shuffled


def test_texts_are_rank_then_suit() -> None:
    texts = [card_text(card) for card in range(52)]
    assert texts[:13] == [
        "2C",
        "3C",
        "4C",
        "5C",
        "6C",
        "7C",
        "8C",
        "9C",
        "TC",
        "JC",
        "QC",
        "KC",
        "AC",
    ]
    assert texts[13:26:12] == ["2D", "AD"]
    assert [parse_card(text) for text in texts] == list(range(52))
    assert (
        parse_card("2C"),
        parse_card("JD"),
        parse_card("QS"),
    ) == (TWO_OF_CLUBS, JACK_OF_DIAMONDS, QUEEN_OF_SPADES)


@pytest.mark.parametrize("text", ["", "2", "C2", "2c", "10C", "1C", "2X", " 2C", "2C ", "QSX"])
def test_texts_that_are_no_cards(text: str) -> None:
    with pytest.raises(CardError) as refusal:
        parse_card(text)
    assert refusal.value.code == CardCode.NOT_A_CARD
    assert refusal.value.detail == {"card": text}


@pytest.mark.parametrize("card", [-1, 52, 1000])
def test_numbers_that_are_no_cards(card: int) -> None:
    with pytest.raises(CardError) as refusal:
        card_text(card)
    assert refusal.value.code == CardCode.NOT_A_CARD
    assert refusal.value.detail == {"card": card}


def test_suits_and_ranks() -> None:
    for card in range(52):
        assert suit_of(card) * 13 <= card < suit_of(card) * 13 + 13
        assert SUIT_MASKS[suit_of(card)] >> card & 1
        assert SUIT_MASK_OF[card] == SUIT_MASKS[suit_of(card)]
        assert suit_of(ACE_OF_SUIT[card]) == suit_of(card)
        assert ACE_OF_SUIT[card] % 13 == 12
    assert sum(SUIT_MASKS) == FULL_DECK == 2**52 - 1
    assert hand_texts(HEARTS_MASK)[0] == "2H"
    assert hand_texts(PENALTY_MASK) == ["QS", *hand_texts(HEARTS_MASK)]
    assert [mask.bit_count() for mask in SUIT_MASKS] == [13] * 4


def test_masks() -> None:
    assert mask_of([]) == 0
    assert mask_of([0, 51, 0]) == 1 | 1 << 51
    assert cards_in(1 | 1 << 51 | 1 << 7) == [0, 7, 51]
    assert cards_in(0) == []
    assert hand_texts(mask_of_texts(["AH", "2C", "QS"])) == ["2C", "QS", "AH"]


def test_a_random_card_is_any_of_the_set_alike() -> None:
    for cards in ([0, 3, 22, 36, 51], [12, 13]):
        rng, times = Random(1), 1000 * len(cards)
        drawn = Counter(random_card(mask_of(cards), rng) for _ in range(times))
        assert sorted(drawn) == cards
        assert all(abs(count - 1000) < 150 for count in drawn.values())
    assert random_card(1 << 51, Random(1)) == 51


GOLDEN = ["5D", "QH", "8D", "8H", "8S", "TS", "QD", "9S"]


def test_a_shuffle_is_decided_by_its_key() -> None:
    deck = shuffled(b"key")
    assert sorted(deck) == list(range(52))
    assert shuffled(b"key") == deck
    assert shuffled(b"kez") != deck
    # held for ever: a record's deal is checked by it
    assert [card_text(card) for card in deck[:8]] == GOLDEN
    assert deal_hands(b"key") == tuple(mask_of(deck[at : at + 13]) for at in (0, 13, 26, 39))


def test_shuffles_stay_what_they_are() -> None:
    """A hundred decks, and a rare one that needs a third block of the stream."""
    decks = b"".join(bytes(shuffled(b"%d" % number)) for number in range(100))
    assert hashlib.sha256(decks).hexdigest() == (
        "e16df8111e1daaf725e9e62c43ae1515a2a9128522c047035aa60a53164b66be"
    )

    deck = [card_text(card) for card in shuffled(b"166037")]
    assert " ".join(deck[:8]) == "4S JD 2C AS KH 7C 6H AH"


def test_a_shuffle_is_fair() -> None:
    """Every card is at every place alike: chi-square over a few thousand keys."""
    places = [Counter[int]() for _ in range(52)]
    decks = 2600
    for number in range(decks):
        for place, card in enumerate(shuffled(b"%d" % number)):
            places[place][card] += 1
    expected = decks / 52
    chi = sum((places[p][c] - expected) ** 2 / expected for p in range(52) for c in range(52))
    freedom = 51 * 51
    assert abs(chi - freedom) < 5 * (2 * freedom) ** 0.5
