"""Whole games with faults, one a seed: ``python -m hearts_net.testing.simulation --seed 7``.

A seed makes a table (rules, settings, persons, bots, watcher, store), a network (loss, doubles,
reordering, delay) and mischief: broken and silent connections, crashed, leaving and doubled
programs, a host killed before any effect and started again, a store that fails, votes, pauses. A
:class:`~hearts_net.testing.witness.Witness` looks after every step. Everybody plays as
:class:`~hearts_net.testing.steady.Steady` does, so the result must be that of the same game without
faults. The same seed gives the same run.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from unittest.mock import patch

from hearts_net.host import changes as host_changes
from hearts_net.host.changes import action_of, restored
from hearts_net.host.effects import Effect, Write
from hearts_net.host.facts import Dealt, MoonPicked, decode_entry
from hearts_net.host.folder import TableFolder
from hearts_net.host.opening import Opening, TableSettings
from hearts_net.host.store import Store
from hearts_net.host.table import Stage
from hearts_net.protocol.messages import AnyAct, GoOn, Pause, Say, Vote
from hearts_net.protocol.peer_session import LinkState
from hearts_net.rules.actions import DealCards
from hearts_net.rules.cards import Hands
from hearts_net.rules.game import Game
from hearts_net.rules.options import Options
from hearts_net.testing.network import HOST_KEY, Faults, MemoryNetwork, MemoryPeer, MemoryStore
from hearts_net.testing.players import Chooser
from hearts_net.testing.steady import Steady, undisturbed
from hearts_net.testing.witness import Violation, Witness

WITHIN: Final = 1_800_000
"""Milliseconds of told time in which every game must be over: faults end, and nobody waits more."""
SETTLED_WITHIN: Final = 120_000
BOUNDARIES: Final = 800
"""The host of seed n (below this) is killed before its n-th effect, so that each gets its turn."""
MOONS: Final = tuple(
    Steady(seed, bold=seed % 4)
    for seed in (134, 136, 285, 312, 369, 501, 659, 686, 763, 851, 1021, 1075, 1089, 1133, 1177)
)
"""Players of whom the bold one shoots the moon in the first deal, under the standard rules."""
GAP: Final = 150
"""At most so many steps of the network between two acts of mischief."""
_BATCH: Final = 20
_NAMES: Final = ("Asha", "Bram", "Chloé", "Dai")


# ---- the plan ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seed stands for."""

    seed: int
    options: Options
    settings: TableSettings
    faults: Faults
    persons: int
    bots: int
    """Bots that come over the network; the seats that are left are the table's own bots'."""
    watches: bool
    mischief: int
    """So many times something is done to the table."""
    kill_at: int | None
    """The host is killed before this effect, counted from its start."""
    on_disk: bool
    """The store is the real one."""
    steady: Steady


def plan_for(seed: int) -> Plan:
    """Return the plan of a seed."""
    rng = random.Random(seed)
    persons = rng.choice((4, 4, 4, 3, 2, 1))
    bots = rng.randint(0, 4 - persons)
    steady, options = _play_for(seed, rng)
    settings = TableSettings(
        grace=rng.choice((500, 2000, 4000, 20_000)),
        turn_limit=rng.choice((0, 0, 0, 1500, 4000)),
        next_deal=rng.choice((500, 3000)),
        idle=0,
    )
    faults = Faults(
        drop=rng.choice((0.0, 0.0, 0.0, 0.01, 0.01, 0.03, 0.08)),
        duplicate=rng.choice((0.0, 0.02, 0.1)),
        delay=rng.choice((1, 5, 25)),
        jitter=rng.choice((0, 0, 10, 60)),
    )
    return Plan(
        seed,
        options,
        settings,
        faults,
        persons,
        bots,
        watches=rng.random() < 0.25,
        mischief=rng.choice((1, 2, 4, 8)),
        kill_at=seed if seed < BOUNDARIES else None,
        on_disk=seed % 20 == 19,
        steady=steady,
    )


