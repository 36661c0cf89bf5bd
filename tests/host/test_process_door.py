"""The door of a real table: a code over CURVE, a ban that ends live connections, keys that stay."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from zmq.utils import z85

from hearts_net.host.folder import table_folders
from hearts_net.host.process import Running, launch_table, stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.identity import Identity, new_identity
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.target import Target
from hearts_net.protocol.messages import AnyEvent, Ban, DeskView, Kick, Say, SetAdmission
from hearts_net.protocol.peer_session import (
    CodeAsked,
    Event,
    NewView,
    PeerSession,
    RefusedBy,
    RemovedBy,
)
from hearts_net.testing.leftovers import stop_leftovers

WITHIN = 20.0
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="connections are cut on POSIX")


@pytest.fixture
def owner() -> Identity:
    return new_identity()


@pytest.fixture
def table(tmp_path: Path, owner: Identity) -> Iterator[Running]:
    tables = tmp_path / "tables"
    settings = HostSettings(
        tables=tables, key=owner.public, secret=owner.secret, port=0, loopback_only=True
    )
    yield launch_table(settings)
    stop_leftovers(tables)
    for folder in table_folders(tables):
        assert "Traceback" not in folder.log.read_text()


@dataclass
class Peer:
    link: Link
    events: list[Event]
    task: asyncio.Task[None]

    async def until(self, happened: Callable[[], bool]) -> None:
        async with asyncio.timeout(WITHIN):
            while not happened():
                await asyncio.sleep(0.01)

    async def live(self) -> None:
        await self.until(lambda: self.link.view is not None)

    def told(self) -> list[AnyEvent]:
        """Return the events of every view so far."""
        views = [event.view for event in self.events if isinstance(event, NewView)]
        return [each for view in views for each in view.events]

    def has(self, event: Event) -> bool:
        return event in self.events

    def desk(self) -> DeskView:
        assert self.link.view is not None
        assert self.link.view.desk is not None
        return self.link.view.desk


@contextlib.asynccontextmanager
async def peer(table: Running, identity: Identity, name: str) -> AsyncIterator[Peer]:
    events: list[Event] = []
    session = PeerSession("player", name, request_ids=request_ids(), entropy=secrets.token_bytes)
    target = Target("127.0.0.1", table.control, table.key)
    link = Link(target, identity, session, on_event=events.append)
    task = asyncio.create_task(link.run())
    try:
        yield Peer(link, events, task)
    finally:
        link.leave()
        with contextlib.suppress(LinkError):
            await asyncio.wait_for(task, WITHIN)


def lines_to(table: Running) -> int:
    """Count the live connections to both sockets, as the kernel knows them."""
    ports = {f"{port:04X}" for port in (table.control, table.public)}
    count = 0
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        for row in Path(path).read_text().splitlines()[1:]:
            local, state = row.split()[1], row.split()[3]
            count += local.rpartition(":")[2] in ports and state == "01"
    return count


def test_the_code_is_proved_to_a_real_host(table: Running, owner: Identity) -> None:
    async def run() -> None:
        async with peer(table, owner, "Ada") as host:
            await host.live()
            host.link.do(SetAdmission("code"))
            await host.until(lambda: bool(host.desk().code))
            async with peer(table, new_identity(), "Ben") as guest:
                await guest.until(lambda: guest.has(CodeAsked()))
                guest.link.give_code(f"{(int(host.desk().code) + 1) % 1_000_000:06}")
                await guest.until(lambda: guest.events.count(CodeAsked()) == 2)
                assert guest.has(RefusedBy("wrong-code", {"left": 9}, final=False))
                guest.link.give_code(host.desk().code)
                await guest.live()
                assert host.desk().wrong_codes == 1

    asyncio.run(run())


@pytest.mark.skipif(not os.path.exists("/proc/net/tcp"), reason="needs the kernel's list")
@pytest.mark.parametrize("act", [Kick, Ban])
def test_who_is_sent_away_has_no_connection_left(
    table: Running, owner: Identity, act: type[Kick] | type[Ban]
) -> None:
    async def run() -> None:
        stranger = new_identity()
        async with peer(table, owner, "Ada") as host:
            await host.live()
            await host.until(lambda: lines_to(table) == 2)
            # one that obeys nobody: its sockets stay open whatever the host says
            with rude(table, stranger):
                await host.until(lambda: lines_to(table) == 4)
                await host.until(lambda: bool(host.link.view and host.link.view.public.watchers))
                host.link.do(act(stranger.public))
                if act is Ban:
                    await host.until(lambda: lines_to(table) == 2)
                    for _ in range(40):  # and it may dial as long as it likes
                        await asyncio.sleep(0.02)
                        assert lines_to(table) <= 3  # a connection is there until it is refused
                    async with peer(table, stranger, "Ben") as again:
                        with pytest.raises(LinkError) as caught:
                            await asyncio.wait_for(asyncio.shield(again.task), WITHIN)
                        assert caught.value.code == LinkCode.REFUSED
                else:
                    await host.until(lambda: not (host.link.view and host.desk().standing))
            assert host.link.view is not None  # the host's own lines are as they were

    asyncio.run(run())


@contextlib.contextmanager
def rude(table: Running, identity: Identity) -> Iterator[None]:
    """Have a program of its own join as a watcher and then do nothing that it is told."""
    script = """
