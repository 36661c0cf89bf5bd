"""Whole random deals a second of one core: these rules, OpenSpiel's, and a loop that does nothing.

    python -m bench.rules [SECONDS]

A deal is: shuffle, deal, 52 times look up the legal cards and play a random one of them, count the
points. Nobody passes. Playouts are what bots try out cards with: bots end them when every card that
counts has been taken, here every card is played. Time is the processor's. All rows take turns in
short rounds: shown are each row's best round, and the median over the rounds of its ratio to
OpenSpiel's Python interface in the same round, so that other work on the machine touches all alike.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from math import floor
from random import Random
from statistics import median
from time import perf_counter, process_time

from hearts_net.rules.cards import DECK_SIZE, SEATS, TWO_OF_CLUBS_MASK, Hands, Mask, random_card
from hearts_net.rules.deal import NOTHING, Rules, new_deal
from hearts_net.rules.options import Options, PassingRule
from hearts_net.rules.playout import Position, by_suits, random_policy

OPTIONS = Options(first_trick_points=False, queen_breaks_hearts=True, passing=PassingRule.NONE)
"""OpenSpiel's own defaults, as far as this game has them."""
ROUND = 0.02
"""Seconds that one round of a row takes, about."""


CARDS = [1 << card for card in range(DECK_SIZE)]
"""The deck, each card as a set of one."""


def shuffle(deck: list[int], rng: Random) -> None:
    """Put a deck in random order: the same way in every row, and in half of Random.shuffle's time.

    So what is compared is hidden as little as may be by what every row has to do.
    """
    random = rng.random
    deck.sort(key=lambda _: random())


def shuffled_hands(deck: list[Mask], rng: Random) -> Hands:
    """Shuffle a deck and deal it."""
    shuffle(deck, rng)
    return sum(deck[:13]), sum(deck[13:26]), sum(deck[26:39]), sum(deck[39:])


def empty_loop(count: int, _: Random) -> None:
    """Call a function that does nothing 52 times a deal."""

    def nothing() -> None:
        pass

    for _deal in range(count):
        for _play in range(52):
            nothing()


def readable(count: int, rng: Random) -> None:
    """Play through the immutable states, as the host and the record do."""
    deck, rules = CARDS.copy(), Rules.of(OPTIONS)
    for _ in range(count):
        deal = new_deal(rules, 1, shuffled_hands(deck, rng))
        while deal.playable:
            deal = deal.play(random_card(deal.playable, rng))
        assert sum(deal.points()) == 26


def playouts(count: int, rng: Random) -> None:
    """Play in place, as bots try out cards, a policy choosing each card: here any legal one."""
    deck, rules, policy = CARDS.copy(), Rules.of(OPTIONS), random_policy(rng)
    openings = [Position.seen(rules, leader, (), NOTHING) for leader in SEATS]
    for _ in range(count):
        hands = shuffled_hands(deck, rng)
        leader = deck.index(TWO_OF_CLUBS_MASK) // 13
        outcome = openings[leader].finish(by_suits(hands), policy, every_card=True)
        assert sum(outcome.points) == 26


def open_spiel(count: int, rng: Random) -> None:
    """Do the same with OpenSpiel, which then takes every action unchecked."""
    import pyspiel

    game = pyspiel.load_game("hearts(pass_cards=false)")
    deck, random = list(range(52)), rng.random
    for _ in range(count):
        shuffle(deck, rng)
        state = game.new_initial_state()
        state.apply_action(0)  # nobody passes
        for card in deck:
            state.apply_action(card)
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[floor(random() * len(actions))])
        assert sum(state.returns()) in (78, 26)  # 26 less the points of each; a moon is 78 points


def open_spiel_checked(count: int, rng: Random) -> None:
    """Do the same with OpenSpiel checking every play, as ``Deal.play`` does."""
    import pyspiel

    game = pyspiel.load_game("hearts(pass_cards=false)")
    deck, random = list(range(52)), rng.random
    for _ in range(count):
        shuffle(deck, rng)
        state = game.new_initial_state()
        state.apply_action(0)
        for card in deck:
            state.apply_action(card)
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action_with_legality_check(actions[floor(random() * len(actions))])
        assert sum(state.returns()) in (78, 26)


Row = Callable[[int, Random], None]


def measure(rows: dict[str, Row], seconds: float) -> dict[str, list[float]]:
    """Return each row's deals a second in every round."""
    rates: dict[str, list[float]] = {name: [] for name in rows}
    counts = dict.fromkeys(rows, 20)
    end = perf_counter() + seconds
    seed = 0
    while perf_counter() < end:
        seed += 1
        for name, row in rows.items():
            started = process_time()
            row(counts[name], Random(seed))
            rate = counts[name] / (process_time() - started)
            rates[name].append(rate)
            counts[name] = max(20, int(rate * ROUND))
    return rates


def main(arguments: list[str]) -> None:
    """Print a row for each."""
    rows: dict[str, Row] = {
        "an empty loop": empty_loop,
        "immutable states (Deal.play)": readable,
        "playouts (Position.finish)": playouts,
    }
    reference = "OpenSpiel through Python"
    try:
        import pyspiel  # noqa: F401 - only whether it is there
    except ImportError:
        print("open_spiel is not installed: no ratios (pip install open_spiel==2.0.2)")
    else:
        rows[reference] = open_spiel
        rows["OpenSpiel, each play checked"] = open_spiel_checked
    rates = measure(rows, float(arguments[0]) if arguments else 5)
    for name, found in rates.items():
        line = f"{name:32}{max(found):10,.0f} deals/s"
        if reference in rates:
            pairs = zip(found, rates[reference], strict=True)
            line += f"{median(rate / reference_rate for rate, reference_rate in pairs):8.2f}"
        print(line)
    print(f"{os.cpu_count()} cores. Playouts are held to Deal.play by tests/rules/test_playout.py.")


if __name__ == "__main__":
    main(sys.argv[1:])
