"""Whole games with faults, one for each seed; a seed that fails names itself and how to run it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from hearts_net.host import play
from hearts_net.host.clocks import Clocks
from hearts_net.host.log import Answers
from hearts_net.host.permissions import Actor
from hearts_net.protocol.messages import AnyAct, Play, Ready
from hearts_net.rules.actions import DealCards
from hearts_net.rules.options import Options
from hearts_net.testing import simulation
from hearts_net.testing.network import MemoryNetwork, MemoryStore, four_players, opening
from hearts_net.testing.simulation import (
    BOUNDARIES,
    MOONS,
    Simulation,
    main,
    plan_for,
    simulate,
    simulate_all,
)
from hearts_net.testing.steady import Steady, undisturbed
from hearts_net.testing.witness import Violation, Witness

FEW, EACH, ALL = 15, 25, 2000


@pytest.mark.parametrize("start", range(0, FEW, 5))
def test_some_games(start: int) -> None:
    reports = simulate_all(seed * 41 for seed in range(start, start + 5))
    assert min(report.deals for report in reports) >= 1
    assert min(report.views for report in reports) > 50


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("start", range(0, ALL, EACH))
def test_two_thousand_games(start: int) -> None:
    """The host of the first games is killed before each of its effects in turn."""
    assert len(simulate_all(range(start, start + EACH))) == EACH


@pytest.mark.parametrize("seed", [500054, 506645, 508896])
def test_a_game_that_has_failed_once_goes_well(seed: int) -> None:
    simulate_all([seed])


def test_a_seed_gives_the_same_run_again() -> None:
    seed = 77
    first, second = (Simulation(plan_for(seed), MemoryStore()) for _ in range(2))
    assert first.run() == second.run()
    assert first.journal == second.journal
    assert first.network.store.entries == second.network.store.entries


def test_the_plans_are_of_every_kind() -> None:
    plans = [plan_for(seed) for seed in range(300)]
    kinds = Counter((plan.persons, plan.bots) for plan in plans)
    assert {persons for persons, _ in kinds} == {1, 2, 3, 4}
    assert {bots for _, bots in kinds} == {0, 1, 2, 3}
    assert {plan.settings.turn_limit > 0 for plan in plans} == {False, True}
    assert sum(plan.on_disk for plan in plans) == 15
    assert [plan.kill_at for plan in plans] == list(range(300))
    assert plan_for(BOUNDARIES).kill_at is None


def one_deal(steady: Steady) -> Iterator[DealCards]:
    yield DealCards(steady.hands())


@pytest.mark.parametrize("steady", MOONS)
def test_somebody_shoots_the_moon(steady: Steady) -> None:
    options = Options.from_dict({"moon": "shooter-chooses", "target": 1})
    game = undisturbed(steady, options, one_deal(steady), iter(["others-gain"]))
    assert game.results[0].moon is not None


def test_a_game_is_played_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "3"]) == 0
    assert capsys.readouterr().out.startswith("1 games (")


# ---- what is wrong is noticed --------------------------------------------------------------------


def fails(seeds: range, match: str) -> None:
    with pytest.raises(Violation, match=match) as caught:
        simulate_all(seeds)
    assert "python -m hearts_net.testing.simulation --seed" in str(caught.value)


def test_a_host_that_forgets_its_answers_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Answers, "get", lambda _self, _asked: None)
    fails(range(1000, 1040), "a command was applied twice|AssertionError")


def test_a_bot_that_does_not_wait_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clocks, "is_over", lambda self, cause, _now: cause in self.counting)
    fails(range(1000, 1040), "a bot plays for somebody before it may")


def test_a_bots_card_that_is_not_marked_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = play._fact

    def unmarked(actor: Actor, act: AnyAct) -> object:
        fact = made(actor, act)
        return replace(fact, by_bot=False) if hasattr(fact, "by_bot") else fact

    monkeypatch.setattr(play, "_fact", unmarked)
    fails(range(1008, 1009), "somebody else played a player's card")


def test_a_late_card_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "check_moment", lambda _table, _command: None)
    network = MemoryNetwork(1, opening(rules={"target": 1000, "passing": "none"}))
    witness = Witness(network)
    witness.begin()
    peers = four_players(network, plays=False)
    for peer in peers:
        assert peer.ask(Ready()).ok
    for _ in range(4):
        network.run_for(50)
        mover = next(peer for peer in peers if peer.seat == peer.public.turn)
        assert mover.ask(Play(mover.own.legal[0])).ok
    network.run_for(50)
    mover = next(peer for peer in peers if peer.seat == peer.public.turn)
    view = mover.session.view
    assert view is not None
    mover.session.view = replace(view, public=replace(view.public, trick_number=1))
    mover.do(Play(mover.own.legal[0]))
    with pytest.raises(Violation, match="a card was played late"):
        network.run_for(1000)


def test_a_view_that_is_another_than_it_should_be_is_found_out() -> None:
    network = MemoryNetwork(2, opening())
    witness = Witness(network)
    witness.begin()
    peers = four_players(network)
    witness.look()
    view = peers[2].session.view
    assert view is not None
    assert view.own is not None
    peers[2].session.view = replace(view, own=replace(view.own, hand=["AS"]))
    network.touched.append(peers[2])
    with pytest.raises(Violation, match=r"view\.own\.hand is \['AS'\]"):
        witness.look()


def test_another_result_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_for(1003)
    run = Simulation(plan, MemoryStore())
    same = itertools.repeat(DealCards(Steady(5).hands()))
    patched = undisturbed(Steady(5), plan.options, same, itertools.repeat("others-gain"))
    monkeypatch.setattr(simulation, "undisturbed", lambda *_values: patched)
    with pytest.raises(Violation, match="another result than without faults"):
        run.run()


def test_a_game_that_stands_still_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "WITHIN", 20_000)
    monkeypatch.setattr(Steady, "__call__", lambda _self, _view: None)
    fails(range(1001, 1002), "the game stands still: lobby")


def test_simulate_names_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "WITHIN", 10)
    with pytest.raises(Violation, match=r"\Aseed 12 \(again: .* --seed 12\)"):
        simulate(12)
