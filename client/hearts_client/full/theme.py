"""A theme as prompt_toolkit's style sheet."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from prompt_toolkit.styles import Style

from hearts_client.settings import Colours
from hearts_client.themefile import ATTRIBUTES_ALONE, Background, Theme, Variant

_TWO = {"club": "spade", "diamond": "heart"}
"""Whose colour a suit has in a deck of two colours."""
_PLAIN = Variant("", ATTRIBUTES_ALONE, {})


def variant_of(theme: Theme, background: Background, *, sixteen: bool = False) -> Variant:
    """Choose the looks for a background; with ``sixteen`` colours they are the terminal's own."""
    if sixteen or background is Background.UNKNOWN:
        return theme.terminal
    return theme.light if background is Background.LIGHT else theme.dark


def style_sheet(variant: Variant, colours: Colours) -> Style:
    """Give the style sheet; the classes are those of :class:`hearts_client.full.layout.Span`."""
    if colours is Colours.NONE:
        variant = _PLAIN
    rules = [(f"card.{suit}", look) for suit, look in _suits(variant.suits, colours).items()]
    # of a card that may not be played the suit is still to be told
    illegal = _suits(variant.illegal, colours).items()
    barred = [(f"card.{suit} illegal", f"nobold {look}") for suit, look in illegal]
    base = [("", variant.base)] if variant.base else []
    styles = dict(variant.styles)
    card = [("card", styles.pop("card", ""))]
    # Cards before the rest, so that “illegal” and “chosen” win over the colour of a suit.
    return Style([*base, *card, *rules, *styles.items(), *barred])


def _suits(suits: Mapping[str, str], colours: Colours) -> Mapping[str, str]:
    if colours is not Colours.TWO:
        return suits
    twin = {suit: _TWO.get(suit, suit) for suit in ("club", "diamond", "spade", "heart")}
    return {suit: suits[like] for suit, like in twin.items() if like in suits}


@functools.lru_cache(maxsize=1024)
def style_text(style: str) -> str:
    """Translate a span's style into prompt_toolkit's: a class for each of its words."""
    return " ".join(f"class:{word}" for word in style.split())
