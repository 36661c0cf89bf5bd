from __future__ import annotations

import pytest

from hearts_net.host.opening import Opening
from hearts_net.host.permissions import Refusal
from hearts_net.host.seats import Kind
from hearts_net.host.table import Stage
from hearts_net.protocol.messages import (
    AddBot,
    GiveSeat,
    Ready,
    Rematch,
    RemoveBot,
    Say,
    SetRules,
    Sit,
    Stand,
    Start,
)
from hearts_net.rules.errors import HeartsError
from hearts_net.testing.tables import HOST, LEVELS, Driver


def with_bots(count: int) -> Driver:
    return Driver(opening=Opening("t1", "attic", HOST, bots=("easy",) * count, levels=LEVELS))


def refused(driver: Driver, key: str, act: object) -> HeartsError:
    before = driver.table
    with pytest.raises(HeartsError) as caught:
        driver.try_act(key, act)  # type: ignore[arg-type]
    assert driver.table is before
    return caught.value


def test_who_joins_gets_the_first_free_seat() -> None:
    driver = Driver()
    assert [driver.join(key) for key in ("a", "b", "c", "d", "e")] == [0, 1, 2, 3, None]


def test_bots_are_seated_from_seat_one_and_leave_seat_zero_to_the_hosts_player() -> None:
    driver = with_bots(3)
    assert [seat.table_bot for seat in driver.table.seats] == [False, True, True, True]
    assert driver.join(HOST) == 0
    assert len({seat.name for seat in driver.table.seats}) == 4
    assert len({seat.key for seat in driver.table.seats}) == 4


def test_a_person_who_joins_takes_a_bots_place_when_all_seats_are_taken() -> None:
    driver = with_bots(3)
    driver.join(HOST)
    assert driver.join("b") == 1
    assert driver.table.seats[1].kind is Kind.PERSON
    assert driver.join("c") == 2
    assert driver.join("d") == 3
    assert driver.join("e") is None


def test_a_bot_over_the_network_takes_nobodys_place() -> None:
    driver = with_bots(3)
    driver.join(HOST)
    assert driver.join("x", role="bot") is None


def test_nobody_is_replaced_once_the_game_has_started() -> None:
    driver = with_bots(3)
    driver.join(HOST)
    driver.act(HOST, Ready())
    assert driver.stage() is Stage.PASSING
    assert driver.join("b") is None
    assert all(seat.table_bot for seat in driver.table.seats[1:])


def test_who_joins_again_has_the_seat_and_the_name_as_before() -> None:
    driver = Driver()
    driver.join("a", name="Asha")
    driver.join("b", name="Bram")
    driver.lose("a")
    assert driver.join("a", name="Somebody") == 0
    assert driver.table.seats[0].name == "Asha"


def test_sit_changes_seats_in_the_lobby() -> None:
    driver = Driver()
    driver.join("a")
    driver.act("a", Sit(2))
    assert driver.table.seat_of("a") == 2
    assert driver.table.seats[0].kind is Kind.EMPTY


def test_sit_takes_a_bots_seat() -> None:
    driver = with_bots(3)
    driver.join(HOST)
    driver.act(HOST, Sit(2))
    assert driver.table.seat_of(HOST) == 2
    assert driver.table.seats[0].kind is Kind.EMPTY


def test_sit_is_refused_on_a_seat_that_is_taken_and_on_ones_own() -> None:
    driver = Driver()
    driver.join("a")
    driver.join("b")
    assert refused(driver, "a", Sit(1)).code == "seat-taken"
    assert refused(driver, "a", Sit(0)).code == "already-seated"


def test_a_bot_over_the_network_does_not_push_a_bot_away() -> None:
    driver = with_bots(2)
    driver.join("x", role="bot")
    assert refused(driver, "x", Sit(1)).code == "seat-taken"


def test_stand_frees_the_seat_and_one_may_sit_down_again() -> None:
    driver = Driver()
    driver.join("a")
    driver.act("a", Stand())
    assert driver.table.seat_of("a") is None
    assert refused(driver, "a", Stand()).code == "no-seat"
    driver.act("a", Sit(3))
    assert driver.table.seat_of("a") == 3


def test_the_hosts_player_adds_and_removes_bots() -> None:
    driver = Driver()
    driver.join(HOST)
    driver.act(HOST, AddBot(2, "medium"))
    assert driver.table.seats[2].table_bot
    assert driver.table.seats[2].level == "medium"
    driver.act(HOST, RemoveBot(2))
    assert driver.table.seats[2].kind is Kind.EMPTY