def _play_for(seed: int, rng: random.Random) -> tuple[Steady, Options]:
    """Return players and rules; in every twentieth game somebody shoots the moon and chooses."""
    if seed % 20 == 0:
        steady = rng.choice(MOONS)
        return steady, Options.from_dict({"moon": "shooter-chooses", "target": 1})
    rules: dict[str, bool | int | str] = {
        "target": rng.choice((1,) * 17 + (10, 26, 60)),
        "passing": rng.choice(("left-right-across-hold", "left", "none")),
        "moon": rng.choice(("others-gain", "shooter-loses", "shooter-chooses")),
        "queen_of_spades": rng.choice(("always", "after-hearts", "no-lead")),
        "queen_breaks_hearts": rng.random() < 0.3,
        "first_trick_points": rng.random() < 0.7,
        "jack_of_diamonds": rng.random() < 0.2,
        "finish_early": rng.random() < 0.8,
    }
    return Steady(seed), Options.from_dict(rules)


# ---- the network ---------------------------------------------------------------------------------


class DiskStore(MemoryStore):
    """The table's real store, closed and opened again with each host."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = TableFolder(folder)
        self._file: Store | None = None

    def read(self) -> list[bytes]:
        """Return everything that is stored, as the file has it."""
        if self._file is None:
            self._file = Store.open(self._folder, syncs=False)
        return list(self._file.entries())

    def write(self, store: Write) -> bool:
        """Write to the file as well."""
        if not super().write(store):
            return False
        assert self._file is not None
        self._file.append(store.first, store.entries, sync=store.sync)
        return True

    def close(self) -> None:
        """Let the file go, as a host that is killed does."""
        if self._file is not None:
            self._file.close()
            self._file = None


class SteadyNetwork(MemoryNetwork):
    """A network at whose table everybody plays steadily, and so does chance."""

    def __init__(self, plan: Plan, store: MemoryStore) -> None:
        self._plan = plan
        self._store = store
        bots = ("medium",) * (4 - plan.persons - plan.bots)
        opening = Opening("t1", "attic", HOST_KEY, plan.options.to_dict(), plan.settings, bots)
        super().__init__(plan.seed, opening, plan.faults)

    def new_store(self) -> MemoryStore:
        """Return the plan's store."""
        return self._store

    def kill_host(self) -> None:
        """Kill the host, and let its file go."""
        if isinstance(self.store, DiskStore):
            self.store.close()
        super().kill_host()

    def new_chooser(self) -> Chooser:
        """Return the steady player."""
        return self._plan.steady


# ---- the run -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Report:
    """What came of a seed."""

    seed: int
    deals: int = 0
    steps: int = 0
    views: int = 0
    """Compared with their projections."""
    mischief: dict[str, int] = field(default_factory=dict)


