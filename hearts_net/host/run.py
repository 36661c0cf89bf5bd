"""Run one table in this process, from taking its store to letting it go."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import zmq

from hearts_net.host.addresses import host_and_port, own_addresses
from hearts_net.host.advertising import Advertising
from hearts_net.host.answerer import start_answering
from hearts_net.host.authority import Authority
from hearts_net.host.bots_supervisor import BotsSupervisor
from hearts_net.host.effects import Ending, Write
from hearts_net.host.errors import HostError
from hearts_net.host.folder import Running, TableFolder, folder_for
from hearts_net.host.guard import FloodGuard
from hearts_net.host.keyring import Keyring
from hearts_net.host.opening import Opening
from hearts_net.host.server import TableServer, utc_ms
from hearts_net.host.settings import HostSettings, crash_point
from hearts_net.host.sign import Sign, machine_name
from hearts_net.host.sockets import (
    Context,
    Ports,
    Socket,
    bind_again,
    bind_pair,
    make_context,
    make_control,
    make_public,
)
from hearts_net.host.store import Store
from hearts_net.host.tablekey import load_table_key
from hearts_net.host.zap import Doorkeeper
from hearts_net.peer.endpoint import LOOPBACK
from hearts_net.peer.invite import Invite
from hearts_net.peer.loops import in_a_loop
from hearts_net.protocol import limits
from hearts_net.protocol.advert import Advert

INTERRUPTED: Final = 130
"""Exit code after Ctrl-C; the table is saved all the same."""
_LAST_WORDS: Final = 0.6
"""Seconds that peers have to hear that the table is closed; those who are quick need 20 ms."""
_LINGER: Final = 100
"""Milliseconds that what was said last may take to leave this machine."""
_DESCRIPTORS: Final = 16_384
_LOOK_EVERY: Final = 0.5
"""Seconds between two looks for the file that asks the table to stop, on Windows."""

log = logging.getLogger(__name__)

Ready = Callable[[Running], None]


def run_table(
    settings: HostSettings, on_ready: Ready | None = None, folder: TableFolder | None = None
) -> int:
    """Run a table until it ends and return the exit code: 0, or 130 after Ctrl-C.

    ``on_ready`` is told how to reach the table once it serves; ``folder`` is the table's, where it
    has been made or found already. Raises :class:`StoreError`,
    :class:`HostError` or :class:`LinkError` where the table cannot be opened or cannot go on.
    """
    settings = settings.checked()
    _allow_many_descriptors()
    return in_a_loop(
        _run(settings, on_ready, folder or folder_for(settings.tables, settings.table_id))
    )


def _allow_many_descriptors() -> None:
    """Have room for a burst of connections until the guard has turned away what is too many."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # macOS has a lower limit of its own
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _run(settings: HostSettings, on_ready: Ready | None, folder: TableFolder) -> int:
    store = Store.open(folder, make=settings.is_new, syncs=settings.syncs)
    is_void = False
    try:
        return await _Table(settings, folder, store).run(on_ready)
    except HostError:
        is_void = settings.is_new  # its ports could not be had: nobody has ever been at it
        raise
    finally:
        store.close()
        if is_void:
            shutil.rmtree(folder.path, ignore_errors=True)


@dataclass(slots=True)
class _Wires:
    """What is open towards the network."""

    context: Context
    doorkeeper: Doorkeeper
    control: Socket
    public: Socket
    guard: FloodGuard

    def close(self) -> None:
        """Let the last words leave, however the peers are, then close everything."""
        self.guard.close()
        for socket in (self.control, self.public):
            socket.setsockopt(zmq.LINGER, _LINGER)
            socket.close()
        self.doorkeeper.close()
        self.context.term()


