"""Matches of one computer player against three of another, to measure how well each plays.

    python -m bench.arena hard:medium expert:hard --deals 400 --results FOLDER
    python -m bench.arena hard:medium --games 50
    python -m bench.arena --cross random,rule,easy,medium --deals 100

Every deal (or whole game) is played four times with the same cards, the challenger in each of the
seats, so that luck touches both sides alike; a standard error takes those four as one. A deal is
any of the pass cycle. Players search a fixed number of worlds, so the points do not depend on how
fast the machine is; the times, which are the processor's, do. With ``--results`` each round is kept
as soon as it is played, and the same command goes on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, stdev
from typing import TypeAlias

from hearts_net.bots.choosers import make_chooser
from hearts_net.rules.actions import ChooseMoon, DealCards, PassCards, PlayCard
from hearts_net.rules.cards import SEATS, Card, Mask
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import Options, parse_option, preset
from hearts_net.rules.scoring import Scores
from hearts_net.rules.shuffle import deal_hands
from hearts_net.rules.simulate import Chooser

PASS_CYCLE = 4
DEFAULT_RULES = "classic-computer"
Line: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class Match:
    """One player against three of another, under some rules."""

    challenger: str
    against: str
    rules: str
    """The options' names and values, for people and for the results file."""
    options: Options
    rounds: int
    """Deals, or whole games, each played four times."""
    whole_games: bool
    seed: str

    @property
    def header(self) -> Line:
        """What must agree for a results file to be gone on with; the number of rounds may grow."""
        return {
            "challenger": self.challenger,
            "against": self.against,
            "rules": self.rules,
            "round": "game" if self.whole_games else "deal",
            "seed": self.seed,
        }

    @property
    def file_name(self) -> str:
        """A name of its own for each header."""
        parts = [str(value).replace("=", "-").replace(" ", "+") for value in self.header.values()]
        return "_".join(parts) + ".jsonl"


@dataclass(slots=True)
class Clock:
    """Milliseconds of one kind of choice."""

    count: int = 0
    total: float = 0.0
    longest: float = 0.0

    def took(self, milliseconds: float) -> None:
        """Count one choice."""
        self.count += 1
        self.total += milliseconds
        self.longest = max(self.longest, milliseconds)

    def add(self, other: Sequence[float]) -> None:
        """Count another clock's choices."""
        self.count += int(other[0])
        self.total += other[1]
        self.longest = max(self.longest, other[2])

    def written(self) -> list[float]:
        """Return what a results file keeps."""
        return [self.count, round(self.total, 3), round(self.longest, 3)]

    def shown(self) -> list[float]:
        """Return the mean and the longest time."""
        return [round(self.total / self.count, 2) if self.count else 0.0, round(self.longest, 1)]


class Timed:
    """A chooser with a stopwatch."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser
        self.passing, self.playing = Clock(), Clock()

    def choose_pass(self, game: Game, seat: int, rng: random.Random) -> Mask:
        """Return the three cards."""
        began = time.process_time()
        cards = self._chooser.choose_pass(game, seat, rng)
        self.passing.took(1000 * (time.process_time() - began))
        return cards

    def choose_play(self, game: Game, seat: int, rng: random.Random) -> Card:
        """Return the card; where there is but one, no time is counted."""
        assert game.deal is not None
        legal = game.deal.playable
        began = time.process_time()
        card = self._chooser.choose_play(game, seat, rng)
        if legal & (legal - 1):
            self.playing.took(1000 * (time.process_time() - began))
        return card


@dataclass(frozen=True, slots=True)
class Round:
    """One deal or game, the challenger once in each seat."""

    number: int
    points: list[Scores]
    """By the challenger's seat: everybody's points of the deal, or totals of the game."""
    passing: list[float]
    playing: list[float]

    @property
    def mine(self) -> list[int]:
        """The challenger's points in each seat."""
        return [points[seat] for seat, points in enumerate(self.points)]

    @property
    def differences(self) -> list[float]:
        """The others' mean points less the challenger's, in each seat."""
        return [
            (sum(points) - points[seat]) / 3 - points[seat]
            for seat, points in enumerate(self.points)
        ]

    @property
    def wins(self) -> list[float]:
        """1 where the challenger has the fewest points; a share of it for a tie."""
        shares = []
        for seat, points in enumerate(self.points):
            fewest = min(points)
            shares.append(1 / points.count(fewest) if points[seat] == fewest else 0.0)
        return shares

    def line(self) -> Line:
        """Return the line of a results file."""
        return {
            "n": self.number,
            "points": [list(points) for points in self.points],
            "pass_ms": self.passing,
            "play_ms": self.playing,
        }