def test_bots_are_refused_with_the_reason() -> None:
    driver = Driver()
    driver.join(HOST)
    driver.join("b")
    assert refused(driver, HOST, AddBot(1, "easy")).code == "seat-taken"
    error = refused(driver, HOST, AddBot(2, "genius"))
    assert error.code == "unknown-level"
    assert error.detail["levels"] == "easy, medium"
    assert refused(driver, HOST, RemoveBot(3)).code == "seat-empty"
    assert refused(driver, HOST, RemoveBot(1)).code == "not-allowed"


def test_the_game_starts_when_four_seats_are_taken_and_every_person_is_ready() -> None:
    driver = with_bots(2)
    driver.join(HOST)
    driver.act(HOST, Ready())
    assert driver.stage() is Stage.LOBBY
    driver.join("b")
    assert driver.stage() is Stage.LOBBY
    driver.act("b", Ready())
    assert driver.stage() is Stage.PASSING


def test_ready_can_be_taken_back() -> None:
    driver = Driver()
    driver.seat_four()
    for key in (HOST, "bram", "chloe"):
        driver.act(key, Ready())
    driver.act(HOST, Ready(False))
    driver.act("dai", Ready())
    assert driver.stage() is Stage.LOBBY
    driver.act(HOST, Ready())
    assert driver.stage() is Stage.PASSING


def test_ready_said_twice_is_accepted_and_changes_nothing() -> None:
    driver = Driver()
    driver.join(HOST)
    driver.act(HOST, Ready())
    seq = driver.table.seq
    outcome = driver.act(HOST, Ready())
    assert driver.table.seq == seq
    assert outcome.entry is not None
    assert outcome.entry.facts == []


def test_the_game_does_not_start_without_somebody_who_is_away() -> None:
    driver = Driver()
    keys = driver.seat_four()
    for key in keys[:3]:
        driver.act(key, Ready())
    driver.lose("bram")
    driver.act("dai", Ready())
    assert driver.stage() is Stage.LOBBY
    driver.join("bram")
    assert driver.stage() is Stage.PASSING


def test_start_needs_four_seats_but_no_ready() -> None:
    driver = with_bots(2)
    driver.join(HOST)
    error = refused(driver, HOST, Start())
    assert (error.code, error.detail["missing"]) == ("seats-missing", 1)
    driver.join("b")
    driver.act(HOST, Start())
    assert driver.stage() is Stage.PASSING


def test_rules_are_the_hosts_players_to_set_and_everybody_else_says_ready_anew() -> None:
    driver = Driver()
    driver.join(HOST)
    driver.join("b")
    driver.act(HOST, Ready())
    driver.act("b", Ready())
    driver.act(HOST, SetRules({"target": 50, "jack_of_diamonds": True}))
    assert driver.table.options.target == 50
    assert driver.table.options.jack_of_diamonds
    assert [seat.ready for seat in driver.table.seats[:2]] == [True, False]


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ({"targets": 50}, "unknown-option"),
        ({"target": 0}, "bad-option-value"),
        ({"target": True}, "bad-option-value"),
        ({"moon": "both"}, "bad-option-value"),
        ({"target": 50, "moon": "both"}, "bad-option-value"),
    ],
)
def test_bad_rules_change_nothing(rules: dict[str, bool | int | str], code: str) -> None:
    driver = Driver()
    driver.join(HOST)
    assert refused(driver, HOST, SetRules(rules)).code == code
    assert driver.table.options.target == 100


def test_rules_are_fixed_once_the_game_has_started() -> None:
    driver = Driver()
    driver.start_game()
    assert refused(driver, HOST, SetRules({"target": 50})).code == "not-now"


def test_who_leaves_in_the_lobby_frees_the_seat_at_once() -> None:
    driver = Driver()
    driver.join("a")
    driver.leave("a")
    assert driver.table.seats[0].kind is Kind.EMPTY
    assert driver.table.guests == {}


def test_who_is_lost_in_the_lobby_keeps_the_seat_for_the_grace() -> None:
    driver = Driver()
    driver.join("a")
    driver.join("b")
    driver.lose("a")
    driver.wait(driver.opening.settings.grace - 1)
    assert driver.table.seats[0].key == "a"
    driver.wait(1)
    assert driver.table.seats[0].kind is Kind.EMPTY


