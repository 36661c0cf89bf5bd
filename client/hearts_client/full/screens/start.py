"""The start screen, the wait for a table, and the end of one."""

from __future__ import annotations

from typing import Final

from hearts_client.doorwords import code_question, removed_words, waiting_words
from hearts_client.full.at_start import Choice, choices, looking_words
from hearts_client.full.cards import glyphs
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import (
    Line,
    Screenful,
    Size,
    Span,
    block,
    cells,
    centred,
    clipped,
    line_cells,
    line_of,
    middle,
    padded,
    screenful,
    wrapped,
)
from hearts_client.full.model import Model, Purpose
from hearts_client.full.screens.hints import bottom_line
from hearts_client.full.screens.status import link_words, notice_line
from hearts_client.i18n import _
from hearts_client.safetext import safe_text
from hearts_client.sentences import error_sentence

_MOST_SAID: Final = 5
"""Lines: an error that names a command is to be read to its end."""


def start_screen(model: Model, size: Size, now: int) -> Screenful:
    """Draw the start screen."""
    last, column = bottom_line(model, size.columns, now)
    suits = "c d s h" if model.ascii else "♣ ♦ ♠ ♥"
    title = line_of(Span("HEARTS", "title"), f"  {suits}")
    hello = _("Good to see you, {name}.").format(name=safe_text(model.settings.name))
    lines: list[Line] = [
        (),
        centred(title, size.columns),
        centred(line_of(hello), size.columns),
        (),
    ]
    said = notice_line(model, now)
    if model.start.opening:
        said = line_of(Span(_("Opening: {what}…").format(what=model.start.opening), "turn"))
    words = wrapped("".join(span.text for span in said), size.columns - 4)[:_MOST_SAID]
    below = max(2, len(words))
    rows = max(3, size.rows - len(lines) - 2 - below)
    offered = _choice_lines(model, size.columns, rows)
    chosen = choices(model)[min(model.start.chosen, len(choices(model)) - 1)]
    if not said and any(span.text.endswith("…") for line in offered for span in line):
        words = wrapped(safe_text(chosen.note), size.columns - 4)[:below]
        said = line_of(Span(" ", "dim"))
    looking = wrapped(looking_words(model), size.columns - 8) if looking_words(model) else []
    if len(offered) + len(looking) < rows:
        offered += [(), *(line_of("    ", Span(part, "dim")) for part in looking)]
    lines += block(offered, rows)
    style = said[0].style if said else ""
    lines += block([line_of("  ", Span(part, style)) for part in words], below)
    lines = block(lines, size.rows - 2)
    rule = line_of(Span(glyphs(model.ascii).rule * size.columns, "rule"))
    cursor = None if column is None else (column, size.rows - 1)
    return screenful([*lines, rule, last], size, cursor)


def _choice_lines(model: Model, width: int, rows: int) -> list[Line]:
    """Draw what is offered: every word of it where there are rows for that, else a line each."""
    offered = choices(model)
    chosen = min(model.start.chosen, len(offered) - 1)
    room = min(30, max(cells(choice.text) for choice in offered) + 2)
    drawn = [
        _choice(choice, number, width, room, here=number == chosen)
        for number, choice in enumerate(offered)
    ]
    whole = [line for lines in drawn for line in lines]
    if len(whole) <= rows:
        return whole
    first = max(0, min(chosen - rows + 2, len(offered) - rows))
    return [_cut(lines, choice, width) for lines, choice in zip(drawn, offered, strict=True)][
        first:
    ]


def _cut(lines: list[Line], choice: Choice, width: int) -> Line:
    """Make one line of a choice: its note is cut, and stands below in full once it is chosen."""
    head, note = lines[0][:-1], lines[0][-1]
    text = clipped(safe_text(choice.note), max(0, width - line_cells(head) - 1))
    return line_of(head, Span(text, note.style, note.press))


def _choice(choice: Choice, number: int, width: int, room: int, *, here: bool) -> list[Line]:
    press = Intent(Want.PICK, number)
    key = str(choice.number) if choice.number else " "
    text = padded(clipped(safe_text(choice.text), room), room)
    notes = wrapped(safe_text(choice.note), max(10, width - room - 8))
    head = line_of(
        Span(f" {key}> " if here else f" {key}  ", "pointer", press),
        Span(text, "chosen" if here else "", press),
        "  ",
    )
    under = [line_of(" " * (room + 6), Span(note, "dim", press)) for note in notes[1:]]
    return [line_of(head, Span(notes[0], "dim", press)), *under]


def waiting_screen(model: Model, size: Size, now: int) -> Screenful:
    """Draw the wait for the first view of a table."""
    last, column = bottom_line(model, size.columns, now)
    if model.field is not None and model.field.purpose is Purpose.CODE:
        said = [code_question()]
    else:
        said = [waiting_words() if model.table.asked_about else link_words(model, now)]
    if model.notice is not None:
        said.append(model.notice.text)
    lines = _middle_words(said, size)
    cursor = None if column is None else (column, size.rows - 1)
    return screenful([*lines, last], size, cursor)


def ended_words(model: Model) -> str:
    """Say why the table is not there any more."""
    if model.table.superseded:
        return error_sentence("superseded")
    if model.table.removed:
        return removed_words(model.table.removed)
    if model.table.closing == "saved":
        return _("The table has ended, and the game is saved: its host can resume it.")
    return _("The table has ended: the game is over and everybody has left.")


def ended_screen(model: Model, size: Size, now: int) -> Screenful:
    """Draw the end of a table that this client did not leave by itself."""
    last, _column = bottom_line(model, size.columns, now)
    return screenful([*_middle_words([ended_words(model)], size), last], size)


def _middle_words(said: list[str], size: Size) -> list[Line]:
    lines: list[Line] = [centred(line_of(Span("HEARTS", "title")), size.columns), ()]
    for text in said:
        broken = wrapped(text, max(10, size.columns - 4))
        lines += [centred(line_of(part), size.columns) for part in broken]
    return block(middle(lines, size.rows - 1), size.rows - 1)
