"""The process of a table's own bots: orders come in on standard input, one link for each bot.

It ends when standard input does, so it never outlives the host that started it. What it has to say
goes to standard error, one line each; keys never do.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from hearts_net.bots.levels import DEFAULT_LEVEL, make_player, temperament_of
from hearts_net.bots.mind import Mind, pauses
from hearts_net.bots.orders import MAX_LINE, read_order
from hearts_net.bots.player import BotError, Player
from hearts_net.bots.runner import Runner, play_table
from hearts_net.bots.thinker import thinker_for
from hearts_net.peer.endpoint import LOOPBACK
from hearts_net.peer.identity import Identity
from hearts_net.peer.link import request_ids
from hearts_net.peer.loops import in_a_loop
from hearts_net.peer.target import Target
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.orders import AnyOrder, Deputise, Leave, SitDown
from hearts_net.protocol.peer_session import PeerSession
from hearts_net.rules.errors import HeartsError

AGAIN: Final = (0.2, 2.0)
"""Seconds until a bot that could not join tries again: at first, and at most."""
MANNERS: Final = 10
"""How far (in the system's steps of niceness) thinking stands back: links and screens go first."""
_CHUNK: Final = 64 * 1024


class Bots:
    """The bots of one table, each a task with a link and a key of its own."""

    def __init__(self, log: Callable[[str], None]) -> None:
        """Make a process's bots; ``log`` takes one line."""
        self._log = log
        self._tasks: dict[str, tuple[int, asyncio.Task[None]]] = {}
        self._thoughts = ThreadPoolExecutor(1, "thinking", stand_back)

    def obey(self, order: AnyOrder) -> None:
        """Carry out one order; the same key twice is the newer order."""
        if isinstance(order, Leave):
            self._leave(order)
            return
        self._drop(order.public)
        task = asyncio.get_running_loop().create_task(self._play(order))
        self._tasks[order.public] = (order.seat, task)

    async def end(self) -> None:
        """Close every link at once."""
        tasks = [task for _, task in self._tasks.values()]
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._thoughts.shutdown(wait=False, cancel_futures=True)

    def _leave(self, order: Leave) -> None:
        if order.public:
            self._drop(order.public)
            return
        for public, (seat, _) in list(self._tasks.items()):
            if seat == order.seat:
                self._drop(public)

    def _drop(self, public: str) -> None:
        known = self._tasks.pop(public, None)
        if known is not None:
            known[1].cancel()

    async def _play(self, order: SitDown | Deputise) -> None:
        """Play until the table ends; while there is no way in, try again."""
        wait, longest = AGAIN
        while True:
            try:
                await self._play_once(order)
            except HeartsError as error:
                self._log(f"seat {order.seat}: {error.code}")
                if error.code == ErrorCode.SUPERSEDED:
                    return
                await asyncio.sleep(wait)
                wait = min(2 * wait, longest)
            except Exception as error:  # one bot's fault must not end the others
                self._log(f"seat {order.seat}: {type(error).__name__}")
                await asyncio.sleep(longest)
            else:
                return

    async def _play_once(self, order: SitDown | Deputise) -> None:
        deputy = isinstance(order, Deputise)
        name = order.name if isinstance(order, SitDown) else "deputy"
        mind = Mind(secrets.token_hex(8), pauses(order.pause), deputy=deputy)
        level, player = self._player(order)
        thinker = thinker_for(level, player, self._thoughts)
        runner = Runner(mind, thinker, log=self._about(order.seat))
        role = "deputy" if deputy else "bot"
        # without a share: the host draws for its own bots, one of theirs would be one more of its
        session = PeerSession(role, name, order.level, request_ids=request_ids())
        target = Target(LOOPBACK, order.control, order.key)
        identity = Identity(order.public, order.secret, "")
        await play_table(target, identity, session, runner)

    def _player(self, order: SitDown | Deputise) -> tuple[str, Player]:
        """Return level and player; the default for a level that this version does not have."""
        level, temperament = order.level or DEFAULT_LEVEL, temperament_of(order.seat)
        try:
            return level, make_player(level, temperament)
        except BotError as error:
            self._log(f"seat {order.seat}: {error.code}, playing {DEFAULT_LEVEL}")
            return DEFAULT_LEVEL, make_player(DEFAULT_LEVEL, temperament)

    def _about(self, seat: int) -> Callable[[str], None]:
        return lambda line: self._log(f"seat {seat}: {line}")


def stand_back() -> None:
    """Let everybody else go first where the processor is short; other systems than Linux cannot."""
    if sys.platform == "linux":  # a thread's own number is one of a process there
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), MANNERS)


def lines_of(descriptor: int) -> Iterator[bytes]:
    """Yield the lines of a descriptor until its end; one that is too long comes empty."""
    rest, too_long = b"", False
    while chunk := os.read(descriptor, _CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield b"" if too_long or len(line) > MAX_LINE else line
            too_long = False
        if len(rest) > MAX_LINE:
            rest, too_long = b"", True


async def serve_orders(descriptor: int, log: Callable[[str], None]) -> None:
    """Carry out the orders of a descriptor until its end."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    bots = Bots(log)

    def take(line: bytes) -> None:
        try:
            bots.obey(read_order(line))
        except BotError as error:
            log(error.code)

    def end() -> None:
        if not ended.done():
            ended.set_result(None)

    def read() -> None:
        try:
            for line in lines_of(descriptor):
                loop.call_soon_threadsafe(take, line)
            loop.call_soon_threadsafe(end)
        except RuntimeError:  # the loop has been closed by a signal
            return

    # A thread, since Windows cannot wait for a pipe in an event loop, nor Linux for a file.
    threading.Thread(target=read, name="orders", daemon=True).start()
    try:
        await ended
    finally:
        await bots.end()


def log_line(line: str) -> None:
    """Write one line to standard error, as far as anybody still reads it."""
    try:
        sys.stderr.write(f"bots: {line}\n")
        sys.stderr.flush()
    except OSError:
        return


def main() -> int:
    """Serve standard input; return 0 at its end."""
    try:
        in_a_loop(serve_orders(0, log_line))
    except KeyboardInterrupt:
        return 130
    return 0
