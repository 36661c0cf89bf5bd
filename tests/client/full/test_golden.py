"""Every screen as it looks, at every size and in every manner: one file a screen, to be read.

The files are in ``golden/screens``. `make screens` writes them anew; what differs is to be looked
at before it is kept. Letters under a line tell how it stands out without colours: bold, underlined,
italic, reverse, and in capitals bold as well.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from prompt_toolkit.styles import BaseStyle

from hearts_client.full.at_start import with_tables
from hearts_client.full.doors import FoundTable, Reached, SavedTable
from hearts_client.full.intents import Want
from hearts_client.full.layout import Line, Screenful, Size, cells
from hearts_client.full.model import Field, Model, Page, Purpose, StartState, Where, where
from hearts_client.full.screens.draw import draw
from hearts_client.full.steps import heard
from hearts_client.full.theme import style_sheet, style_text
from hearts_client.settings import ClientSettings, Colours
from hearts_client.table_state import TableState, link_changed
from hearts_client.testing.sitting import NOON, Sitting
from hearts_client.themefile import ATTRIBUTES_ALONE, Variant
from hearts_net.protocol import messages as m
from hearts_net.rules.cards import mask_of, parse_card
from hearts_net.rules.options import MoonRule, Options, PassingRule

FOLDER = Path(__file__).parent / "golden" / "screens"
SIZES = (Size(80, 24), Size(120, 40), Size(60, 18), Size(40, 12))
USUAL = SIZES[0]
RANKS = "23456789TJQKA"

Shown = tuple[Model, int]
Case = Callable[[ClientSettings], Shown]


# ---- the screens ---------------------------------------------------------------------------------


def start(settings: ClientSettings, *found: FoundTable, looked: bool = False) -> Shown:
    saved = (SavedTable("t1", "attic", 3, ["Asha", "Bram", "Chloé", "Dana"]),)
    model = Model(settings, at_table=False, start=StartState(saved=saved, looked=looked))
    return with_tables(model, found), 0


def finder(settings: ClientSettings) -> Shown:
    return start(
        settings,
        FoundTable("kitchen (ada-pc)", "10.0.0.7:26052", True, "2 seats free", favourite=True),
        FoundTable("kitchen (ben-pc)", "10.0.0.8:26052", False, "playing, to watch", watched=True),
        FoundTable("cellar", "10.0.0.9:26052", True, "full, on this machine"),
        FoundTable("hall", "10.0.0.4:26052", True, "does not answer", False, "no-answer", True),
    )


def asked_for_a_name(settings: ClientSettings) -> Shown:
    model, now = start(settings)
    return replace(model, field=Field(Purpose.TABLE_NAME, "Asha's table", 12)), now


def waiting(settings: ClientSettings) -> Shown:
    return Model(settings, where_to="10.0.0.1:26052", table=TableState()), 3000


def asked_for_a_code(settings: ClientSettings) -> Shown:
    model, now = waiting(settings)
    return replace(model, field=Field(Purpose.CODE, "1234", 4)), now


def lobby(settings: ClientSettings, *wants: Want) -> Shown:
    table = Sitting(settings=settings, options=Options(target=50))
    table.changes["watchers"] = 2
    table.lobby(seated=3)
    invite = "hearts://192.168.1.7,fd00::7/26052/" + "k" * 43 + "/abcdef"
    table.model, _ = heard(table.model, Reached(invite), table.now)
    return pressed(table, *wants)


def people(settings: ClientSettings) -> Shown:
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
    return pressed(table, Want.PEOPLE)


def pressed(table: Sitting, *wants: Want) -> Shown:
    table.press(*wants)
    return table.model, table.now


def at_hand(settings: ClientSettings, trick: int, *wants: Want, seconds: int = 2) -> Shown:
    """Come to this seat's turn in a trick, wait and press keys."""
    table = Sitting(settings=settings).until_my_turn(trick=trick)
    table.now += 1000 * seconds
    return pressed(table, *wants)


def passing(settings: ClientSettings, *wants: Want, steps: int = 2) -> Shown:
    table = Sitting(settings=settings)
    for _ in range(steps):
        table.step()
    return pressed(table, *wants)


