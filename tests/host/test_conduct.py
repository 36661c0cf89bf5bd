"""How often a key may do what, and what comes of too many strikes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts_net.host.conduct import (
    ALIVE,
    ARRIVE,
    COMMAND,
    LOOK,
    SAY,
    STRIKE,
    Conduct,
    Conducts,
    Verdict,
)
from hearts_net.host.crowd import Crowd
from hearts_net.protocol.limits import PAUSE, PAUSES, RATES, TOPICS, UNREAD, Rate

KINDS = {
    "arrive": ARRIVE,
    "command": COMMAND,
    "say": SAY,
    "look": LOOK,
    "alive": ALIVE,
    "strike": STRIKE,
}


@pytest.mark.parametrize("name", KINDS)
def test_so_many_at_once_then_one_at_a_time(name: str) -> None:
    conduct, kind, rate, now = Conduct(), KINDS[name], RATES[name], 5_000
    for _ in range(rate.at_once):
        assert not conduct.is_over(kind, now)
        conduct.spend(kind, now)
    assert conduct.is_over(kind, now)
    assert conduct.is_over(kind, now + rate.every - 1)
    now += rate.every
    assert not conduct.is_over(kind, now)
    conduct.spend(kind, now)
    assert conduct.is_over(kind, now)
    others = set(KINDS.values()) - {kind}
    assert not any(conduct.is_over(other, now) for other in others)


@given(st.lists(st.integers(0, 2_000), max_size=200))
def test_nobody_gets_more_through_than_the_rate(waits: list[int]) -> None:
    conduct, rate, now, passed = Conduct(), RATES["command"], 0, 0
    for wait in waits:
        now += wait
        if not conduct.is_over(COMMAND, now):
            conduct.spend(COMMAND, now)
            passed += 1
        assert passed <= rate.at_once + now // rate.every


def strikes_until(conduct: Conduct, wanted: Verdict, now: int) -> int:
    for count in range(1, 1_000):
        verdict = conduct.strike(now)
        if verdict is not Verdict.FINE:
            assert verdict is wanted
            return count
    raise AssertionError("strike after strike, and nothing came of it")


def test_too_many_strikes_set_a_key_aside_and_at_last_it_is_shut_out() -> None:
    conduct, now = Conduct(), 0
    assert strikes_until(conduct, Verdict.SET_ASIDE, now) == RATES["strike"].at_once + 1
    assert conduct.held_until == now + PAUSE
    for _ in range(PAUSES - 1):
        now = conduct.held_until
        strikes_until(conduct, Verdict.SET_ASIDE, now)
        assert not conduct.is_shut_out
    now = conduct.held_until
    strikes_until(conduct, Verdict.SHUT_OUT, now)
    assert conduct.is_shut_out
    assert conduct.held_until > now + 10**15


def test_a_strike_now_and_then_is_forgotten() -> None:
    conduct = Conduct()
    for number in range(10_000):
        assert conduct.strike(number * RATES["strike"].every) is Verdict.FINE


def test_who_goes_on_while_set_aside_is_shut_out() -> None:
    conduct = Conduct()
    strikes_until(conduct, Verdict.SET_ASIDE, 0)
    assert [conduct.unread() for _ in range(UNREAD + 2)] == [
        *[Verdict.FINE] * UNREAD,
        Verdict.SHUT_OUT,
        Verdict.FINE,  # told once
    ]


def test_a_few_odd_subscriptions_are_borne_in_a_game_and_no_more() -> None:
    conduct, now = Conduct(), 0
    for _ in range(TOPICS):
        assert conduct.subscribed(now, usual=False) is Verdict.FINE
        now += 3_600_000
    assert conduct.subscribed(now, usual=True) is Verdict.FINE
    assert conduct.subscribed(now, usual=False) is Verdict.SHUT_OUT


def test_subscribing_to_everything_for_ever_is_a_flood_too() -> None:
    conduct = Conduct()
    found = [conduct.subscribed(0, usual=True) for _ in range(RATES["arrive"].at_once + 1)]
    assert found[-1] is Verdict.SHUT_OUT
    assert set(found[:-1]) == {Verdict.FINE}


def test_the_trusted_have_no_strikes() -> None:
    conducts = Conducts()
    conducts.trust("bot")
    bot = conducts.of("bot", 0)
    assert {bot.strike(0) for _ in range(1_000)} == {Verdict.FINE}
    assert {bot.subscribed(0, usual=False) for _ in range(1_000)} == {Verdict.FINE}


def test_all_is_forgiven_when_a_game_is_over() -> None:
    conducts = Conducts()
    conducts.trust("bot")
    conducts.of("vandal", 0).shut_out()
    assert not conducts.after_game("", is_over=True)
    assert not conducts.after_game("g1", is_over=False)  # shut out before, for this game
    assert conducts.of("vandal", 0).is_shut_out
    assert conducts.after_game("g1", is_over=True)
    assert not conducts.of("vandal", 0).is_shut_out
    assert conducts.of("bot", 0).trusted
    conducts.of("vandal", 0).shut_out()
    assert not conducts.after_game("g1", is_over=True)
    assert not conducts.after_game("g2", is_over=False)
    assert conducts.after_game("g3", is_over=False)  # the end of the second was not looked at


def test_any_number_of_keys_costs_a_bounded_amount_and_forgets_the_innocent_first() -> None:
    conducts = Conducts()
    conducts.trust("bot")
    conducts.of("vandal", 0).shut_out()
    for number in range(5_000):
        conducts.of(f"key {number}", number)
    assert len(conducts._by_key) <= 1_024
    assert conducts.of("vandal", 0).is_shut_out
    for number in range(5_000):
        conducts.of(f"bad key {number}", number).strike(10**6 + number)
    assert len(conducts._by_key) <= 1_024
    assert conducts.of("bot", 0).trusted


def test_each_address_has_a_rate_of_its_own() -> None:
    crowd = Crowd(Rate(3, 100))
    assert [crowd.is_over(b"a", 0) for _ in range(5)] == [False] * 3 + [True] * 2
    assert not crowd.is_over(b"b", 0)
    assert [crowd.is_over(b"a", 100) for _ in range(2)] == [False, True]
    for number in range(2_000):
        crowd.is_over(str(number).encode(), 200)
    assert len(crowd._free_at) <= 256
