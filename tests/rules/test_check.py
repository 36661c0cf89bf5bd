"""Checking records: what agrees is found right, whatever does not is refused with its own code."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader, BytesIO, RawIOBase
from random import Random
from typing import Any

import pytest

from hearts_net.rules.actions import ChooseMoon, DealCards, PlayCard
from hearts_net.rules.cards import (
    SEATS,
    SUIT_MASKS,
    cards_in,
    hand_texts,
    mask_of_texts,
    random_card,
)
from hearts_net.rules.check import CheckedGame, check_file, replay_file
from hearts_net.rules.errors import FairCode, RecordCode, RecordError
from hearts_net.rules.fair import Share, commitment_to, gathered
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import MoonRule, Options, PassingRule
from hearts_net.rules.reading import MAX_LINE, PlayLine
from hearts_net.rules.record import Header, deal_lines, header_line, record_lines
from hearts_net.rules.simulate import RandomChooser, simulate

Lines = list[dict[str, Any]]
STARTED = "2026-01-02T03:04:05Z"


def game_lines(seed: int = 1, legal: bool = True, **rules: object) -> Lines:
    run = simulate(
        1,
        seed,
        Options.from_dict(rules),
        [RandomChooser()] * 4,
        ["random"] * 4,
        started=STARTED,
        legal=legal,
    )
    return [json.loads(line) for game in run for line in game.lines]


def as_bytes(lines: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def check(data: bytes) -> list[CheckedGame]:
    return list(check_file(BytesIO(data)))


def refusal(data: bytes) -> RecordError:
    with pytest.raises(RecordError) as caught:
        check(data)
    return caught.value


def refused(lines: Lines) -> tuple[str, int | str]:
    error = refusal(as_bytes(lines))
    return error.code, error.detail["line"]


GAME = game_lines(target=60)
RULES = {"moon": "shooter-chooses", "passing": "none", "finish_early": True}


def find(lines: Lines, kind: str, nth: int = 0) -> int:
    return [at for at, line in enumerate(lines) if line["kind"] == kind][nth]


def moon_deal(choice: str = "others-gain") -> Lines:
    """Return a record in which seat 0, with all the clubs, claims a moon after one trick."""
    header = {**GAME[0], "rules": Options.from_dict(RULES).to_dict()}
    points = [0, 26, 26, 26] if choice == "others-gain" else [-26, 0, 0, 0]
    hands = [hand_texts(suit) for suit in SUIT_MASKS]
    plays = [{"kind": "play", "seat": seat, "card": hands[seat][0]} for seat in range(4)]
    return [
        header,
        {"kind": "deal", "deal": 1, "pass": "hold", "hands": hands},
        *plays,
        {"kind": "claim", "seat": 0},
        {"kind": "moon", "seat": 0, "choice": choice},
        {"kind": "deal-end", "deal": 1, "points": points, "totals": points, "moon": 0},
    ]


def settled_deal() -> Lines:
    """Return a record that ends with a deal that was settled."""
    for seed in range(100):
        lines = game_lines(seed, legal=False, **RULES)
        if any(line["kind"] == "settled" for line in lines):
            settled = find(lines, "settled")
            end = next(at for at in range(settled, len(lines)) if lines[at]["kind"] == "deal-end")
            if lines[end + 1]["kind"] == "deal":
                return lines[: end + 1]
    raise AssertionError("no deal was settled")


# ---- what agrees ---------------------------------------------------------------------------------


def test_a_finished_game() -> None:
    (game,) = check(as_bytes(GAME))
    assert game.first_line == 1
    assert game.header.game == GAME[0]["game"]
    assert game.header.options == Options(target=60)
    assert list(game.totals) == GAME[-1]["totals"]
    assert game.winner == GAME[-1]["winner"]
    assert game.deals == sum(line["kind"] == "deal-end" for line in GAME)


def test_a_running_game() -> None:
    end = find(GAME, "deal-end", 2)
    (game,) = check(as_bytes(GAME[: end + 1]))
    assert game.winner is None
    assert game.deals == 3
    assert list(game.totals) == GAME[end]["totals"]
    (begun,) = check(as_bytes(GAME[:1]))
    assert begun.deals == 0
    assert begun.totals == (0, 0, 0, 0)
    # all deals are told, the end is not: that is not a record of a running game
    assert refused(GAME[:-1]) == (RecordCode.CUT_SHORT, len(GAME) - 1)


def test_several_games_in_one_stream() -> None:
    other = game_lines(2)[:60]
    third = game_lines(3, passing="none")
    cut = find(other, "deal-end") + 1
    games = check(as_bytes([*GAME, *other[:cut], *third]))
    assert [game.first_line for game in games] == [1, len(GAME) + 1, len(GAME) + cut + 1]
    assert [game.winner is None for game in games] == [False, True, False]
    assert games[2].header.options.passing == "none"
    assert refused([*GAME, *other[:20], *third]) == (RecordCode.CUT_SHORT, len(GAME) + 20)


def test_games_found_right_before_a_wrong_one_are_told() -> None:
    found = check_file(BytesIO(as_bytes([*GAME, *GAME[:3]])))
    assert next(found).winner == GAME[-1]["winner"]
    with pytest.raises(RecordError, match="cut-short"):
        next(found)


def test_what_may_differ() -> None:
    lines = [dict(line) for line in GAME]
    lines[0]["later"] = {"x": [1, None, 2.5]}
    lines[1]["shuffle"] = "anything"
    first_pass = find(lines, "pass")
    lines[first_pass : first_pass + 4] = reversed(lines[first_pass : first_pass + 4])
    for line in lines:
        if line["kind"] == "play":
            line["legal"] = line["legal"][::-1]
            line["note"] = "ignored"
    play = find(lines, "play")
    lines[play]["by"] = "bot"
    lines[play + 1].pop("legal")
    data = as_bytes(lines)
    assert len(check(data)) == 1
    assert len(check(data.replace(b"\n", b"\r\n"))) == 1
    assert len(check(data.replace(b"\n", b"\n\n \t\n")[:-1])) == 1
    assert len(check(data.rstrip(b"\n"))) == 1


@pytest.mark.parametrize("choice", ["others-gain", "shooter-loses"])
def test_claims_and_moons(choice: str) -> None:
    (game,) = check(as_bytes(moon_deal(choice)))
    assert list(game.totals) == moon_deal(choice)[-1]["totals"]


def test_settled_deals() -> None:
    (game,) = check(as_bytes(settled_deal()))
    assert game.deals > 0


@pytest.mark.parametrize(
    "started", ["2026-01-02T03:04:05+00:00", "2026-01-02T03:04Z", "2026-01-02T03:04:05.123456Z"]
)
def test_times(started: str) -> None:
    (game,) = check(as_bytes([{**GAME[0], "started": started}]))
    assert game.header.started == started


def test_people_and_bots() -> None:
    players = [{"name": "A", "type": "human"}, *GAME[0]["players"][1:]]
    (game,) = check(as_bytes([{**GAME[0], "players": players}]))
    assert [player.type for player in game.header.players] == ["human", "bot", "bot", "bot"]
    assert [player.level for player in game.header.players] == ["", "random", "random", "random"]


def test_a_replay_shows_the_game_after_each_line() -> None:
    steps = list(replay_file(BytesIO(as_bytes([*GAME, *moon_deal()]))))
    assert [step.number for step in steps] == list(range(1, len(GAME) + len(moon_deal()) + 1))
    assert isinstance(steps[0].line, Header)
    assert steps[0].game.number == 0
    assert list(steps[len(GAME) - 1].game.totals) == GAME[-1]["totals"]
    play = find(GAME, "play")
    step = steps[play]
    assert isinstance(step.line, PlayLine)
    assert step.game.deal is not None
    assert step.game.deal.table == (step.line.card,)
    assert steps[len(GAME)].game.totals == (0, 0, 0, 0)
    bot = [dict(line) for line in GAME]
    bot[play]["by"] = "bot"
    marked = list(replay_file(BytesIO(as_bytes(bot))))[play].game.deal
    assert marked is not None
    assert [by_bot for _, _, by_bot in marked.plays] == [True]
    deal = steps[1].game.deal
    assert deal is not None
    assert deal.start.shuffle == GAME[1]["shuffle"]


# ---- where each deck is checked too --------------------------------------------------------------


def fair_game(opened: tuple[bool, ...], people: int = 4, *, late: tuple[int, ...] = ()) -> Lines:
    """Return a record of two deals to which those who have ``opened`` a share put one in.

    Except for those who were ``late`` with what they had promised.
    """
    rng, game = Random(1), Game.start(Options(passing=PassingRule.NONE))
    types = ["human"] * people + ["bot"] * (4 - people)
    header = {
        **GAME[0],
        "rules": game.options.to_dict(),
        "players": [{"name": "A", "type": each, "level": "easy"} for each in types],
    }
    lines = [header]
    for number in (1, 2):
        host, *shares = (Share(rng.randbytes(32), rng.randbytes(32)) for _ in range(5))
        shuffle = gathered(
            header["game"],
            number,
            host,
            [
                commitment_to(header["game"], number, seat, shares[seat]) if opened[seat] else ""
                for seat in SEATS
            ],
            [shares[seat] if opened[seat] and seat not in late else None for seat in SEATS],
        )
        game = game.apply(DealCards(shuffle.hands(header["game"], number), shuffle.text()))
        while game.finished_deals < number:
            deal = game.deal
            assert deal is not None
            assert deal.turn is not None
            game = game.apply(PlayCard(deal.turn, random_card(deal.legal(), rng)))
        assert game.deal is not None
        told = deal_lines(game.deal, game.results[-1], legal=False)
        lines += [json.loads(line) for line in told]
    return lines


def check_deals(lines: Lines) -> list[CheckedGame]:
    return list(check_file(BytesIO(as_bytes(lines)), deals=True))


def stacked(lines: Lines) -> RecordError:
    with pytest.raises(RecordError) as caught:
        check_deals(lines)
    return caught.value


def test_the_decks_of_a_simulated_game_are_right() -> None:
    assert [game.drawn_by_host for game in check_deals(GAME)] == [0]


def test_shares_that_the_host_has_drawn_for_people_are_counted() -> None:
    nobody, both = fair_game((False,) * 4, people=2), fair_game((True, True, False, False), 2)
    one = fair_game((False, True, True, True))
    assert set(one[1]["shuffle"]) == {"host", "seats"}  # no JSON inside a string
    assert [game.drawn_by_host for game in check_deals([*nobody, *both, *one])] == [4, 0, 2]
    assert [game.drawn_by_host for game in check(as_bytes(nobody))] == [0]


def test_shares_that_came_too_late_are_named_and_the_hosts_own_is_a_fault() -> None:
    late = fair_game((True, True, False, True), people=3, late=(1, 3))
    (game,) = check_deals(late)
    assert game.late == ((1, 1), (1, 3), (2, 1), (2, 3))
    assert game.drawn_by_host == 4
    assert check(as_bytes(late))[0].late == ()
    withheld = FairCode.SHARE_WITHHELD
    for seat, code in ((0, ""), (1, withheld), (2, ""), (3, withheld)):  # the last one is a bot
        players = [dict(player) for player in late[0]["players"]]
        players[seat]["host"] = True
        lines = [{**late[0], "players": players}, *late[1:]]
        if not code:
            (game,) = check_deals(lines)
            assert [player.is_host for player in game.header.players].index(True) == seat
            assert json.loads(header_line(game.header))["players"] == [
                {
                    key: value
                    for key, value in player.items()
                    if key != "level" or player["type"] == "bot"
                }
                for player in players
            ]
            continue
        error = stacked(lines)
        assert (error.code, error.detail) == (code, {"line": 2, "seat": seat})


def test_a_deck_that_was_stacked_is_named_with_its_line() -> None:
    lines = fair_game((False,) * 4)
    lines[1] = {**lines[1], "shuffle": fair_game((True,) * 4)[1]["shuffle"]}
    assert len(check(as_bytes(lines))) == 1
    error = stacked([*GAME, *lines])
    assert (error.code, error.detail["line"]) == ("share-left-out", len(GAME) + 2)
    assert error.detail["seat"] == 0


def test_a_deck_of_which_nothing_is_known_cannot_be_checked() -> None:
    lines = [dict(line) for line in GAME[:2]]
    del lines[1]["shuffle"]
    assert (stacked(lines).code, stacked(lines).detail) == ("not-checkable", {"line": 2})


# ---- what does not: one change, one code -------------------------------------------------------


def at(kind: str, nth: int = 0, /, **changes: Any) -> Callable[[Lines], int]:
    """Change some keys of one line; a value of None takes the key away."""

    def change(lines: Lines) -> int:
        place = find(lines, kind, nth)
        lines[place] = {
            key: value for key, value in {**lines[place], **changes}.items() if value is not GONE
        }
        return place + 1

    return Change(change, list(changes)[-1] if changes else "choice")


@dataclass(frozen=True)
class Change:
    """A change to a record: it returns the line that is wrong then; ``key`` is wrong in it."""

    make: Callable[[Lines], int]
    key: str

    def __call__(self, lines: Lines) -> int:
        return self.make(lines)


GONE = object()


def repeated(kind: str, nth: int = 0) -> Callable[[Lines], int]:
    def change(lines: Lines) -> int:
        place = find(lines, kind, nth)
        lines.insert(place, lines[place])
        return place + 2

    return change


def dropped(kind: str, nth: int = 0, then: int = 0) -> Callable[[Lines], int]:
    def change(lines: Lines) -> int:
        place = find(lines, kind, nth)
        del lines[place]
        return place + 1 + then

    return change


def illegal_play(lines: Lines) -> int:
    """Have somebody who could follow suit not do so."""
    hand: set[str] = set()
    for place, line in enumerate(lines):
        if line["kind"] == "deal":
            hand = {card for cards in line["hands"] for card in cards}
        if line["kind"] == "play" and len({card[1] for card in line["legal"]}) == 1:
            led = line["legal"][0][1]
            seat_cards = [
                other["card"]
                for other in lines[place + 1 : place + 45]
                if other["kind"] == "play" and other["seat"] == line["seat"]
            ]
            others = [card for card in seat_cards if card[1] != led and card in hand]
            if others and line["card"] != "2C":
                line["card"] = others[0]
                return place + 1
    raise AssertionError("everybody was void")


def hands(change: Callable[[list[list[Any]]], object]) -> Callable[[Lines], int]:
    def apply(lines: Lines) -> int:
        lines[1] = {**lines[1], "hands": [list(hand) for hand in lines[1]["hands"]]}
        change(lines[1]["hands"])
        return 2

    return Change(apply, "hands")


def with_rules(**changes: Any) -> Callable[[Lines], int]:
    def change(lines: Lines) -> int:
        rules = {key: v for key, v in {**lines[0]["rules"], **changes}.items() if v is not GONE}
        lines[0] = {**lines[0], "rules": rules}
        return 1

    return change


def with_player(**changes: Any) -> Callable[[Lines], int]:
    def change(lines: Lines) -> int:
        first = {
            key: v for key, v in {**lines[0]["players"][0], **changes}.items() if v is not GONE
        }
        lines[0] = {**lines[0], "players": [first, *lines[0]["players"][1:]]}
        return 1

    return Change(change, list(changes)[-1])


def out_of_turn(lines: Lines) -> int:
    place = find(lines, "play", 1)
    lines[place], lines[place + 1] = lines[place + 1], lines[place]
    return place + 1


def wrong_legal(lines: Lines) -> int:
    place = find(lines, "play", 5)
    lines[place] = {**lines[place], "legal": lines[place]["legal"][:-1]}
    return place + 1


def after_the_end(*more: int) -> Callable[[Lines], int]:
    def change(lines: Lines) -> int:
        lines.extend(lines[place] for place in more)
        return len(lines)

    return change


def deal_after_the_end(lines: Lines) -> int:
    lines[-1:] = [{**lines[1], "deal": find(lines, "game-end")}]
    return len(lines)


def end_in_the_middle(lines: Lines) -> int:
    place = find(lines, "deal-end") + 1
    lines.insert(place, {**lines[-1], "totals": lines[place - 1]["totals"]})
    return place + 1


CHANGES: list[tuple[RecordCode, Callable[[Lines], int]]] = [
    # no record
    (RecordCode.NO_HEADER, dropped("game")),
    (RecordCode.UNKNOWN_KIND, at("pass", kind="undo")),
    (RecordCode.MISSING_KEY, at("pass", kind=GONE)),
    (RecordCode.BAD_FIELD, at("pass", kind=7)),
    # the first line
    (RecordCode.BAD_FORMAT, at("game", format=2)),
    (RecordCode.BAD_FIELD, at("game", format="1")),
    (RecordCode.BAD_FIELD, at("game", format=True)),
    (RecordCode.MISSING_KEY, at("game", format=GONE)),
    (RecordCode.MISSING_KEY, at("game", game=GONE)),
    (RecordCode.BAD_FIELD, at("game", game=5)),
    (RecordCode.BAD_FIELD, at("game", started="yesterday")),
    (RecordCode.BAD_FIELD, at("game", started="2026-01-02T03:04:05")),
    (RecordCode.BAD_FIELD, at("game", started=20260102)),
    (RecordCode.MISSING_KEY, at("game", started=GONE)),
    (RecordCode.UNKNOWN_OPTION, with_rules(trumps="hearts")),
    (RecordCode.BAD_OPTION, with_rules(moon="eclipse")),
    (RecordCode.BAD_OPTION, with_rules(target=0)),
    (RecordCode.BAD_OPTION, with_rules(aids=0)),
    (RecordCode.MISSING_OPTION, with_rules(aids=GONE)),
    (RecordCode.BAD_FIELD, at("game", rules=[])),
    (RecordCode.MISSING_KEY, at("game", rules=GONE)),
    (RecordCode.MISSING_KEY, at("game", players=GONE)),
    (RecordCode.BAD_FIELD, at("game", players=[])),
    (RecordCode.BAD_FIELD, at("game", players=["a", "b", "c", "d"])),
    (RecordCode.BAD_FIELD, with_player(type="alien")),
    (RecordCode.BAD_FIELD, with_player(name=None)),
    (RecordCode.BAD_FIELD, with_player(type="human", name=3)),
    (RecordCode.BAD_FIELD, with_player(level=2)),
    (RecordCode.MISSING_KEY, with_player(level=GONE)),
    (RecordCode.MISSING_KEY, with_player(type="human", name=GONE)),
    (RecordCode.MISSING_KEY, with_player(type=GONE)),
    # the deal
    (RecordCode.WRONG_NUMBER, at("deal", deal=2)),
    (RecordCode.WRONG_NUMBER, at("deal", 1, deal=1)),
    (RecordCode.BAD_FIELD, at("deal", deal="1")),
    (RecordCode.BAD_FIELD, at("deal", deal=True)),
    (RecordCode.BAD_FIELD, at("deal", deal=1.0)),
    (RecordCode.WRONG_DIRECTION, at("deal", **{"pass": "right"})),
    (RecordCode.WRONG_DIRECTION, at("deal", **{"pass": "hold"})),
    (RecordCode.BAD_FIELD, at("deal", **{"pass": "up"})),
    (RecordCode.BAD_FIELD, at("deal", **{"pass": 1})),
    (RecordCode.MISSING_KEY, at("deal", hands=GONE)),
    (RecordCode.BAD_FIELD, at("deal", hands={})),
    (RecordCode.BAD_FIELD, at("deal", hands=[1, 2, 3, 4])),
    (RecordCode.BAD_FIELD, hands(lambda four: four.pop())),
    (RecordCode.BAD_FIELD, hands(lambda four: four.append([]))),
    (RecordCode.CARD_COUNT, hands(lambda four: four[0].pop())),
    (RecordCode.CARD_COUNT, hands(lambda four: four[0].append(four[1].pop()))),
    (RecordCode.DUPLICATE_CARD, hands(lambda four: four[0].append(four[1][0]))),
    (RecordCode.DUPLICATE_CARD, hands(lambda four: four[0].__setitem__(0, four[1][0]))),
    (RecordCode.BAD_CARD, hands(lambda four: four[0].__setitem__(0, "1C"))),
    (RecordCode.BAD_CARD, hands(lambda four: four[0].__setitem__(0, 7))),
    (RecordCode.BAD_CARD, hands(lambda four: four[0].__setitem__(0, ["2C"]))),
    (RecordCode.BAD_FIELD, at("deal", shuffle=5)),
    (RecordCode.UNEXPECTED_LINE, repeated("deal")),
    # passing
    (RecordCode.WRONG_PASSER, at("pass", 1, seat=0)),
    (RecordCode.WRONG_PASSER, repeated("pass")),
    (RecordCode.ILLEGAL_PASS, at("pass", seat=1)),
    (RecordCode.BAD_FIELD, at("pass", seat=4)),
    (RecordCode.BAD_FIELD, at("pass", seat=-1)),
    (RecordCode.BAD_FIELD, at("pass", seat="0")),
    (RecordCode.BAD_FIELD, at("pass", seat=False)),
    (RecordCode.MISSING_KEY, at("pass", seat=GONE)),
    (RecordCode.MISSING_KEY, at("pass", cards=GONE)),
    (RecordCode.BAD_FIELD, at("pass", cards="2C3C4C")),
    (RecordCode.CARD_COUNT, at("pass", cards=["2C", "3C"])),
    (RecordCode.CARD_COUNT, at("pass", cards=["2C", "3C", "4C", "5C"])),
    (RecordCode.DUPLICATE_CARD, at("pass", cards=["2C", "3C", "2C"])),
    (RecordCode.BAD_CARD, at("pass", cards=["2C", "3C", "XX"])),
    (RecordCode.UNEXPECTED_LINE, dropped("pass", 3)),
    (RecordCode.UNEXPECTED_LINE, repeated("pass", 3)),
    # play
    (RecordCode.OUT_OF_TURN, out_of_turn),
    (RecordCode.OUT_OF_TURN, dropped("play", 2)),
    (RecordCode.ILLEGAL_PLAY, illegal_play),
    (RecordCode.ILLEGAL_PLAY, at("play", card="2D")),
    (RecordCode.OUT_OF_TURN, repeated("play", 1)),
    (RecordCode.WRONG_LEGAL, wrong_legal),
    (RecordCode.WRONG_LEGAL, at("play", legal=[])),
    (RecordCode.BAD_FIELD, at("play", legal="2C")),
    (RecordCode.BAD_FIELD, at("play", legal=None)),
    (RecordCode.DUPLICATE_CARD, at("play", legal=["2C", "2C"])),
    (RecordCode.BAD_CARD, at("play", card="ZZ")),
    (RecordCode.BAD_CARD, at("play", card=None)),
    (RecordCode.MISSING_KEY, at("play", card=GONE)),
    (RecordCode.BAD_FIELD, at("play", seat=None)),
    (RecordCode.BAD_FIELD, at("play", by="human")),
    (RecordCode.BAD_FIELD, at("play", by=True)),
    # ends
    (RecordCode.UNEXPECTED_LINE, dropped("play", 51)),
    (RecordCode.WRONG_NUMBER, at("deal-end", deal=2)),
    (RecordCode.WRONG_POINTS, at("deal-end", points=[26, 0, 0, 0])),
    (RecordCode.WRONG_TOTALS, at("deal-end", totals=[0, 0, 0, 0])),
    (RecordCode.WRONG_MOON, at("deal-end", moon=0)),
    (RecordCode.MISSING_KEY, at("deal-end", moon=GONE)),
    (RecordCode.BAD_FIELD, at("deal-end", moon=4)),
    (RecordCode.BAD_FIELD, at("deal-end", moon=False)),
    (RecordCode.BAD_FIELD, at("deal-end", points=[1, 2, 3])),
    (RecordCode.BAD_FIELD, at("deal-end", points=[1, 2, 3, 4.0])),
    (RecordCode.BAD_FIELD, at("deal-end", points=[1, 2, 3, True])),
    (RecordCode.BAD_FIELD, at("deal-end", totals=None)),
    (RecordCode.BAD_FIELD, at("deal-end", deal=None)),
    (RecordCode.UNEXPECTED_LINE, dropped("deal-end")),
    (RecordCode.UNEXPECTED_LINE, repeated("deal-end")),
    (RecordCode.WRONG_TOTALS, at("game-end", totals=[1, 2, 3, 4])),
    (RecordCode.WRONG_WINNER, at("game-end", winner=(GAME[-1]["winner"] + 1) % 4)),
    (RecordCode.BAD_FIELD, at("game-end", winner=None)),
    (RecordCode.NOT_OVER, end_in_the_middle),
    (RecordCode.NOT_OVER, dropped("deal-end", -1)),
    (RecordCode.AFTER_THE_END, deal_after_the_end),
    (RecordCode.AFTER_THE_END, after_the_end(1)),
    (RecordCode.AFTER_THE_END, after_the_end(-1)),
    (RecordCode.AFTER_THE_END, after_the_end(-2)),
    (RecordCode.AFTER_THE_END, after_the_end(2)),
    # claims, moons and settled deals where there are none
    (RecordCode.ILLEGAL_CLAIM, at("play", kind="claim")),
    (RecordCode.UNEXPECTED_LINE, at("pass", kind="claim")),
    (RecordCode.BAD_FIELD, at("play", kind="claim", seat=9)),
    (RecordCode.NOT_SETTLED, at("play", 5, kind="settled")),
    (RecordCode.NOT_SETTLED, at("deal", kind="settled")),
    (RecordCode.UNEXPECTED_LINE, at("play", kind="moon", choice="others-gain")),
    (RecordCode.BAD_FIELD, at("play", kind="moon", choice="shooter-chooses")),
    (RecordCode.BAD_FIELD, at("play", kind="moon", choice=1)),
    (RecordCode.MISSING_KEY, at("play", kind="moon", choice=GONE)),
]


@pytest.mark.parametrize(
    ("code", "change"), CHANGES, ids=[f"{n}-{code.value}" for n, (code, _) in enumerate(CHANGES)]
)
def test_one_wrong_thing(code: RecordCode, change: Callable[[Lines], int]) -> None:
    lines = [dict(line) for line in GAME]
    line = change(lines)
    error = refusal(as_bytes(lines))
    assert (error.code, error.detail["line"]) == (code, line)
    if code in (RecordCode.BAD_FIELD, RecordCode.MISSING_KEY, RecordCode.CARD_COUNT):
        assert isinstance(change, Change)
        assert error.detail["key"] == change.key


MOON_CHANGES: list[tuple[RecordCode, Callable[[Lines], int]]] = [
    (RecordCode.UNEXPECTED_LINE, dropped("moon")),
    (RecordCode.UNEXPECTED_LINE, repeated("moon")),
    (RecordCode.ILLEGAL_CHOICE, at("moon", seat=1)),
    (RecordCode.WRONG_POINTS, lambda lines: at("moon", choice="shooter-loses")(lines) + 1),
    (RecordCode.WRONG_MOON, at("deal-end", moon=None)),
    (RecordCode.ILLEGAL_CLAIM, at("claim", seat=1)),
    (RecordCode.UNEXPECTED_LINE, repeated("claim")),
    (RecordCode.UNEXPECTED_LINE, dropped("claim")),
    (RecordCode.NOT_SETTLED, at("claim", kind="settled")),
    (RecordCode.NOT_SETTLED, at("moon", kind="settled")),
    (RecordCode.ILLEGAL_PASS, at("play", kind="pass", cards=["2C", "3C", "4C"])),
]


@pytest.mark.parametrize(("code", "change"), MOON_CHANGES)
def test_one_wrong_thing_about_a_moon(code: RecordCode, change: Callable[[Lines], int]) -> None:
    lines = moon_deal()
    line = change(lines)
    assert refused(lines) == (code, line)


@pytest.mark.parametrize(
    ("code", "change"),
    [
        (RecordCode.UNEXPECTED_LINE, dropped("settled")),
        (RecordCode.NOT_SETTLED, repeated("settled")),
    ],
)
def test_one_wrong_thing_about_a_settled_deal(
    code: RecordCode, change: Callable[[Lines], int]
) -> None:
    lines = settled_deal()
    lines = lines[: find(lines, "settled") + 2]
    line = change(lines)
    assert refused(lines) == (code, line)


def settled_moon() -> Lines:
    """Return a record in which seat 0 takes all that counts in eight tricks and then chooses."""
    options = Options.from_dict(RULES)
    rest = sum(SUIT_MASKS[1:])
    second = mask_of_texts(
        ["2H", "3H", "4H", "5H", "6H", "7H", "2D", "3D", "4D", "5D", "6D", "7D", "8D"]
    )
    third = mask_of_texts(
        ["8H", "9H", "TH", "JH", "QH", "KH", "AH", "QS", "2S", "3S", "4S", "5S", "6S"]
    )
    states = [Game.start(options)]
    states.append(
        states[-1].apply(DealCards((SUIT_MASKS[0], second, third, rest ^ second ^ third)))
    )
    while states[-1].phase is Phase.PLAYING:
        deal = states[-1].deal
        assert deal is not None
        assert deal.turn is not None
        card = cards_in(deal.legal())[0 if deal.turn == 0 else -1]
        states.append(states[-1].apply(PlayCard(deal.turn, card)))
    states.append(states[-1].apply(ChooseMoon(0, MoonRule.OTHERS_GAIN)))
    (header,) = [game.header for game in check(as_bytes(moon_deal()))]
    return [json.loads(line) for line in record_lines(header, states)]


def test_settled_comes_before_the_moon() -> None:
    """The order is settled, moon choice, deal's end."""
    lines = settled_moon()
    assert [line["kind"] for line in lines[-3:]] == ["settled", "moon", "deal-end"]
    assert check(as_bytes(lines))
    settled = find(lines, "settled")
    lines[settled], lines[settled + 1] = lines[settled + 1], lines[settled]
    error = refusal(as_bytes(lines))
    assert (error.code, error.detail["line"]) == (RecordCode.UNEXPECTED_LINE, settled + 1)
    assert error.detail["expected"] == "settled"


