"""``hearts-net export``: a game of this machine as a game record."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from hearts_client.chosen import Chosen, UsageError
from hearts_client.exits import Exit
from hearts_client.i18n import _
from hearts_client.recordfile import write_record
from hearts_client.safetext import safe_text
from hearts_net.host.archive import StoredGame, stored_games, stored_tables
from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.peer.home import find_home
from hearts_net.rules.errors import HeartsError


def run(chosen: Chosen) -> int:
    """Write the newest game, of one table where one is named."""
    wanted = chosen.text("table_name")
    if not wanted and not chosen.switch("last"):
        raise UsageError(_("Say which game: --last for the newest one, or a table's name or id."))
    found = stored_games(find_home().tables)
    games = [game for game in found.games if _fits(game, wanted)]
    if not games:
        raise _nothing_to_export(wanted, found.troubles)
    text = "".join(f"{line}\n" for line in games[0].lines())
    out = chosen.text("out")
    if out == "-":
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    else:
        write_record(Path(out), text)
    return 0


def _nothing_to_export(wanted: str, troubles: Mapping[str, StoreError]) -> HeartsError | UsageError:
    """Say whether there is no such table, one that cannot be read, or no finished deal yet."""
    if wanted in troubles:
        return troubles[wanted]
    if not wanted and troubles:
        return next(iter(troubles.values()))
    if not wanted:
        words = _("No deal has been finished on this machine: play one to its end, then export it.")
        return UsageError(words, Exit.FAILED)
    for table in stored_tables(find_home().tables):
        if wanted == table.folder.table_id or wanted.casefold() == table.name.casefold():
            words = _("No deal at table {table} is finished yet: play one to its end first.")
            name = safe_text(table.name)
            return UsageError(words.format(table=name), Exit.FAILED)
    return StoreError(StoreCode.MISSING, table=wanted[:64])


def _fits(game: StoredGame, wanted: str) -> bool:
    return wanted in ("", game.table_id, game.header.game) or (
        wanted.casefold() == game.table.casefold()
    )
