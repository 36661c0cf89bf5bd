"""The look of each kind of text, in ANSI colour names: the user's own theme decides the shades."""

from __future__ import annotations

import functools

from prompt_toolkit.styles import Style

from hearts_client.settings import Colours

_COMMON = {
    "top": "reverse",
    "title": "bold",
    "rule": "",
    "name": "",
    "turn": "bold",
    "alert": "bold reverse",
    "error": "bold",
    "notice": "italic",
    "chat": "italic",
    "dim": "",
    "best": "bold",
    "won": "bold underline",
    "chosen": "reverse",
    "raised": "bold",
    "illegal": "",
    "pointer": "bold",
    "flag": "bold",
    "number": "",
    "key": "bold",
    "hint": "",
    "field": "underline",
    "card": "bold",
}
_COLOURED = {
    "rule": "ansibrightblack",
    "turn": "bold ansigreen",
    "error": "bold ansired",
    "notice": "italic ansiyellow",
    "chat": "ansicyan",
    "dim": "ansibrightblack",
    "flag": "bold ansiyellow",
    "number": "ansicyan",
    "hint": "ansibrightblack",
    "illegal": "nobold ansibrightblack",
}
_FOUR = {
    "card.club": "ansigreen",
    "card.diamond": "ansibrightblue",
    "card.heart": "ansired",
}
_TWO = {
    "card.diamond": "ansired",
    "card.heart": "ansired",
}


def theme(colours: Colours) -> Style:
    """Give the style sheet; the classes are those of :class:`hearts_client.full.layout.Span`."""
    rules = dict(_COMMON)
    if colours is not Colours.NONE:
        rules.update(_COLOURED)
        rules.update(_FOUR if colours is Colours.FOUR else _TWO)
    # Cards before the rest, so that “illegal” and “chosen” win over the colour of a suit.
    ordered = sorted(rules.items(), key=lambda rule: not rule[0].startswith("card"))
    return Style(ordered)


@functools.lru_cache(maxsize=1024)
def style_text(style: str) -> str:
    """Translate a span's style into prompt_toolkit's: a class for each of its words."""
    return " ".join(f"class:{word}" for word in style.split())
