"""The page of settings: a line each, and cards in the colours that they give."""

from __future__ import annotations

from hearts_client.full.at_settings import SETTINGS
from hearts_client.full.cards import card_span, glyphs
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import Line, Span, cells, fitted, line_of, padded
from hearts_client.full.model import Model
from hearts_client.i18n import _

SAMPLE = ("5C", "8D", "QS", "AH")


def settings_page(model: Model, width: int) -> list[Line]:
    """Draw every setting with its value; the chosen one with arrows."""
    labels = [_(setting.label) for setting in SETTINGS]
    room = max(cells(label) for label in labels) + 2
    marks = glyphs(model.ascii)
    lines: list[Line] = []
    for number, (setting, label) in enumerate(zip(SETTINGS, labels, strict=True)):
        chosen = number == model.choice
        press = Intent(Want.PICK, number)
        text = setting.words(model.settings, setting.value(model.settings))
        turns = len(setting.values(model.settings)) > 1
        value = f"{marks.left} {text} {marks.right}" if chosen and turns else f"  {text}"
        lines.append(
            line_of(
                Span(" > " if chosen else "   ", "pointer", press),
                Span(padded(label, room), "name", press),
                Span(value, "chosen" if chosen else "", press),
                Span(f"  {_('Enter: another one')}" if chosen and not turns else "", "dim"),
            )
        )
    return [fitted(line, width) for line in [*lines, (), _sample(model), (), _where_kept()]]


def _sample(model: Model) -> Line:
    spans: list[Span | str] = ["   "]
    for card in SAMPLE:
        spans += [card_span(card, model.ascii), "  "]
    spans += [Span(_("chosen"), "chosen"), "  ", Span(_("YOUR TURN"), "turn"), "  ",
              Span(_("a notice"), "notice"), "  ", Span(_("an error"), "error")]  # fmt: skip
    return line_of(*spans)


def _where_kept() -> Line:
    return line_of("   ", Span(_("Everything here is kept for the next time."), "dim"))
