"""Votes on the seat of somebody who is away, and the one turn that a limit takes."""

from __future__ import annotations

import pytest

from hearts_net.host.changes import restored
from hearts_net.host.opening import Opening, TableSettings
from hearts_net.host.permissions import actor_for, deputy_for, open_acts
from hearts_net.host.projection import public_view
from hearts_net.host.table import Stage
from hearts_net.protocol.messages import (
    Claim,
    Pass,
    Play,
    Played,
    PresenceChanged,
    Ready,
    Vote,
    Voted,
    VoteEnded,
    VoteView,
)
from hearts_net.rules.cards import CARD_TEXTS, cards_in, hand_texts
from hearts_net.rules.errors import HeartsError
from hearts_net.testing.tables import HOST, LEVELS, Driver

GRACE = 60_000


def driver_with(*, turn_limit: int = 0, seed: int = 1) -> Driver:
    made = TableSettings(turn_limit=turn_limit)
    return Driver(seed, Opening("t1", "attic", HOST, settings=made, levels=LEVELS))


def with_one_away(*, turn_limit: int = 0) -> Driver:
    """Four people in the first deal, of whom Bram, on seat 1, has lost the connection."""
    driver = driver_with(turn_limit=turn_limit)
    driver.start_game()
    driver.lose("bram")
    return driver


def held_until(driver: Driver) -> int:
    return public_view(driver.table).seats[1].held_until


def test_most_of_those_present_let_a_bot_play_at_once() -> None:
    driver = with_one_away()
    driver.wait(1000)
    driver.act(HOST, Vote(1, "bot"))
    assert isinstance(driver.table.news[0], Voted)
    assert public_view(driver.table).votes == [VoteView(1, [], [0], 2)]
    assert not driver.table.seats[1].deputy
    driver.act("chloe", Vote(1, "bot"))
    assert driver.table.seats[1].deputy
    assert [type(event) for event in driver.table.news] == [Voted, VoteEnded, PresenceChanged]
    assert public_view(driver.table).votes == []
    assert held_until(driver) == 0


def test_most_of_those_present_wait_for_another_whole_grace() -> None:
    driver = with_one_away()
    driver.wait(GRACE - 10_000)
    driver.act(HOST, Vote(1, "wait"))
    driver.act("dai", Vote(1, "wait"))
    assert held_until(driver) == driver.clock.utc + GRACE
    driver.wait(GRACE - 1)
    assert not driver.table.seats[1].deputy
    driver.wait(1)
    assert driver.table.seats[1].deputy


def test_one_of_three_decides_nothing() -> None:
    driver = with_one_away()
    until = held_until(driver)
    driver.act(HOST, Vote(1, "wait"))
    driver.act("chloe", Vote(1, "bot"))
    assert public_view(driver.table).votes == [VoteView(1, [0], [2], 2)]
    assert held_until(driver) == until
    driver.wait(GRACE)
    assert driver.table.seats[1].deputy


def test_waiting_after_all_sends_the_bot_away() -> None:
    driver = with_one_away()
    driver.wait(GRACE)
    assert driver.table.seats[1].deputy
    driver.act(HOST, Vote(1, "wait"))
    driver.act("chloe", Vote(1, "wait"))
    assert not driver.table.seats[1].deputy
    assert held_until(driver) == driver.clock.utc + GRACE


def test_a_vote_can_be_changed_and_one_said_twice_counts_once() -> None:
    driver = with_one_away()
    driver.act(HOST, Vote(1, "bot"))
    seq = driver.table.seq
    driver.act(HOST, Vote(1, "bot"))
    assert driver.table.seq == seq
    driver.act(HOST, Vote(1, "wait"))
    assert public_view(driver.table).votes == [VoteView(1, [0], [], 2)]


def test_only_the_votes_of_those_present_count_and_they_decide_when_others_go() -> None:
    driver = with_one_away()
    driver.act(HOST, Vote(1, "bot"))
    driver.lose("chloe")
    assert not driver.table.seats[1].deputy, "one of two"
    driver.lose("dai")
    assert driver.table.seats[1].deputy, "the only one who is here"
    assert not driver.table.seats[2].deputy


def test_the_vote_of_somebody_who_goes_does_not_count() -> None:
    driver = with_one_away()
    driver.act("dai", Vote(1, "bot"))
    driver.lose("dai")
    driver.act(HOST, Vote(1, "bot"))
    assert not driver.table.seats[1].deputy
    driver.join("dai")
    assert driver.table.seats[1].deputy, "back, and still of that mind"


def test_who_comes_back_ends_the_vote() -> None:
    driver = with_one_away()
    driver.act(HOST, Vote(1, "bot"))
    driver.join("bram")
    assert public_view(driver.table).votes == []
    driver.lose("bram")
    driver.act("dai", Vote(1, "bot"))
    assert not driver.table.seats[1].deputy


