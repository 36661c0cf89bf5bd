"""Writing records and simulating games: the format, and the same lines from the same seed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from random import Random

import pytest

from hearts_net.rules.actions import ChooseMoon, ClaimRest, DealCards, PassCards, PlayCard
from hearts_net.rules.cards import SEATS, SUIT_MASKS, cards_in, mask_of, random_card
from hearts_net.rules.check import check_file
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import MoonRule, Options, PassingRule
from hearts_net.rules.reading import DealLine, read_lines
from hearts_net.rules.record import Header, Player, PlayerType, header_line, record_lines
from hearts_net.rules.shuffle import deal_hands
from hearts_net.rules.simulate import RandomChooser, play_game, simulate

ASHA = Player("Asha", PlayerType.HUMAN)
BRAM = Player("Brám ☃", PlayerType.BOT, "rule")
HEADER = Header("g1", "2026-01-02T03:04:05Z", Options(), (ASHA, BRAM, ASHA, BRAM))
CLUBS_TO_0 = (SUIT_MASKS[0], SUIT_MASKS[1], SUIT_MASKS[2], SUIT_MASKS[3])
STARTED = "2026-01-02T03:04:05Z"


def deal_states(game: Game, rng: Random) -> Iterator[Game]:
    """Play one deal at random from where it is, and yield every state."""
    while game.phase in (Phase.PASSING, Phase.PLAYING):
        deal = game.deal
        assert deal is not None
        if deal.passing:
            seat = deal.passes.index(0)
            game = game.apply(PassCards(seat, mask_of(cards_in(deal.hands[seat])[:3])))
        else:
            assert deal.turn is not None
            by_bot = deal.turn == 2
            game = game.apply(PlayCard(deal.turn, random_card(deal.legal(), rng), by_bot))
        yield game


def lines_of(header: Header, states: list[Game], legal: bool = False) -> list[dict[str, object]]:
    lines = list(record_lines(header, states, legal=legal))
    assert not any("\n" in line for line in lines)
    return [json.loads(line) for line in lines]


def checked(lines: list[str]) -> int:
    games = list(check_file(BytesIO("\n".join(lines).encode() + b"\n")))
    assert len(games) == 1
    return games[0].deals


def test_the_first_line() -> None:
    assert json.loads(header_line(HEADER)) == {
        "kind": "game",
        "format": 1,
        "game": "g1",
        "started": "2026-01-02T03:04:05Z",
        "rules": Options().to_dict(),
        "players": [
            {"name": "Asha", "type": "human"},
            {"name": "Brám ☃", "type": "bot", "level": "rule"},
        ]
        * 2,
    }
    assert "Brám ☃" in header_line(HEADER)
    assert ": " not in header_line(replace(HEADER, options=Options()))


def test_a_deal() -> None:
    game = Game.start(Options()).apply(DealCards(deal_hands(b"d"), shuffle="secret"))
    states = [game, *deal_states(game, Random(1))]
    lines = lines_of(HEADER, states)
    deal = states[-1].deal
    assert deal is not None
    kinds = [line["kind"] for line in lines]
    assert kinds == ["game", "deal", *["pass"] * 4, *["play"] * 52, "deal-end"]
    hands = lines[1].pop("hands")
    assert lines[1] == {"kind": "deal", "deal": 1, "pass": "left", "shuffle": "secret"}
    assert isinstance(hands, list)
    assert [len(hand) for hand in hands] == [13] * 4
    assert [line["seat"] for line in lines[2:6]] == [0, 1, 2, 3]
    assert lines[6] == {"kind": "play", "seat": deal.plays[0][0], "card": "2C"} | (
        {"by": "bot"} if deal.plays[0][0] == 2 else {}
    )
    for line, (seat, _, by_bot) in zip(lines[6:58], deal.plays, strict=True):
        assert line["seat"] == seat
        assert (line.get("by") == "bot") == by_bot == (seat == 2)
        assert "legal" not in line
    result = states[-1].results[-1]
    assert lines[-1] == {
        "kind": "deal-end",
        "deal": 1,
        "points": list(result.points),
        "totals": list(result.totals),
        "moon": None,
    }


def test_a_shuffle_is_read_as_it_was_written() -> None:
    text = '{"host":{"seed":"ab"},"seats":[1,2]}'
    game = Game.start(Options()).apply(DealCards(deal_hands(b"d"), shuffle=text))
    states = [game, *deal_states(game, Random(1))]
    written = "".join(f"{line}\n" for line in record_lines(HEADER, states))
    lines = (line for _, line in read_lines(BytesIO(written.encode())))
    assert [line.shuffle for line in lines if isinstance(line, DealLine)] == [text]


def test_legal_lists() -> None:
    game = Game.start(Options(passing=PassingRule.NONE)).apply(DealCards(deal_hands(b"d")))
    states = [game, *deal_states(game, Random(1))]
    lines = lines_of(replace(HEADER, options=game.options), states, legal=True)
    assert [line["kind"] for line in lines[:3]] == ["game", "deal", "play"]
    assert "shuffle" not in lines[1]
    assert lines[2]["legal"] == ["2C"]
    for line in lines[2:-1]:
        legal = line["legal"]
        assert isinstance(legal, list)
        assert line["card"] in legal
    assert max(len(str(line["legal"])) for line in lines[2:-1]) > 40


def test_a_running_game_stops_after_its_last_finished_deal() -> None:
    header = replace(HEADER, options=Options(passing=PassingRule.NONE))
    game = Game.start(header.options).apply(DealCards(deal_hands(b"d")))
    states = [game, *deal_states(game, Random(1))]
    whole = list(record_lines(header, states))
    assert '"legal"' not in "".join(whole)
    game = states[-1].apply(DealCards(deal_hands(b"e")))
    running = [*states, game, *list(deal_states(game, Random(1)))[:30]]
    assert list(record_lines(header, running)) == whole
    assert list(record_lines(header, [states[-1], running[-1]])) == whole
    assert checked(whole) == 1
    assert list(record_lines(header, [Game.start(header.options)])) == whole[:1]
    assert list(record_lines(header, states[:20])) == whole[:1]
    assert checked(whole[:1]) == 0


def test_a_deal_is_told_as_soon_as_it_ends() -> None:
    header = replace(HEADER, options=Options(passing=PassingRule.NONE))
    game = Game.start(header.options).apply(DealCards(CLUBS_TO_0))
    told = record_lines(header, iter([game, game.apply(ClaimRest(0))]))
    assert [json.loads(line)["kind"] for line in told] == ["game", "deal", "claim", "deal-end"]


@pytest.mark.parametrize("choice", [MoonRule.OTHERS_GAIN, MoonRule.SHOOTER_LOSES])
def test_a_claim_and_a_moon(choice: MoonRule) -> None:
    options = Options(passing=PassingRule.NONE, moon=MoonRule.SHOOTER_CHOOSES)
    game = Game.start(options).apply(DealCards(CLUBS_TO_0))
    states = [game.apply(PlayCard(0, 0))]
    for card in (13, 26, 39):
        states.append(states[-1].apply(PlayCard(card // 13, card)))
    states.append(states[-1].apply(ClaimRest(0)))
    assert states[-1].phase is Phase.MOON
    states.append(states[-1].apply(ChooseMoon(0, choice)))
    lines = lines_of(replace(HEADER, options=options), states)
    assert [line["kind"] for line in lines[2:]] == [*["play"] * 4, "claim", "moon", "deal-end"]
    assert lines[6] == {"kind": "claim", "seat": 0}
    assert lines[7] == {"kind": "moon", "seat": 0, "choice": choice.value}
    assert lines[8]["moon"] == 0
    assert checked([json.dumps(line) for line in lines]) == 1


def test_a_settled_deal() -> None:
    options = Options(passing=PassingRule.NONE, finish_early=True)
    settled = 0
    for number in range(12):
        game = Game.start(options).apply(DealCards(deal_hands(b"%d" % number)))
        states = list(deal_states(game, Random(number)))
        lines = lines_of(replace(HEADER, options=options), states)
        if states[-1].results[-1].settled:
            settled += 1
            assert lines[-2] == {"kind": "settled"}
            assert len(lines) < 56
        else:
            assert lines[-2]["kind"] == "play"
        assert checked([json.dumps(line) for line in lines]) == 1
    assert 0 < settled < 12


def test_the_end_of_a_game() -> None:
    options = Options(passing=PassingRule.NONE, target=1)
    states = list(play_game(options, [RandomChooser()] * 4, b"s"))
    lines = lines_of(replace(HEADER, options=options), states)
    assert lines[-1] == {
        "kind": "game-end",
        "totals": list(states[-1].totals),
        "winner": states[-1].winner,
    }
    assert lines[-2]["kind"] == "deal-end"


# ---- simulate ------------------------------------------------------------------------------------


def simulated(
    seed: int | str, games: int = 2, started: str = STARTED, **rules: object
) -> list[str]:
    options = Options.from_dict({"target": 40, **rules})
    run = simulate(
        games, seed, options, [RandomChooser()] * 4, ["random"] * 4, started=started, legal=True
    )
    return [line for game in run for line in game.lines]


def test_the_same_seed_gives_the_same_records() -> None:
    lines = simulated(7)
    assert simulated(7) == lines
    assert simulated("7") == lines
    assert simulated(8) != lines
    other = simulated(7, started="2027-01-01T00:00:00Z")
    assert other != lines
    assert [line.replace("2027-01-01T00:00:00Z", STARTED) for line in other] == lines
    assert simulated(7, games=1) == lines[: len(simulated(7, games=1))]
    assert simulated(7, games=0) == []


def test_simulated_games_are_right() -> None:
    rule_sets: list[dict[str, object]] = [
        {"finish_early": True, "moon": "shooter-chooses", "jack_of_diamonds": True},
        {"queen_of_spades": "after-hearts", "first_trick_points": False, "passing": "left"},
        {"queen_of_spades": "no-lead", "queen_breaks_hearts": True, "passing": "none"},
    ]
    for rules in rule_sets:
        lines = simulated(1, 3, STARTED, **rules)
        games = list(check_file(BytesIO("\n".join(lines).encode())))
        assert len(games) == 3
        assert len({game.header.game for game in games}) == 3
        for game in games:
            assert game.winner is not None
            assert game.header.started == STARTED
            assert [player.level for player in game.header.players] == ["random"] * 4
            assert [player.name for player in game.header.players] == [
                f"random {seat}" for seat in SEATS
            ]


def test_games_can_be_asked_for_in_any_order() -> None:
    options = Options(target=20)
    games = list(simulate(3, 5, options, [RandomChooser()] * 4, ["random"] * 4, started=STARTED))
    assert [len(game.header.game) for game in games] == [16] * 3
    backwards = [list(game.lines) for game in reversed(games)]
    assert [lines[0] for lines in backwards[::-1]] == [header_line(game.header) for game in games]
    assert '"legal"' not in backwards[0][9]
    assert '"legal"' in simulated(5)[9]
    again = simulate(3, 5, options, [RandomChooser()] * 4, ["random"] * 4, started=STARTED)
    assert [list(game.lines) for game in again] == backwards[::-1]


def test_a_simulated_deal_can_be_checked_by_its_shuffle() -> None:
    deals = 0
    for line in map(json.loads, simulated(3)):
        if line["kind"] == "deal":
            hands = deal_hands(bytes.fromhex(line["shuffle"]))
            assert len(line["shuffle"]) == 64
            assert [len(hand) for hand in line["hands"]] == [13] * 4
            assert [sorted(hand) for hand in line["hands"]] == [
                sorted("23456789TJQKA"[card % 13] + "CDSH"[card // 13] for card in cards_in(hand))
                for hand in hands
            ]
            deals += 1
    assert deals > 4


def test_a_moon_is_chosen_as_the_rules_say_for_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 is dealt all the clubs, and nobody passes: it shoots the moon in every deal."""
    monkeypatch.setattr("hearts_net.rules.simulate.deal_hands", lambda _: CLUBS_TO_0)
    lines = [json.loads(line) for line in simulated(1, 1, passing="none", moon="shooter-chooses")]
    moons = [line for line in lines if line["kind"] == "moon"]
    assert moons == [{"kind": "moon", "seat": 0, "choice": "others-gain"}] * 2
    assert lines[-1] == {"kind": "game-end", "totals": [0, 52, 52, 52], "winner": 0}


@pytest.mark.parametrize("seats", [3, 5])
def test_four_choosers_are_needed(seats: int) -> None:
    with pytest.raises(ValueError, match=r"^a game needs four choosers and four levels$"):
        next(simulate(1, 1, Options(), [RandomChooser()] * seats, ["r"] * 4, started=STARTED))
    with pytest.raises(ValueError, match=r"^a game needs four choosers and four levels$"):
        next(simulate(1, 1, Options(), [RandomChooser()] * 4, ["r"] * seats, started=STARTED))
