"""``hearts-net check``: proves that game records follow the rules."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from hearts_client.chosen import Chosen
from hearts_client.exits import Exit
from hearts_client.i18n import _, ngettext
from hearts_client.recordwords import record_sentence
from hearts_client.safetext import safe_text
from hearts_client.speech import joined
from hearts_net.rules.check import CheckedGame, check_file
from hearts_net.rules.errors import RecordError


def run(chosen: Chosen) -> int:
    """Check each file, go on after a bad one, and tell of every one in a line."""
    as_json, deals = chosen.switch("json"), chosen.switch("deals")
    verdicts = [_check(name, deals=deals, as_json=as_json) for name in chosen.texts("files")]
    return Exit.DONE if all(verdicts) else Exit.FAILED


def _check(name: str, *, deals: bool, as_json: bool) -> bool:
    try:
        with _opened(name) as stream:
            games = list(check_file(stream, deals=deals))
    except RecordError as error:
        _tell_wrong(name, error.code, error.detail, as_json=as_json)
        return False
    except OSError as error:
        reason = error.strerror or str(error)
        _tell_wrong(name, "record-unreadable", {"reason": reason}, as_json=as_json)
        return False
    _tell_right(name, games, fair=deals, as_json=as_json)
    return True


@contextlib.contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    with Path(name).open("rb") as stream:
        yield stream


def _tell_wrong(name: str, code: str, detail: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"file": name, "ok": False, "code": code, **detail}), flush=True)
        return
    sentence = record_sentence(code)
    facts = "; ".join(
        f"{key} {safe_text(str(value))}" for key, value in detail.items() if key != "line"
    )
    more = f" [{facts}]" if facts else ""
    place = f"{name}:{detail['line']}" if "line" in detail else name
    print(f"{place}: {code}: {sentence}{more}", flush=True)


def _tell_right(name: str, games: list[CheckedGame], *, fair: bool, as_json: bool) -> None:
    deals = sum(game.deals for game in games)
    drawn = sum(game.drawn_by_host for game in games)
    finished = sum(game.winner is not None for game in games)
    if as_json:
        facts = {
            "file": name,
            "ok": True,
            "games": len(games),
            "deals": deals,
            "finished": finished,
            **({"verified": deals, "drawn_by_host": drawn, "late": _late(games)} if fair else {}),
        }
        print(json.dumps(facts), flush=True)
        return
    print(
        _("{name}: right; {games}, {deals}").format(
            name=name,
            games=ngettext("{number} game", "{number} games", len(games)).format(number=len(games)),
            deals=ngettext("{number} deal", "{number} deals", deals).format(number=deals),
        )
        + (_verified_words(drawn) + _late_words(games) if fair else ""),
        flush=True,
    )


def _late(games: list[CheckedGame]) -> list[dict[str, str | int]]:
    """Say which shares came too late, of whom and in which deal of which game."""
    return [
        {
            "game": game.header.game,
            "deal": deal,
            "seat": seat,
            "name": game.header.players[seat].name,
        }
        for game in games
        for deal, seat in game.late
    ]


def _verified_words(drawn: int) -> str:
    """Say that every deck is proved, and how many people had no share in one of theirs."""
    verified = _(", each verified")
    if not drawn:
        return verified
    return verified + ngettext(
        "; {number} share of a person was drawn by the host",
        "; {number} shares of people were drawn by the host",
        drawn,
    ).format(number=drawn)


def _late_words(games: list[CheckedGame]) -> str:
    """Say whose promised shares came too late, and when."""
    late = [
        _("{name} in deal {deal}").format(name=safe_text(str(each["name"])), deal=each["deal"])
        for each in _late(games)
    ]
    return _("; shares that came too late: {which}").format(which=joined(late)) if late else ""
