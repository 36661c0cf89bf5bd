"""``hearts-net list``: the tables that answer, and those that are saved on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from hearts_client.chosen import Chosen
from hearts_client.i18n import _
from hearts_client.playing import in_a_loop
from hearts_client.safetext import safe_text
from hearts_net.host.archive import StoredTable, stored_tables
from hearts_net.host.table import Stage
from hearts_net.peer import discovery
from hearts_net.peer.discovery import FoundTable, Source
from hearts_net.peer.errors import LinkCode
from hearts_net.peer.home import Home, find_home
from hearts_net.peer.invite import Address
from hearts_net.peer.local import tables_here

_ORDER = {source: place for place, source in enumerate(Source)}


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the list."""

    table: str
    state: str
    """``here`` (runs on this machine), ``answers`` (elsewhere), ``saved``, or ``finished``."""
    address: str
    """What ``join`` takes; "" for one that does not run."""
    id: str = ""
    """What ``resume`` and ``stop`` take; "" for a table elsewhere."""
    verified: bool = True
    """Its key was known before it answered."""
    trouble: str = ""
    """Why it cannot be joined or resumed, as an error's code."""


def run(chosen: Chosen) -> int:
    """Ask, and print what there is."""
    home = find_home()
    found = in_a_loop(find_tables(home)) + saved_tables(home)
    if chosen.switch("json"):
        print(json.dumps([asdict(table) for table in found], ensure_ascii=False))
    elif not found:
        print(_("No table answers and none is saved: start one with hearts-net host."))
    else:
        for table in found:
            print(_words(table))
    return 0


async def find_tables(home: Home) -> list[Listed]:
    """List the tables that answer: on this machine, visited before, and around."""
    ids = {(table.key, table.control): table.table_id for table in tables_here(home)}
    found = sorted(await discovery.find_tables(home), key=lambda table: _ORDER[table.source])
    return [_line(table, ids.get((table.key, table.port), "")) for table in found]


def _line(found: FoundTable, table_id: str) -> Listed:
    here = found.source is Source.HERE
    address = Address("localhost" if here else found.addresses[0], found.port).text()
    return Listed(
        found.table,
        "here" if here else "answers",
        address,
        table_id,
        verified=here or found.verified,
        trouble="" if found.fits() else LinkCode.VERSION_MISMATCH.value,
    )


def saved_tables(home: Home) -> list[Listed]:
    """List the tables of this machine that do not run."""
    return [
        Listed(table.name, _saved(table), "", table.folder.table_id, trouble=table.trouble)
        for table in stored_tables(home.tables)
        if not table.is_running
    ]


def _saved(table: StoredTable) -> str:
    return "finished" if table.stage is Stage.GAME_OVER else "saved"


def _words(table: Listed) -> str:
    name = safe_text(table.table) or "?"
    if table.state == "here":
        return _("{table}: runs on this machine; hearts-net join {address}").format(
            table=name, address=table.address
        )
    if table.state == "answers" and table.trouble:
        return _("{table}: answers at {address}, but speaks another version").format(
            table=name, address=table.address
        )
    if table.state == "answers" and not table.verified:
        return _("{table}: answers, not visited before; hearts-net join {address}").format(
            table=name, address=table.address
        )
    if table.state == "answers":
        return _("{table}: answers; hearts-net join {address}").format(
            table=name, address=table.address
        )
    if table.trouble:
        return _("{table}: saved, but cannot be resumed ({code}); {id}").format(
            table=name, code=table.trouble, id=table.id
        )
    if table.state == "finished":
        return _("{table}: finished; hearts-net resume {id} for a rematch").format(
            table=name, id=table.id
        )
    return _("{table}: saved; hearts-net resume {id}").format(table=name, id=table.id)
