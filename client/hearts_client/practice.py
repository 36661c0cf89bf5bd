"""A practice table at which nothing has been played is not kept."""

from __future__ import annotations

import shutil

from hearts_net.host.archive import read_games
from hearts_net.host.changes import restored
from hearts_net.host.errors import StoreError
from hearts_net.host.folder import Running, TableFolder
from hearts_net.host.store import read_journal


def forget_untouched(running: Running) -> None:
    """Remove a table that this program has started, if it ended before the first card."""
    folder = TableFolder(running.folder)
    if not folder.is_running() and _is_untouched(folder):
        shutil.rmtree(folder.path, ignore_errors=True)


def _is_untouched(folder: TableFolder) -> bool:
    """Tell whether no card has been played; a store that cannot be read is left alone."""
    try:
        game = restored(read_journal(folder.store)).game
        if read_games(folder):
            return False
    except StoreError:
        return False
    deal = game.deal if game is not None else None
    return deal is None or not (deal.tricks or deal.table)
