"""Presence, graces, deputies, the turn limit, and what happens between deals."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hearts_net.host.opening import Opening, TableSettings
from hearts_net.host.projection import public_view
from hearts_net.host.seats import Presence
from hearts_net.host.table import Stage, Table
from hearts_net.protocol.messages import (
    GoOn,
    MoonChosen,
    Pass,
    Passed,
    Pause,
    Played,
    PresenceChanged,
    Ready,
)
from hearts_net.rules.actions import ClaimRest, DealCards, PlayCard
from hearts_net.rules.cards import FULL_DECK, SUIT_MASKS, cards_in, hand_texts, mask_of
from hearts_net.rules.errors import HeartsError
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import Options
from hearts_net.testing.tables import HOST, LEVELS, Driver

GRACE = 60_000


def driver_with(*, turn_limit: int = 0) -> Driver:
    made = TableSettings(turn_limit=turn_limit)
    return Driver(1, Opening("t1", "attic", HOST, settings=made, levels=LEVELS))


def test_a_lost_seat_is_held_for_the_grace_and_then_played_for() -> None:
    driver = driver_with()
    driver.start_game()
    driver.lose("bram")
    seat = public_view(driver.table).seats[1]
    assert (seat.presence, seat.held_until) == ("away", driver.clock.utc + GRACE)
    driver.wait(GRACE - 1)
    assert not driver.table.seats[1].deputy
    driver.wait(1)
    assert driver.table.seats[1].deputy
    event = driver.table.news[0]
    assert isinstance(event, PresenceChanged)
    assert (event.seat, event.presence, event.deputy) == (1, "away", True)


def test_a_deputy_passes_and_its_cards_are_marked() -> None:
    driver = driver_with()
    driver.start_game()
    driver.leave("bram")
    deal = driver.table.deal
    assert deal is not None
    driver.act_as_deputy(1, Pass(hand_texts(deal.dealt[1])[:3]))
    passed = driver.table.news[0]
    assert isinstance(passed, Passed)
    assert passed.by_bot
    while driver.table.stage is not Stage.PLAYING or driver.table.to_move() != (1,):
        driver.step()
    driver.act_as_deputy(1, driver._choice(1))
    event = driver.table.news[0]
    assert isinstance(event, Played)
    assert event.by_bot
    deal = driver.table.deal
    assert deal is not None
    assert [by_bot for seat, _, by_bot in deal.plays if seat == 1] == [True]


def test_a_deputy_of_another_seat_does_nothing() -> None:
    driver = driver_with()
    driver.start_game()
    driver.leave("bram")
    deal = driver.table.deal
    assert deal is not None
    with pytest.raises(HeartsError) as caught:
        driver.act_as_deputy(2, Pass(hand_texts(deal.dealt[2])[:3]))
    assert caught.value.code == "not-allowed"


def test_the_grace_stands_still_while_paused() -> None:
    driver = driver_with()
    driver.start_game()
    driver.lose("bram")
    driver.wait(GRACE // 2)
    driver.act(HOST, Pause())
    assert public_view(driver.table).seats[1].held_until == 0
    driver.wait(10 * GRACE)
    driver.act(HOST, GoOn())
    assert public_view(driver.table).seats[1].held_until == driver.clock.utc + GRACE // 2
    driver.wait(GRACE // 2)
    assert driver.table.seats[1].deputy


def test_a_bot_over_the_network_is_held_and_played_for_as_a_person_is() -> None:
    driver = driver_with()
    for key in ("a", "b", "c", "d"):
        driver.join(key, role="bot")
    assert driver.stage() is Stage.PASSING
    driver.lose("b")
    driver.wait(GRACE)
    assert driver.table.seats[1].deputy
    assert driver.table.pause == ""


def test_clocks_stand_still_while_only_bots_are_here() -> None:
    driver = driver_with()
    driver.join(HOST)
    for key in ("b", "c", "d"):
        driver.join(key, role="bot")
    driver.act(HOST, Ready())
    assert driver.stage() is Stage.PASSING
    driver.lose(HOST)
    assert driver.table.pause == "away"
    driver.wait(10 * GRACE)
    assert not driver.table.seats[0].deputy
    driver.join(HOST)
    assert driver.table.pause == ""


def test_the_next_deal_starts_when_every_present_person_is_ready() -> None:
    driver = driver_with()
    driver.start_game(target=1000)
    driver.play_to(Stage.DEAL_OVER)
    driver.lose("bram")
    assert public_view(driver.table).next_at == driver.clock.utc + 20_000
    for key in (HOST, "chloe"):
        driver.act(key, Ready())
    assert driver.table.deal_number == 1
    driver.act("dai", Ready())
    assert driver.table.deal_number == 2
    assert not any(seat.ready for seat in driver.table.seats)


def test_the_next_deal_starts_by_itself_while_somebody_is_here() -> None:
    driver = driver_with()
    driver.start_game(target=1000)
    driver.play_to(Stage.DEAL_OVER)
    driver.wait(19_999)
    assert driver.table.deal_number == 1
    driver.wait(1)
    assert driver.table.deal_number == 2


def test_the_next_deal_waits_while_nobody_is_here() -> None:
    driver = driver_with()
    keys = driver.start_game(target=1000)
    driver.play_to(Stage.DEAL_OVER)
    driver.wait(5000)
    for key in keys:
        driver.lose(key)
    driver.wait(1_000_000)
    assert driver.table.deal_number == 1
    driver.join("dai")
    driver.join("bram")
    assert public_view(driver.table).next_at == driver.clock.utc + 15_000
    driver.wait(15_000)
    assert driver.table.deal_number == 2


def test_nobody_who_is_alone_there_is_hurried_into_the_next_deal() -> None:
    driver = driver_with()
    keys = driver.start_game(target=1000)
    driver.play_to(Stage.DEAL_OVER)
    for key in keys[1:]:
        driver.lose(key)
    assert public_view(driver.table).next_at == 0
    driver.wait(1_000_000)
    assert driver.table.deal_number == 1
    driver.act(keys[0], Ready())
    assert driver.table.deal_number == 2


def test_not_yet_stops_the_countdown_until_whoever_said_it_is_ready_or_gone() -> None:
    driver = driver_with()
    driver.start_game(target=1000)
    driver.play_to(Stage.DEAL_OVER)
    driver.wait(5000)
    driver.act("bram", Ready(False))
    assert public_view(driver.table).next_at == 0
    driver.wait(1_000_000)
    assert driver.table.deal_number == 1
    driver.act("bram", Ready())
    assert public_view(driver.table).next_at == driver.clock.utc + 15_000
    driver.act("bram", Ready(False))
    assert public_view(driver.table).next_at == 0
    driver.lose("bram")
    assert public_view(driver.table).next_at == driver.clock.utc + 15_000
    driver.wait(15_000)
    assert driver.table.deal_number == 2
    assert not any(seat.not_yet for seat in driver.table.seats)


def test_the_next_deal_waits_while_paused() -> None:
    driver = driver_with()
    keys = driver.start_game(target=1000)
    driver.play_to(Stage.DEAL_OVER)
    driver.act(HOST, Pause())
    for key in keys:
        driver.act(key, Ready())
    driver.wait(100_000)
    assert driver.table.deal_number == 1
    driver.act(HOST, GoOn())
    assert driver.table.deal_number == 2


def test_a_table_of_bots_deals_on_at_once() -> None:
    driver = driver_with()
    for key in ("a", "b", "c", "d"):
        driver.join(key, role="bot")
    while driver.table.deal_number == 1:
        driver.step()
    assert driver.stage() is Stage.PASSING


def test_comings_and_goings_do_not_start_the_countdown_anew() -> None:
    driver = driver_with()
    driver.start_game(target=1000)
    driver.play_to(Stage.DEAL_OVER)
    next_at = public_view(driver.table).next_at
    for number in range(5):
        driver.clock.advance(1000)
        driver.join(f"guest{number}")
        driver.lose("bram")
        driver.join("bram")
        driver.leave(f"guest{number}")
    assert public_view(driver.table).next_at == next_at


def test_a_turn_limit_is_for_one_turn_and_not_for_who_has_a_deputy() -> None:
    driver = driver_with(turn_limit=10_000)
    driver.start_game(passing="none")
    (turn,) = driver.table.to_move()
    assert public_view(driver.table).turn_until == driver.clock.utc + 10_000
    driver.wait(4000)
    driver.step()
    assert public_view(driver.table).turn_until == driver.clock.utc + 10_000
    (turn,) = driver.table.to_move()
    driver.wait(10_000)
    assert driver.table.seats[turn].deputy
    assert driver.table.seats[turn].presence is Presence.PRESENT
    assert public_view(driver.table).turn_until == 0
    driver.act_as_deputy(turn, driver._choice(turn))
    assert not driver.table.seats[turn].deputy


def test_who_was_too_slow_may_still_play_before_the_deputy_does() -> None:
    driver = driver_with(turn_limit=10_000)
    driver.start_game(passing="none")
    (turn,) = driver.table.to_move()
    driver.wait(10_000)
    driver.step()
    assert not driver.table.seats[turn].deputy
    deal = driver.table.deal
    assert deal is not None
    assert deal.plays[0][2] is False


def test_leaving_a_finished_game_needs_no_deputy() -> None:
    driver = driver_with()
    driver.start_game(target=1)
    driver.play_to(Stage.GAME_OVER)
    driver.leave("bram")
    assert driver.table.seats[1].presence is Presence.LEFT
    assert not driver.table.seats[1].deputy


def test_a_bots_moon_is_chosen_at_once() -> None:
    driver = driver_with()
    driver.join(HOST)
    for key in ("b", "c", "d"):
        driver.join(key, role="bot")
    driver.table = _with_moon_choice(driver, shooter=1)
    driver.wait(0)
    assert driver.stage() is Stage.DEAL_OVER
    assert any(isinstance(event, MoonChosen) for event in driver.table.news)
    assert driver.table.game is not None
    assert driver.table.game.totals == (26, 0, 26, 26)


def test_a_persons_moon_waits_for_the_person_or_the_deputy() -> None:
    driver = driver_with()
    driver.seat_four()
    driver.table = _with_moon_choice(driver, shooter=1)
    driver.wait(1000)
    assert driver.stage() is Stage.MOON
    assert driver.table.to_move() == (1,)
    driver.lose("bram")
    driver.wait(GRACE - 1)
    assert driver.stage() is Stage.MOON
    driver.wait(1)
    assert driver.stage() is Stage.DEAL_OVER


def test_the_turn_limit_chooses_a_moon() -> None:
    driver = driver_with(turn_limit=5000)
    driver.seat_four()
    driver.table = _with_moon_choice(driver, shooter=2)
    driver.wait(0)
    driver.wait(5000)
    assert driver.stage() is Stage.DEAL_OVER
    assert not driver.table.seats[2].deputy


def _with_moon_choice(driver: Driver, shooter: int) -> Table:
    """Return the table in a game whose ``shooter`` has claimed all 26 points and must choose."""
    options = Options.from_dict({"moon": "shooter-chooses", "passing": "none"})
    clubs = SUIT_MASKS[0]
    hands = [0, 0, 0, 0]
    hands[shooter] = clubs  # all the clubs: every trick is the shooter's
    rest = cards_in(FULL_DECK & ~clubs)
    others = [seat for seat in range(4) if seat != shooter]
    for place, seat in enumerate(others):
        hands[seat] = mask_of(rest[place * 13 : place * 13 + 13])
    game = Game.start(options).apply(DealCards((hands[0], hands[1], hands[2], hands[3])))
    game = game.apply(PlayCard(shooter, 0))
    for step in range(1, 4):
        seat = (shooter + step) % 4
        assert game.deal is not None
        game = game.apply(PlayCard(seat, cards_in(game.deal.legal_for(seat))[0]))
    game = game.apply(ClaimRest(shooter))
    assert game.phase is Phase.MOON
    return replace(driver.table, game=game, stage=Stage.MOON, options=options)
