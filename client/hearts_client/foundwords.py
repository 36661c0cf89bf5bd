"""What a player reads of tables that answer: their names told apart, and what can be done there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hearts_client.i18n import _, ngettext
from hearts_client.safetext import safe_text
from hearts_net.peer.found import FoundTable, Source, Standing
from hearts_net.peer.invite import Address

TROUBLE = {Standing.OTHER_VERSION: "version-mismatch", Standing.NO_WAY_IN: "host-down"}
"""The error of a table that nothing can be done with."""
WATCHED = frozenset({Standing.RUNNING, Standing.FULL})
"""Where somebody who comes can only look on."""


def address_of(table: FoundTable) -> str:
    """Give what ``join`` takes."""
    is_here = table.source is Source.HERE
    return Address("localhost" if is_here else table.addresses[0], table.port).text()


def told_apart(tables: Sequence[FoundTable]) -> list[str]:
    """Name tables so that no two are called the same: by the machine, or else by the address."""
    plain = [safe_text(table.table) or "?" for table in tables]
    named = [f"{name} ({safe_text(table.machine)})" if table.machine else name
             for name, table in zip(plain, tables, strict=True)]  # fmt: skip
    placed = [f"{name} ({address_of(table)})" for name, table in zip(plain, tables, strict=True)]
    for better in (named, placed):
        counts = Counter(name.casefold() for name in plain)
        plain = [
            other if counts[name.casefold()] > 1 else name
            for name, other in zip(plain, better, strict=True)
        ]
    return plain


def stranger_words(table: FoundTable) -> str:
    """Say that a table's host is not the one that was visited under its name, where it is so."""
    match table.stranger:
        case "":
            return ""
        case "host-key-changed":
            return _("another key than at your last visit")
        case _:
            return _("not the host that you visited")


def standing_words(table: FoundTable) -> str:
    """Say what can be done at a table now."""
    match table.standing:
        case Standing.HELD:
            return _("your seat is held")
        case Standing.SITTING:
            return _("you sit there, in another window")
        case Standing.OPEN:
            words = ngettext("{free} seat free", "{free} seats free", table.free)
            return ", ".join([words.format(free=table.free), *_admission(table)])
        case Standing.RUNNING:
            return _("playing, to watch")
        case Standing.FULL:
            return _("full, to watch")
        case Standing.OTHER_VERSION:
            return _("speaks another version")
        case Standing.NO_WAY_IN:
            return _("answers, but its port is closed")


def _admission(table: FoundTable) -> list[str]:
    """Say who is let in, where that is not everybody."""
    if table.admit == "code":
        return [_("with a code")]
    return [_("the host admits you")] if table.admit == "ask" else []
