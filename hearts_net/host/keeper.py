"""Keeps a table running: a process that dies without having been stopped is started again."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from hearts_net.host.errors import StoreCode
from hearts_net.host.folder import Running, TableFolder
from hearts_net.host.process import launch_table
from hearts_net.host.settings import STORED, HostSettings
from hearts_net.rules.errors import HeartsError

MOST_DEATHS: Final = 3
"""So many deaths within ``DEATHS_WITHIN`` are borne; whatever kills it then will do so again."""
DEATHS_WITHIN: Final = 60.0
"""Seconds."""
_LOOK_EVERY: Final = 0.1
_LOOK_SELDOM: Final = 1.0
"""Seconds between two looks where the system tells of the process's end anyway."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Died:
    """The table's process has died, and is being started again."""


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The table's process is not started again: it died too often, or cannot be started."""

    deaths: int
    """Within ``DEATHS_WITHIN``."""
    error: HeartsError | None = None
    """Why it cannot be started."""


KeeperNews: TypeAlias = Died | GaveUp


class TableKeeper:
    """Looks after one table of this machine, for whoever has started it."""

    def __init__(
        self, settings: HostSettings, running: Running, tell: Callable[[KeeperNews], None]
    ) -> None:
        """Look after a table started with ``settings``; ``tell`` is called in the event loop."""
        self._folder = TableFolder(running.folder)
        # its own ports where they are free, and of all else what is stored
        again = replace(settings.resumed(running.table_id), port=0, kept=STORED)
        self._settings = again
        self._tell = tell
        self._deaths: deque[float] = deque()

    async def keep(self) -> None:
        """Start the table again as often as it dies; returns when that is over."""
        loop = asyncio.get_running_loop()
        while True:
            gone = await _until_gone(self._folder)
            if self._folder.is_running():
                await asyncio.sleep(_LOOK_EVERY if gone else 0)
                continue
            if not self._folder.open.exists():
                return  # stopped, or done
            self._note_death(loop.time())
            if len(self._deaths) > MOST_DEATHS:
                self._tell(GaveUp(len(self._deaths)))
                return
            self._tell(Died())
            try:
                await _in_a_thread(self._start)
            except HeartsError as error:
                if error.code != StoreCode.LOCKED:  # else somebody else has taken it up
                    log.warning("the table cannot be started again: %s", error)
                    self._tell(GaveUp(len(self._deaths), error))
                    return

    def _note_death(self, now: float) -> None:
        self._deaths.append(now)
        while self._deaths[0] < now - DEATHS_WITHIN:
            self._deaths.popleft()

    def _start(self) -> None:
        launch_table(self._settings)


async def _until_gone(folder: TableFolder) -> bool:
    """Wait until the table's process has ended, or for as long as nobody need look.

    True where the process that was known has ended: another may have the table by now.
    """
    running = folder.read_running()
    try:
        process = os.pidfd_open(-1 if running is None else running.pid)
    except (AttributeError, OSError):  # not this system, or it has ended already
        await asyncio.sleep(_LOOK_EVERY)
        return False
    loop = asyncio.get_running_loop()
    gone = asyncio.Event()
    loop.add_reader(process, gone.set)
    try:
        async with asyncio.timeout(_LOOK_SELDOM):
            await gone.wait()
    except TimeoutError:
        return False
    else:
        return True
    finally:
        loop.remove_reader(process)
        os.close(process)


async def _in_a_thread(work: Callable[[], None]) -> None:
    """Run ``work`` in a thread that no end of the program waits for."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def end(error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def run() -> None:
        error: BaseException | None = None
        try:
            work()
        except Exception as caught:
            error = caught
        try:
            loop.call_soon_threadsafe(end, error)
        except RuntimeError:
            return  # the loop has ended meanwhile

    threading.Thread(target=run, name="start a table", daemon=True).start()
    await done
