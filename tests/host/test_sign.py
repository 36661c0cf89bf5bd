"""What a table's sign says, as the table changes."""

from __future__ import annotations

import pytest

from hearts_net.host import course
from hearts_net.host.opening import Opening
from hearts_net.host.sign import Sign, machine_name
from hearts_net.host.table import Stage
from hearts_net.protocol.advert import Advert
from hearts_net.protocol.limits import CODE_TRIES
from hearts_net.protocol.messages import Ready
from hearts_net.testing.tables import HOST, LEVELS, Driver

SIGN = Sign("k" * 40, 26052, 26053)


def told(driver: Driver) -> tuple[int, str]:
    advert = SIGN.read(driver.table)
    return advert.free, advert.phase


def test_seats_are_free_until_they_are_taken_and_the_game_runs() -> None:
    driver = Driver()
    assert told(driver) == (4, "lobby")
    for key in ("a", "b", "c", "d"):
        driver.join(key)
    assert told(driver) == (0, "lobby")
    for key in ("a", "b", "c", "d"):
        driver.act(key, Ready())
    assert driver.table.stage is not Stage.LOBBY
    assert told(driver) == (0, driver.table.stage.value)


def test_a_bot_gives_way_in_the_lobby() -> None:
    opening = Opening("t1", "attic", HOST, bots=("easy",) * 3, levels=LEVELS)
    assert told(Driver(opening=opening)) == (4, "lobby")


def test_all_that_a_list_shows_is_said() -> None:
    assert SIGN.read(Driver().table) == Advert(
        "k" * 40, 26052, 26053, [1], "attic", machine_name(), 4, "open", "lobby"
    )


def test_it_says_how_newcomers_get_in_at_present() -> None:
    driver = Driver(opening=Opening("t1", "attic", HOST, levels=LEVELS, admission="code"))
    assert SIGN.read(driver.table).admit == "code"
    for _ in range(CODE_TRIES):
        driver.done(course.miss_code(driver.table, driver.moment()))
    assert SIGN.read(driver.table).admit == "ask"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("attic", "attic"),
        ("attic.example.org", "attic"),
        ("a\x1b[2Jb\u202ec", "a[2Jbc"),
        ("m" * 60, "m" * 32),
        ("\udcff", ""),
        ("", ""),
    ],
)
def test_a_machine_is_called_what_it_calls_itself_now(
    monkeypatch: pytest.MonkeyPatch, name: str, shown: str
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: name)
    assert machine_name() == shown
