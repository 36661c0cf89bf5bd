"""A TCP proxy that misbehaves on demand: what networks do to a connection, done to real sockets.

It stands between a peer and a host, in the event loop of the test. Connections that it has accepted
pass on bytes both ways until a fault is set; :meth:`FaultProxy.heal` takes the faults back.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

_CHUNK: Final = 4096
_ABORT: Final = struct.pack("ii", 1, 0)


@dataclass(slots=True)
class _Way:
    """One direction of the line, for all connections."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    delay: float = 0.0
    rate: float = 0.0

    def __post_init__(self) -> None:
        self.open.set()


@dataclass(slots=True, eq=False)
class _Connection:
    """The two ends of one connection; ``host`` is None until the line lets it through."""

    peer: asyncio.StreamWriter
    host: asyncio.StreamWriter | None = None
    forgotten: bool = False


class FaultProxy:
    """Passes connections to ``host:port`` on, until told otherwise; an async context manager.

    ``up`` is the way from the peer to the host, ``down`` the way back.
    """

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.target = (host, port)
        """Where new connections go; it may be changed at any time."""
        self.port = 0
        """Where the proxy listens, on 127.0.0.1."""
        self.accepted = 0
        """How many connections were accepted so far."""
        self._server: asyncio.Server | None = None
        self._connections: set[_Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ways = {"up": _Way(), "down": _Way()}

    async def __aenter__(self) -> Self:
        await self.listen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def connections(self) -> int:
        """How many connections peers hold open."""
        return len(self._connections)

    # ---- faults

    def delay(self, seconds: float, *, up: bool = True, down: bool = True) -> None:
        """Let every byte take so much longer from now on."""
        for way in self._chosen(up=up, down=down):
            way.delay = seconds

    def throttle(self, bytes_per_second: float, *, up: bool = True, down: bool = True) -> None:
        """Let no more bytes a second through on each connection; 0 takes the limit away."""
        for way in self._chosen(up=up, down=down):
            way.rate = bytes_per_second

    def black_hole(self, *, up: bool = True, down: bool = True) -> None:
        """Let nothing through and tell nobody, as when a cable is pulled.

        What is sent meanwhile arrives after :meth:`heal`, since TCP sends it again. New connections
        are accepted and stay silent.
        """
        for way in self._chosen(up=up, down=down):
            way.open.clear()

    def heal(self) -> None:
        """Take delay, throttle and black hole back; a line that is not listening stays so."""
        for way in self._ways.values():
            way.delay = way.rate = 0.0
            way.open.set()

    def cut(self) -> None:
        """Reset every connection; new ones are accepted."""
        for connection in tuple(self._connections):
            self._drop(connection)

    def half_open(self) -> None:
        """Have the host's end of every connection gone while the peer's end stays open and silent.

        So it is when the host's machine loses power, or a router forgets the connection.
        """
        for connection in self._connections:
            connection.forgotten = True
            if connection.host is not None:
                _reset(connection.host)

    async def refuse(self) -> None:
        """Reset every connection and refuse new ones, as when the host's process is gone."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut()
        await asyncio.sleep(0)

    async def listen(self) -> None:
        """Accept connections (again), always at the same port."""
        if self._server is None:
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
            self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Reset everything and stop listening."""
        await self.refuse()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # ---- connections

    def _chosen(self, *, up: bool, down: bool) -> list[_Way]:
        wanted = {"up": up, "down": down}
        return [way for name, way in self._ways.items() if wanted[name]]

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        connection = _Connection(writer)
        self._connections.add(connection)
        task = asyncio.get_running_loop().create_task(self._serve(connection, reader))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, connection: _Connection, from_peer: asyncio.StreamReader) -> None:
        try:
            await self._ways["up"].open.wait()
            from_host, connection.host = await asyncio.open_connection(*self.target)
            async with asyncio.TaskGroup() as both:
                both.create_task(self._carry("up", from_peer, connection))
                both.create_task(self._carry("down", from_host, connection))
        except* (OSError, _GoneError):
            pass
        finally:
            self._drop(connection)

    async def _carry(
        self, name: str, reader: asyncio.StreamReader, connection: _Connection
    ) -> None:
        """Carry one direction; at its end the whole connection ends, unless it is half open."""
        way = self._ways[name]
        async with contextlib.aclosing(_late(reader, way)) as chunks:
            async for chunk in chunks:
                await way.open.wait()
                if connection.forgotten:
                    continue
                writer = connection.host if name == "up" else connection.peer
                assert writer is not None
                writer.write(chunk)
                await writer.drain()
                if way.rate:
                    await asyncio.sleep(len(chunk) / way.rate)
        await way.open.wait()
        if connection.forgotten and name == "down":
            return  # the host's end is gone, and the peer is not told
        raise _GoneError

    def _drop(self, connection: _Connection) -> None:
        self._connections.discard(connection)
        for writer in (connection.peer, connection.host):
            if writer is not None:
                _reset(writer)


class _GoneError(Exception):
    """One end of a connection has closed it."""


async def _late(reader: asyncio.StreamReader, way: _Way) -> AsyncGenerator[bytes, None]:
    """Yield what arrives, each piece once it has been under way for long enough."""
    loop = asyncio.get_running_loop()
    under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def take() -> None:
        chunk = b"-"
        while chunk:
            try:
                chunk = await reader.read(_CHUNK)
            except OSError:
                chunk = b""
            under_way.put_nowait((loop.time() + way.delay, chunk))

    taking = loop.create_task(take())
    try:
        while True:
            due, chunk = await under_way.get()
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            if not chunk:
                return
            yield chunk
    finally:
        taking.cancel()


def _reset(writer: asyncio.StreamWriter) -> None:
    """End a connection with RST, at once and without a word."""
    if writer.is_closing():
        return
    line = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
    writer.transport.abort()
