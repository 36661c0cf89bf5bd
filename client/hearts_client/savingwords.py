"""What is said of a table that cannot save its game."""

from __future__ import annotations

from hearts_client.i18n import N_, _

UNSAVED = "off"
"""``saving`` in a view: the host's player has chosen to go on all the same."""

_WHY = {
    "full": N_("The host's disk is full: the game waits for room."),
    "unwritable": N_("The host may not write the saved game: the game waits."),
    "newer": N_("A later version's game is in the way on the host: the game waits."),
    "damaged": N_("The saved game was damaged: it is kept and written anew."),
}
"""Short enough for a line of the screen together with the key that goes on."""


def saving_words(saving: str, *, goes_unsaved: str = "") -> str:
    """Say why nothing can be saved, and ``goes_unsaved``: how to play on all the same."""
    why = _(_WHY.get(saving, N_("The host cannot save the game: it waits.")))
    return f"{why} {goes_unsaved}" if goes_unsaved else why


def saving_changed(before: str, after: str, *, goes_unsaved: str = "") -> str:
    """Say what has changed about saving between two views; "" for nothing."""
    if before == after:
        return ""
    if after == UNSAVED:
        return _("The host's player goes on unsaved: if the host dies now, this game is lost.")
    if not after:
        return _("All is saved again, and the game goes on.")
    return saving_words(after, goes_unsaved=goes_unsaved)
