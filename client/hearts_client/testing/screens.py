"""Every screen of the client, and how to come to it: for tests that go through all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import msgspec

from hearts_client.doors import ListedTable, SavedTable
from hearts_client.full.at_start import with_tables
from hearts_client.full.intents import Want
from hearts_client.full.model import Field, Model, Purpose, StartState
from hearts_client.full.steps import heard
from hearts_client.settings import ClientSettings
from hearts_client.speech import RANKS
from hearts_client.table_state import TableState, link_changed
from hearts_client.tablelink import Reached
from hearts_client.testing.sitting import NOON, Sitting
from hearts_net.peer.invite import Invite
from hearts_net.protocol import messages as m
from hearts_net.rules.cards import mask_of, parse_card
from hearts_net.rules.options import MoonRule, Options, PassingRule

Shown: TypeAlias = tuple[Model, int]
"""A client's state, and the time on its clock."""
Case: TypeAlias = Callable[[ClientSettings], Shown]


def _start(settings: ClientSettings, *found: ListedTable, looked: bool = False) -> Shown:
    saved = (SavedTable("t1", "attic", 3, ["Asha", "Bram", "Chloé", "Dana"]),)
    model = Model(settings, at_table=False, start=StartState(saved=saved, looked=looked))
    return with_tables(model, found), 0


def _finder(settings: ClientSettings) -> Shown:
    return _start(
        settings,
        ListedTable("kitchen (ada-pc)", "10.0.0.7:26052", True, "2 seats free", favourite=True),
        ListedTable("kitchen (ben-pc)", "10.0.0.8:26052", False, "playing, to watch", watched=True),
        ListedTable("cellar", "10.0.0.9:26052", True, "full, on this machine"),
        ListedTable("hall", "10.0.0.4:26052", True, "does not answer", False, "no-answer", True),
    )


def _asked_for_a_name(settings: ClientSettings) -> Shown:
    model, now = _start(settings)
    return replace(model, field=Field(Purpose.TABLE_NAME, "Asha's table", 12)), now


def _waiting(settings: ClientSettings) -> Shown:
    return Model(settings, where_to="10.0.0.1:26052", table=TableState()), 3000


def _asked_for_a_code(settings: ClientSettings) -> Shown:
    model, now = _waiting(settings)
    return replace(model, field=Field(Purpose.CODE, "1234", 4)), now


def _lobby(settings: ClientSettings, *wants: Want) -> Shown:
    table = Sitting(settings=settings, options=Options(target=50))
    table.changes["watchers"] = 2
    table.lobby(seated=3)
    invite = Invite(("192.168.1.7", "fd00::7"), 26052, "k" * 40).text()
    table.model, _ = heard(table.model, Reached(invite), table.now)
    return _pressed(table, *wants)


def _people(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings).lobby()
    view = table.model.table.view
    assert view is not None
    robin, wanda, mallory = (
        m.Somebody(name[0] * 40, name, role)
        for name, role in (("Robin", "player"), ("Wanda", "watcher"), ("Mallory", ""))
    )
    desk = m.DeskView("code", "123456", 0, [robin], [wanda], [mallory])
    seen = msgspec.structs.replace(view, seq=view.seq + 1, desk=desk, may=[*view.may, "admit"])
    table.hear(seen)
    return _pressed(table, Want.PEOPLE)


def _pressed(table: Sitting, *wants: Want) -> Shown:
    table.press(*wants)
    return table.model, table.now


def _at_hand(settings: ClientSettings, trick: int, *wants: Want, seconds: int = 2) -> Shown:
    """Come to this seat's turn in a trick, wait and press keys."""
    table = Sitting(settings=settings).until_my_turn(trick=trick)
    table.now += 1000 * seconds
    return _pressed(table, *wants)


def _passing(settings: ClientSettings, *wants: Want, steps: int = 2) -> Shown:
    table = Sitting(settings=settings)
    for _ in range(steps):
        table.step()
    return _pressed(table, *wants)


def _passed(settings: ClientSettings) -> Shown:
    """Have passed before the others have."""
    table = Sitting(settings=settings)
    table.step()
    assert table.game.deal is not None
    table.show(table._pass(0))
    return table.model, table.now


def _anothers_turn(settings: ClientSettings, *wants: Want) -> Shown:
    table = Sitting(settings=settings).until(
        lambda at: (
            at.game.deal is not None
            and at.game.deal.trick_number == 4
            and at.game.deal.turn == 3
            and len(at.model.public.trick if at.model.public else ()) == 2
        )
    )
    return _pressed(table, *wants)


def _illegal(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=5)
    table.now += 2000
    card = next(card for card in table.model.hand if card not in table.model.legal)
    table.model = replace(table.model, chosen=card)
    return _pressed(table, Want.ENTER)


def _trick_shown(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=3)
    table.until(lambda at: at.game.deal is not None and len(at.game.deal.tricks) == 3)
    return table.model, table.now


