"""Whatever happens to the full screen, the terminal is as it was, and nothing plays itself."""

from __future__ import annotations

import random
import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

Open = Callable[..., Any]
LEFT, ENTERED = b"\x1b[?1049l", b"\x1b[?1049h"
NOVEL = (
    "It was a grey evening in the attic, and Quentin, who had kept the queen for nine tricks, "
    "yawned. 'Yes,' he said; nobody answered. 1 2 3.\r"
) * 200


def on_normal_screen(at: Any) -> bool:
    return bool(at.raw.rfind(LEFT) >= at.raw.rfind(ENTERED))


# ---- failures of its own -------------------------------------------------------------------------

HANDLER = """
import hearts_client.full.keyboard as keyboard
def press(*_): raise RuntimeError("the handler broke")
keyboard.press = press
"""
DRAWING = """
import hearts_client.full.app as app
draw = app.draw
def broken(model, size, now):
    if model.page is not None: raise RuntimeError("the drawing broke")
    return draw(model, size, now)
app.draw = broken
"""
TASK = """
import hearts_client.startdoors as doors
async def look(*_): raise RuntimeError("the task broke")
doors.StartDoors.look = look
"""
CALLBACK = """
import asyncio
import hearts_client.full.keyboard as keyboard
press = keyboard.press
def failing(): raise RuntimeError("the callback broke")
def broken(*given):
    asyncio.get_running_loop().call_soon(failing)
    return press(*given)
keyboard.press = broken
"""
EARLY = """
import hearts_client.playername as playername
def player_name(*_): raise RuntimeError("the beginning broke")
playername.player_name = player_name
"""


@pytest.mark.parametrize(
    ("broken", "what", "key"),
    [
        (HANDLER, "the handler broke", "?"),
        pytest.param(DRAWING, "the drawing broke", "?", marks=pytest.mark.long),
        pytest.param(TASK, "the task broke", "", marks=pytest.mark.long),
        pytest.param(CALLBACK, "the callback broke", "?", marks=pytest.mark.long),
    ],
)
def test_a_failure_ends_in_one_sentence_and_a_log(
    terminal: Open, broken: str, what: str, key: str
) -> None:
    at = terminal(broken=broken)
    if key:
        at.until("Play now")
        at.type(key)
    result = at.result()
    assert result["code"] == 1
    assert result["restored"]
    assert on_normal_screen(at)
    said = " ".join(at.text().split())
    log = at.folder / "home" / "state" / "client.log"
    assert f"hearts-net failed (RuntimeError: {what}): please report it with" in said
    assert "Traceback" not in said
    assert f"RuntimeError: {what}" in log.read_text()
    assert log.read_text().count("Traceback") == 1


def test_a_failure_before_there_is_a_screen_ends_in_one_sentence_too(terminal: Open) -> None:
    at = terminal(broken=EARLY)
    result = at.result()
    assert result["code"] == 1
    assert result["restored"]
    assert on_normal_screen(at)
    assert "Something went wrong inside" in " ".join(at.text().split())
    assert "Traceback" not in at.text()


# ---- the first moments ---------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="looks at the processes")
@pytest.mark.parametrize(
    ("reached", "how"),
    [
        ("raised", "\x03"),
        ("opening", "\x03"),
        pytest.param("opened", "\x03", marks=pytest.mark.long),
        pytest.param("opening", "\x03\x03\x03", marks=pytest.mark.long),
        pytest.param("opening", signal.SIGTERM, marks=pytest.mark.long),
        pytest.param("opened", signal.SIGHUP, marks=pytest.mark.long),
        pytest.param("raised", signal.SIGQUIT, marks=pytest.mark.long),
    ],
)
def test_an_end_in_the_first_moments_leaves_nothing_behind(
    terminal: Open, reached: str, how: str | signal.Signals
) -> None:
    at = terminal("play")
    home = at.folder / "home"
    moments: dict[str, Callable[[], bool]] = {
        "raised": lambda: ENTERED in at.raw,
        "opening": lambda: any(home.rglob("settings.json")),
        "opened": lambda: any(home.rglob("running.json")),
    }
    at.until_so(moments[reached])
    if isinstance(how, str):
        at.type(how)
        if "Leave the table" in at.text():  # the screen was quicker
            at.type("y")
    else:
        at.kill(how)
    result = at.result()
    assert result["restored"]
    assert on_normal_screen(at)
    assert result["code"] in ((0, 130) if isinstance(how, str) else (143,))
    assert "Traceback" not in at.text()
    at.until_so(lambda: at.leftovers() == [])
    assert not any(home.rglob("settings.json"))


@pytest.mark.long
def test_keys_of_the_first_moments_are_kept_and_not_shown(terminal: Open) -> None:
    at = terminal()
    at.until_so(lambda: b"HEARTS" in at.raw)
    at.type("?")
    at.until("Keys")
    at.type("q")
    at.type("q", "Leave hearts-net?")
    at.type("y")
    assert at.result()["restored"]


