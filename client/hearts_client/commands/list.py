"""``hearts-net list``: the tables that answer, and those that are saved on this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from hearts_client.chosen import Chosen
from hearts_client.ending import told_to_end
from hearts_client.exits import Exit
from hearts_client.foundwords import TROUBLE, address_of, standing_words, stranger_words, told_apart
from hearts_client.i18n import _
from hearts_client.reaching import known_identity
from hearts_client.safetext import safe_text
from hearts_client.speech import day_and_time
from hearts_net.host.archive import StoredTable, stored_tables
from hearts_net.host.table import Stage
from hearts_net.peer.found import FoundTable, Source
from hearts_net.peer.home import Home, find_home
from hearts_net.peer.identity import Identity
from hearts_net.peer.local import tables_here
from hearts_net.peer.lookout import Lookout, find_tables, looking
from hearts_net.peer.loops import in_a_loop


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
    stranger: str = ""
    """Why it is not the host that was visited under its name, as an error's code; or ""."""
    trouble: str = ""
    """Why it cannot be joined or resumed, as an error's code."""
    standing: str = ""
    """A value of :class:`hearts_net.peer.found.Standing`, such as ``open``; or ""."""
    machine: str = ""
    free: int = 0
    phase: str = ""
    admit: str = ""
    favourite: bool = False
    key: str = ""
    versions: tuple[int, ...] = ()
    played: int = 0
    """When it was played at last, in UTC milliseconds, of those that are saved here."""


def run(chosen: Chosen) -> int:
    """Ask, and print what there is; with --watch, go on printing what changes."""
    home = find_home()
    identity = known_identity(home, chosen)
    as_json = chosen.switch("json")
    if chosen.switch("watch"):
        return in_a_loop(_watch(home, identity, as_json=as_json))
    found = in_a_loop(find_tables(home, identity=identity))
    saved = saved_tables(home)
    if as_json:
        listed = [*_listed(home, found).values(), *saved]
        print(json.dumps([asdict(table) for table in listed], ensure_ascii=False))
    elif not found and not saved:
        print(_("No table answers and none is saved: start one with hearts-net host."))
    else:
        for line in [*_found_lines(found), *map(_saved_words, saved)]:
            print(line)
    return 0


async def _watch(home: Home, identity: Identity | None, *, as_json: bool) -> int:
    """Tell what comes, changes and goes until a signal ends it."""
    changed, ended = asyncio.Event(), asyncio.Event()
    codes: list[Exit] = []

    def end(code: Exit) -> None:
        codes.append(code)
        ended.set()
        changed.set()

    lookout = Lookout(home, identity, changed.set)
    before: dict[tuple[str, int], FoundTable] = {}
    with told_to_end(asyncio.get_running_loop(), end):
        async with looking(lookout):
            while not ended.is_set():
                now = {(table.key, table.port): table for table in lookout.tables()}
                for line in changes_between(home, before, now, as_json=as_json):
                    print(line, flush=True)
                before = now
                await changed.wait()
                changed.clear()
    return codes[0]


def changes_between(
    home: Home,
    before: Mapping[tuple[str, int], FoundTable],
    now: Mapping[tuple[str, int], FoundTable],
    *,
    as_json: bool,
) -> list[str]:
    """Return a line for each table that has come, gone, or is told of in other words."""
    lines = []
    was, words = _lines_by_place(before), _lines_by_place(now)
    names = dict(zip(before, told_apart(list(before.values())), strict=True))
    both = _listed(home, [*before.values(), *now.values()])
    for place, table in now.items():
        if as_json and before.get(place) != table:
            lines.append(_event("changed" if place in before else "found", both[place]))
        elif not as_json and was.get(place) != words[place]:
            lines.append(words[place])
    for place in before:
        if place not in now:
            gone = _("{table}: answers no more").format(table=names[place])
            lines.append(_event("gone", both[place]) if as_json else gone)
    return lines


def _event(event: str, table: Listed) -> str:
    return json.dumps({"event": event, **asdict(table)}, ensure_ascii=False)


def _listed(home: Home, found: Sequence[FoundTable]) -> dict[tuple[str, int], Listed]:
    ids = {(table.key, table.control): table.table_id for table in tables_here(home)}
    return {
        (table.key, table.port): _line(table, ids.get((table.key, table.port), ""))
        for table in found
    }


def _line(found: FoundTable, table_id: str) -> Listed:
    is_here = found.source is Source.HERE
    return Listed(
        found.table,
        "here" if is_here else "answers",
        address_of(found),
        table_id,
        verified=found.verified,
        stranger=found.stranger,
        trouble=TROUBLE.get(found.standing, ""),
        standing=found.standing.value,
        machine=found.machine,
        free=found.free,
        phase=found.phase,
        admit=found.admit,
        favourite=found.favourite,
        key=found.key,
        versions=found.versions,
    )


def saved_tables(home: Home) -> list[Listed]:
    """List the tables of this machine that do not run."""
    return [
        Listed(
            table.name,
            _saved(table),
            "",
            table.folder.table_id,
            trouble=table.trouble,
            played=table.last_change,
        )
        for table in stored_tables(home.tables)
        if not table.is_running
    ]


def _saved(table: StoredTable) -> str:
    return "finished" if table.stage is Stage.GAME_OVER else "saved"


def _lines_by_place(tables: Mapping[tuple[str, int], FoundTable]) -> dict[tuple[str, int], str]:
    return dict(zip(tables, _found_lines(list(tables.values())), strict=True))


def _found_lines(found: Sequence[FoundTable]) -> list[str]:
    return [_words(table, name) for table, name in zip(found, told_apart(found), strict=True)]


def _words(table: FoundTable, name: str) -> str:
    facts = {"table": name, "standing": standing_words(table), "address": address_of(table)}
    if table.standing in TROUBLE:
        return _("{table}: {standing}; at {address}").format(**facts)
    if table.source is Source.HERE:
        pattern = _("{table}: {standing}, on this machine; hearts-net join {address}")
    elif table.stranger:
        facts["why"] = stranger_words(table)
        pattern = _("{table}: {standing}, {why}; hearts-net join {address}")
    elif not table.verified:
        pattern = _("{table}: {standing}, not visited before; hearts-net join {address}")
    else:
        pattern = _("{table}: {standing}; hearts-net join {address}")
    return pattern.format(**facts)


def _saved_words(table: Listed) -> str:
    name = safe_text(table.table) or "?"
    if table.trouble:
        return _("{table}: saved, but cannot be resumed ({code}); {id}").format(
            table=name, code=table.trouble, id=table.id
        )
    if table.state == "finished":
        return _("{table}: finished on {time}; hearts-net resume {id} for a rematch").format(
            table=name, time=day_and_time(table.played), id=table.id
        )
    return _("{table}: saved on {time}; hearts-net resume {id}").format(
        table=name, time=day_and_time(table.played), id=table.id
    )
