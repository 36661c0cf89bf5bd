"""``hearts-net simulate``: whole games among bots with no network, as game records."""

from __future__ import annotations

import datetime
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

from hearts_client.chosen import Chosen, UsageError
from hearts_client.i18n import _
from hearts_client.recordfile import write_record
from hearts_client.tables import options_of
from hearts_net.bots.choosers import make_chooser
from hearts_net.bots.levels import DEFAULT_LEVEL
from hearts_net.rules.simulate import SimulatedGame, simulate


def run(chosen: Chosen) -> int:
    """Play the games and write each when it is over."""
    games = chosen.number("games")
    levels = chosen.texts("players") or (DEFAULT_LEVEL,) * 4
    played = simulate(
        games,
        chosen.text("seed") or secrets.token_hex(8),
        options_of(chosen),
        [make_chooser(level) for level in levels],
        levels,
        started=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        legal=chosen.switch("legal"),
    )
    out = chosen.text("out")
    folder = None if out == "-" else _folder(out)
    for number, game in enumerate(_with_progress(played, games), start=1):
        if folder is None:
            _to_output(game)
        else:
            text = "".join(f"{line}\n" for line in game.lines)
            write_record(
                folder / f"{number:0{len(str(games))}}-{game.header.game}.hearts.jsonl", text
            )
    return 0


def _folder(name: str) -> Path:
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            _("{path} is no folder to write to ({reason}): choose another with --out.").format(
                path=folder, reason=error.strerror
            )
        ) from error
    return folder


def _to_output(game: SimulatedGame) -> None:
    out = sys.stdout.buffer
    for line in game.lines:
        out.write(line.encode("utf-8") + b"\n")
    out.flush()


def _with_progress(played: Iterator[SimulatedGame], games: int) -> Iterator[SimulatedGame]:
    """Count on standard error, where that is a terminal."""
    shown = sys.stderr.isatty()
    for number, game in enumerate(played, start=1):
        yield game
        if shown:
            end = "\n" if number == games else ""
            words = _("{number} of {games} games").format(number=number, games=games)
            print(f"\r{words}", end=end, file=sys.stderr, flush=True)
