"""The table as a value: made of what is stored, and the same again after a restart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hearts_net.bots.levels import DEFAULT_LEVEL, level_names
from hearts_net.host.changes import restored
from hearts_net.host.errors import StoreError
from hearts_net.host.facts import Dealt, EpochBegan, Freed, Laid, decode_entry, encode_entry
from hearts_net.host.opening import Opening, TableSettings
from hearts_net.host.seats import Presence
from hearts_net.host.table import Stage
from hearts_net.protocol.messages import AddBot, GoOn, HostRestarted, Pause, Ready, Rematch, Say
from hearts_net.rules.shuffle import deal_hands
from hearts_net.testing.tables import HOST, LEVELS, Driver


@pytest.mark.parametrize("seed", range(12))
def test_replaying_what_is_stored_gives_the_same_table(seed: int) -> None:
    driver = Driver(seed)
    driver.start_game(target=1000, moon="shooter-chooses", finish_early=True)
    for _ in range(12):
        driver.steps(driver.rng.randint(0, 25))
        assert restored(driver.stored) == driver.table.durable()


def test_replaying_gives_the_same_table_with_everything_that_can_happen() -> None:
    driver = Driver(3)
    driver.start_game(target=1)
    driver.act(HOST, Say("hello"))
    driver.lose("bram")
    driver.join("bram")
    driver.act(HOST, Pause())
    driver.restart()
    for key in (HOST, "bram", "chloe", "dai"):
        driver.join(key)
    driver.act(HOST, GoOn())
    driver.play_to(Stage.GAME_OVER)
    driver.leave("dai")
    driver.act(HOST, Rematch())
    driver.act(HOST, AddBot(3, "easy"))
    assert restored(driver.stored) == driver.table.durable()
    driver.restart()
    assert driver.table.epoch == 3
    assert restored(driver.stored) == driver.table.durable()


def test_the_seed_is_stored_with_the_deal_and_gives_the_hands() -> None:
    driver = Driver(4)
    driver.start_game()
    dealt = [fact for entry in driver.entries for fact in entry.facts if isinstance(fact, Dealt)]
    assert len(dealt) == 1
    deal = driver.table.deal
    assert deal is not None
    assert deal.dealt == deal_hands(bytes.fromhex(dealt[0].seed))
    assert len(bytes.fromhex(dealt[0].seed)) == 32


def test_a_new_epoch_finds_everybody_away_and_their_seats_held() -> None:
    driver = Driver(5)
    keys = driver.start_game(target=1000)
    driver.steps(20)
    before = driver.table
    driver.clock.advance(1000)
    driver.restart()
    table = driver.table
    assert table.epoch == 2
    assert table.game == before.game
    assert [seat.key for seat in table.seats] == keys
    assert {seat.presence for seat in table.seats} == {Presence.AWAY}
    assert table.pause == "away"
    assert isinstance(table.news[0], HostRestarted)
    assert table.seq < before.seq


def test_a_new_epoch_gives_the_tables_bots_new_keys() -> None:
    opening = Opening("t1", "attic", HOST, bots=("easy",) * 3, levels=LEVELS)
    driver = Driver(6, opening)
    driver.join(HOST)
    old = [seat.key for seat in driver.table.seats[1:]]
    driver.restart()
    new = [seat.key for seat in driver.table.seats[1:]]
    assert not set(old) & set(new)
    assert [seat.presence for seat in driver.table.seats[1:]] == [Presence.PRESENT] * 3


def test_settings_can_change_with_an_epoch_and_rules_cannot() -> None:
    driver = Driver(7)
    driver.start_game(target=50)
    stored = restored(driver.stored)
    other = TableSettings(grace=5)
    driver.opening = Opening("t2", "other", "x", rules={"target": 150}, settings=other)
    driver.restart()
    assert driver.table.settings.grace == 5
    assert (driver.table.table_id, driver.table.name) == ("t1", "attic")
    assert driver.table.options == stored.options


def test_the_usual_levels_are_levels_of_bots() -> None:
    usual = Opening("t1", "attic", HOST).levels
    assert usual[0] == DEFAULT_LEVEL
    assert sorted(usual) == sorted(level_names())


def test_settings_that_nobody_chose_stay_as_they_were() -> None:
    driver = Driver(7, Opening("t1", "attic", HOST, settings=TableSettings(grace=5, turn_limit=7)))
    driver.opening = replace(driver.opening, settings=TableSettings(turn_limit=9), kept=("grace",))
    driver.restart()
    assert driver.table.settings == TableSettings(grace=5, turn_limit=9)


def test_entries_are_numbered_and_say_when() -> None:
    driver = Driver(8)
    driver.start_game()
    for number, entry in enumerate(driver.entries, start=1):
        assert entry.number == number
        assert entry.time == driver.clock.utc
        assert decode_entry(encode_entry(entry), number) == entry


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"{}",
        b'{"number":1,"time":0,"facts":[{"fact":"unheard-of"}]}',
        b'{"number":"1","time":0,"facts":[]}',
        b'{"number":2,"time":0,"facts":[]}',
        b"\xff\xfe",
        b'{"number":1,"time":0,"facts":[{"fact":"freed","seat":7}]}',
        b'{"number":1,"time":0,"facts":[{"fact":"dealt","seed":"zz"}]}',
        b'{"number":1,"time":0,"facts":[{"fact":"played","seat":0,"card":"2C","by_bot":false}]}',
        b'{"number":1,"time":0,"facts":[{"fact":"began","game":"a"},{"fact":"dealt","seed":"zz"}]}',
        b'{"number":1,"time":0,"facts":[{"fact":"opened","table_id":"","name":"","host_key":"",'
        b'"rules":{"target":0}}]}',
    ],
)
def test_what_is_no_entry_is_a_damaged_store_and_nothing_else(body: bytes) -> None:
    with pytest.raises(StoreError) as caught:
        restored([body])
    assert caught.value.code == "store-damaged"
    assert caught.value.detail["entry"] == 1


def test_a_card_that_the_rules_do_not_allow_is_a_damaged_store() -> None:
    driver = Driver(9)
    driver.start_game(passing="none")
    driver.steps(3)
    stored = driver.stored
    wrong = driver.entries[-1]
    assert isinstance(wrong.facts[0], Laid)
    again = encode_entry(type(wrong)(wrong.number + 1, wrong.time, wrong.facts))
    with pytest.raises(StoreError) as caught:
        restored([*stored, again])
    assert caught.value.detail["entry"] == len(stored) + 1


def test_a_missing_entry_is_noticed() -> None:
    driver = Driver(10)
    driver.start_game()
    with pytest.raises(StoreError):
        restored(driver.stored[:2] + driver.stored[3:])


def test_the_first_entry_opens_the_table_and_its_first_epoch() -> None:
    driver = Driver(11)
    kinds = [type(fact).__name__ for fact in driver.entries[0].facts]
    assert kinds == ["Opened", "EpochBegan"]
    assert isinstance(driver.entries[0].facts[1], EpochBegan)
    assert driver.table.epoch == 1
    assert driver.table.log.newest == 0


def test_a_command_once_accepted_is_not_done_again() -> None:
    driver = Driver(12)
    driver.join(HOST)
    first = driver.act(HOST, Say("once"), id=77)
    again = driver.act(HOST, Say("once"), id=77)
    assert again.entry is None
    assert again.table == first.table
    other = driver.act(HOST, Ready(), id=77)
    assert other.entry is None
    assert not driver.table.seats[0].ready
    driver.join("b")
    assert driver.act("b", Say("mine"), id=77).entry is not None


def test_answers_are_kept_across_a_restart() -> None:
    driver = Driver(13)
    driver.join(HOST)
    driver.act(HOST, Say("once"), id=77)
    told = driver.table.answers.get((HOST, 77))
    for number in range(200):
        driver.act(HOST, Say("more"), id=1000 + number)
    driver.restart()
    driver.join(HOST)
    assert driver.table.answers.get((HOST, 77)) == told
    assert driver.act(HOST, Say("once"), id=77, epoch=1).entry is None


def test_nothing_is_stored_while_the_store_is_broken() -> None:
    driver = Driver(14)
    driver.start_game()
    driver.break_store()
    count = len(driver.entries)
    driver.lose("bram")
    driver.join("late")
    driver.wait(10_000_000)
    assert len(driver.entries) == count
    assert driver.table.pause == "store"
    assert not any(isinstance(fact, Freed) for e in driver.entries for fact in e.facts)