class Simulation:
    """One game; :meth:`run` plays it, and raises :class:`Violation`."""

    def __init__(self, plan: Plan, store: MemoryStore) -> None:
        self.plan = plan
        self.report = Report(plan.seed)
        self.journal: list[str] = []
        """What was done to the table, in order."""
        self._rng = random.Random(plan.seed + 1)
        self._effects = 0
        self._left_to_do = plan.mischief
        self._left = 0
        """Effects until the host is killed, where it is above 0."""
        self._is_starting = self._is_ending = False
        self._due = 0
        self._replaced: set[MemoryPeer] = set()
        """Those whose key another program has taken: they end when they hear of it."""
        self._away: set[str] = set()
        """The keys of those who will come back."""
        self.network = SteadyNetwork(plan, store)
        self.network.kill_at = self._is_killed
        self.witness = Witness(self.network)
        self.witness.begin()

    def run(self) -> Report:
        """Play the game to its end, and then let everybody come to rest."""
        network = self.network
        for name in _NAMES[: self.plan.persons]:
            key = network.opening.host_key if name == _NAMES[0] else network.new_key()
            network.add_peer(name, key=key, live=False)
        for number in range(self.plan.bots):
            network.add_peer(f"Bot {number}", role="bot", level="medium", live=False)
        if self.plan.watches:
            network.add_peer("Wanda", role="watcher", live=False)
        self._until(self._is_over, WITHIN, mischief=True)
        self._come_to_rest()
        self._check_result()
        self.report.views = self.witness.checked
        return self.report

    def _until(self, condition: Callable[[], bool], within: int, *, mischief: bool) -> None:
        network = self.network
        end = network.clock.now + within
        while not condition():
            if mischief and self._left_to_do and self.report.steps >= self._due:
                self._due = self.report.steps + 1 + self._rng.randrange(GAP)
                self._do_mischief()
            if not network.step(end):
                raise Violation(f"the game stands still: {self._where()}")
            self.report.steps += 1
            if network.host is None and not self._is_starting:
                self._is_starting = True
                network.later(self._rng.choice((0, 20, 300, 3000, 9000)), self._restart)
            self.witness.look()

    def _is_over(self) -> bool:
        host = self.network.host
        return host is not None and host.table.stage is Stage.GAME_OVER

    def _where(self) -> str:
        host = self.network.host
        if host is None:
            return "there is no host"
        table = host.table
        links = [(peer.key[:4], str(peer.session.state)) for peer in self.network.everybody()]
        return f"{table.stage}, paused {table.pause!r}, {links}"

    # ---- the end -------------------------------------------------------------------------------

    def _come_to_rest(self) -> None:
        """Let all faults end, and hold that everybody then shows the newest state."""
        network = self.network
        network.faults = Faults()
        network.kill_at = None
        self._is_ending = True
        network.blocked.clear()
        network.store.failing = False
        for peer in network.everybody():
            network.cut_off(peer, healed=True)
        self._until(self._is_at_rest, SETTLED_WITHIN, mischief=False)

    def _is_at_rest(self) -> bool:
        network = self.network
        if network.finished is not None:
            return True
        host = network.host
        if host is None or self._away or host.table.store_broken:
            return False
        newest = (host.table.epoch, host.table.seq)
        return all(
            peer.session.state is LinkState.LIVE
            and peer.view is not None
            and (peer.view.epoch, peer.view.seq) == newest
            for peer in network.everybody()
            if peer not in self._replaced
        )

    def _check_result(self) -> None:
        game = self._played()
        facts = [
            fact
            for number, body in enumerate(self.network.store.read(), start=1)
            for fact in decode_entry(body, number).facts
        ]
        moons = (fact.choice for fact in facts if isinstance(fact, MoonPicked))
        deals = (action_of(fact) for fact in facts if isinstance(fact, Dealt))
        dealt = (deal for deal in deals if isinstance(deal, DealCards))
        wanted = undisturbed(self.plan.steady, self.plan.options, dealt, moons)
        self.report.deals = game.number
        if not _is_same(game, wanted):
            raise Violation(f"another result than without faults: {game} instead of {wanted}")
        for peer in self.network.everybody():
            if peer.view is not None and peer not in self._replaced:
                shown = tuple(seat.total for seat in peer.public.seats)
                if (shown, peer.public.winner) != (wanted.totals, wanted.winner):
                    raise Violation(f"another result is shown: {shown}")

    def _played(self) -> Game:
        network = self.network
        table = restored(network.store.read())
        if network.host is not None and table != network.authority.table.durable():
            raise Violation("the store makes another table than there is")
        assert table.game is not None
        return table.game

    # ---- mischief ------------------------------------------------------------------------------

    def _is_killed(self, _effect: Effect) -> bool:
        """Whether the host is killed before this effect."""
        self._effects += 1
        self._left -= 1
        return self._left == 0 or self._effects - 1 == self.plan.kill_at

    def _do_mischief(self) -> None:
        if self.network.host is None:
            return
        kinds: tuple[Callable[[], str], ...] = (
            self._break, self._break, self._silence, self._silence, self._silence_all,
            self._crash, self._crash, self._leave, self._kill, self._kill, self._block,
            self._double, self._fail, self._pause, self._say, self._vote, self._vote,
        )  # fmt: skip
        kind = self._rng.choice(kinds)
        told = kind()
        if told:
            self._left_to_do -= 1
            self.journal.append(f"{self.network.clock.now}: {told}")
            name = kind.__name__.strip("_")
            self.report.mischief[name] = self.report.mischief.get(name, 0) + 1

    def _somebody(self) -> MemoryPeer | None:
        """Return one of those who came over the network and are still there."""
        here = [
            peer
            for peer in self.network.peers
            if not peer.stopped and peer not in self._replaced and peer.key not in self._away
        ]
        return self._rng.choice(here) if here else None

    def _anybody(self) -> MemoryPeer:
        """Return one of those, or a bot of the table's or a deputy."""
        return self._rng.choice(self.network.everybody())

    def _break(self) -> str:
        if not self.network.everybody():
            return ""
        peer = self._anybody()
        self.network.break_connection(peer)
        return f"broke the connection of {peer.key[:4]}"

    def _silence(self) -> str:
        if not self.network.everybody():
            return ""
        peer, lasts = self._anybody(), self._rng.choice((30, 500, 2500, 7000, 12_000))
        self.network.cut_off(peer)
        self.network.later(lasts, lambda: self.network.cut_off(peer, healed=True))
        return f"silenced {peer.key[:4]} for {lasts}"

    def _silence_all(self) -> str:
        lasts = self._rng.choice((500, 2500, 8000, 20_000))
        for peer in self.network.everybody():
            self.network.cut_off(peer)
            back = lasts + self._rng.randrange(2000)  # in any order
            self.network.later(back, lambda peer=peer: self.network.cut_off(peer, healed=True))  # type: ignore[misc]
        return f"silenced everybody for {lasts}"

    def _crash(self) -> str:
        peer = self._somebody()
        if peer is None:
            return ""
        self.network.stop_peer(peer)
        return f"crashed {peer.key[:4]}, back after {self._comes_back(peer)}"

    def _leave(self) -> str:
        peer = self._somebody()
        if peer is None or peer.session.state is not LinkState.LIVE:
            return ""
        host = self.network.authority
        if host.table.stage is Stage.LOBBY:
            return ""  # whose seat another may take before they are back
        peer.leave()
        after = self._comes_back(peer, gone=lambda: peer.session.state is LinkState.ENDED)
        return f"{peer.key[:4]} leaves, back after {after}"

    def _comes_back(self, peer: MemoryPeer, gone: Callable[[], bool] = lambda: True) -> int:
        """Start the peer's program anew after some time, with the same key."""
        after = self._rng.choice((50, 1000, 5000, 12_000))
        self._away.add(peer.key)

        def come_back() -> None:
            if not gone():
                self.network.later(200, come_back)
                return
            self._away.discard(peer.key)
            self.network.stop_peer(peer)
            self.network.peers.remove(peer)
            self._again(peer)

        self.network.later(after, come_back)
        return after

    def _again(self, peer: MemoryPeer) -> None:
        join = peer.join
        self.network.add_peer(join.name, role=join.role, level=join.level, key=peer.key, live=False)

    def _kill(self) -> str:
        """Kill the host before one of its next effects."""
        self._left = 1 + self._rng.randrange(8)
        return f"the host is killed before effect {self._left} from now"

    def _restart(self) -> None:
        self._is_starting = False
        self.network.kill_at = None if self._is_ending else self._is_killed
        self.network.start_host()

    def _block(self) -> str:
        peer = self._anybody() if self.network.everybody() else None
        if peer is None or peer.connection is None:
            return ""
        route, lasts = peer.connection, self._rng.choice((100, 2000))
        self.network.blocked.add(route)
        self.network.later(lasts, lambda: self.network.blocked.discard(route))
        return f"{peer.key[:4]} takes nothing for {lasts}"

    def _double(self) -> str:
        """Start a second program with a key that is in use."""
        peer = self._somebody()
        if peer is None or peer.session.state is not LinkState.LIVE or peer.cut_off:
            return ""
        self._replaced.add(peer)
        self._again(peer)
        return f"{peer.key[:4]} is started a second time"

    def _fail(self) -> str:
        if "pause" in self.report.mischief:
            return ""  # to go on would then be to go on unsaved
        lasts = self._rng.choice((100, 1500, 4000))
        self.network.store.failing = True

        def mend() -> None:
            self.network.store.failing = False

        self.network.later(lasts, mend)
        return f"the store fails for {lasts}"

    def _pause(self) -> str:
        if "fail" in self.report.mischief or not self._do_if("pause", Pause()):
            return ""
        self.network.later(self._rng.choice((300, 5000)), self._go_on)
        return "somebody pauses"

    def _go_on(self) -> None:
        """Let the game go on, whenever the wish to pause may come to the host."""
        host = self.network.host
        if host is not None and host.table.paused:
            self._do_if("go-on", GoOn())
        if not self._is_over():
            self.network.later(1000, self._go_on)

    def _say(self) -> str:
        return "somebody talks" if self._do_if("say", Say("well")) else ""

    def _vote(self) -> str:
        host = self.network.authority
        away = [seat for seat in range(4) if host.table.is_missed(seat)]
        choice = self._rng.choice(("wait", "bot"))
        votes = [self._do_if("vote", Vote(seat, choice)) for seat in away for _ in range(2)]
        return f"some vote to {choice}" if any(votes) else ""

    def _do_if(self, tag: str, act: AnyAct) -> bool:
        """Let somebody do it who may."""
        able = [
            peer
            for peer in self.network.peers
            if not peer.stopped
            and peer.session.state is LinkState.LIVE
            and peer.view is not None
            and (tag in peer.view.may or (peer.view.own is not None and tag in peer.view.own.may))
        ]
        if able:
            self._rng.choice(able).do(act)
        return bool(able)


