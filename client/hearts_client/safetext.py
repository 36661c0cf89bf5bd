"""Text from other machines, made safe to show: no control codes, no direction tricks, one line."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"  # ZWNJ and ZWJ: Marathi and emoji need them, and they move nothing
_DROPPED = {"Cc", "Cf", "Cs", "Co", "Cn"}
_TO_SPACE = {"Zl", "Zp"}


def safe_text(text: str) -> str:
    """Strip C0, C1, ESC, bidi controls, variation selectors and line separators; compose to NFC."""
    kept = []
    for character in unicodedata.normalize("NFC", text):
        category = unicodedata.category(character)
        if category in _TO_SPACE or character in "\t\n\r":
            kept.append(" ")
        elif "\ufe00" <= character <= "\ufe0f":
            continue
        elif category not in _DROPPED or character in _JOINERS:
            kept.append(character)
    return "".join(kept).strip()