def passed(settings: ClientSettings) -> Shown:
    """Have passed before the others have."""
    table = Sitting(settings=settings)
    table.step()
    assert table.game.deal is not None
    table.show(table._pass(0))
    return table.model, table.now


def anothers_turn(settings: ClientSettings, *wants: Want) -> Shown:
    table = Sitting(settings=settings).until(
        lambda at: (
            at.game.deal is not None
            and at.game.deal.trick_number == 4
            and at.game.deal.turn == 3
            and len(at.model.public.trick if at.model.public else ()) == 2
        )
    )
    return pressed(table, *wants)


def illegal(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=5)
    table.now += 2000
    card = next(card for card in table.model.hand if card not in table.model.legal)
    table.model = replace(table.model, chosen=card)
    return pressed(table, Want.ENTER)


def trick_shown(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=3)
    table.until(lambda at: at.game.deal is not None and len(at.game.deal.tricks) == 3)
    return table.model, table.now


def moon(settings: ClientSettings) -> Shown:
    hands = [mask_of(parse_card(rank + suit) for rank in RANKS) for suit in "CDSH"]
    table = Sitting(
        settings=settings,
        options=Options(moon=MoonRule.SHOOTER_CHOOSES, passing=PassingRule.NONE),
        hands=(hands[0], hands[1], hands[2], hands[3]),
    )
    table.until(lambda at: at.game.phase == "moon")
    table.now += 2000
    return pressed(table, Want.DOWN)


def deals_over(settings: ClientSettings, deals: int, *wants: Want) -> Shown:
    table = Sitting(settings=settings).until(lambda at: len(at.game.results) == deals)
    table.changes["next_at"] = NOON + table.now + 16_000
    table.show()
    table.now += 2000
    return pressed(table, *wants)


def game_over(settings: ClientSettings, *wants: Want) -> Shown:
    table = Sitting(settings=settings, options=Options(target=50))
    table.until(lambda at: at.game.winner is not None)
    table.now += 2000
    return pressed(table, *wants)


def paged(settings: ClientSettings, *wants: Want) -> Shown:
    """Open a page in the second deal."""
    table = Sitting(settings=settings).until(lambda at: len(at.game.results) == 1)
    table.until_my_turn(trick=4)
    return pressed(table, *wants)


def queen_asked_about(settings: ClientSettings) -> Shown:
    asking = replace(settings, confirm_queen=True)
    table = Sitting(settings=asking).until(
        lambda at: "QS" in at.model.legal and at.game.phase == "playing"
    )
    table.now += 2000
    table.model = replace(table.model, chosen="QS")
    return pressed(table, Want.ENTER)


def watching(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings, me=None).until_my_turn(trick=4)
    return table.model, table.now + 2000


def away(settings: ClientSettings, **changes: object) -> Shown:
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


def reconnecting(settings: ClientSettings, seconds: int = 8) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=2)
    lost = link_changed(table.model.table, "lost", table.now)
    model = replace(table.model, where_to="192.168.1.7:26052", table=lost)
    return model, table.now + 1000 * seconds


def ended(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=2)
    return replace(table.model, table=replace(table.model.table, closing="saved")), table.now


def chatting(settings: ClientSettings) -> Shown:
    table = Sitting(settings=settings).until_my_turn(trick=2)
    table.show([m.Said(0, 0, "Bram", 1, "anybody for tea?")])
    table.press(Want.CHAT)
    return replace(table.model, field=Field(Purpose.CHAT, "yes, pl", 7)), table.now + 2000