def _is_same(one: Game, other: Game) -> bool:
    """Whether two games came out the same by the same cards.

    A bot that plays for somebody does not claim, so one may have played on where the other claimed,
    or have claimed later; and who laid the cards makes no difference.
    """
    first, second = one.deal, other.deal
    assert first is not None
    assert second is not None
    plays = list(zip(first.plays, second.plays, strict=False))
    bots_played = bool(first.bot_cards)
    return (
        (one.totals, one.winner) == (other.totals, other.winner)
        and [(r.points, r.moon) for r in one.results] == [(r.points, r.moon) for r in other.results]
        and first.start == second.start
        and all(mine[:2] == theirs[:2] for mine, theirs in plays)
        and (len(first.plays) == len(second.plays) or one.results != other.results or bots_played)
    )


# ---- many ----------------------------------------------------------------------------------------


def simulate(seed: int) -> Report:
    """Play the game of a seed; raises :class:`Violation`, whose words begin with the seed."""
    plan = plan_for(seed)
    with ExitStack() as stack:
        store = MemoryStore()
        if plan.on_disk:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="hearts-net-"))
            store = DiskStore(Path(folder))
            stack.callback(store.close)
        simulation = Simulation(plan, store)
        stack.enter_context(_seldom_collected())
        if plan.steady in MOONS:
            stack.enter_context(dealt_always(plan.steady.hands()))
        try:
            return simulation.run()
        except Exception as error:
            done = "\n  ".join(simulation.journal[-30:])
            again = f"python -m hearts_net.testing.simulation --seed {seed}"
            raise Violation(
                f"seed {seed} (again: {again})\n  {plan}\n  {done}\n{type(error).__name__}: {error}"
            ) from error


