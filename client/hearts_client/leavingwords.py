"""What becomes of a seat and of the table when a player leaves it, and how they come back."""

from __future__ import annotations

from typing import Final

from hearts_client.i18n import _
from hearts_net.protocol.messages import PublicView, View

IN_DEAL: Final = frozenset({"passing", "playing", "moon"})
"""Phases in which a deal is being played."""


def has_begun(public: PublicView) -> bool:
    """Tell whether a card has been played: before that, there is nothing to keep."""
    return public.last_deal is not None or public.trick_number > 1 or bool(public.trick)


def farewell_words(view: View | None, *, invite: str, owns: bool, is_lost: bool = False) -> str:
    """Say it in a line, as the player leaves; "" for who has not been at the table.

    ``invite`` is what others join with, "" where nobody else can; ``owns`` tells that the table
    runs on this machine and is this player's; ``is_lost`` that the host cannot be reached now.
    """
    if view is None:
        return ""
    if view.own is None:
        said = _("You have left the table.")
        return said if view.role == "watcher" else _with_way_back(said, invite, owns=owns)
    public, me = view.public, view.own.seat
    if is_lost:
        said = _("You have left; the host cannot be reached now, and your seat is held there.")
        return _with_way_back(said, invite, owns=owns)
    others = any(seat.kind == "person" for place, seat in enumerate(public.seats) if place != me)
    if public.seats[me].host and not others and not invite:
        return _own_table_words(public)
    if public.phase in IN_DEAL:
        said = _("You have left the table in the middle of a deal.")
        said += " " + _("Your seat is held until you come back; meanwhile a bot plays for you.")
    else:
        said = _("You have left the table, which goes on.")
    return _with_way_back(said, invite, owns=owns)


def _own_table_words(public: PublicView) -> str:
    left = _("You have left the table.")
    if public.phase == "game-over":
        return left
    if not has_begun(public):
        return left + " " + _("No card had been played yet.")
    return f"{left} {kept_words(public)}"


def kept_words(public: PublicView) -> str:
    """Say whether one's own table, which ends, can be taken up again."""
    if public.saving:
        return _("What the host could not save of it is lost.")
    return _("It is saved: hearts-net resume takes it up again.")


def _with_way_back(said: str, invite: str, *, owns: bool) -> str:
    if owns:
        return said + " " + _("hearts-net join brings you back, hearts-net stop ends it.")
    if invite:
        return said + " " + _("hearts-net join {invite} brings you back.").format(invite=invite)
    return said + " " + _("hearts-net join brings you back.")