def test_nobody_votes_about_who_is_here_or_has_left_on_purpose() -> None:
    driver = driver_with()
    driver.start_game()
    driver.leave("bram")
    for seat in (0, 1, 2):
        with pytest.raises(HeartsError) as caught:
            driver.try_act("dai", Vote(seat, "wait"))
        assert caught.value.code == "not-away"
    assert "vote" not in open_acts(driver.table, actor_for(driver.table, "dai"), of_seat=True)


def test_a_blip_shorter_than_the_grace_lets_no_bot_touch_a_card() -> None:
    driver = driver_with()
    driver.start_game()
    for _ in range(20):
        driver.lose("bram")
        driver.wait(GRACE - 1)
        assert not driver.table.seats[1].deputy
        driver.join("bram")


def test_votes_are_stored_and_forgotten_by_a_new_epoch() -> None:
    driver = with_one_away()
    driver.act(HOST, Vote(1, "bot"))
    assert restored(driver.stored) == driver.table.durable()
    assert driver.table.ballots
    driver.restart()
    assert driver.table.ballots == ()
    assert not driver.table.seats[1].deputy


def test_between_deals_there_is_a_vote_too() -> None:
    driver = driver_with()
    driver.start_game(target=1000)
    driver.play_to(Stage.DEAL_OVER)
    driver.lose("bram")
    for key in (HOST, "chloe"):
        driver.act(key, Vote(1, "bot"))
    assert driver.table.seats[1].deputy
    for key in (HOST, "chloe", "dai"):
        driver.act(key, Ready())
    assert driver.table.stage is Stage.PASSING


# ---- the turn limit ------------------------------------------------------------------------------


def choice_of(driver: Driver, seat: int) -> Play:
    deal = driver.table.deal
    assert deal is not None
    return Play(CARD_TEXTS[cards_in(deal.legal_for(seat))[-1]])


def test_a_bot_that_plays_a_slow_turn_and_takes_the_trick_does_not_lead_the_next() -> None:
    """The same seat is to move again at once: that is a turn of its own."""
    for seed in range(40):
        driver = driver_with(turn_limit=5000, seed=seed)
        driver.start_game(passing="none")
        for _ in range(3):
            driver.step()
        (seat,) = driver.table.to_move()
        driver.wait(5000)
        assert driver.table.seats[seat].deputy
        driver.act_as_deputy(seat, choice_of(driver, seat))
        assert not driver.table.seats[seat].deputy
        if driver.table.to_move() == (seat,):
            break
    assert driver.table.to_move() == (seat,), "no seed in which the fourth card takes the trick"
    assert public_view(driver.table).turn_until == driver.clock.utc + 5000
    played = [event for event in driver.table.news if isinstance(event, Played)]
    assert [event.by_bot for event in played] == [True]
    trick = public_view(driver.table).last_trick
    assert trick is not None
    assert [card.by_bot for card in trick.cards] == [False, False, False, True]


def test_the_turn_limit_takes_one_card_of_somebody_away_whose_grace_goes_on() -> None:
    driver = driver_with(turn_limit=5000)
    driver.start_game(passing="none")
    (seat,) = driver.table.to_move()
    driver.lose(driver.table.seats[seat].key)
    until = public_view(driver.table).seats[seat].held_until
    driver.wait(5000)
    assert driver.table.seats[seat].deputy
    assert public_view(driver.table).seats[seat].held_until == until
    driver.act_as_deputy(seat, Play("2C"))
    assert not driver.table.seats[seat].deputy
    assert public_view(driver.table).seats[seat].held_until == until
    driver.wait(GRACE - 5000)
    assert driver.table.seats[seat].deputy


def test_who_goes_away_while_a_bot_plays_a_slow_turn_has_the_whole_grace() -> None:
    driver = driver_with(turn_limit=5000)
    driver.start_game(passing="none")
    (seat,) = driver.table.to_move()
    driver.wait(5000)
    driver.lose(driver.table.seats[seat].key)
    assert public_view(driver.table).seats[seat].held_until == driver.clock.utc + GRACE
    driver.act_as_deputy(seat, Play("2C"))
    assert not driver.table.seats[seat].deputy


def test_the_last_to_pass_has_the_whole_limit_for_the_first_lead() -> None:
    driver = driver_with(turn_limit=10_000)
    driver.start_game()
    deal = driver.table.deal
    assert deal is not None
    for seat in (0, 1, 2, 3):
        cards = hand_texts(deal.hands[seat])
        rest = [card for card in cards if card != "2C"]
        if len(rest) < len(cards):
            leader, passed = seat, rest[:3]
            continue
        driver.act(driver.table.seats[seat].key, Pass(rest[:3]))
    driver.wait(9000)
    driver.act(driver.table.seats[leader].key, Pass(passed))
    assert driver.table.to_move() == (leader,)
    assert public_view(driver.table).turn_until == driver.clock.utc + 10_000


def test_a_deputy_plays_card_by_card_and_claims_nothing() -> None:
    driver = driver_with()
    driver.start_game(target=1000)
    driver.leave("bram")
    with pytest.raises(HeartsError) as caught:
        driver.act_as_deputy(1, Claim())
    assert caught.value.code == "not-allowed"
    assert "claim" not in open_acts(driver.table, deputy_for(1), of_seat=True)