@contextmanager
def dealt_always(hands: Hands) -> Iterator[None]:
    """Deal the same cards every time, however they are shuffled."""
    with patch.object(host_changes, "deal_hands", lambda _key: hands):
        yield


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Look for garbage less often: tables are kept, and none of them is any."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, 5, 5)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def simulate_all(seeds: Iterable[int]) -> list[Report]:
    """Play the games of these seeds, one after another."""
    return [simulate(seed) for seed in seeds]


def main(arguments: list[str] | None = None) -> int:
    """Play games, print what came of them, and return 0 where nothing was violated."""
    parser = argparse.ArgumentParser(prog="python -m hearts_net.testing.simulation")
    parser.add_argument("--seed", type=int, help="play this one game again")
    parser.add_argument("--games", type=int, default=100, help="so many games (default 100)")
    parser.add_argument("--start", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args(arguments)
    seeds = [chosen.seed] if chosen.seed is not None else _range(chosen.start, chosen.games)
    began = time.monotonic()
    processes = 1 if chosen.seed is not None else chosen.processes
    reports, failures = _play_all(seeds, processes)
    for failure in failures:
        print(failure, file=sys.stderr)
    _print_sum(reports, len(failures), time.monotonic() - began)
    return 1 if failures else 0


def _range(start: int, games: int) -> list[int]:
    return list(range(start, start + games))


def _try(seed: int) -> Report | str:
    try:
        return simulate(seed)
    except Violation as violation:
        return str(violation)


def _play_all(seeds: list[int], processes: int) -> tuple[list[Report], list[str]]:
    if processes == 1:
        found = [_try(seed) for seed in seeds]
    else:
        with ProcessPoolExecutor(processes) as pool:
            found = list(pool.map(_try, seeds, chunksize=_BATCH))
    reports = [each for each in found if isinstance(each, Report)]
    return reports, [each for each in found if isinstance(each, str)]


def _print_sum(reports: list[Report], failed: int, seconds: float) -> None:
    total: dict[str, int] = {}
    for report in reports:
        for name, times in report.mischief.items():
            total[name] = total.get(name, 0) + times
    deals, steps, views = (
        sum(getattr(report, name) for report in reports) for name in ("deals", "steps", "views")
    )
    done = ", ".join(f"{name} {total[name]}" for name in sorted(total))
    print(
        f"{len(reports)} games ({deals} deals, {steps} steps, {views} views compared) in"
        f" {seconds:.1f} s, {failed} violations\n{done}"
    )


if __name__ == "__main__":
    sys.exit(main())
