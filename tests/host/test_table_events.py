"""The public events: what everybody hears of a deal, and that it adds up."""

from __future__ import annotations

import pytest

from hearts_net.host.table import Stage
from hearts_net.protocol.messages import (
    AnyEvent,
    Claim,
    Claimed,
    DealEnded,
    DealStarted,
    GameEnded,
    GameStarted,
    HeartsBroken,
    Passed,
    Played,
    PlayStarted,
    Settled,
    TrickTaken,
)
from hearts_net.testing.tables import Driver


def log_of(driver: Driver) -> list[AnyEvent]:
    events: list[AnyEvent] = []
    more = True
    while more:
        page, more = driver.table.log.after(len(events))
        events += page
    return events


def a_game(seed: int, **rules: bool | int | str) -> list[AnyEvent]:
    driver = Driver(seed)
    driver.start_game(target=60, **rules)
    driver.play_to(Stage.GAME_OVER)
    return log_of(driver)


@pytest.mark.parametrize("seed", range(5))
def test_every_card_trick_and_deal_is_told_once_and_in_order(seed: int) -> None:
    events = a_game(seed)
    assert [event.n for event in events] == list(range(1, len(events) + 1))
    ends = [event for event in events if isinstance(event, DealEnded)]
    plays = [event for event in events if isinstance(event, Played)]
    tricks = [event for event in events if isinstance(event, TrickTaken)]
    assert len(plays) == 52 * len(ends)
    assert len(tricks) == 13 * len(ends)
    assert [event.summary.deal for event in ends] == list(range(1, len(ends) + 1))
    for place, trick in enumerate(tricks):
        told = plays[4 * place : 4 * place + 4]
        assert [(p.seat, p.card) for p in told] == [(c.seat, c.card) for c in trick.trick.cards]
    assert sum(isinstance(event, GameStarted) for event in events) == 1
    assert isinstance(events[-1], GameEnded)
    assert events[-1].totals == ends[-1].summary.totals


def test_the_hold_deal_has_no_passes_and_play_starts_at_once() -> None:
    events = a_game(3, passing="left-right-across-hold")
    starts = [place for place, event in enumerate(events) if isinstance(event, DealStarted)]
    for place in starts:
        event = events[place]
        assert isinstance(event, DealStarted)
        if event.direction == "hold":
            assert isinstance(events[place + 1], PlayStarted)
        else:
            assert all(isinstance(each, Passed) for each in events[place + 1 : place + 5])
            assert isinstance(events[place + 5], PlayStarted)


def test_hearts_are_broken_once_a_deal_by_whoever_played_the_card_before() -> None:
    events = a_game(4, queen_breaks_hearts=True)
    broken = [place for place, event in enumerate(events) if isinstance(event, HeartsBroken)]
    assert broken
    for place in broken:
        breaker, card = events[place], events[place - 1]
        assert isinstance(breaker, HeartsBroken)
        assert isinstance(card, Played)
        assert breaker.seat == card.seat
        assert card.card[1] == "H" or card.card == "QS"
    deals = sum(isinstance(event, DealStarted) for event in events)
    assert len(broken) <= deals


def test_a_deal_that_ends_early_says_so_before_its_points() -> None:
    events = a_game(5, finish_early=True)
    settled = [place for place, event in enumerate(events) if isinstance(event, Settled)]
    assert settled
    for place in settled:
        assert isinstance(events[place - 1], TrickTaken)
        assert isinstance(events[place + 1], DealEnded)
    assert not any(isinstance(event, Claimed) for event in events)


def test_a_claim_is_told_and_ends_the_deal() -> None:
    for seed in range(30):
        driver = Driver(seed)
        driver.start_game(target=1000)
        driver.play_to(Stage.PLAYING)
        while driver.stage() is Stage.PLAYING:
            deal = driver.table.deal
            assert deal is not None
            seat = driver.table.to_move()[0]
            if deal.can_claim(seat) and len(deal.tricks) < 12:
                driver.act(driver.table.seats[seat].key, Claim())
                kinds = [type(event) for event in driver.table.news]
                assert kinds == [Claimed, DealEnded]
                return
            driver.step()
    raise AssertionError("nobody could claim")
