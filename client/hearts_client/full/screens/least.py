"""How small a terminal may be, and what is said on one that is smaller."""

from __future__ import annotations

from hearts_client.full.layout import Screenful, Size, line_of, screenful, wrapped
from hearts_client.full.model import Where
from hearts_client.i18n import _

FULL = Size(60, 18)
LEAST = Size(40, 12)


def fits(size: Size) -> bool:
    """Tell whether a terminal is large enough for the game to be seen, and so to be played."""
    return size.columns >= LEAST.columns and size.rows >= LEAST.rows


def too_small(size: Size, place: Where) -> Screenful:
    """Say in one sentence what size is needed; the game goes on underneath."""
    text = _(
        "hearts-net needs {columns}x{rows}; this is {width}x{height}. The game goes on: enlarge it."
    ).format(columns=LEAST.columns, rows=LEAST.rows, width=size.columns, height=size.rows)
    if place is Where.LEAVING:
        text = _("Leave? y leaves, n stays.")
    lines = wrapped(text, max(1, size.columns))
    if place is not Where.LEAVING:
        longer = wrapped(text + " " + _("Only q works here."), max(1, size.columns))
        lines = longer if len(longer) <= size.rows else lines
    return screenful([line_of(part) for part in lines], size)
