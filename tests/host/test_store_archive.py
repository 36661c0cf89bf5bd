"""Stored games come back as records that the rules agree with."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from hearts_net.host.archive import StoredGame, read_games, stored_games, stored_tables
from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.folder import TableFolder, new_table_folder
from hearts_net.host.opening import Opening
from hearts_net.host.store import Store
from hearts_net.host.table import Stage
from hearts_net.protocol.messages import Ready
from hearts_net.rules.check import check_file
from hearts_net.testing.tables import HOST, LEVELS, Driver


def ruled(seed: int, **rules: bool | int | str) -> Driver:
    return Driver(seed, Opening("t1", "attic", HOST, rules=rules, levels=LEVELS))


def keep(driver: Driver, tables: Path) -> TableFolder:
    """Store what a table has done."""
    folder = new_table_folder(tables)
    store = Store.open(folder)
    store.append(1, driver.stored)
    store.close()
    return folder


def check(game: StoredGame) -> None:
    body = "".join(f"{line}\n" for line in game.lines(legal=True)).encode()
    [checked] = check_file(io.BytesIO(body))
    assert checked.header == game.header
    assert (checked.deals, checked.winner) == (len(game.states), game.winner)


def rematch(driver: Driver) -> None:
    for seat in driver.table.seats:
        driver.act(seat.key, Ready())
    assert driver.table.stage is not Stage.GAME_OVER
    for seat in driver.table.seats:
        if driver.table.stage is Stage.LOBBY and not seat.ready:
            driver.act(seat.key, Ready())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_game_of_a_table_comes_back(tmp_path: Path, seed: int) -> None:
    driver = ruled(seed, target=60, moon="shooter-chooses", jack_of_diamonds=True)
    keys = driver.start_game()
    driver.play_to(Stage.GAME_OVER)
    first = driver.table.game
    driver.clock.advance(90_000)
    rematch(driver)
    driver.play_to(Stage.DEAL_OVER)
    driver.steps(20)  # into a deal that nobody is to hear of
    folder = keep(driver, tmp_path)
    games = read_games(folder)
    assert [game.number for game in games] == [1, 2]
    assert first is not None
    assert games[0].winner == first.winner
    assert games[0].states[-1] == first
    assert games[0].keys == tuple(keys)
    assert games[0].header.options.target == 60
    assert games[1].winner is None
    assert games[1].started >= games[0].ended + 90_000
    for game in games:
        check(game)
        hosts = [player.is_host for player in game.header.players]
        assert hosts == [key == HOST for key in game.keys]
        assert sum(hosts) == 1
    assert [game.number for game in stored_games(tmp_path).games] == [2, 1]


def test_a_running_deals_cards_are_in_no_record(tmp_path: Path) -> None:
    driver = ruled(5, target=1000)
    driver.start_game()
    driver.play_to(Stage.DEAL_OVER)
    driver.steps(30)
    assert driver.table.deal_number == 2
    [game] = read_games(keep(driver, tmp_path))
    lines = [json.loads(line) for line in game.lines()]
    assert [line["deal"] for line in lines if line["kind"] == "deal"] == [1]
    assert lines[-1]["kind"] == "deal-end"


def test_a_game_without_a_finished_deal_is_none_yet(tmp_path: Path) -> None:
    driver = Driver(6)
    driver.start_game()
    driver.steps(10)
    folder = keep(driver, tmp_path)
    assert read_games(folder) == []
    [stored] = stored_tables(tmp_path)
    assert (stored.name, stored.deal, stored.can_resume) == ("attic", 1, True)
    assert stored.players == tuple(seat.name for seat in driver.table.seats)
    assert stored.last_change == driver.entries[-1].time


def test_an_entry_that_the_rules_refuse_is_damage(tmp_path: Path) -> None:
    driver = Driver(7)
    driver.start_game()
    driver.play_to(Stage.DEAL_OVER)
    folder = new_table_folder(tmp_path)
    entries = driver.stored
    twice = next(place for place, body in enumerate(entries) if b'"played"' in body)
    number = f'"number":{len(entries) + 1}'.encode()
    again = entries[twice].replace(f'"number":{twice + 1}'.encode(), number)
    assert number in again
    store = Store.open(folder)
    store.append(1, [*entries, again])
    store.close()
    with pytest.raises(StoreError) as caught:
        read_games(folder)
    assert caught.value.code == StoreCode.DAMAGED
    assert caught.value.detail["entry"] == len(entries) + 1
    [stored] = stored_tables(tmp_path)
    assert stored.trouble == StoreCode.DAMAGED
    found = stored_games(tmp_path)
    assert found.games == []
    assert found.troubles[folder.table_id].code == StoreCode.DAMAGED


def test_one_bad_store_does_not_hide_the_others(tmp_path: Path) -> None:
    driver = Driver(8)
    driver.start_game()
    driver.play_to(Stage.DEAL_OVER)
    keep(driver, tmp_path)
    bad = keep(driver, tmp_path)
    bad.store.write_bytes(b"nothing")
    found = stored_games(tmp_path)
    assert len(found.games) == 1
    assert [*found.troubles] == [bad.table_id]
    assert sorted(table.trouble for table in stored_tables(tmp_path)) == ["", StoreCode.DAMAGED]
