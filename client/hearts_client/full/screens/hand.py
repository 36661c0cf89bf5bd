"""The hand: in one line, in two where it is narrow, or as boxes where there is room."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from hearts_client import table_state
from hearts_client.full.cards import BOX_WIDTH, card_box, card_span
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import Line, Span, cells, line_cells, line_of, padded
from hearts_client.full.model import Model
from hearts_client.i18n import _, ngettext

FLAT_ROWS = 3
BOX_ROWS = 6
BOX_STEP = BOX_WIDTH
NUMBERED = 10


class Spacing(Enum):
    """How far apart the cards of a line are; the first that fits is taken."""

    ROOMY = auto()
    """With a gap between suits."""
    CLOSE = auto()
    TIGHT = auto()
    """The pointer takes the place of the brackets."""


@dataclass(frozen=True, slots=True)
class HandCard:
    """One card as the hand shows it."""

    card: str
    legal: bool
    chosen: bool
    marked: bool
    received: bool
    ahead: bool
    number: str
    """The key that picks it; empty for none."""


def hand_cards(model: Model) -> list[HandCard]:
    """Give the cards of the hand with all that is shown about each."""
    mine = table_state.own(model.table)
    if mine is None:
        return []
    legal = model.legal
    numbers = {card: str((n + 1) % 10) for n, card in enumerate(legal[:NUMBERED])}
    return [
        HandCard(
            card,
            card in legal,
            card == model.chosen,
            card in model.marked,
            card in mine.received,
            card == model.ahead,
            numbers.get(card, ""),
        )
        for card in model.hand
    ]


def title(model: Model, *, boxed: bool = False) -> Line:
    """Say what the hand below is and how its marks read."""
    public, mine = model.public, table_state.own(model.table)
    if public is None:
        return ()
    if mine is None:
        return line_of(" ", _("You are watching."))
    count = len(mine.hand)
    if not count:
        return ()
    words = ngettext("Your hand, {count} card", "Your hand, {count} cards", count)
    note = ""
    if public.phase == "passing" and not mine.passed:
        note = _("* marked to pass") if boxed else _("marked to pass in brackets, with *")
    elif mine.legal:
        note = _("legal: thick edge") if boxed else _("legal in brackets")
    elif public.phase == "passing" and mine.passed:
        note = _("passed on: {cards}").format(
            cards=" ".join(card_span(card, model.ascii).text for card in mine.passed)
        )
    if model.ahead:
        note = _("! plays at your turn")
    received = _("+ received") if set(mine.received) & set(mine.hand) else ""
    notes = ", ".join(word for word in (note, received) if word)
    text = words.format(count=count) + (f" ({notes})" if notes else "")
    return line_of(" ", Span(text, "dim"))


def _bracketed(model: Model, card: HandCard) -> bool:
    passing = model.public is not None and model.public.phase == "passing"
    return card.marked if passing else card.legal


def _flag(card: HandCard) -> str:
    if card.ahead:
        return "!"
    return "*" if card.marked else ("+" if card.received else "")


def _look(model: Model, card: HandCard) -> str:
    styles = []
    if card.chosen:
        styles.append("chosen")
    if table_state.my_turn(model.table) and not card.legal:
        styles.append("illegal")
    return " ".join(styles)


def flat_hand(model: Model, width: int, rows: int) -> list[Line]:
    """Draw the hand in lines: marks above, cards, numbers below, as far as there are rows."""
    cards = hand_cards(model)
    for spacing in Spacing:
        drawn = _flat_group(model, cards, spacing)
        if line_cells(drawn[1]) <= width:
            return drawn if rows >= FLAT_ROWS else drawn[1:2]
    lines: list[Line] = []
    groups = _groups(model, cards, width)
    per_group = max(1, min(FLAT_ROWS, rows // len(groups)))
    for group in groups:
        above, middle, below = _flat_group(model, group, Spacing.CLOSE)
        if per_group == 2:  # flags and numbers share a line
            below = _flat_group(model, group, Spacing.CLOSE, joined=True)[2]
        lines.extend([*([above] if per_group == FLAT_ROWS else []), middle])
        lines.extend([below] if per_group > 1 and _has_words(below) else [])
    return lines


def _has_words(line: Line) -> bool:
    return any(span.text.strip() for span in line)


def _groups(model: Model, cards: list[HandCard], width: int) -> list[list[HandCard]]:
    groups: list[list[HandCard]] = [[]]
    for card in cards:
        if line_cells(_flat_group(model, [*groups[-1], card], Spacing.CLOSE)[1]) > width:
            groups.append([])
        groups[-1].append(card)
    return groups


def _flat_group(
    model: Model, cards: list[HandCard], spacing: Spacing, *, joined: bool = False
) -> list[Line]:
    """Draw the marks above the cards, the cards, and the numbers; ``joined`` with marks too."""
    above: list[Span] = [Span(" ")]
    middle: list[Span] = [Span(" ")]
    below: list[Span] = [Span(" ")]
    before = False
    for place, card in enumerate(cards):
        new_suit = place > 0 and cards[place - 1].card[1] != card.card[1]
        gap = "  " if spacing is Spacing.ROOMY and new_suit else " "
        lead = "<" if before else " "
        if len(gap) == 2:
            lead = lead + (">" if card.chosen else " ")
        elif card.chosen:
            lead = ">"
        if spacing is Spacing.TIGHT:
            lead = ""
        middle.append(Span(lead, "pointer" if lead.strip() else ""))
        above.append(Span(" " * len(lead)))
        below.append(Span(" " * len(lead)))
        face = card_span(card.card, model.ascii, _look(model, card))
        left, right = ("[", "]") if _bracketed(model, card) else (" ", " ")
        if spacing is Spacing.TIGHT and card.chosen:
            left, right = ">", "<"
        press = Intent(Want.POINT, card=card.card)
        style = "chosen" if card.chosen else ""
        middle += [Span(left, style, press), Span(face.text, face.style, press),
                   Span(right, style, press)]  # fmt: skip
        room = cells(face.text) + 2
        flag = _flag(card)
        above.append(Span(padded(" " + flag, room), "flag"))
        number = card.number + (flag if joined else "")
        below.append(Span(padded(" " + number, room), "number"))
        before = card.chosen
    middle.append(Span("<" if before and spacing is not Spacing.TIGHT else "", "pointer"))
    return [line_of(above), line_of(middle), line_of(below)]


def boxed_hand(model: Model, width: int) -> list[Line] | None:
    """Draw the hand as boxes, the chosen card raised by a row; None where they do not fit."""
    cards = hand_cards(model)
    suits = len({card.card[1] for card in cards})
    spare = width - 2 - len(cards) * BOX_STEP
    if spare < 0:
        return None
    gap = 2 if spare >= 2 * max(0, suits - 1) else 0
    columns: list[list[Line]] = []
    for place, card in enumerate(cards):
        if place and cards[place - 1].card[1] != card.card[1] and gap:
            columns.append([line_of(" " * gap)] * BOX_ROWS)
        columns.append(_box_column(model, card))
    return [line_of(" ", *(column[row] for column in columns)) for row in range(BOX_ROWS)]


def _box_column(model: Model, card: HandCard) -> list[Line]:
    press = Intent(Want.POINT, card=card.card)
    look = _look(model, card).replace("chosen", "raised")
    box = card_box(card.card, model.ascii, heavy=_bracketed(model, card), style=look)
    box = [tuple(Span(span.text, span.style, press) for span in line) for line in box]
    flag = _flag(card)
    number = f">{card.number or ' '}<" if card.chosen else f" {card.number}"
    blank = line_of(" " * BOX_WIDTH)
    foot = line_of(Span(padded(" " + number, BOX_WIDTH), "number"))
    if card.chosen:
        under = line_of(Span(padded(f"  {flag}", BOX_WIDTH), "flag"))
        return [*box, under, foot]
    over = line_of(Span(padded(f"  {flag}", BOX_WIDTH), "flag")) if flag else blank
    return [over, *box, foot]
