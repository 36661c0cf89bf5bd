"""What a bot over the network says of itself."""

from __future__ import annotations

from pathlib import Path

from hearts_client.botwords import BotTeller
from hearts_client.crash import log_to
from hearts_client.testing.sitting import Sitting
from hearts_net.protocol.messages import View
from hearts_net.protocol.peer_outputs import DealChecked, HostClosing, LinkChanged, NewView
from hearts_net.protocol.peer_states import LinkState
from hearts_net.rules.errors import FairCode
from hearts_net.rules.options import Options


def newest(table: Sitting) -> View:
    view = table.model.table.view
    assert view is not None
    return view


def test_a_bot_says_where_it_sits_and_how_the_game_ends() -> None:
    said: list[str] = []
    teller = BotTeller(said.append)
    table = Sitting(options=Options(target=20), bots=frozenset({0, 2}))
    while table.game.winner is None:
        table.step()
        teller.heed(NewView(newest(table), False))
    assert said[0] == "Asha sits on seat 1 at the table attic, level medium."
    assert len(said) == 2
    assert said[1].startswith("The game is over")
    assert "Asha" in said[1]


def test_a_bot_says_a_single_point_as_one() -> None:
    said: list[str] = []
    table = Sitting(options=Options(target=1), bots=frozenset({0, 2}))
    table.until(lambda at: at.game.winner is not None)
    table.seat_changes = {0: {"total": 1}}
    for winner, words in ((0, "and Asha wins with 1 point."), (1, "Asha has 1 point.")):
        teller = BotTeller(said.append)
        table.changes = {"winner": winner}
        table.show()
        teller.heed(NewView(newest(table), False))
        assert said[-1].endswith(words)


def test_a_bot_without_a_seat_says_nothing() -> None:
    said: list[str] = []
    table = Sitting(me=None)
    table.step()
    BotTeller(said.append).heed(NewView(newest(table), False))
    assert said == []


def test_a_bot_says_when_its_connection_goes_and_comes_back() -> None:
    said: list[str] = []
    teller = BotTeller(said.append)
    for state in (LinkState.CONNECTING, LinkState.LIVE, LinkState.LOST, LinkState.CONNECTING,
                  LinkState.LIVE):  # fmt: skip
        teller.heed(LinkChanged(state, 0))
    teller.heed(HostClosing("done"))
    assert said == [
        "The connection is lost; it is being made again.",
        "The connection is back.",
        "The table has ended.",
    ]


def test_a_bot_says_which_deals_it_could_not_verify() -> None:
    said: list[str] = []
    teller = BotTeller(said.append)
    table = Sitting(bots=frozenset({0, 2}))
    table.step()
    teller.heed(NewView(newest(table), False))
    del said[:]
    teller.heed(DealChecked("g1", 1, "", {}))
    teller.heed(DealChecked("g1", 2, FairCode.NOT_WITNESSED, {}))
    assert said == []
    teller.heed(DealChecked("g1", 3, FairCode.DECK_STACKED, {}))
    teller.heed(DealChecked("g1", 4, "", {}, (1,)))
    assert said[0].startswith("Deal 3 NOT verified. Cards are not where the shuffle put them")
    assert said[1].startswith("Deal 4 verified. The share of Bram came too late")


def test_what_a_bot_should_not_meet_is_in_its_log_file(tmp_path: Path) -> None:
    log_to("")("kept nowhere")
    path = tmp_path / "bot.log"
    log = log_to(str(path))
    log("deal 3 is not verified: deck-stacked")
    log("Play refused: not-your-turn")
    lines = path.read_text().splitlines()
    assert [line.partition(" ")[2] for line in lines] == [
        "deal 3 is not verified: deck-stacked",
        "Play refused: not-your-turn",
    ]
    log_to(str(tmp_path))("a folder takes no line, and the bot plays on")
