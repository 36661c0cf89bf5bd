"""Lines of styled text, measured in terminal cells: what every screen is made of.

A :class:`Span` may carry what a click on it does. Widths are counted one character at a time, as
prompt_toolkit counts them, so that a line that fits here fits there.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from wcwidth import wcwidth

from hearts_client.full.intents import Intent


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text in one style; ``style`` is a class of the theme, without ``class:``."""

    text: str
    style: str = ""
    press: Intent | None = None
    """What a click on it does."""


Line: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """A terminal's size in cells."""

    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Screenful:
    """A whole screen: exactly as many lines as the terminal has rows, each exactly as wide."""

    lines: tuple[Line, ...]
    cursor: tuple[int, int] | None = None
    """Column and row of the cursor, where text is typed; None hides it."""
    furthest: int = 0
    """How far a page that is longer than the screen can be scrolled."""

    def text(self) -> str:
        """Give the screen as plain text, without trailing spaces (what tests and logs compare)."""
        return "\n".join("".join(span.text for span in line).rstrip() for line in self.lines)


def is_shaky(text: str) -> bool:
    """Tell whether terminals disagree about how wide this is: marks that join other characters.

    A line with such text is only right when it is written anew as a whole.
    """
    return not text.isascii() and any(
        unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf") for character in text
    )


def cells(text: str) -> int:
    """Count the terminal cells that ``text`` takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(map(_width, text))


@functools.lru_cache(maxsize=4096)
def _width(character: str) -> int:
    return max(0, wcwidth(character))


def clipped(text: str, width: int, mark: str = "…") -> str:
    """Cut ``text`` to ``width`` cells, the last of them saying that something is missing."""
    if cells(text) <= width:
        return text
    if width <= cells(mark):
        return mark[:width]
    room = width - cells(mark)
    kept: list[str] = []
    for character in text:
        room -= _width(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + mark


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Fill ``text`` with spaces to exactly ``width`` cells; ``right`` puts it to the right."""
    text = clipped(text, width)
    fill = " " * (width - cells(text))
    return fill + text if right else text + fill


def line_of(*parts: Span | str | Sequence[Span]) -> Line:
    """Join spans, plain strings and lines into one line."""
    spans: list[Span] = []
    for part in parts:
        if isinstance(part, Span):
            spans.append(part)
        elif isinstance(part, str):
            spans.append(Span(part))
        else:
            spans.extend(part)
    return tuple(span for span in spans if span.text)


def line_cells(line: Line) -> int:
    """Count the cells of a line."""
    return sum(cells(span.text) for span in line)


def fitted(line: Line, width: int, style: str = "") -> Line:
    """Cut or fill a line to exactly ``width`` cells; the filling has ``style``."""
    left = width
    spans: list[Span] = []
    for span in line:
        size = cells(span.text)
        if size > left:
            spans.append(replace(span, text=padded(span.text, left)))
            left = 0
            break
        spans.append(span)
        left -= size
    if left:
        spans.append(Span(" " * left, style))
    return tuple(span for span in spans if span.text)


def centred(line: Line, width: int) -> Line:
    """Put a line in the middle of ``width`` cells."""
    space = max(0, width - line_cells(line))
    return fitted(line_of(" " * (space // 2), line), width)


def beside(
    left: Sequence[Line], left_width: int, right: Sequence[Line], right_width: int, bars: str
) -> list[Line]:
    """Set two blocks next to each other with a bar between them, as tall as the taller one.

    ``bars`` is the bar, and what it is where a rule from the left meets it.
    """
    lines = []
    for row in range(max(len(left), len(right))):
        before = left[row] if row < len(left) else ()
        after = right[row] if row < len(right) else ()
        beside_bar = fitted(before, left_width)
        is_met = before and before[0].style == "rule" and not beside_bar[-1].text.endswith(" ")
        bar = bars[-1] if is_met else bars[0]
        lines.append(line_of(beside_bar, Span(bar, "rule"), fitted(after, right_width)))
    return lines


def block(lines: Iterable[Line], rows: int) -> list[Line]:
    """Cut or fill a block to exactly ``rows`` lines."""
    result = list(lines)[:rows]
    return result + [()] * (rows - len(result))


def bottom(lines: Sequence[Line], rows: int) -> list[Line]:
    """Keep the last ``rows`` lines of a block, filled above."""
    kept = list(lines[-rows:]) if rows else []
    return [()] * (rows - len(kept)) + kept


def middle(lines: Sequence[Line], rows: int) -> list[Line]:
    """Put a block in the middle of ``rows`` lines."""
    above = max(0, rows - len(lines)) // 2
    return block([()] * above + list(lines), rows)


def wrapped(text: str, width: int) -> list[str]:
    """Break text between words into lines of at most ``width`` cells; cut longer words."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        pieces = [word]
        while cells(pieces[-1]) > width:
            head = clipped(pieces[-1], width, "") or pieces[-1][:1]
            pieces[-1:] = [head, pieces[-1][len(head) :]]
        for piece in pieces:
            if line and cells(line) + 1 + cells(piece) > width:
                lines.append(line)
                line = piece
            else:
                line = f"{line} {piece}" if line else piece
    return [*lines, line] if line or not lines else lines


def screenful(
    lines: Sequence[Line], size: Size, cursor: tuple[int, int] | None = None
) -> Screenful:
    """Make a whole screen of lines: exactly the terminal's rows and columns."""
    whole = tuple(fitted(line, size.columns) for line in block(lines, size.rows))
    return Screenful(whole, cursor)
