"""What is said on the normal screen after the full screen has been left."""

from __future__ import annotations

from hearts_client.full.model import Model
from hearts_client.full.screens.start import ended_words
from hearts_client.i18n import _
from hearts_client.leavingwords import has_begun, kept_words
from hearts_client.table_state import has_ended


def farewell(model: Model, *, told_to_end: bool = False) -> str:
    """Say what became of the table, as far as this client knows; without a table nothing.

    Who was ``told_to_end`` by a signal is told at least that.
    """
    if not model.at_table or model.public is None:
        return _("hearts-net was told to end.") if told_to_end else ""
    if has_ended(model.table):
        return ended_words(model)
    if model.invite and not _is_hosts_player(model):
        return _("You have left the table, which goes on: hearts-net join brings you back.")
    if model.invite:
        return _(
            "You have left the table, which goes on: hearts-net join brings you back, "
            "hearts-net stop ends it."
        )
    left = _("You have left the table.")
    return f"{left} {kept_words(model.public)}" if _is_kept(model) else left


def _is_hosts_player(model: Model) -> bool:
    """Tell whether the table is this player's own: only they can end it or take it up again."""
    view = model.table.view
    if view is None:
        return False
    return view.desk is not None or (model.me is not None and view.public.seats[model.me].host)


def _is_kept(model: Model) -> bool:
    """Tell whether it was this player's own table, with nobody else to go on and a game to keep."""
    public, me = model.public, model.me
    if public is None or me is None or not public.seats[me].host:
        return False
    alone = all(seat.kind != "person" for n, seat in enumerate(public.seats) if n != me)
    return alone and public.phase != "game-over" and has_begun(public)
