"""The shuffle that everybody has a share in, and what the check of it finds."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts_net.rules.cards import FULL_DECK, SEATS, Hands
from hearts_net.rules.errors import FairCode, FairError
from hearts_net.rules.fair import (
    HOST,
    Origin,
    SeatShare,
    Share,
    Shuffle,
    check_shuffle,
    check_text,
    commitment_to,
    gathered,
    read_shuffle,
    stand_in,
)
from hearts_net.rules.shuffle import deal_hands

GAME = "1d4442f505ef5204"


def drawn(rng: Random) -> Share:
    return Share(rng.randbytes(32), rng.randbytes(32))


def made(
    seed: int, opened: tuple[bool, ...] = (True,) * 4, absent: tuple[int, ...] = ()
) -> Shuffle:
    """A shuffle in which some seats are absent, and some of the others have not opened theirs."""
    rng = Random(seed)
    shares = [drawn(rng) for _ in SEATS]
    commitments = [
        "" if seat in absent else commitment_to(GAME, 3, seat, shares[seat]) for seat in SEATS
    ]
    shown = [shares[seat] if opened[seat] and seat not in absent else None for seat in SEATS]
    return gathered(GAME, 3, drawn(rng), commitments, shown)


def swapped(hands: Hands) -> Hands:
    """Exchange the lowest cards of seats 0 and 1."""
    first, second, third, fourth = hands
    one, other = first & -first, second & -second
    return first ^ one | other, second ^ other | one, third, fourth


def found(shuffle: Shuffle, hands: Hands) -> FairError:
    with pytest.raises(FairError) as refused:
        check_shuffle(GAME, 3, shuffle, hands)
    return refused.value


# ---- what is hashed, written out as the document says it -----------------------------------------


def field(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value


def test_a_commitment_is_the_hash_that_the_document_describes() -> None:
    share = Share(bytes(range(32)), bytes(range(32, 64)))
    parts = [b"hearts-net commitment 1", GAME.encode(), (3).to_bytes(8, "big"), b"\x02"]
    parts += [share.seed, share.nonce]
    right = hashlib.sha256(b"".join(map(field, parts))).hexdigest()
    assert commitment_to(GAME, 3, 2, share) == right


def test_the_key_is_the_one_that_the_document_describes() -> None:
    shuffle = made(1, absent=(3,))
    parts = [GAME.encode(), (3).to_bytes(8, "big")]
    away = b"".join(map(field, [b"hearts-net stand-in 1", *parts, b"\x03"]))
    seeds = [each.share.seed for each in shuffle.seats if each.share is not None]
    seeds += [hmac.digest(shuffle.host.seed, away, "sha256"), shuffle.host.seed]
    message = b"".join(map(field, [*parts, *seeds]))
    assert shuffle.key(GAME, 3) == hmac.digest(b"hearts-net key 1", message, "sha256")
    assert shuffle.hands(GAME, 3) == deal_hands(shuffle.key(GAME, 3))


def test_a_commitment_is_for_one_game_deal_place_and_share() -> None:
    share, other = drawn(Random(1)), drawn(Random(2))
    made_for = {
        commitment_to(game, deal, place, each)
        for game in (GAME, "g")
        for deal in (1, 2)
        for place in (0, 1, HOST)
        for each in (share, other, Share(share.seed, other.nonce), Share(other.seed, share.nonce))
    }
    assert len(made_for) == 2 * 2 * 3 * 4


@given(st.integers(0, 2**32), st.integers(0, 4))
def test_every_share_counts(seed: int, place: int) -> None:
    shuffle = made(seed)
    if place == HOST:
        changed = replace(shuffle, host=Share(bytes(32), shuffle.host.nonce))
    else:
        shares = list(shuffle.seats)
        shares[place] = replace(shares[place], share=Share(bytes(32), bytes(32)))
        first, second, third, fourth = shares
        changed = replace(shuffle, seats=(first, second, third, fourth))
    assert changed.key(GAME, 3) != shuffle.key(GAME, 3)
    assert sum(shuffle.hands(GAME, 3)) == FULL_DECK


def test_who_has_drawn_nothing_has_a_share_that_the_host_is_bound_to() -> None:
    host, other = drawn(Random(1)), drawn(Random(2))
    assert stand_in(GAME, 3, 0, host) == stand_in(GAME, 3, 0, host)
    assert len({stand_in(GAME, 3, seat, host) for seat in SEATS}) == 4
    assert stand_in(GAME, 3, 0, host) != stand_in(GAME, 3, 0, other)


def test_a_shuffle_is_written_without_a_blank() -> None:
    assert not set(" \n") & set(made(1, absent=(2,)).text())


def test_each_seat_bears_whose_share_it_was() -> None:
    shuffle = made(1, opened=(True, False, True, True), absent=(2,))
    origins = [each.origin for each in shuffle.seats]
    assert origins == [Origin.PLAYER, Origin.LATE, Origin.HOST, Origin.PLAYER]
    assert shuffle.seats[2] == SeatShare()
    assert shuffle.seats[1].commitment != ""


# ---- the check -----------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.tuples(*[st.booleans()] * 4), st.sets(st.sampled_from(SEATS)))
def test_an_honest_deal_is_found_right(
    seed: int, opened: tuple[bool, ...], absent: set[int]
) -> None:
    shuffle = made(seed, opened, tuple(absent))
    hands = shuffle.hands(GAME, 3)
    check_shuffle(GAME, 3, shuffle, hands)
    assert read_shuffle(shuffle.text()) == shuffle
    check_text(GAME, 3, shuffle.text(), hands)


def test_a_deck_in_which_one_card_was_stacked_is_found_out() -> None:
    shuffle = made(1)
    error = found(shuffle, swapped(shuffle.hands(GAME, 3)))
    assert (error.code, error.detail) == (FairCode.DECK_STACKED, {"cards": 2})


def test_a_host_that_changes_its_mind_is_found_out() -> None:
    shuffle = made(1)
    changed = replace(shuffle, host=drawn(Random(9)))
    error = found(changed, changed.hands(GAME, 3))
    assert (error.code, error.detail) == (FairCode.HOST_SHARE_CHANGED, {})


def test_a_players_share_that_was_changed_is_found_out() -> None:
    shuffle = made(1)
    first, second, third, fourth = shuffle.seats
    changed = replace(
        shuffle, seats=(first, replace(second, share=drawn(Random(9))), third, fourth)
    )
    error = found(changed, changed.hands(GAME, 3))
    assert (error.code, error.detail) == (FairCode.SHARE_CHANGED, {"seat": 1})


@pytest.mark.parametrize("without", [(0,), (2,), (1, 3), (0, 2, 3), (0, 1, 2, 3)])
def test_a_deck_without_a_players_share_is_found_out(without: tuple[int, ...]) -> None:
    shuffle = made(1)
    hands = deal_hands(shuffle.key(GAME, 3, without))
    error = found(shuffle, hands)
    assert (error.code, error.detail) == (FairCode.SHARE_LEFT_OUT, {"seat": without[0]})


def test_another_deals_shuffle_is_none() -> None:
    shuffle = made(1)
    with pytest.raises(FairError) as refused:
        check_shuffle(GAME, 4, shuffle, shuffle.hands(GAME, 3))
    assert refused.value.code == FairCode.HOST_SHARE_CHANGED


def test_the_bare_key_of_a_simulated_deal_is_checked_too() -> None:
    key = bytes(range(32))
    check_text(GAME, 1, key.hex(), deal_hands(key))
    with pytest.raises(FairError) as refused:
        check_text(GAME, 1, key.hex(), swapped(deal_hands(key)))
    assert (refused.value.code, refused.value.detail) == (FairCode.DECK_STACKED, {"cards": 2})


def test_a_deal_of_which_nothing_is_known_cannot_be_checked() -> None:
    with pytest.raises(FairError) as refused:
        check_text(GAME, 1, None, deal_hands(b""))
    assert refused.value.code == FairCode.NOT_CHECKABLE


def broken_texts() -> list[str]:
    right = json.loads(made(1, absent=(3,)).text())

    def changed(place: str, **facts: object) -> str:
        value = json.loads(json.dumps(right))
        where = value["host"] if place == "host" else value["seats"][int(place)]
        where.update(facts)
        return json.dumps(value)

    return [
        "", "f" * 63, "F" * 64, "f" * 62 + "\n ", "f" * 65, "g" * 64, "{", "{}",
        '{"host":1}', "{" * 100_000,
        changed("host", seed=5), changed("host", nonce="é" * 64), changed("host", commitment=""),
        changed("0", by="me"), changed("0", by=None), changed("0", seed="00"),
        changed("0", commitment=[]), changed("3", by="player"), changed("3", by="late"),
        json.dumps({**right, "seats": right["seats"][:3]}), json.dumps({**right, "seats": {}}),
        json.dumps({**right, "seats": [1, 2, 3, 4]}),
    ]  # fmt: skip


@pytest.mark.parametrize("text", broken_texts())
def test_what_is_no_shuffle_is_refused(text: str) -> None:
    with pytest.raises(FairError) as refused:
        check_text(GAME, 3, text, deal_hands(b""))
    assert refused.value.code == FairCode.BAD_SHUFFLE


@settings(max_examples=50)
@given(st.text() | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps))
def test_anything_else_is_refused_in_the_same_way(text: str) -> None:
    with pytest.raises(FairError):
        check_text(GAME, 3, text, deal_hands(b""))
