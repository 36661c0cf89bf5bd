"""Which screen is shown: the one function that the application and the tests call."""

from __future__ import annotations

from dataclasses import replace

from hearts_client.full.layout import Screenful, Size
from hearts_client.full.model import Model, Where, where
from hearts_client.full.screens.least import FULL, fits, too_small
from hearts_client.full.screens.start import ended_screen, start_screen, waiting_screen

IN_ASCII = str.maketrans("…“”\u2018\u2019\u2013\u2014", "~\"\"''--")
"""What sentences have beyond ASCII, one cell for one cell."""


def draw(model: Model, size: Size, now: int) -> Screenful:
    """Draw the screen for a state of the client at a moment."""
    screen = _drawn(model, size, now)
    screen = _flashed(screen) if now < model.flash_until else screen
    return _in_ascii(screen) if model.ascii else screen


def _flashed(screen: Screenful) -> Screenful:
    lines = tuple(
        tuple(replace(span, style=f"{span.style} flash".strip()) for span in line)
        for line in screen.lines
    )
    return replace(screen, lines=lines)


def _in_ascii(screen: Screenful) -> Screenful:
    lines = tuple(
        tuple(replace(span, text=span.text.translate(IN_ASCII)) for span in line)
        for line in screen.lines
    )
    return replace(screen, lines=lines)


def _drawn(model: Model, size: Size, now: int) -> Screenful:
    if not fits(size):
        return too_small(size, where(model, now))
    if where(model, now) is Where.ENDED:
        return ended_screen(model, size, now)
    if model.page is None and not model.at_table:
        return start_screen(model, size, now)
    return _drawn_at_table(model, size, now)


def _drawn_at_table(model: Model, size: Size, now: int) -> Screenful:
    # imported here, so that the start screen need not wait for what it does not show
    from hearts_client.full.screens.lobby import lobby_screen
    from hearts_client.full.screens.narrow import narrow_screen
    from hearts_client.full.screens.pages import page_screen
    from hearts_client.full.screens.table import table_screen

    if model.page is not None:
        return page_screen(model, size, now)
    if model.public is None:
        return waiting_screen(model, size, now)
    if size.columns < FULL.columns or size.rows < FULL.rows:
        return narrow_screen(model, size, now)
    if model.public.phase == "lobby":
        return lobby_screen(model, size, now)
    return table_screen(model, size, now)
