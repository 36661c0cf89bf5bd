"""The doors of the start screen for a client that shows it first: what is behind them comes later.

Finding and opening tables takes zmq, the host's tables and more, half of all that the program has
to load. Nobody goes through a door before the screen is there.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hearts_client.chosen import Chosen
from hearts_client.doors import ListedTable, NewTable, SavedTable
from hearts_client.tablelink import LinkFactory
from hearts_net.peer.home import Home

if TYPE_CHECKING:
    from hearts_client.startdoors import StartDoors


class LateDoors:
    """Doors that are made, with the player's key, when :meth:`open` is called or one is used.

    What was made ends with the block.
    """

    def __init__(self, home: Home, chosen: Chosen, name: str) -> None:
        self._home = home
        self._chosen = chosen
        self._name = name
        self._closing = contextlib.ExitStack()
        self._made: StartDoors | None = None
        self._making: asyncio.Future[StartDoors] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.close()

    async def open(self) -> None:
        """Make the doors, in a thread: keys are taken meanwhile."""
        await self._doors()

    async def _doors(self) -> StartDoors:
        if self._making is None or (self._making.done() and self._made is None):
            self._making = asyncio.ensure_future(asyncio.to_thread(self._make))
        doors = await asyncio.shield(self._making)
        doors.rename(self._name)  # which may have changed meanwhile
        return doors

    def _make(self) -> StartDoors:
        from hearts_client.reaching import visitor
        from hearts_client.startdoors import StartDoors

        guest = visitor(self._home, self._chosen)
        self._closing.enter_context(guest.identity)
        doors = StartDoors(self._home, guest.identity, self._name, self._chosen, guest.note)
        self._made = self._closing.enter_context(doors)
        return doors

    async def play(self) -> LinkFactory:
        """Open a table with three bots on this machine alone."""
        return await (await self._doors()).play()

    async def host(self, wanted: NewTable) -> LinkFactory:
        """Open a new table on the local network."""
        return await (await self._doors()).host(wanted)

    async def join(self, address: str, *, watch: bool = False) -> LinkFactory:
        """Reach a table that was found, or one by invite, address or name."""
        return await (await self._doors()).join(address, watch=watch)

    async def resume(self, table: str) -> LinkFactory:
        """Take up a saved table again, by its id."""
        return await (await self._doors()).resume(table)

    async def look(self, heed: Callable[[Sequence[ListedTable]], None]) -> None:
        """Look for tables until cancelled, and tell of every change."""
        await (await self._doors()).look(heed)

    def rename(self, name: str) -> None:
        """Have the player called this at the next table."""
        self._name = name
        if self._made is not None:
            self._made.rename(name)

    def favour(self, address: str, *, favourite: bool) -> None:
        """Mark a table that was found as a favourite, or no longer."""
        if self._made is not None:
            self._made.favour(address, favourite=favourite)

    def left_open(self) -> Sequence[ListedTable]:
        """List the tables that this player has opened here and that run on."""
        return [] if self._made is None else self._made.left_open()

    def saved(self) -> Sequence[SavedTable]:
        """List the tables that can be resumed, newest first."""
        return [] if self._made is None else self._made.saved()
