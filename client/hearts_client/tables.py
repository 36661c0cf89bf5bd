"""The tables of this machine: what they are started with, and finding them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from hearts_client.chosen import Chosen, UsageError
from hearts_client.exits import Exit
from hearts_client.i18n import _
from hearts_client.safetext import safe_text
from hearts_client.speech import day_and_time
from hearts_net.bots.levels import DEFAULT_LEVEL, level_names
from hearts_net.bots.player import BotCode, BotError
from hearts_net.host.archive import StoredTable, stored_tables
from hearts_net.host.errors import HostCode, HostError, StoreCode, StoreError
from hearts_net.host.folder import Running, TableFolder, table_folder
from hearts_net.host.process import find_running, launch_table
from hearts_net.host.settings import STORED, HostSettings
from hearts_net.host.tablekey import read_table_key
from hearts_net.peer.endpoint import LOOPBACK, Target
from hearts_net.peer.home import Home
from hearts_net.peer.identity import Identity, read_identity
from hearts_net.peer.local import LocalTable, tables_here
from hearts_net.rules.errors import HeartsError
from hearts_net.rules.options import Options, parse_option, preset

PRACTICE_BOTS = 3


def options_of(chosen: Chosen, base: Options | None = None) -> Options:
    """Give the rules that --rules and --set ask for; raises ``OptionError``, ``UsageError``."""
    options = preset(chosen.text("rules")) if chosen.is_given("rules") else base or Options()
    for setting in chosen.texts("set"):
        if "=" not in setting:
            raise UsageError(
                _("“{setting}” sets no option: write --set OPTION=VALUE.").format(
                    setting=safe_text(setting)[:40]
                )
            )
        options = parse_option(setting, options)
    return options


def level_of(level: str) -> str:
    """Give a level that there is, the usual one for ""; raises ``BotError`` ``unknown-level``."""
    if level and level not in level_names():
        raise BotError(BotCode.UNKNOWN_LEVEL, level=level[:16], levels=", ".join(level_names()))
    return level or DEFAULT_LEVEL


def practice_settings(home: Home, identity: Identity, chosen: Chosen) -> HostSettings:
    """Say what a table with three bots on this machine alone is started with."""
    return HostSettings(
        tables=home.tables,
        key=identity.public,
        secret=identity.secret,
        table=_("practice"),
        port=0,
        loopback_only=True,
        options=options_of(chosen, Options(aids=True)),
        bots=PRACTICE_BOTS,
        level=level_of(chosen.text("level")),
        levels=level_names(),
        pause=chosen.number("pause"),
    )


def host_settings(home: Home, identity: Identity, chosen: Chosen) -> HostSettings:
    """Say what a table on the network is started with."""
    bots, level = chosen.bots("bots")
    return HostSettings(
        tables=home.tables,
        key=identity.public,
        secret=identity.secret,
        table=safe_text(chosen.text("table")),
        port=chosen.number("port"),
        elsewhere=not chosen.is_given("port"),
        options=options_of(chosen),
        bots=bots,
        level=level_of(level),
        levels=level_names(),
        pause=chosen.number("pause"),
        admit=chosen.text("admit"),
        grace=chosen.number("grace") * 1000,
        turn_limit=chosen.number("turn_limit") * 1000,
        exit_when_done=chosen.switch("exit_when_done"),
        durable=chosen.switch("durable"),
        json=chosen.switch("json") and chosen.switch("foreground"),
    ).checked()


def resume_settings(home: Home, identity: Identity, chosen: Chosen, table_id: str) -> HostSettings:
    """Say what a stored table is taken up again with: what nobody chose stays as it was."""
    return HostSettings(
        tables=home.tables,
        key=identity.public,
        secret=identity.secret,
        table_id=table_id,
        port=chosen.number("port"),
        elsewhere=not chosen.is_given("port"),
        level=DEFAULT_LEVEL,
        levels=level_names(),
        pause=chosen.number("pause"),
        grace=chosen.number("grace") * 1000,
        turn_limit=chosen.number("turn_limit") * 1000,
        exit_when_done=chosen.switch("exit_when_done"),
        durable=chosen.switch("durable"),
        json=chosen.switch("json") and chosen.switch("foreground"),
        kept=tuple(name for name in STORED if not chosen.is_given(name)),
    ).checked()


def take_up(settings: HostSettings, started: Callable[[Running], None] | None = None) -> Running:
    """Start a stored table, or give it as it is where it runs already.

    ``started`` is told of one that has been started, before that can be interrupted.
    """
    try:
        return launch_table(settings, started=started)
    except StoreError as error:
        running = None
        if error.code == StoreCode.LOCKED:
            running = table_folder(settings.tables, settings.table_id).read_running()
        if running is None:
            raise
        return running


def other_port_words(running: Running, settings: HostSettings) -> str:
    """Say that a new table is not at the usual port, which nobody asked for, and is in use."""
    if settings.table_id or not settings.elsewhere or running.control == settings.port:
        return ""
    return _("Port {usual} is in use, so this table has port {port}.").format(
        usual=settings.port, port=running.control
    )


def target_of(running: Running) -> Target:
    """Say how this machine reaches one of its own tables."""
    return Target(LOOPBACK, running.control, running.key, running.table)


def owner_of(home: Home, folder: TableFolder, chosen: Chosen) -> str | None:
    """Name the profile of a stored table's host's player; None where that key is not at hand.

    A profile that was chosen goes before. Raises ``StoreError`` ``store-damaged``.
    """
    if chosen.text("profile"):
        return chosen.text("profile")
    key = read_table_key(folder).public
    for profile in sorted(path.stem for path in home.keys.glob("*.key")):
        with contextlib.suppress(HeartsError):
            if read_identity(home, profile).public == key:
                return profile
    return None


def left_open(home: Home, key: str) -> list[LocalTable]:
    """List the tables that run on this machine and were opened with this key, the newest first.

    Whoever has the key now sits at none of them: it is one window's at a time.
    """
    return [table for table in tables_here(home) if table.key == key]


def running_table(home: Home, wanted: str) -> Running:
    """Find a running table by name or id, or the only one.

    Raises ``HostError`` ``table-not-running``, ``StoreError`` ``store-missing``, or
    :class:`UsageError` where several fit.
    """
    found = [
        table for table in find_running(home.tables) if _fits(wanted, table.table, table.table_id)
    ]
    if not found:
        stored = stored_tables(home.tables) if wanted else []
        if wanted and not any(_fits(wanted, one.name, one.folder.table_id) for one in stored):
            raise StoreError(StoreCode.MISSING, table=wanted[:64])
        raise HostError(HostCode.NOT_RUNNING, **({"table": wanted[:64]} if wanted else {}))
    if len(found) > 1:
        raise _several([(table.table, table.table_id) for table in found])
    return found[0]


def stored_table(home: Home, wanted: str) -> StoredTable:
    """Find a table to resume by name or id, or the newest one.

    Raises ``StoreError`` ``store-missing``, ``store-locked``, or what is wrong with the store, and
    :class:`UsageError` where several fit or none is saved.
    """
    found = [
        table
        for table in stored_tables(home.tables)
        if _fits(wanted, table.name, table.folder.table_id)
    ]
    good = [table for table in found if table.can_resume]
    if good and (wanted == "" or len(good) == 1):
        return good[0]
    if good:
        raise _several([(_dated(table), table.folder.table_id) for table in good])
    if found and found[0].is_running:
        raise StoreError(StoreCode.LOCKED, path=str(found[0].folder.path))
    if found:
        raise StoreError(found[0].trouble, path=str(found[0].folder.store))
    if not wanted:
        words = _("No table is saved on this machine: `hearts-net host` opens one.")
        raise UsageError(words, Exit.FAILED)
    raise StoreError(StoreCode.MISSING, table=wanted[:64])


def _fits(wanted: str, name: str, table_id: str) -> bool:
    return wanted == "" or wanted == table_id or wanted.casefold() == name.casefold()


def _dated(table: StoredTable) -> str:
    return f"{table.name} {day_and_time(table.last_change)}"


def _several(tables: list[tuple[str, str]]) -> UsageError:
    names = ", ".join(f"{safe_text(name)} {table_id}" for name, table_id in tables)
    return UsageError(_("Several tables fit: name one by its id ({names}).").format(names=names))