# ---- suspended and back --------------------------------------------------------------------------


def test_ctrl_z_gives_the_terminal_back_and_fg_the_screen(in_game: Open) -> None:
    at = in_game()
    at.type("\x1a")
    stopped = at.when_stopped()
    assert stopped["before"] == stopped["after"]
    assert on_normal_screen(at)
    written = len(at.raw)
    at.go_on()
    at.until_so(lambda: ENTERED in at.raw[written:])
    at.until("PASS 3 LEFT", "0 of 3 marked")
    at.type("1", "1 of 3 marked")
    at.type("\x03", "[ Stay ]")
    at.leave()


@pytest.mark.long
def test_sigint_asks_as_ctrl_c_does(in_game: Open) -> None:
    at = in_game()
    at.kill(signal.SIGINT)
    at.until("[ Stay ]")
    at.leave()


# ---- too much ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bracketed", [True, pytest.param(False, marks=pytest.mark.long)], ids=["marked", "unmarked"]
)
def test_a_pasted_novel_does_nothing(in_game: Open, bracketed: bool) -> None:
    at = in_game()
    at.until_so(lambda: at.text().count("has passed.") == 3)
    at.pour(f"\x1b[200~{NOVEL}\x1b[201~" if bracketed else NOVEL)
    at.until("Pasted text is dropped here: c opens the chat.", "0 of 3 marked")
    at.until("0 of 3 marked", without="Pasted text")  # it is long over: a key is one again
    at.type("1", "1 of 3 marked")
    at.type("\x03", "[ Stay ]")
    at.leave()


@pytest.mark.long
def test_a_key_held_down_does_what_it_does_and_no_more(in_game: Open) -> None:
    at = in_game()
    at.pour("\x1b[C" * 2000)
    at.rest(0.5)
    at.type("\x1b[H 2", "2 of 3 marked")
    at.pour("\r" * 1000)
    at.until("2 of 3 marked", "PASS 3 LEFT")
    at.type("\x03", "[ Stay ]")
    at.type("y")
    assert at.result()["restored"]


@pytest.mark.long
def test_a_storm_of_the_mouse_is_weathered(in_game: Open) -> None:
    at = in_game()
    at.type("m")
    at.until_so(lambda: b"\x1b[?1000h" in at.raw)
    rng = random.Random(3)
    for _ in range(60):
        storm = "".join(
            f"\x1b[<{rng.choice((0, 32, 35, 64, 65))};{rng.randint(1, 200)};{rng.randint(1, 20)}"
            f"{rng.choice('Mm')}"
            for _ in range(50)
        )
        at.pour(storm)
    at.until("PASS 3 LEFT")
    at.type("\x03", "[ Stay ]")
    at.type("y")
    result = at.result()
    assert result["restored"]
    assert at.raw.rfind(b"\x1b[?1000l") > at.raw.rfind(b"\x1b[?1000h")


@pytest.mark.long
def test_a_storm_of_sizes_ends_where_it_ends(in_game: Open) -> None:
    at = in_game()
    at.until_so(lambda: at.text().count("has passed.") == 3)
    before = at.text()
    rng = random.Random(5)
    for _ in range(100):
        at.resize(rng.randint(2, 200), rng.randint(2, 60))
        at.read(0.01)
    at.resize(80, 24)
    at.until_so(lambda: at.text() == before)
    at.type("\x03", "[ Stay ]")
    at.type("y")
    assert at.result()["restored"]


# ---- terminals that can do less ------------------------------------------------------------------


@pytest.mark.parametrize("term", ["dumb", pytest.param("", marks=pytest.mark.long)])
def test_a_dumb_terminal_gets_plain_words(terminal: Open, term: str) -> None:
    at = terminal("play", TERM=term)
    at.until("pass>", "three cards")
    at.type("quit\r")
    result = at.result()
    assert result["restored"]
    assert result["code"] == 0
    assert b"\x1b" not in at.raw


def test_a_dumb_terminal_gets_the_start_in_plain_words(terminal: Open) -> None:
    at = terminal(TERM="dumb")
    at.until("1. play: you against three bots", "start>")
    at.type("settings queen on\r", "Queen on: you are asked")
    at.type("\x04", "Goodbye.")
    result = at.result()
    assert result["restored"]
    assert result["code"] == 0
    assert b"\x1b" not in at.raw


@pytest.mark.long
def test_a_terminal_without_utf8_gets_letters(terminal: Open) -> None:
    at = terminal(
        "play", "--speed", "0", LANG="C", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )
    at.until("PASS 3 LEFT", "0 of 3 marked", "<> move")
    at.until_so(lambda: at.text().count("has passed.") == 3)
    assert at.raw.isascii()
    at.type("?", "help")
    at.type("q")
    at.type("q", "[ Stay ]")
    at.type("y")
    assert at.result()["restored"]
    assert at.raw.isascii()