# ---- bytes that are no record --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", RecordCode.EMPTY, 1),
        (b"\n\n  \n", RecordCode.EMPTY, 1),
        (bytes(range(256)), RecordCode.NOT_TEXT, 1),
        (b"\x89PNG\r\n\x1a\n\x00\x00", RecordCode.NOT_UTF8, 1),
        (b"\x00", RecordCode.NOT_TEXT, 1),
        (b"{\x7f}", RecordCode.NOT_TEXT, 1),
        (b'{"kind":"\xff"}', RecordCode.NOT_UTF8, 1),
        (b'\n{"kind":"\xc3"}', RecordCode.NOT_UTF8, 2),
        (b'{"kind":"gam', RecordCode.NOT_JSON, 1),
        (b"hello", RecordCode.NOT_JSON, 1),
        (b'{"kind":NaN}', RecordCode.NOT_JSON, 1),
        (b'{"kind":-Infinity}', RecordCode.NOT_JSON, 1),
        (b"{" + b'"a":[' * 5000, RecordCode.NOT_JSON, 1),
        (b"[" * 60000, RecordCode.NOT_JSON, 1),
        (b'{"kind":' + b"9" * 5000 + b"}", RecordCode.NOT_JSON, 1),
        (b"[]", RecordCode.NOT_AN_OBJECT, 1),
        (b"7", RecordCode.NOT_AN_OBJECT, 1),
        (b"null", RecordCode.NOT_AN_OBJECT, 1),
        (b'"game"', RecordCode.NOT_AN_OBJECT, 1),
        (b"{}", RecordCode.MISSING_KEY, 1),
        (b'{"kind":"play"}', RecordCode.MISSING_KEY, 1),
        (b'{"kind":"claim","seat":0}', RecordCode.NO_HEADER, 1),
        (b'{"kind":"\\ud800"}', RecordCode.UNKNOWN_KIND, 1),
        (b" " * (MAX_LINE + 1), RecordCode.LINE_TOO_LONG, 1),
    ],
)
def test_no_record(data: bytes, code: RecordCode, line: int) -> None:
    error = refusal(data)
    assert error.code == code
    assert error.detail["line"] == line


