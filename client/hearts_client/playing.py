"""Runs a client on a link: the full screen on a terminal, plain words everywhere else."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hearts_client.chosen import Chosen
from hearts_client.curtain import lower_curtain
from hearts_client.doors import Doors
from hearts_client.ending import told_to_end
from hearts_client.exits import Exit
from hearts_client.i18n import _, current_language
from hearts_client.plain_output import is_utf8
from hearts_client.preferences import Preferences
from hearts_client.settings import ClientSettings, Colours, Signal
from hearts_client.tablelink import LinkFactory
from hearts_client.terminal import is_terminal, wants_ascii, wants_plain
from hearts_client.themefile import Background, background_of, own_themes, theme_names
from hearts_net.peer.home import find_home
from hearts_net.peer.loops import in_a_loop

if TYPE_CHECKING:  # plain mode is imported where it is chosen
    from hearts_client.plain import PlainClient, PlainManner


def can_ask() -> bool:
    """Tell whether there is somebody at a terminal who can answer a question."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def ask_yes_or_no(words: str) -> bool:
    """Ask until there is an answer; nothing typed is yes, the end of input no."""
    lower_curtain()
    while True:
        try:
            answer = input(words).strip().casefold()
        except EOFError:
            return False
        if _("yes").startswith(answer):  # nothing typed is the default
            return True
        if _("no").startswith(answer):
            return False


def play(
    factory: LinkFactory,
    chosen: Chosen,
    name: str,
    *,
    ready: bool = False,
    place: str = "",
    invite: str = "",
) -> int:
    """Play at a table until the person leaves it; return the exit code.

    ``ready`` says so at once for the first deal; ``place`` says in words where the table is, and
    ``invite`` is what others join with, where that is known.
    """
    preferences = Preferences(find_home())
    if wants_plain(chosen):
        manner = replace(plain_manner(chosen, name, preferences), ready=ready, place=place)
        ascii_only = chosen.switch("ascii")
        return in_a_loop(talk(factory, manner, ascii_only=ascii_only, preferences=preferences))
    from hearts_client.full.app import run_full

    first = preferences.is_first_game
    settings = replace(client_settings(chosen, name, first_game=first), ready_at_once=ready)
    return in_a_loop(
        run_full(factory, settings, place=place, invite=invite, preferences=preferences)
    )


def plain_manner(chosen: Chosen, name: str, preferences: Preferences) -> PlainManner:
    """Say how the plain client behaves."""
    from hearts_client.plain import PlainManner

    terminal = is_terminal(sys.stdin)
    taught = terminal and preferences.is_first_game and not chosen.is_given("hints")
    return PlainManner(
        chat=not chosen.switch("no_chat"),
        explains=chosen.switch("hints") or taught,
        explains_for_good=chosen.switch("hints"),
        confirms_queen=chosen.switch("confirm_queen"),
        ahead=chosen.switch("preselect"),
        name=name,
        terminal=terminal,
    )


def plain_start(doors: Doors, chosen: Chosen, name: str) -> int:
    """Offer in plain words what the start screen does; end with the input."""
    return in_a_loop(_plain_start(doors, chosen, name))


async def _plain_start(doors: Doors, chosen: Chosen, name: str) -> int:
    from hearts_client.plain_feed import LineFeed
    from hearts_client.plain_input import read_lines
    from hearts_client.plain_output import LineWriter
    from hearts_client.plain_start import PlainStart

    preferences = Preferences(find_home())
    manner = plain_manner(chosen, name, preferences)
    out = LineWriter(sys.stdout, terminal=manner.terminal, ascii_only=chosen.switch("ascii"))
    feed = LineFeed()
    start = PlainStart(out, doors, feed, manner, _monotonic_ms, preferences)
    loop = asyncio.get_running_loop()
    ended: list[Exit] = []

    def end(code: Exit) -> None:
        ended.append(code)
        start.end()

    read_lines(_stdin_descriptor(), loop, feed.type_lines, feed.end)
    with told_to_end(loop, end):
        await start.run()
    if feed.broken is not None:
        raise feed.broken
    return ended[0] if ended else Exit.DONE


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def start_screen(doors: Doors, chosen: Chosen, name: str) -> int:
    """Open the start screen."""
    from hearts_client.full.app import run_full

    preferences = Preferences(find_home())
    settings = client_settings(chosen, name, first_game=preferences.is_first_game)
    return in_a_loop(run_full(None, settings, doors=doors, preferences=preferences))


def _signal(chosen: Chosen) -> Signal:
    if chosen.switch("flash"):
        return Signal.FLASH
    return Signal.NONE if chosen.switch("no_bell") else Signal.BELL


def client_settings(chosen: Chosen, name: str, *, first_game: bool = False) -> ClientSettings:
    """Say how the full screen looks and behaves."""
    log_file = chosen.text("log_file")
    home = find_home()
    themes = own_themes(home)
    utf8 = is_utf8(sys.stdout.encoding)
    colours = Colours.NONE if os.environ.get("NO_COLOR") else Colours(chosen.text("colours"))
    return ClientSettings(
        name=name,
        lang=current_language(),
        ascii=wants_ascii(chosen),
        utf8=utf8,
        colours=colours,
        theme=chosen.text("theme"),
        theme_folder=themes,
        themes=theme_names(themes),
        background=Background(chosen.text("background")),
        told_background=background_of(os.environ.get("COLORFGBG", "")),
        signal=_signal(chosen),
        speed_ms=chosen.number("speed"),
        mouse=chosen.switch("mouse"),
        chat=not chosen.switch("no_chat"),
        hints=chosen.switch("hints"),
        first_game=first_game and not chosen.is_given("hints"),
        preselect=chosen.switch("preselect"),
        confirm_queen=chosen.switch("confirm_queen"),
        log_file=Path(log_file) if log_file else home.state / "client.log",
    )


async def talk(
    factory: LinkFactory,
    manner: PlainManner,
    *,
    ascii_only: bool = False,
    reads: bool = True,
    preferences: Preferences | None = None,
) -> int:
    """Play in plain words on standard input and output; without ``reads`` only tell."""
    from hearts_client.plain import PlainClient, run_plain
    from hearts_client.plain_input import read_lines
    from hearts_client.plain_output import LineWriter

    writer = LineWriter(sys.stdout, terminal=manner.terminal, ascii_only=ascii_only)
    client = PlainClient(writer, manner, _monotonic_ms, preferences)
    ended: list[Exit] = []
    unwritten: list[OSError] = []

    def start_input(client: PlainClient) -> None:
        if reads:
            loop = asyncio.get_running_loop()
            read_lines(_stdin_descriptor(), loop, type_lines, client.end_input)

    def type_lines(lines: list[str], want_more: Callable[[], None]) -> None:
        try:
            client.type_lines(lines, want_more)
        except OSError as error:  # what is said to them cannot be written
            unwritten.append(error)
            client.leave()

    def end(code: Exit) -> None:
        ended.append(code)
        client.leave()

    with told_to_end(asyncio.get_running_loop(), end):
        code = await run_plain(factory, client, start_input)
    if unwritten:
        raise unwritten[0]
    return ended[0] if ended else code


def _stdin_descriptor() -> int:
    """Give the descriptor of standard input; one that cannot be read where it is closed."""
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return -1
