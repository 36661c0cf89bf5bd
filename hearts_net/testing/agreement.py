"""What must be so after anything that a network or a host has gone through."""

from __future__ import annotations

from collections import Counter

from hearts_net.host.changes import restored
from hearts_net.host.facts import Entry, decode_entry
from hearts_net.host.projection import Viewer, project
from hearts_net.host.table import Table
from hearts_net.protocol.peer_session import Replied
from hearts_net.testing.network import MemoryNetwork, MemoryPeer


def entries_of(network: MemoryNetwork) -> list[Entry]:
    """Return everything that is stored."""
    return [decode_entry(body, n) for n, body in enumerate(network.store.entries, start=1)]


def check_agreement(network: MemoryNetwork) -> None:
    """Assert that each view is the projection of the table, and the store makes that table."""
    table = network.authority.table
    for peer in network.peers:
        if not peer.stopped:
            _check_view(table, peer)
    assert restored(network.store.entries) == table.durable()


def _check_view(table: Table, peer: MemoryPeer) -> None:
    view = peer.view
    assert view is not None
    expected = project(table, Viewer.of(table, peer.key), view.time)
    assert (view.epoch, view.seq) == (table.epoch, table.seq)
    assert view.public == expected.public
    assert (view.own, view.may) == (expected.own, expected.may)


def check_applied_once(network: MemoryNetwork) -> None:
    """Assert that each acknowledged command is stored exactly once, with the answer given."""
    accepted = [entry.accepted for entry in entries_of(network) if entry.accepted]
    counts = Counter((each.key, each.id) for each in accepted)
    assert not counts or max(counts.values()) == 1
    told = {(each.key, each.id): (each.epoch, each.seq) for each in accepted}
    for peer in network.peers:
        for event in peer.events:
            if isinstance(event, Replied) and event.reply.ok:
                assert told[peer.key, event.reply.id] == (event.reply.epoch, event.reply.seq)
