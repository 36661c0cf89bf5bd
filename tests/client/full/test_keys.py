"""The key table: one meaning a key and place, help for every key."""

from __future__ import annotations

import pytest
from prompt_toolkit.key_binding.key_bindings import _parse_key

from hearts_client.full.intents import Intent, Want
from hearts_client.full.keys import all_keys, intent_of, intent_unseen, rows_for
from hearts_client.full.model import Where

ASKS_LATER = [place for place in Where if place not in (Where.FIELD, Where.ENDED, Where.LEAVING)]

MOVES = {Want.LEFT, Want.RIGHT, Want.UP, Want.DOWN, Want.FIRST, Want.LAST}


@pytest.mark.parametrize("place", [place for place in Where if place is not Where.FIELD])
def test_every_wish_of_a_place_is_in_its_help(place: Where) -> None:
    explained = {row.intent.want for row in rows_for(place)}
    for key in all_keys():
        intent = intent_of(key, place)
        if intent is not None:
            moves = MOVES & explained if intent.want in MOVES else set()
            assert intent.want in explained or moves, f"{key} in {place}"


@pytest.mark.parametrize("place", ASKS_LATER)
def test_leaving_is_possible_everywhere(place: Where) -> None:
    for key in ("q", "c-c"):
        intent = intent_of(key, place)
        assert intent is not None
        assert intent.want in (Want.LEAVE, Want.BACK)


def test_numbers_count_from_one_and_zero_is_the_tenth() -> None:
    for place in (Where.PASSING, Where.PLAYING):
        numbers = [intent_of(key, place) for key in "1234567890"]
        assert numbers == [Intent(Want.PICK, number) for number in range(10)]


def test_every_key_is_one_that_a_terminal_sends() -> None:
    for key in all_keys():
        assert _parse_key(key)


def test_keys_without_meaning_mean_nothing() -> None:
    assert intent_of("f12", Where.PLAYING) is None
    assert intent_of("1", Where.FIELD) is None


def test_only_leaving_works_unseen() -> None:
    for place in Where:
        wants = {intent.want for key in all_keys() if (intent := intent_unseen(key, place))}
        leaving = {Want.YES, Want.NO} if place is Where.LEAVING else {Want.LEAVE}
        assert wants == leaving
    assert intent_unseen("enter", Where.PLAYING) is None
    assert intent_unseen("enter", Where.LEAVING) is None


def test_help_says_what_only_the_hosts_player_may_do() -> None:
    hosts = {Want.BOT, Want.LEVEL, Want.PRESET, Want.START, Want.GIVE}
    for place in (Where.LOBBY, Where.GAME_OVER):
        for row in rows_for(place):
            if row.intent.want in hosts:
                assert row.help.startswith("host: ")
