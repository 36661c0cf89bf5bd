"""The fault proxy, against a real echo server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from hearts_net.testing.proxy import FaultProxy

Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(4096):
            writer.write(chunk)
            await writer.drain()
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


@contextlib.asynccontextmanager
async def echoing() -> AsyncIterator[FaultProxy]:
    server = await asyncio.start_server(_echo, "127.0.0.1", 0)
    async with FaultProxy(server.sockets[0].getsockname()[1]) as proxy:
        yield proxy
    server.close()
    await server.wait_closed()


async def client_of(proxy: FaultProxy) -> Client:
    return await asyncio.open_connection("127.0.0.1", proxy.port)


async def said_and_heard(client: Client, text: bytes, within: float = 5) -> bytes:
    reader, writer = client
    writer.write(text)
    return await asyncio.wait_for(reader.readexactly(len(text)), within)


async def hang_up(client: Client) -> None:
    client[1].close()
    with contextlib.suppress(OSError):
        await client[1].wait_closed()


Test = Callable[[FaultProxy], Coroutine[Any, Any, None]]


def through_proxy(test: Test) -> None:
    async def run() -> None:
        async with echoing() as proxy:
            await test(proxy)

    asyncio.run(run())


def test_it_passes_bytes_both_ways_and_counts() -> None:
    async def test(proxy: FaultProxy) -> None:
        client = await client_of(proxy)
        assert await said_and_heard(client, b"queen" * 5000) == b"queen" * 5000
        assert (proxy.accepted, proxy.connections) == (1, 1)
        await hang_up(client)

    through_proxy(test)


def test_a_delay_is_added_on_each_way() -> None:
    async def test(proxy: FaultProxy) -> None:
        client = await client_of(proxy)
        await said_and_heard(client, b"warm")
        proxy.delay(0.1)
        before = asyncio.get_running_loop().time()
        await said_and_heard(client, b"slow")
        assert asyncio.get_running_loop().time() - before >= 0.2
        await hang_up(client)

    through_proxy(test)


def test_a_throttle_limits_the_bytes_a_second() -> None:
    async def test(proxy: FaultProxy) -> None:
        client = await client_of(proxy)
        proxy.throttle(50_000, down=False)
        before = asyncio.get_running_loop().time()
        await said_and_heard(client, b"x" * 16_384)
        assert asyncio.get_running_loop().time() - before >= 0.2
        await hang_up(client)

    through_proxy(test)


def test_a_black_hole_is_silent_and_holds_what_was_sent() -> None:
    async def test(proxy: FaultProxy) -> None:
        client = await client_of(proxy)
        await said_and_heard(client, b"first")
        proxy.black_hole()
        late = await client_of(proxy)  # accepted, and silent
        late[1].write(b"late")
        with pytest.raises(TimeoutError):
            await said_and_heard(client, b"held", within=0.2)
        proxy.heal()
        assert await asyncio.wait_for(client[0].readexactly(4), 5) == b"held"
        assert await asyncio.wait_for(late[0].readexactly(4), 5) == b"late"
        await hang_up(client)
        await hang_up(late)

    through_proxy(test)


def test_a_cut_resets_and_the_next_connection_works() -> None:
    async def test(proxy: FaultProxy) -> None:
        client = await client_of(proxy)
        await said_and_heard(client, b"first")
        proxy.cut()
        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(client[0].read(1), 5)
        await hang_up(client)
        again = await client_of(proxy)
        assert await said_and_heard(again, b"again") == b"again"
        await hang_up(again)

    through_proxy(test)


def test_a_half_open_connection_stays_open_and_dead_after_healing() -> None:
    async def test(proxy: FaultProxy) -> None:
        client = await client_of(proxy)
        await said_and_heard(client, b"first")
        proxy.half_open()
        proxy.heal()
        with pytest.raises(TimeoutError):
            await said_and_heard(client, b"lost", within=0.2)
        again = await client_of(proxy)
        assert await said_and_heard(again, b"again") == b"again"
        await hang_up(client)
        await hang_up(again)

    through_proxy(test)


def test_refusing_is_taken_back_at_the_same_port() -> None:
    async def test(proxy: FaultProxy) -> None:
        port = proxy.port
        await proxy.refuse()
        with pytest.raises(ConnectionRefusedError):
            await client_of(proxy)
        await proxy.listen()
        client = await client_of(proxy)
        assert (await said_and_heard(client, b"back"), proxy.port) == (b"back", port)
        await hang_up(client)

    through_proxy(test)
