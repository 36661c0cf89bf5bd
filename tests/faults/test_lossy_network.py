"""Whole games over a network that loses, doubles and reorders messages."""

from __future__ import annotations

import pytest

from hearts_net.protocol.peer_session import NewView
from hearts_net.testing.agreement import check_agreement, check_applied_once
from hearts_net.testing.network import Faults, MemoryNetwork, four_players, opening

SHORT = {"target": 1}


def play(network: MemoryNetwork) -> None:
    four_players(network)
    network.run_until(lambda: network.authority.table.stage.value == "game-over", 24 * 3_600_000)
    network.faults = Faults()
    network.run_for(5000)


FEW, MANY = range(8), range(8, 50)


@pytest.mark.parametrize(
    "seed", [*FEW, *(pytest.param(seed, marks=pytest.mark.long) for seed in MANY)]
)
def test_a_short_game_over_a_bad_network(seed: int) -> None:
    faults = Faults(drop=0.05, duplicate=0.05, delay=2, jitter=40)
    network = MemoryNetwork(seed, opening(rules=SHORT), faults)
    play(network)
    check_agreement(network)
    check_applied_once(network)
    for peer in network.peers:
        stamps = [(e.view.epoch, e.view.seq) for e in peer.events if isinstance(e, NewView)]
        assert stamps == sorted(stamps)


def test_a_very_bad_network_only_makes_it_slow() -> None:
    faults = Faults(drop=0.3, duplicate=0.2, delay=5, jitter=400)
    network = MemoryNetwork(99, opening(rules=SHORT), faults)
    play(network)
    check_agreement(network)
    check_applied_once(network)