def play_round(match: Match, number: int) -> Round:
    """Play deal or game ``number`` (from 0) of a match in all four seats."""
    challenger = Timed(make_chooser(match.challenger))
    points = []
    for seat in SEATS:
        choosers: list[Chooser] = [make_chooser(match.against) for _ in SEATS]
        choosers[seat] = challenger
        points.append(played_deal(match, number, seat, choosers))
    return Round(number, points, challenger.passing.written(), challenger.playing.written())


def played_deal(match: Match, number: int, seat: int, choosers: Sequence[Chooser]) -> Scores:
    """Play one deal or game to its end and return its points or totals."""
    rng = random.Random(f"{match.seed} players {number} {seat}")
    begun = 0 if match.whole_games else number % PASS_CYCLE
    game = Game(match.options, number=begun)
    while game.phase is not Phase.OVER:
        if game.phase is Phase.DEALING:
            if game.results and not match.whole_games:
                break
            cards = f"{match.seed} cards {number} {game.number}"
            game = game.apply(DealCards(deal_hands(hashlib.sha256(cards.encode()).digest())))
        else:
            game = _stepped(game, choosers, rng)
    return game.totals


def _stepped(game: Game, choosers: Sequence[Chooser], rng: random.Random) -> Game:
    assert game.deal is not None
    if game.phase is Phase.PASSING:
        seat = game.deal.passes.index(0)
        return game.apply(PassCards(seat, choosers[seat].choose_pass(game, seat, rng)))
    if game.phase is Phase.MOON:
        assert game.shooter is not None
        return game.apply(ChooseMoon(game.shooter, game.default_moon_choice()))
    turn = game.deal.turn
    assert turn is not None
    return game.apply(PlayCard(turn, choosers[turn].choose_play(game, turn, rng)))


# ---- stopping and going on -----------------------------------------------------------------------


class Results:
    """The rounds of a match, kept in a file if there is a folder for it."""

    def __init__(self, match: Match, folder: Path | None) -> None:
        self._file = None if folder is None else folder / match.file_name
        self.rounds: dict[int, Round] = {}
        if self._file is None:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        if not lines:
            self._append(match.header)
        elif json.loads(lines[0]) != match.header:
            raise SystemExit(f"{self._file} holds another match; choose another folder")
        if lines and not self._file.read_text().endswith("\n"):
            self._file.write_text("".join(f"{line}\n" for line in lines[:-1]))
        for line in lines[1:]:
            self._take(line)

    def keep(self, played: Round) -> None:
        """Keep one round."""
        self.rounds[played.number] = played
        self._append(played.line())

    def _take(self, line: str) -> None:
        try:
            kept = json.loads(line)
            points: list[Scores] = [(a, b, c, d) for a, b, c, d in kept["points"]]
            number = int(kept["n"])
            self.rounds[number] = Round(number, points, kept["pass_ms"], kept["play_ms"])
        except (ValueError, KeyError):
            return  # from when it was stopped while writing: that round is played again

    def _append(self, line: Line) -> None:
        if self._file is not None:
            with self._file.open("a") as file:
                file.write(json.dumps(line) + "\n")


def play_match(match: Match, folder: Path | None, processes: int) -> list[Round]:
    """Play what is still to be played of a match and return all its rounds."""
    results = Results(match, folder)
    missing = [number for number in range(match.rounds) if number not in results.rounds]
    for played in _played_by(processes, match, missing):
        results.keep(played)
    return [results.rounds[number] for number in range(match.rounds)]


def _played_by(processes: int, match: Match, numbers: Iterable[int]) -> Iterator[Round]:
    if processes == 1:
        yield from map(partial(play_round, match), numbers)
        return
    with multiprocessing.Pool(processes) as pool:
        yield from pool.imap(partial(play_round, match), numbers)