def _moon(settings: ClientSettings) -> Shown:
    hands = [mask_of(parse_card(rank + suit) for rank in RANKS) for suit in "CDSH"]
    table = Sitting(
        settings=settings,
        options=Options(moon=MoonRule.SHOOTER_CHOOSES, passing=PassingRule.NONE),
        hands=(hands[0], hands[1], hands[2], hands[3]),
    )
    table.until(lambda at: at.game.phase == "moon")
    table.now += 2000
    return _pressed(table, Want.DOWN)


def _deals_over(settings: ClientSettings, deals: int, *wants: Want) -> Shown:
    table = Sitting(settings=settings).until(lambda at: len(at.game.results) == deals)
    table.changes["next_at"] = NOON + table.now + 16_000
    table.show()
    table.now += 2000
    return _pressed(table, *wants)


def _game_over(settings: ClientSettings, *wants: Want) -> Shown:
    table = Sitting(settings=settings, options=Options(target=50))
    table.until(lambda at: at.game.winner is not None)
    table.now += 2000
    return _pressed(table, *wants)


def _paged(settings: ClientSettings, *wants: Want) -> Shown:
    """Open a page in the second deal."""
    table = Sitting(settings=settings).until(lambda at: len(at.game.results) == 1)
    table.until_my_turn(trick=4)
    return _pressed(table, *wants)


def _queen_asked_about(settings: ClientSettings) -> Shown:
    asking = replace(settings, confirm_queen=True)
    table = Sitting(settings=asking).until(
        lambda at: "QS" in at.model.legal and at.game.phase == "playing"
    )
    table.now += 2000
    table.model = replace(table.model, chosen="QS")
    return _pressed(table, Want.ENTER)


def _watching(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings, me=None).until_my_turn(trick=4)
    return table.model, table.now + 2000


def _away(settings: ClientSettings, **changes: object) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=2)
    clock = NOON + table.now
    table.seat_changes[1] = {
        "presence": "away",
        "since": clock - 7000,
        "held_until": clock + 53_000,
    }
    table.changes |= changes
    table.show()
    return table.model, table.now + 2000


def _reconnecting(settings: ClientSettings, seconds: int = 8) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=2)
    lost = link_changed(table.model.table, "lost", table.now)
    model = replace(table.model, where_to="192.168.1.7:26052", table=lost)
    return model, table.now + 1000 * seconds


def _ended(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=2)
    return replace(table.model, table=replace(table.model.table, closing="saved")), table.now


def _chatting(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=2)
    table.show([m.Said(0, 0, "Bram", 1, "anybody for tea?")])
    table.press(Want.CHAT)
    return replace(table.model, field=Field(Purpose.CHAT, "yes, pl", 7)), table.now + 2000


SCREENS: dict[str, Case] = {
    "start": _start,
    "start-in-vain": lambda s: _start(s, looked=True),
    "table-finder": _finder,
    "new-table": _asked_for_a_name,
    "waiting": _waiting,
    "code-asked": _asked_for_a_code,
    "lobby": _lobby,
    "lobby-rules-form": lambda s: _lobby(s, Want.PRESET, Want.DOWN, Want.RIGHT),
    "lobby-people": _people,
    "lobby-invite": lambda s: _lobby(s, Want.INVITE),
    "lobby-help": lambda s: _lobby(s, Want.HELP),
    "passing-before": _passing,
    "passing-marked": lambda s: _passing(s, Want.MARK, Want.RIGHT, Want.RIGHT, Want.MARK),
    "passing-sent": _passed,
    "received": lambda s: _at_hand(s, 1),
    "play": lambda s: _at_hand(s, 6, Want.RIGHT),
    "play-hints": lambda s: _at_hand(replace(s, hints=True), 6),
    "play-illegal": _illegal,
    "play-card-typed": lambda s: _at_hand(s, 6, Want.TYPE_CARD),
    "play-queen-asked": _queen_asked_about,
    "others-play": _anothers_turn,
    "others-play-ahead": lambda s: _anothers_turn(replace(s, preselect=True), Want.AHEAD),
    "trick-shown": _trick_shown,
    "moon-choice": _moon,
    "deal-over": lambda s: _deals_over(s, 2),
    "game-over": _game_over,
    "scores": lambda s: _deals_over(s, 4, Want.SCORES),
    "last-trick": lambda s: _paged(s, Want.LAST_TRICK),
    "history": lambda s: _paged(s, Want.HISTORY),
    "log": lambda s: _paged(s, Want.LOG),
    "rules": lambda s: _paged(s, Want.RULES),
    "help": lambda s: _paged(s, Want.HELP),
    "settings": lambda s: _paged(s, Want.SETTINGS),
    "leaving": lambda s: _paged(s, Want.LEAVE),
    "chat": _chatting,
    "watching": _watching,
    "away": _away,
    "paused": lambda s: _away(s, paused="player"),
    "reconnecting": _reconnecting,
    "host-gone": lambda s: _reconnecting(s, 12),
    "ended": _ended,
}
"""By name."""