def test_a_rematch_keeps_the_seats_and_nobody_is_ready() -> None:
    driver = Driver()
    keys = driver.start_game(target=1)
    driver.play_to(Stage.GAME_OVER)
    assert refused(driver, HOST, Stand()).code == "not-now"
    driver.act("chloe", Rematch())
    assert driver.stage() is Stage.LOBBY
    assert [seat.key for seat in driver.table.seats] == keys
    assert not any(seat.ready for seat in driver.table.seats)
    assert driver.table.paused is False
    game = driver.table.game_id
    for key in keys:
        driver.act(key, Ready())
    assert driver.stage() is Stage.PASSING
    assert driver.table.game_id != game


def test_when_everybody_is_ready_after_the_game_the_next_one_starts() -> None:
    driver = Driver()
    keys = driver.start_game(target=1)
    driver.play_to(Stage.GAME_OVER)
    for key in keys:
        driver.act(key, Ready())
    assert driver.stage() is Stage.PASSING
    assert driver.table.deal_number == 1


def test_seats_of_those_who_left_are_free_after_the_rematch() -> None:
    driver = Driver()
    driver.start_game(target=1)
    driver.play_to(Stage.GAME_OVER)
    driver.leave("dai")
    assert driver.table.seats[3].key == "dai"
    driver.act(HOST, Rematch())
    assert driver.table.seats[3].kind is Kind.EMPTY


def test_give_seat_is_for_seats_whose_holder_is_gone() -> None:
    driver = Driver()
    driver.seat_four()
    assert refused(driver, HOST, GiveSeat(1)).code == "not-allowed"
    driver.lose("bram")
    driver.act(HOST, GiveSeat(1))
    assert driver.table.seats[1].kind is Kind.EMPTY
    assert refused(driver, HOST, GiveSeat(1)).code == "seat-empty"
    driver.act(HOST, AddBot(1, "easy"))
    assert driver.table.seats[1].table_bot


def test_a_bot_can_take_over_a_seat_between_deals() -> None:
    driver = Driver()
    driver.start_game(target=1000)
    driver.leave("bram")
    for _ in range(200):
        table = driver.table
        if table.stage is Stage.DEAL_OVER:
            break
        seat = table.to_move()[0]
        if table.seats[seat].deputy:
            driver.act_as_deputy(seat, driver._choice(seat))
        else:
            driver.act(table.seats[seat].key, driver._choice(seat))
    assert refused(driver, "chloe", GiveSeat(1)).code == "not-allowed"
    driver.act(HOST, GiveSeat(1))
    driver.wait(60_000)
    assert driver.stage() is Stage.DEAL_OVER
    driver.act(HOST, AddBot(1, "easy"))
    for key in (HOST, "chloe", "dai"):
        driver.act(key, Ready())
    assert driver.table.deal_number == 2


def test_chat_is_cleaned_and_nothing_is_refused() -> None:
    driver = Driver()
    driver.join("a", name="Asha")
    driver.act("a", Say("  hi\x1b[2J\u202e there\n"))
    event = driver.table.news[-1]
    assert (event.name, event.seat, event.text) == ("Asha", 0, "hi[2J there")  # type: ignore[union-attr]
    assert refused(driver, "a", Say("\x07\u202e ")).code == "nothing-to-say"


@pytest.mark.parametrize("name", ["\x1b\x07", "\u202e", " ", "\u200d"])
def test_a_name_of_which_nothing_can_be_shown_is_refused(name: str) -> None:
    driver = Driver()
    with pytest.raises(Refusal) as caught:
        driver.join("a", name=name)
    assert caught.value.code == "bad-name"
    assert driver.table.guests == {}


@pytest.mark.parametrize("role", ["host", "deputy", "", "Player"])
def test_an_unknown_role_is_refused(role: str) -> None:
    driver = Driver()
    with pytest.raises(Refusal) as caught:
        driver.join("a", role=role)
    assert caught.value.code == "bad-role"


def test_names_that_look_alike_get_a_number() -> None:
    driver = Driver()
    driver.join("a", name="Bob")
    driver.join("b", name="B\u043eb")
    driver.join("c", name="bob")
    driver.join("d", name="Bob", role="watcher")
    assert [seat.name for seat in driver.table.seats[:3]] == ["Bob", "B\u043eb 2", "bob 3"]
    assert driver.table.guests["d"].name == "Bob 4"