class _Table:
    """One run of a table."""

    def __init__(self, settings: HostSettings, folder: TableFolder, store: Store) -> None:
        self._settings = settings
        self._folder = folder
        self._store = store
        self._key = load_table_key(folder, settings.key, settings.secret)
        loopback = store.fact("loopback")
        self._loopback_only = settings.loopback_only if loopback == "" else loopback == "1"
        self._interrupted = False
        self._name = store.fact("table") or settings.table

    async def run(self, on_ready: Ready | None) -> int:
        keyring = Keyring()
        authority = self._take_up(keyring)
        wires = self._open_wires()
        try:
            ports = self._bind(wires)
            await self._serve(authority, keyring, wires, ports, on_ready)
        finally:
            wires.close()
        return INTERRUPTED if self._interrupted else 0

    def _take_up(self, keyring: Keyring) -> Authority:
        """Restore or open the table, and store its new epoch before any port is bound."""
        settings = self._settings
        opening = Opening(
            self._folder.table_id,
            settings.table,
            self._key.public,
            settings.options.to_dict(),
            settings.stored(),
            (settings.level,) * settings.bots,
            (settings.level, *(name for name in settings.levels if name != settings.level)),
            settings.kept,
            "open" if self._loopback_only else settings.admit,
        )
        authority = Authority(
            self._store.entries(),
            opening,
            entropy=os.urandom,
            new_key=keyring.new,
            machine=machine_name(),
        )
        for effect in authority.begin(utc_ms()):
            assert isinstance(effect, Write)
            self._store.append(effect.first, effect.entries, sync=effect.sync)
        self._store.set_fact("table", self._name)
        self._store.set_fact("loopback", str(int(self._loopback_only)))
        return authority

    def _open_wires(self) -> _Wires:
        context = make_context()
        doorkeeper = Doorkeeper(context)
        control = make_control(context, self._key.secret)
        public = make_public(context, self._key.secret)
        return _Wires(context, doorkeeper, control, public, FloodGuard(context, control, public))

    def _bind(self, wires: _Wires) -> Ports:
        """Bind where the last run was, if nothing else is asked for, or where it is asked for.

        Where those are in use any others will do, unless they were asked for.
        """
        last, port = self._store.fact("ports").split(), self._settings.port
        wish = Ports(port, port + 1) if port and self._settings.elsewhere else None
        if len(last) == 2 and port in (0, limits.CONTROL_PORT):
            wish = Ports(int(last[0]), int(last[1]))
        bind = (wires.control, wires.public)
        if wish is not None:
            ports = bind_again(*bind, wish, loopback_only=self._loopback_only)
            if ports != wish:
                log.warning("a port of %d and %d is in use", wish.control, wish.public)
        else:
            ports = bind_pair(*bind, port, loopback_only=self._loopback_only)
        self._store.set_fact("ports", f"{ports.control} {ports.public}")
        return ports

    async def _serve(
        self,
        authority: Authority,
        keyring: Keyring,
        wires: _Wires,
        ports: Ports,
        on_ready: Ready | None,
    ) -> None:
        addresses = (LOOPBACK,) if self._loopback_only else own_addresses()
        bots = BotsSupervisor(
            ports.control, self._key.public, self._folder.log, pause=self._settings.pause
        )
        server = _server_maker()(
            authority,
            self._store,
            keyring,
            wires.control,
            wires.public,
            wires.doorkeeper,
            bots,
            wires.guard,
        )
        sign = Sign(self._key.public, ports.control, ports.public)

        def advert() -> Advert:
            return sign.read(authority.table)

        answering = await start_answering(advert, loopback_only=self._loopback_only)
        advertising = None
        try:
            with self._ended_by_signals(server):
                typed = "" if self._loopback_only else host_and_port(addresses[0], ports.control)
                server.serve(ports.public, typed)
                self._tell_ready(ports, addresses, authority.table.door.code, on_ready)
                if not self._loopback_only:
                    advertising = Advertising(self._folder.table_id, advert, self._folder.log)
                gc.collect()
                gc.freeze()  # what is there now stays: the collector need not look at it in play
                log.info("table %s is open on port %d", self._folder.table_id, ports.control)
                ending = await server.finished
                log.info("the table ends: %s", ending.value)
                self._folder.ended()
                await server.part(_LAST_WORDS)
        finally:
            self._folder.hide()
            server.stop()
            for transport in answering:
                transport.close()
            bots.close()
            if advertising is not None:
                advertising.close()
            gc.unfreeze()

    def _tell_ready(
        self, ports: Ports, addresses: tuple[str, ...], code: str, on_ready: Ready | None
    ) -> None:
        invite = Invite(addresses, ports.control, self._key.public).text()
        running = Running(
            self._folder.table_id,
            self._folder.path,
            os.getpid(),
            ports.control,
            ports.public,
            self._key.public,
            self._name,
            invite,
            self._loopback_only,
            code,
        )
        self._folder.announce(running)
        if self._settings.json:
            print(running.ready_line(), flush=True)
        if on_ready is not None:
            on_ready(running)

    @contextlib.contextmanager
    def _ended_by_signals(self, server: TableServer) -> Iterator[None]:
        """End the table, saved, at a signal; or, where there are none, when a file asks for it."""
        loop = asyncio.get_running_loop()
        if threading.current_thread() is not threading.main_thread():
            yield  # signals are the main thread's
            return

        def end(number: int) -> None:
            self._interrupted = number == signal.SIGINT
            server.close(Ending.SAVED)

        if sys.platform == "win32":
            with _ended_on_windows(loop, server, self._folder.stop, end):
                yield
            return
        numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        for number in numbers:
            loop.add_signal_handler(number, end, number)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)


def _server_maker() -> Callable[..., TableServer]:
    """Say what makes the server: one that kills itself, where a test asks for that."""
    point = crash_point(os.environ)
    if point is None:
        return TableServer
    from hearts_net.host.crashing import CrashingServer

    return partial(CrashingServer, crash_point=point)


@contextlib.contextmanager
def _ended_on_windows(
    loop: asyncio.AbstractEventLoop,
    server: TableServer,
    asks: Path,
    end: Callable[[int], None],
) -> Iterator[None]:
    """Do what signal handlers of the loop do elsewhere; ``asks`` is looked for twice a second."""
    before = signal.signal(
        signal.SIGINT, lambda number, _: loop.call_soon_threadsafe(end, number) and None
    )

    def look() -> None:
        if asks.exists():
            with contextlib.suppress(OSError):
                asks.unlink(missing_ok=True)
            end(0)
        elif not server.finished.done():
            loop.call_later(_LOOK_EVERY, look)

    loop.call_later(_LOOK_EVERY, look)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