CASES: dict[str, Case] = {
    "start": start,
    "start-in-vain": lambda s: start(s, looked=True),
    "table-finder": finder,
    "new-table": asked_for_a_name,
    "waiting": waiting,
    "code-asked": asked_for_a_code,
    "lobby": lobby,
    "lobby-rules-form": lambda s: lobby(s, Want.PRESET, Want.DOWN, Want.RIGHT),
    "lobby-people": people,
    "passing-before": passing,
    "passing-marked": lambda s: passing(s, Want.MARK, Want.RIGHT, Want.RIGHT, Want.MARK),
    "passing-sent": passed,
    "received": lambda s: at_hand(s, 1),
    "play": lambda s: at_hand(s, 6, Want.RIGHT),
    "play-hints": lambda s: at_hand(replace(s, hints=True), 6),
    "play-illegal": illegal,
    "play-card-typed": lambda s: at_hand(s, 6, Want.TYPE_CARD),
    "play-queen-asked": queen_asked_about,
    "others-play": anothers_turn,
    "others-play-ahead": lambda s: anothers_turn(replace(s, preselect=True), Want.AHEAD),
    "trick-shown": trick_shown,
    "moon-choice": moon,
    "deal-over": lambda s: deals_over(s, 2),
    "game-over": game_over,
    "scores": lambda s: deals_over(s, 4, Want.SCORES),
    "last-trick": lambda s: paged(s, Want.LAST_TRICK),
    "history": lambda s: paged(s, Want.HISTORY),
    "log": lambda s: paged(s, Want.LOG),
    "rules": lambda s: paged(s, Want.RULES),
    "help": lambda s: paged(s, Want.HELP),
    "settings": lambda s: paged(s, Want.SETTINGS),
    "leaving": lambda s: paged(s, Want.LEAVE),
    "chat": chatting,
    "watching": watching,
    "away": away,
    "paused": lambda s: away(s, paused="player"),
    "reconnecting": reconnecting,
    "host-gone": lambda s: reconnecting(s, 12),
    "ended": ended,
}


# ---- and how they are kept -----------------------------------------------------------------------


def without_colours(screen: Screenful) -> str:
    """Write a screen with marks under what stands out though there are no colours."""
    sheet = style_sheet(Variant("", ATTRIBUTES_ALONE, {}), Colours.NONE)
    rows = []
    for line, text in zip(screen.lines, screen.text().split("\n"), strict=True):
        rows.append(text)
        marks = "".join(_mark(sheet, line, number) for number in range(len(line))).rstrip()
        rows += [marks] if marks else []
    return "\n".join(rows)


def _mark(sheet: BaseStyle, line: Line, number: int) -> str:
    span = line[number]
    look = sheet.get_attrs_for_style_str(style_text(span.style))
    assert look.color in ("", None), f"{span.style} has a colour"
    assert look.bgcolor in ("", None), f"{span.style} has a colour"
    mark = "r" if look.reverse else "u" if look.underline else "i" if look.italic else ""
    mark = (mark or "b").upper() if look.bold and mark else ("b" if look.bold else mark)
    return (mark or " ") * cells(span.text)


def sheet_of(case: Case) -> str:
    """Draw a screen in every manner."""
    usual = ClientSettings(name="Asha")
    model, now = case(usual)
    parts = [(f"{size.columns}x{size.rows}", draw(model, size, now).text()) for size in SIZES]
    model, now = case(replace(usual, ascii=True))
    in_ascii = draw(model, USUAL, now).text()
    strange = {letter for letter in in_ascii if not letter.isascii()}
    assert strange <= {"é"}, strange  # of a name
    parts.append(("80x24 in ASCII", in_ascii))
    model, now = case(replace(usual, colours=Colours.NONE))
    parts.append(("80x24 without colours", without_colours(draw(model, USUAL, now))))
    return "".join(f"{f' {head} ':=^80}\n{text}\n" for head, text in parts)


@pytest.mark.parametrize("name", CASES)
def test_it_looks_as_it_did(name: str) -> None:
    path, drawn = FOLDER / f"{name}.txt", sheet_of(CASES[name])
    if os.environ.get("HEARTS_GOLDEN") == "write":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    assert path.is_file(), "run make screens, and look at it"
    assert drawn == path.read_text(encoding="utf-8"), "run make screens if this is meant"


def test_no_screen_is_kept_that_is_not_drawn() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == CASES.keys()


def test_every_place_and_page_is_among_them() -> None:
    shown = [case(ClientSettings(name="Asha")) for case in CASES.values()]
    assert {where(model, now) for model, now in shown} == set(Where)
    assert {model.page for model, _ in shown} >= set(Page)
