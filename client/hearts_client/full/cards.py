"""How cards look on the screen: symbols or letters, in a line or as boxes."""

from __future__ import annotations

from dataclasses import dataclass

from hearts_client.full.layout import Line, Span, line_of, padded
from hearts_client.speech import Style, card_name, suit_name

SUIT_STYLES = {"C": "card.club", "D": "card.diamond", "S": "card.spade", "H": "card.heart"}
BOX_WIDTH = 5
BOX_ROWS = 4


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters beyond letters that the screens draw with."""

    rule: str
    bar: str
    tee: str
    """Where a rule from the left meets the bar."""
    left: str
    up: str
    right: str
    here: str
    star: str
    light: tuple[str, str, str, str, str, str]
    """A thin box: corners clockwise from the top left, then horizontal and vertical."""
    heavy: tuple[str, str, str, str, str, str]
    """A thick box, for cards that may be played."""


UNICODE = Glyphs(
    rule="─",
    bar="│",
    tee="┤",
    left="←",
    up="↑",
    right="→",
    here="•",
    star="★",
    light=("┌", "┐", "┘", "└", "─", "│"),
    heavy=("┏", "┓", "┛", "┗", "━", "┃"),
)
ASCII = Glyphs(
    rule="-",
    bar="|",
    tee="+",
    left="<",
    up="^",
    right=">",
    here="*",
    star="*",
    light=(".", ".", "'", "'", "-", ":"),
    heavy=("+", "+", "+", "+", "=", "|"),
)


def glyphs(ascii_only: bool) -> Glyphs:
    """Give the characters to draw with."""
    return ASCII if ascii_only else UNICODE


def card_style(ascii_only: bool) -> Style:
    """Give the way that sentences on the screen write cards."""
    return Style.ASCII if ascii_only else Style.SYMBOLS


def card_span(card: str, ascii_only: bool, style: str = "") -> Span:
    """Draw a card in a line, in the colour of its suit: ``10♦`` or ``10d``."""
    name = card_name(card, card_style(ascii_only))
    return Span(name, f"{SUIT_STYLES[card[1]]} {style}".strip())


def suit_span(suit: str, ascii_only: bool, style: str = "") -> Span:
    """Draw a suit alone."""
    name = suit_name(suit, card_style(ascii_only))
    return Span(name, f"{SUIT_STYLES[suit]} {style}".strip())


def card_box(
    card: str | None,
    ascii_only: bool,
    *,
    heavy: bool = False,
    style: str = "",
    low: bool = False,
) -> list[Line]:
    """Draw a card as a box of four lines, or a ``low`` one of three, five cells wide.

    Without a card it is an empty place.
    """
    marks = glyphs(ascii_only)
    edge = marks.heavy if heavy else marks.light
    top_left, top_right, bottom_right, bottom_left, across, down = edge
    top = line_of(Span(top_left + across * 3 + top_right, style))
    end = line_of(Span(bottom_left + across * 3 + bottom_right, style))
    side = Span(down, style)
    if card is None:
        return [top, *[line_of(side, "   ", side)] * (1 if low else 2), end]
    name = card_name(card, card_style(ascii_only))
    look = f"{SUIT_STYLES[card[1]]} {style}".strip()
    if low:
        return [top, line_of(side, Span(padded(name, 3, right=True), look), side), end]
    rank, suit = name[:-1], name[-1]
    return [
        top,
        line_of(side, Span(padded(rank, 3), look), side),
        line_of(side, Span(padded(suit, 3, right=True), look), side),
        end,
    ]