import sys, time, zmq
from hearts_net.protocol.codec import encode
from hearts_net.protocol.messages import Hello, Join
control, public, server, key, secret = sys.argv[1:]
context = zmq.Context()
sockets = []
for kind, port in ((zmq.DEALER, control), (zmq.SUB, public)):
    made = context.socket(kind)
    made.setsockopt(zmq.RECONNECT_IVL, 50)
    made.curve_serverkey, made.curve_publickey, made.curve_secretkey = (
        each.encode() for each in (server, key, secret)
    )
    if kind == zmq.SUB:
        made.subscribe(b"")
    made.connect(f"tcp://127.0.0.1:{port}")
    sockets.append(made)
    if kind == zmq.DEALER:
        made.send(encode(Hello([1], "rude")))
        made.recv()
        made.send(encode(Join("watcher", "Ben")))
        made.recv()
time.sleep(60)
"""
    arguments = (str(table.control), str(table.public), table.key, identity.public, identity.secret)
    with subprocess.Popen((sys.executable, "-c", script, *arguments)) as child:
        try:
            yield
        finally:
            child.kill()


def test_a_banned_peer_hears_why_and_its_link_ends(table: Running, owner: Identity) -> None:
    async def run() -> None:
        stranger = new_identity()
        async with (
            peer(table, owner, "Ada") as host,
            peer(table, stranger, "Ben") as guest,
        ):
            await host.live()
            await guest.live()
            host.link.do(Ban(stranger.public))
            await guest.until(guest.task.done)
            assert guest.events[-1] == RemovedBy("banned")

    asyncio.run(run())


def test_private_keys_are_in_their_file_and_nowhere_else(
    table: Running, owner: Identity, tmp_path: Path
) -> None:
    visitor = new_identity()

    async def run() -> None:
        async with (
            peer(table, owner, "Ada") as host,
            peer(table, visitor, "Ben") as guest,
        ):
            await host.live()
            await guest.live()
            guest.link.do(Say("hello"))
            await host.until(
                lambda: bool(host.link.view and host.link.view.public.newest_event > 2)
            )

    asyncio.run(run())
    stop_table(table)
    raw = {each: bytes(z85.decode(each.encode())) for each in (owner.secret, visitor.secret)}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert path.stat().st_mode & 0o077 == 0, path
        body = path.read_bytes()
        for text, key in raw.items():
            found = text.encode() in body or key in body or key.hex().encode() in body
            assert found == (path.name == "key" and text == owner.secret), path
