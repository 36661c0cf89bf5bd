"""``hearts-net list``: the tables that answer, and those that are saved on this machine."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass

from hearts_client.chosen import Chosen
from hearts_client.i18n import _
from hearts_client.playing import in_a_loop
from hearts_client.safetext import safe_text
from hearts_net.host.archive import stored_tables
from hearts_net.peer.ask import ask_first
from hearts_net.peer.endpoint import Target
from hearts_net.peer.home import Home, find_home
from hearts_net.peer.invite import Address
from hearts_net.peer.local import tables_here
from hearts_net.peer.lookup import addresses_of
from hearts_net.peer.recent import recent_tables

ANSWERS_WITHIN = 1.0
"""Seconds for every table asked, all at once."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the list."""

    table: str
    state: str
    """``here`` (runs on this machine), ``answers`` (elsewhere), or ``saved``."""
    address: str
    """What ``join`` takes; "" for a saved table."""
    id: str
    """What ``resume`` and ``stop`` take; "" for a table elsewhere."""
    trouble: str = ""
    """Why a saved table cannot be resumed, as an error's code."""


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
    """Ask the tables of this machine and those visited before, and keep those that answer."""
    here = tables_here(home)
    known = {table.key for table in here}
    asked: list[tuple[Listed, list[Target]]] = [
        (
            Listed(table.table, "here", Address("localhost", table.control).text(), table.table_id),
            [table.target()],
        )
        for table in here
    ]
    for visited in recent_tables(home):
        targets = visited.targets()
        if visited.key not in known and targets:
            known.add(visited.key)
            address = Address(targets[0].host, visited.port).text()
            asked.append((Listed(visited.table, "answers", address, ""), targets))
    answers = await asyncio.gather(*(_answers(targets) for _line, targets in asked))
    return [line for (line, _targets), answered in zip(asked, answers, strict=True) if answered]


async def _answers(targets: list[Target]) -> bool:
    places = [
        (address, target.control_port)
        for target in targets
        for address in await addresses_of(target.host)
    ]
    return bool(places) and await ask_first(places, ANSWERS_WITHIN, targets[0].key) is not None


def saved_tables(home: Home) -> list[Listed]:
    """List the tables of this machine that do not run."""
    return [
        Listed(table.name, "saved", "", table.folder.table_id, table.trouble)
        for table in stored_tables(home.tables)
        if not table.is_running
    ]


def _words(table: Listed) -> str:
    name = safe_text(table.table) or "?"
    if table.state == "here":
        return _("{table}: runs on this machine; hearts-net join {address}").format(
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
    return _("{table}: saved; hearts-net resume {id}").format(table=name, id=table.id)