def test_the_longest_line() -> None:
    padding = MAX_LINE - len(as_bytes([{**GAME[0], "x": ""}]))
    assert len(check(as_bytes([{**GAME[0], "x": "y" * padding}]))) == 1
    error = refusal(as_bytes([{**GAME[0], "x": "y" * (padding + 1)}]))
    assert error.code == RecordCode.LINE_TOO_LONG
    assert error.detail == {"line": 1, "limit": MAX_LINE}


NO_OBJECT = {"not-text", "not-utf8", "not-json", "not-an-object", "empty-record"}
ALL_CODES = {"", *(code.value for code in RecordCode)}


def code_of(data: bytes) -> str:
    """Return the code with which bytes are refused, or nothing; nothing else may be raised."""
    try:
        check(data)
    except RecordError as error:
        return error.code if error.detail["line"] else "no line"
    return ""


def test_random_bytes_and_damage_are_refused_and_nothing_else() -> None:
    rng = Random(1)
    data = as_bytes(GAME)
    for _ in range(100):
        damaged = bytearray(data[: rng.randrange(1, 2500)])
        for _ in range(rng.randrange(4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        assert code_of(bytes(damaged)) in ALL_CODES
        noise = refusal(rng.randbytes(rng.randrange(1, 200)))
        assert noise.code in NO_OBJECT


def test_every_key_and_value_of_a_wrong_type_is_refused_and_nothing_else() -> None:
    rng = Random(2)
    odd = [None, True, 0, -1, 99, 2.5, "", "x", [], [1], {}, {"a": 1}, 10**30, ["2C"] * 3]
    for _ in range(120):
        lines = [dict(line) for line in GAME[:62]]
        place = rng.randrange(len(lines))
        key = rng.choice(list(lines[place]))
        lines[place][key] = rng.choice(odd)
        assert code_of(as_bytes(lines)) in ALL_CODES


# ---- details of refusals -------------------------------------------------------------------------


def test_details() -> None:
    lines = [dict(line) for line in GAME]
    place = find(lines, "deal-end")
    lines[place]["points"] = [26, 0, 0, 0]
    expected = " ".join(map(str, GAME[place]["points"]))
    assert refusal(as_bytes(lines)).detail == {
        "line": place + 1,
        "found": "26 0 0 0",
        "expected": expected,
    }
    lines[place]["points"] = [10**40] * 4
    assert refusal(as_bytes(lines)).detail["found"] == (("1" + "0" * 40 + " ") * 2)[:80]
    lines = [dict(line) for line in GAME]
    lines[find(lines, "play")]["legal"] = [card for hand in GAME[1]["hands"] for card in hand]
    assert len(str(refusal(as_bytes(lines)).detail["found"])) == 80
    lines = [dict(line) for line in GAME]
    illegal_play(lines)
    assert refusal(as_bytes(lines)).detail["rule"] == "must-follow"
    assert refusal(b'{"kind":"x' + b"y" * 90 + b'"}').detail == {
        "line": 1,
        "kind": "x" + "y" * 39,
    }
    assert refusal(b'{"kind":"\xff"}').detail == {"line": 1, "byte": 10}
    lines = [dict(line) for line in GAME]
    line = repeated("deal-end")(lines)
    assert refusal(as_bytes(lines)).detail == {"line": line, "phase": "dealing"}
    lines = [dict(line) for line in GAME]
    line = at("play", card="card " * 9)(lines)
    assert refusal(as_bytes(lines)).detail == {"line": line, "card": ("card " * 9)[:20]}
    lines = [dict(line) for line in GAME]
    line = at("game", format=10**30)(lines)
    assert refusal(as_bytes(lines)).detail == {"line": line, "format": "1" + "0" * 19}
    assert refusal(as_bytes([{**GAME[0], "rules": {}}])).detail == {"line": 1, "option": "target"}
    lines = [dict(line) for line in GAME]
    lines[1]["pass"] = "right"
    assert refusal(as_bytes(lines)).detail == {"line": 2, "found": "right", "expected": "left"}
    lines[0]["rules"] = {**lines[0]["rules"], "moon": "eclipse"}
    assert refusal(as_bytes(lines)).detail == {"line": 1, "option": "moon", "value": "eclipse"}
    lines = [dict(line) for line in GAME]
    lines[2]["cards"] = ["2C", "3C"]
    found = refusal(as_bytes(lines)).detail
    assert found == {"line": 3, "key": "cards", "cards": 2, "expected": 3}
    lines[2]["cards"] = ["2C", "3C", "2C"]
    assert refusal(as_bytes(lines)).detail == {"line": 3, "card": "2C"}
    lines[2]["cards"] = ["2C", "3C", {"long": "x" * 90}]
    card = refusal(as_bytes(lines)).detail["card"]
    assert isinstance(card, str)
    assert len(card) == 20
    lines[2] = {"kind": "pass", "seat": 9, "cards": GAME[2]["cards"]}
    assert refusal(as_bytes(lines)).detail == {"line": 3, "key": "seat"}
    assert refusal(as_bytes(GAME[:10])).detail == {"line": 10, "phase": "playing"}
    assert refusal(as_bytes([{**GAME[0], "format": 2}])).detail == {"line": 1, "format": "2"}
    deals = [GAME[0], GAME[1], {**GAME[1], "deal": 2}]
    assert refusal(as_bytes(deals)).detail == {"line": 3, "phase": "passing"}
    ended = [*GAME[:2], GAME[-1]]
    assert refusal(as_bytes(ended)).detail == {"line": 3, "phase": "passing"}
    lines = [dict(line) for line in GAME]
    place = find(lines, "play")
    lines[place]["legal"] = ["2C", "3C"]
    assert refusal(as_bytes(lines)).detail == {
        "line": place + 1,
        "found": "2C 3C",
        "expected": "2C",
    }


def test_an_error_in_words() -> None:
    """Its code, and the facts around it: what a log shows."""
    assert str(RecordError(RecordCode.EMPTY)) == "empty-record"
    assert str(RecordError(RecordCode.NOT_JSON, line=3)) == "not-json (line=3)"
    error = RecordError(RecordCode.BAD_FIELD, line=3, key="seat")
    assert str(error) == "bad-field (line=3, key=seat)"


# ---- length --------------------------------------------------------------------------------------


class Endless(RawIOBase):
    """A file of any length that is made as it is read."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = next(self._blocks, b"")
        part = self._rest[: len(buffer)]
        self._rest = self._rest[len(part) :]
        buffer[: len(part)] = part
        return len(part)


def peak(run: Callable[[], object]) -> int:
    tracemalloc.start()
    run()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_a_line_of_100_megabytes_fills_no_memory() -> None:
    block = b"x" * 2**20
    stream = BufferedReader(Endless(block for _ in range(100)))

    def run() -> None:
        with pytest.raises(RecordError) as caught:
            list(check_file(stream))
        assert caught.value.code == RecordCode.LINE_TOO_LONG

    assert peak(run) < 4 * 2**20


def rotated_moons(count: int) -> Iterator[bytes]:
    """Yield a game that never ends: the moon shot by each seat in turn, for 26 less each time."""
    rules = {"passing": "none", "moon": "shooter-loses"}
    yield as_bytes([{**GAME[0], "rules": Options.from_dict(rules).to_dict()}])
    totals = [0, 0, 0, 0]
    suits = [hand_texts(suit) for suit in SUIT_MASKS]
    for number in range(1, count + 1):
        shooter = number % 4
        points = [-26 if seat == shooter else 0 for seat in range(4)]
        totals = [total + more for total, more in zip(totals, points, strict=True)]
        hands = [suits[(seat - shooter) % 4] for seat in range(4)]
        end = {"kind": "deal-end", "deal": number, "points": points, "totals": totals}
        yield as_bytes(
            [
                {"kind": "deal", "deal": number, "pass": "hold", "hands": hands},
                {"kind": "claim", "seat": shooter},
                {**end, "moon": shooter},
            ]
        )


def test_memory_does_not_grow_with_the_deals() -> None:
    def run(deals: int) -> Callable[[], object]:
        return lambda: list(check_file(BufferedReader(Endless(rotated_moons(deals)))))

    run(10)()
    few, many = peak(run(20)), peak(run(270))
    assert many < few + 40 * 1024  # keeping every result would take twice that


@pytest.mark.long
@pytest.mark.timeout(900)
def test_100_000_deals_in_constant_memory() -> None:
    """Deals played out, in games one after another, and one game that never ends."""
    game = as_bytes(GAME)
    deals = sum(line["kind"] == "deal-end" for line in GAME)
    times = 10_000 // deals + 1
    blocks = (game for _ in range(times))
    checked = 0
    pages = resident_pages()
    for found in check_file(BufferedReader(Endless(blocks))):
        checked += found.deals
    assert checked == deals * times
    (found,) = check_file(BufferedReader(Endless(rotated_moons(90_000))))
    assert found.deals == 90_000
    assert (resident_pages() - pages) * os.sysconf("SC_PAGE_SIZE") < 8 * 2**20


def resident_pages() -> int:
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1])
    except OSError:
        pytest.skip("the memory of a process is read from /proc here")
