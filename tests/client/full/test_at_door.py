"""The table's door on the full screen: typing a code, waiting, and what the host's player does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from hearts_client.full.at_door import people
from hearts_client.full.intents import Intent, Want
from hearts_client.full.keys import TABLE, intent_of
from hearts_client.full.layout import Size
from hearts_client.full.model import Do, GiveCode, LeaveTable, Page, Purpose, Ring, Where, where
from hearts_client.full.screens.draw import draw
from hearts_client.full.steps import heard, press, type_key, type_text
from hearts_net.protocol import messages as m
from hearts_net.protocol import peer_session as news
from hearts_net.protocol.peer_states import LinkState

Sit = Callable[..., Any]
ROBIN = m.Somebody("r" * 40, "Robin", "player")
WANDA = m.Somebody("w" * 40, "Wanda", "watcher")
MALLORY = m.Somebody("m" * 40, "Mallory", "")


def desk(admission: str = "ask", code: str = "", **lists: list[m.Somebody]) -> m.DeskView:
    full = {"asking": [], "standing": [], "banned": [], **lists}
    return m.DeskView(admission, code, 0, full["asking"], full["standing"], full["banned"])


def hear(table: Any, event: object) -> list[Any]:
    table.model, effects = heard(table.model, event, table.now)
    return list(effects)


def lobby(sitting: Sit, **lists: list[m.Somebody]) -> Any:
    """Sit in the lobby as the host's player, with this on the desk."""
    table = sitting()
    table.lobby()
    hear(table, news.LinkChanged(LinkState.LIVE, 0))
    show(table, msgspec.structs.replace(desk(), **lists))
    return table


def show(table: Any, on_desk: m.DeskView) -> list[Any]:
    view = table.model.table.view
    changed = msgspec.structs.replace(
        view, seq=view.seq + 1, desk=on_desk, may=[*view.may, "admit"]
    )
    return hear(table, news.NewView(changed, False))


def key(table: Any, want: Want, number: int = 0) -> list[Any]:
    table.model, effects = press(table.model, Intent(want, number), table.now)
    return list(effects)


def typed(table: Any, text: str) -> list[Any]:
    table.model = type_text(table.model, text)
    table.model, effects = type_key(table.model, "enter", table.now)
    return list(effects)


def shown(table: Any) -> str:
    screen = draw(table.model, Size(90, 26), table.now)
    return "\n".join("".join(span.text for span in line) for line in screen.lines)


# ---- a newcomer ----------------------------------------------------------------------------------


def test_the_code_is_asked_for_typed_and_sent(sitting: Sit) -> None:
    table = sitting()
    hear(table, news.CodeAsked())
    assert where(table.model, table.now) is Where.FIELD
    assert "six digits" in shown(table)
    assert typed(table, "482 913") == [GiveCode("482913")]
    assert table.model.field is None


def test_what_cannot_be_a_code_is_not_sent_and_can_be_typed_again(sitting: Sit) -> None:
    table = sitting()
    hear(table, news.CodeAsked())
    assert typed(table, "sesame") == []
    assert table.model.field is not None
    assert "not the table's code" in shown(table)
    assert typed(table, "482913") == [GiveCode("482913")]


def test_a_wrong_code_is_said_and_asked_for_again(sitting: Sit) -> None:
    table = sitting()
    hear(table, news.CodeAsked())
    typed(table, "000000")
    hear(table, news.RefusedBy("wrong-code", {"left": 9}, final=False))
    hear(table, news.CodeAsked())
    assert "not the table's code" in shown(table)
    assert table.model.field.purpose is Purpose.CODE


def test_who_has_no_code_leaves(sitting: Sit) -> None:
    table = sitting()
    hear(table, news.CodeAsked())
    table.model, effects = type_key(table.model, "escape", table.now)
    assert effects == (LeaveTable(),)


def test_who_waits_for_the_hosts_player_is_told_so(sitting: Sit) -> None:
    table = sitting()
    hear(table, news.AskedAbout())
    assert "wait for the answer" in shown(table)


def test_who_is_sent_away_is_told_so_and_can_only_end(sitting: Sit) -> None:
    for reason, words in (("kicked", "sent you away"), ("banned", "banned you")):
        table = lobby(sitting)
        hear(table, news.RemovedBy(reason))
        assert where(table.model, table.now) is Where.ENDED
        assert words in shown(table)


# ---- the host's player ---------------------------------------------------------------------------


def test_the_code_stands_in_the_lobby(sitting: Sit) -> None:
    table = sitting()
    table.lobby()
    show(table, desk("code", "482913"))
    assert "482 913" in shown(table)


def test_who_asks_is_announced_with_a_bell_and_let_in_or_turned_away(sitting: Sit) -> None:
    table = lobby(sitting)
    assert Ring() in show(table, desk(asking=[ROBIN]))
    assert "Robin asks to join" in shown(table)
    assert key(table, Want.LET_IN) == [Do(m.Admit(ROBIN.key, True))]
    assert key(table, Want.TURN_AWAY) == [Do(m.Admit(ROBIN.key, False))]
    assert show(table, desk()) == []
    assert "asks to join" not in shown(table)
    assert key(table, Want.LET_IN) == []
    assert "Nobody asks" in shown(table)


def test_others_have_no_door_to_see_to(sitting: Sit) -> None:
    table = sitting()
    table.lobby()
    for want in (Want.LET_IN, Want.TURN_AWAY, Want.PEOPLE):
        assert key(table, want) == []
        assert table.model.page is None


def test_everybody_is_on_the_page_of_people(sitting: Sit) -> None:
    table = lobby(sitting, asking=[ROBIN], standing=[WANDA], banned=[MALLORY])
    key(table, Want.PEOPLE)
    assert table.model.page is Page.PEOPLE
    for words in ("Robin", "asks to join", "Wanda", "watches", "Mallory", "banned"):
        assert words in shown(table)
    by_place = {person.place: number for number, person in enumerate(people(table.model))}
    assert by_place["asking"] == 0
    does: dict[tuple[str, Want], m.AnyAct] = {
        ("asking", Want.ENTER): m.Admit(ROBIN.key),
        ("asking", Want.SEND_AWAY): m.Admit(ROBIN.key, admit=False),
        ("asking", Want.BAN): m.Ban(ROBIN.key),
        ("standing", Want.SEND_AWAY): m.Kick(WANDA.key),
        ("standing", Want.BAN): m.Ban(WANDA.key),
        ("banned", Want.ENTER): m.Unban(MALLORY.key),
    }
    for (place, want), act in does.items():
        key(table, Want.PICK, by_place[place])
        assert key(table, want) == [Do(act)]
    key(table, Want.PICK, by_place["banned"])
    assert key(table, Want.SEND_AWAY) == []
    assert key(table, Want.ADMISSION) == [Do(m.SetAdmission("open"))]
    key(table, Want.DOWN)
    key(table, Want.UP)
    key(table, Want.BACK)
    assert table.model.page is None


def test_too_many_wrong_codes_are_said(sitting: Sit) -> None:
    table = sitting()
    table.lobby()
    show(table, desk("code", "482913"))
    show(table, desk("code"))
    assert "Too many wrong codes" in shown(table)


@pytest.mark.parametrize("place", sorted(TABLE))
def test_its_keys_mean_the_same_everywhere_at_the_table(place: Where) -> None:
    keys = {"y": Want.LET_IN, "n": Want.TURN_AWAY, "a": Want.PEOPLE}
    for name, want in keys.items():
        assert intent_of(name, place) == Intent(want)
