"""The start screen while it is shown: looking for tables, and going through a door to one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Final, Protocol

from hearts_client.doors import Doors, ListedTable, SavedTable
from hearts_client.full import model as effects
from hearts_client.full.at_start import with_tables
from hearts_client.full.model import Effect, Model, StartState, with_settings
from hearts_client.table_state import TableState
from hearts_client.tablelink import LinkFactory
from hearts_net.rules.errors import HeartsError

LOOK_FOR_SECONDS: Final = 2.0
"""After so long without an answer it is said that nobody answers, and what to do about it."""


class Client(Protocol):
    """What the start screen needs of the client that shows it."""

    model: Model

    def show(self, model: Model) -> None:
        """Show the client so from now on."""

    def say_error(self, error: HeartsError) -> None:
        """Say what went wrong, and go on."""

    def fail(self, failure: BaseException) -> None:
        """End for a failure."""

    def sit_down(self, link_factory: LinkFactory) -> None:
        """Be at a table."""

    def start_task(self, work: Awaitable[None]) -> asyncio.Task[None]:
        """Do something beside everything else; a failure of it ends the client."""

    async def painted(self) -> None:
        """Wait until the screen has been drawn once."""


class Hall:
    """Where a player is without a table."""

    def __init__(self, doors: Doors, client: Client) -> None:
        self._doors = doors
        self._client = client
        self._looking: list[asyncio.Task[None]] = []
        self._door: asyncio.Task[None] | None = None

    def enter(self) -> None:
        """Show the start screen, and look for tables until it is left."""
        self.leave()
        start = StartState(
            saved=tuple(self._doors.saved()), left_open=tuple(self._doors.left_open())
        )
        at_start = replace(
            self._client.model,
            table=TableState(),
            at_table=False,
            page=None,
            field=None,
            start=start,
        )
        begin = self._client.start_task
        self._looking = [begin(self._look()), begin(self._look_in_vain())]
        self._client.show(at_start)

    def leave(self) -> None:
        """Look for tables no more."""
        for task in self._looking:
            task.cancel()
        self._looking = []

    def give_up(self) -> None:
        """Go through no door any more; one that opens now leads nowhere."""
        if self._door is not None:
            self._door.cancel()

    def carry_out(self, effect: Effect) -> None:
        """Do what was asked of a door."""
        match effect:
            case effects.OpenPlay():
                self._go_through(self._doors.play(), ready=True)
            case effects.OpenHost(wanted):
                self._go_through(self._doors.host(wanted))
            case effects.OpenJoin(address, watch):
                self._go_through(self._doors.join(address, watch=watch))
            case effects.OpenResume(table):
                self._go_through(self._doors.resume(table))
            case effects.CallPlayer(name):
                self._doors.rename(name)
            case effects.Favour(address, favourite):
                self._favour(address, favourite=favourite)

    def _favour(self, address: str, *, favourite: bool) -> None:
        try:
            self._doors.favour(address, favourite=favourite)
        except HeartsError as error:
            self._client.say_error(error)

    # ---- looking

    async def _look(self) -> None:
        """Keep the list of tables as it is on the network, for as long as the screen is shown.

        The doors are made only once the screen is there, since that may take a while.
        """
        await self._client.painted()
        try:
            await self._doors.open()
        except HeartsError as error:
            self._client.fail(error)
            return
        self._found(self._client.model.start.found, self._doors.saved())
        try:
            await self._doors.look(self._found)
        except HeartsError as error:
            self._client.say_error(error)

    def _found(
        self, found: Sequence[ListedTable], saved: Sequence[SavedTable] | None = None
    ) -> None:
        left_open = self._doors.left_open()
        self._client.show(with_tables(self._client.model, found, left_open, saved))

    async def _look_in_vain(self) -> None:
        await asyncio.sleep(LOOK_FOR_SECONDS)
        model = self._client.model
        self._client.show(replace(model, start=replace(model.start, looked=True)))

    # ---- through a door

    def _go_through(self, door: Awaitable[LinkFactory], *, ready: bool = False) -> None:
        self._door = self._client.start_task(self._through(door, ready=ready))

    async def _through(self, door: Awaitable[LinkFactory], *, ready: bool) -> None:
        """Go through a door; ``ready`` says so at once at the table behind it."""
        try:
            link_factory = await door
        except HeartsError as error:
            self._opened()
            self._client.say_error(error)
            return
        self._opened()
        self._client.model = with_settings(self._client.model, ready_at_once=ready)
        self._client.sit_down(link_factory)

    def _opened(self) -> None:
        model = self._client.model
        self._client.model = replace(model, start=replace(model.start, opening=""))