# ---- what came of it -----------------------------------------------------------------------------


def summary(match: Match, rounds: Sequence[Round]) -> Line:
    """Return the figures of a match: means, each with its standard error clustered by round."""
    passing, playing = Clock(), Clock()
    for played in rounds:
        passing.add(played.passing)
        playing.add(played.playing)
    return match.header | {
        "rounds": len(rounds),
        "points": estimate(played.mine for played in rounds),
        "difference": estimate(played.differences for played in rounds),
        "wins": estimate(played.wins for played in rounds),
        "play_ms": playing.shown(),
        "pass_ms": passing.shown(),
    }


def estimate(clusters: Iterable[Sequence[float]]) -> list[float]:
    """Return the mean over clusters of values and its standard error."""
    means = [fmean(cluster) for cluster in clusters]
    error = stdev(means) / len(means) ** 0.5 if len(means) > 1 else float("inf")
    return [round(fmean(means), 4), round(error, 4)]


HEAD = (
    "challenger",
    "against",
    "rules",
    "rounds",
    "points",
    "difference",
    "wins %",
    "ms a card",
    "ms a pass",
)


def table(summaries: Sequence[Line]) -> str:
    """Return the figures as a Markdown table."""
    rows = [HEAD, ("---",) * len(HEAD), *map(_row, summaries)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(line: Line) -> tuple[str, ...]:
    def pair(name: str, text: str, scale: float = 1) -> str:
        value = line[name]
        assert isinstance(value, list)
        return text.format(*(scale * number for number in value))

    return (
        str(line["challenger"]),
        f"three {line['against']}",
        str(line["rules"]),
        f"{line['rounds']} {line['round']}s x 4",
        pair("points", "{:.2f} ± {:.2f}"),
        pair("difference", "{:+.2f} ± {:.2f}"),
        pair("wins", "{:.1f} ± {:.1f}", 100),
        pair("play_ms", "{:.2f} (at most {:.0f})"),
        pair("pass_ms", "{:.1f} (at most {:.0f})"),
    )


# ---- the command ---------------------------------------------------------------------------------


def matches_of(arguments: argparse.Namespace) -> list[Match]:
    """Return the matches that the arguments name."""
    options = preset(arguments.rules)
    for setting in arguments.set:
        options = parse_option(setting, options)
    rules = " ".join([arguments.rules, *arguments.set])
    pairs = [tuple(pair.split(":")) for pair in arguments.pairs]
    names = arguments.cross.split(",") if arguments.cross else []
    pairs += [(one, other) for other in names for one in names if one != other]
    if any(len(pair) != 2 for pair in pairs) or not pairs:
        raise SystemExit("name matches as CHALLENGER:AGAINST, or players with --cross A,B,C")
    rounds = arguments.games or arguments.deals
    whole = arguments.games is not None
    return [
        Match(one, other, rules, options, rounds, whole, arguments.seed) for one, other in pairs
    ]


def main(words: Sequence[str] | None = None) -> None:
    """Play the matches; print a table, or with ``--json`` one JSON object a match."""
    parser = argparse.ArgumentParser(prog="python -m bench.arena", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("pairs", nargs="*", metavar="CHALLENGER:AGAINST")
    parser.add_argument("--cross", metavar="A,B,C", help="each against three of each other")
    parser.add_argument("--deals", type=int, default=100, help="default 100")
    parser.add_argument("--games", type=int, help="whole games instead of deals")
    parser.add_argument("--rules", default=DEFAULT_RULES, help=f"preset, default {DEFAULT_RULES}")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--results", type=Path, metavar="FOLDER", help="keep rounds, and go on")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(words)
    summaries = []
    for match in matches_of(arguments):
        summaries.append(summary(match, play_match(match, arguments.results, arguments.processes)))
        if arguments.json:
            print(json.dumps(summaries[-1]), flush=True)
        elif sys.stderr.isatty():
            print(f"{match.challenger} against {match.against}: played", file=sys.stderr)
    if not arguments.json:
        print(table(summaries))


if __name__ == "__main__":
    main()
