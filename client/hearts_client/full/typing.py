"""A line of text being typed: what each key does to it."""

from __future__ import annotations

from dataclasses import replace

from hearts_client.full.model import Field, Purpose
from hearts_client.playername import LONGEST_NAME
from hearts_client.safetext import safe_text

LIMITS = {
    Purpose.CHAT: 200,
    Purpose.CARD: 24,
    Purpose.ADDRESS: 2048,  # of the longest invite, see hearts_net.peer.invite
    Purpose.TABLE_NAME: 24,
    Purpose.CODE: 12,
    Purpose.NAME: LONGEST_NAME,
}
"""Characters that each kind of text may have."""


def inserted(field: Field, text: str) -> Field:
    """Insert what was typed or pasted at the cursor, as one safe line, up to the limit.

    No space comes first: it was pasted along, and would take a letter's place.
    """
    safe = " " if text == " " and field.text[: field.at] else safe_text(text.replace("\r\n", "\n"))
    safe = safe[: max(0, LIMITS[field.purpose] - len(field.text))]
    return replace(
        field,
        text=field.text[: field.at] + safe + field.text[field.at :],
        at=field.at + len(safe),
    )


def edited(field: Field, key: str) -> Field:
    """Apply an editing key, as prompt_toolkit names it; other keys change nothing."""
    text, at = field.text, field.at
    match key:
        case "left" | "c-b":
            return replace(field, at=max(0, at - 1))
        case "right" | "c-f":
            return replace(field, at=min(len(text), at + 1))
        case "home" | "c-a":
            return replace(field, at=0)
        case "end" | "c-e":
            return replace(field, at=len(text))
        case "c-h":
            return replace(field, text=text[: max(0, at - 1)] + text[at:], at=max(0, at - 1))
        case "delete":
            return replace(field, text=text[:at] + text[at + 1 :])
        case "c-u":
            return replace(field, text=text[at:], at=0)
        case "c-k":
            return replace(field, text=text[:at])
        case "c-w":
            kept = text[:at].rstrip()
            kept = kept[: kept.rfind(" ") + 1]
            return replace(field, text=kept + text[at:], at=len(kept))
    return field


EDITING_KEYS = (
    "left right home end delete c-a c-b c-e c-f c-h c-k c-u c-w".split()  # noqa: SIM905 - one list, as it is read
)
