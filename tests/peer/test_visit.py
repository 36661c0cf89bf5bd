"""A visit over a real socket: a host whose names have another key learns nothing of who comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hearts_net.peer.endpoint import LOOPBACK, Endpoint
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home
from hearts_net.peer.identity import new_identity
from hearts_net.peer.invite import Address
from hearts_net.peer.known_hosts import KnownHost, accept_host, known_hosts
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.visit import Visit
from hearts_net.protocol.messages import Hello, Join, Welcome
from hearts_net.protocol.peer_outputs import JoinedTable
from hearts_net.protocol.peer_session import PeerSession

from .conftest import SmallHost

MakeHost = Callable[..., SmallHost]
ELSEWHERE = Address("10.9.9.9", 26052)
OTHER = new_identity().public


def visit(home: Home, host: SmallHost) -> None:
    """Join, and leave as soon as that has worked; raise what the link does."""

    async def run() -> None:
        visit = Visit(home)

        def heed(event: Any) -> None:
            visit.heed(link.host, event)
            if isinstance(event, JoinedTable):
                link.leave()

        session = PeerSession("player", "Ann", request_ids=request_ids())
        link = Link(host.target(), new_identity(), session, on_event=heed)
        await asyncio.wait_for(link.run(), 20)

    asyncio.run(run())


def test_a_first_visit_is_kept_under_the_names_of_table_and_machine(
    home: Home, make_host: MakeHost
) -> None:
    host = make_host(machine="attic-pc")
    visit(home, host)
    assert known_hosts(home) == [KnownHost(None, host.identity.public, "Kitchen", "attic-pc")]
    visit(home, host)
    assert len(known_hosts(home)) == 1


def test_a_host_whose_names_have_another_key_is_refused_before_it_hears_who_comes(
    home: Home, make_host: MakeHost
) -> None:
    host = make_host(machine="attic-pc")
    accept_host(home, ELSEWHERE, OTHER, "kitchen", "Attic-PC")
    with pytest.raises(LinkError) as caught:
        visit(home, host)
    assert caught.value.code == LinkCode.HOST_KEY_CHANGED
    assert caught.value.detail["forget"] == "'kitchen @ Attic-PC'"
    assert host.of(Hello)
    assert host.of(Join) == []
    assert [known.key for known in known_hosts(home)] == [OTHER]


@pytest.mark.parametrize("machine", ["cellar-pc", ""])
def test_another_host_may_have_a_table_of_that_name(
    home: Home, make_host: MakeHost, machine: str
) -> None:
    host = make_host(machine=machine)
    accept_host(home, ELSEWHERE, OTHER, "Kitchen", "attic-pc")
    visit(home, host)
    kept = [KnownHost(None, host.identity.public, "Kitchen", machine)] if machine else []
    assert known_hosts(home) == [KnownHost(ELSEWHERE, OTHER, "Kitchen", "attic-pc"), *kept]


def test_another_host_on_the_same_link_is_compared_too(home: Home) -> None:
    visiting = Visit(home)
    accept_host(home, ELSEWHERE, OTHER, "Kitchen", "cellar-pc")
    attic, cellar = (
        Welcome(1, 1, "Kitchen", "test", 0, None, "", machine)
        for machine in ("attic-pc", "cellar-pc")
    )
    visiting.welcomed(Endpoint("10.0.0.1", 1, new_identity().public), attic)
    with pytest.raises(LinkError, match=LinkCode.HOST_KEY_CHANGED):
        visiting.welcomed(Endpoint("10.0.0.2", 1, new_identity().public), cellar)


def test_a_table_that_comes_back_under_another_name_is_played_on(
    home: Home, make_host: MakeHost
) -> None:
    """Whoever is in stays in: only the first word decides."""
    host = make_host(machine="attic-pc")
    accept_host(home, ELSEWHERE, OTHER, "Kitchen", "cellar-pc")
    visiting, at = Visit(home), Endpoint(LOOPBACK, host.control, host.identity.public)
    visiting.welcomed(at, Welcome(1, 1, "Kitchen", "test", 0, None, "", "attic-pc"))
    visiting.welcomed(at, Welcome(1, 2, "Kitchen", "test", 0, None, "", "cellar-pc"))
