"""Who may do what: every role with every act."""

from __future__ import annotations

from itertools import product

import pytest

from hearts_net.host import course
from hearts_net.host.opening import Opening
from hearts_net.host.permissions import RULES, Actor, actor_for, deputy_for, open_acts
from hearts_net.host.table import Stage
from hearts_net.protocol.messages import (
    AddBot,
    Admit,
    AnyAct,
    Ban,
    ChooseMoon,
    Claim,
    Close,
    Command,
    GiveSeat,
    GoOn,
    GoUnsaved,
    Kick,
    Pass,
    Pause,
    Play,
    Ready,
    Rematch,
    RemoveBot,
    Say,
    SetAdmission,
    SetRules,
    Sit,
    Stand,
    Start,
    Unban,
    Vote,
)
from hearts_net.rules.cards import CARD_TEXTS, cards_in
from hearts_net.rules.errors import HeartsError
from hearts_net.testing.tables import HOST, LEVELS, Driver

ACTS: dict[str, AnyAct] = {
    "sit": Sit(0),
    "stand": Stand(),
    "add-bot": AddBot(3, "easy"),
    "remove-bot": RemoveBot(2),
    "ready": Ready(),
    "set-rules": SetRules({"target": 50}),
    "start": Start(),
    "pass": Pass(["2C", "3C", "4C"]),
    "play": Play("2C"),
    "claim": Claim(),
    "choose-moon": ChooseMoon("others-gain"),
    "pause": Pause(),
    "go-on": GoOn(),
    "go-unsaved": GoUnsaved(),
    "rematch": Rematch(),
    "say": Say("hello"),
    "close": Close(),
    "give-seat": GiveSeat(1),
    "vote": Vote(1, "wait"),
    "admit": Admit("newcomer"),
    "kick": Kick("person"),
    "ban": Ban("person"),
    "unban": Unban("banned"),
    "set-admission": SetAdmission("ask"),
}
ROLES = ("host", "person", "standing", "bot", "table-bot", "watcher", "deputy")
SEATED = {"host", "person", "bot", "table-bot", "deputy"}
PLAYS = {"host", "person", "bot", "table-bot", "deputy"}
MAY: dict[str, set[str]] = {
    "sit": {"host", "person", "standing", "bot"},
    "stand": {"host", "person", "bot"},
    "add-bot": {"host"},
    "remove-bot": {"host"},
    "ready": {"host", "person"},
    "set-rules": {"host"},
    "start": {"host"},
    "pass": PLAYS,
    "play": PLAYS,
    "claim": PLAYS - {"deputy"},
    "choose-moon": PLAYS,
    "pause": {"host"},
    "go-on": {"host"},
    "go-unsaved": {"host"},
    "rematch": {"host", "person"},
    "say": {"host", "person", "standing"},
    "close": {"host"},
    "give-seat": {"host"},
    "vote": {"host", "person"},
    "admit": {"host"},
    "kick": {"host"},
    "ban": {"host"},
    "unban": {"host"},
    "set-admission": {"host"},
}
NAMED = {"sit", "pass", "play", "remove-bot", "give-seat", "add-bot", "kick", "ban"}
"""Whether these are accepted depends on what they name."""
OF_SEAT = {"stand", "ready", "pass", "play", "claim", "choose-moon", "rematch", "vote"}


def table_with_everybody() -> tuple[Driver, dict[str, Actor]]:
    """Seat 0 the host's player, 1 a person, 2 a table's bot, 3 a bot over the network."""
    driver = Driver(opening=Opening("t1", "attic", HOST, levels=LEVELS))
    driver.join(HOST)
    driver.join("person")
    driver.join("standing")
    driver.act("standing", Stand())
    driver.act(HOST, AddBot(2, "easy"))
    bot_key = driver.table.seats[2].key
    driver.join(bot_key, role="bot")
    driver.join("bot", role="bot")
    driver.join("watcher", role="watcher")
    keys = {
        "host": HOST,
        "person": "person",
        "standing": "standing",
        "bot": "bot",
        "table-bot": bot_key,
        "watcher": "watcher",
    }
    actors = {role: actor_for(driver.table, key) for role, key in keys.items()}
    actors["deputy"] = deputy_for(1)
    return driver, actors


def code_of(driver: Driver, role: str, actor: Actor, act: AnyAct) -> str:
    table = driver.table
    command = Command(999, table.epoch, table.deal_number, table.trick_number, act)
    try:
        course.handle(table, actor.key or role, actor, command, driver.moment())
    except HeartsError as error:
        return error.code
    return ""


def in_a_game() -> tuple[Driver, dict[str, Actor]]:
    driver, actors = table_with_everybody()
    driver.act(HOST, Start())
    return driver, actors


def test_every_act_has_a_rule_and_a_test() -> None:
    assert {str(kind.__struct_config__.tag) for kind in RULES} == set(ACTS) == set(MAY)


@pytest.mark.parametrize(("act", "role"), [*product(ACTS, ROLES)])
def test_only_those_who_may_get_as_far_as_what_they_ask(act: str, role: str) -> None:
    for driver, actors in (table_with_everybody(), in_a_game()):
        code = code_of(driver, role, actors[role], ACTS[act])
        if role == "deputy":  # nobody is absent
            assert code == "not-allowed"
        elif role in MAY[act]:
            assert code not in ("not-allowed", "no-seat") or act in ("give-seat",)
        elif act in OF_SEAT and role not in SEATED:
            assert code == "no-seat"
        else:
            assert code == "not-allowed"


@pytest.mark.parametrize("act", ACTS)
def test_who_holds_no_seat_cannot_play(act: str) -> None:
    driver, actors = in_a_game()
    before = driver.table
    for role in ("standing", "watcher"):
        code = code_of(driver, role, actors[role], ACTS[act])
        assert code != "" or (role, act) == ("standing", "say")
    assert driver.table is before


@pytest.mark.parametrize(
    ("stage", "acts"),
    [
        (
            Stage.LOBBY,
            {"pass", "play", "claim", "choose-moon", "pause", "go-on", "rematch", "vote"},
        ),
        (
            Stage.PASSING,
            {"sit", "stand", "add-bot", "remove-bot", "ready", "set-rules", "start", "rematch"}
            | {"give-seat"},
        ),
        (Stage.DEAL_OVER, {"stand", "set-rules", "start", "pass", "play", "claim", "rematch"}),
        (
            Stage.GAME_OVER,
            {"stand", "set-rules", "start", "pass", "play", "pause", "go-on", "vote"},
        ),
    ],
)
def test_what_does_not_belong_to_the_stage_is_refused(stage: Stage, acts: set[str]) -> None:
    driver = Driver()
    if stage is Stage.LOBBY:
        driver.seat_four()
    else:
        driver.start_game(target=1 if stage is Stage.GAME_OVER else 1000)
        driver.play_to(stage)
    for act in acts:
        with pytest.raises(HeartsError) as caught:
            driver.try_act(HOST, ACTS[act])
        assert caught.value.code == "not-now", act


def test_pausing_is_anybodys_who_plays_while_the_hosts_player_is_away() -> None:
    driver = Driver()
    driver.start_game()
    with pytest.raises(HeartsError) as caught:
        driver.try_act("bram", Pause())
    assert caught.value.code == "not-allowed"
    driver.lose(HOST)
    driver.act("bram", Pause())
    assert driver.table.pause == "player"
    driver.act("chloe", GoOn())
    assert driver.table.pause == ""
    driver.join(HOST)
    with pytest.raises(HeartsError):
        driver.try_act("bram", Pause())


def test_pausing_twice_is_accepted_and_changes_nothing() -> None:
    driver = Driver()
    driver.start_game()
    driver.act(HOST, Pause())
    seq = driver.table.seq
    driver.act(HOST, Pause())
    assert driver.table.seq == seq


def test_nobody_plays_while_the_game_is_paused() -> None:
    driver = Driver()
    driver.start_game()
    driver.act(HOST, Pause())
    deal = driver.table.deal
    assert deal is not None
    cards = [CARD_TEXTS[card] for card in cards_in(deal.hands[1])[:3]]
    with pytest.raises(HeartsError) as caught:
        driver.try_act("bram", Pass(cards))
    assert caught.value.code == "paused"
    driver.act("bram", Say("hello"))
    driver.act(HOST, GoOn())
    driver.act("bram", Pass(cards))


@pytest.mark.parametrize(
    "changes", [{"deal": 2}, {"deal": 0}, {"trick": 1}, {"trick": 13}, {"deal": 2, "trick": 1}]
)
def test_a_card_for_another_trick_or_deal_is_stale(changes: dict[str, int]) -> None:
    driver = Driver()
    driver.start_game()
    deal = driver.table.deal
    assert deal is not None
    cards = [CARD_TEXTS[card] for card in cards_in(deal.hands[1])[:3]]
    with pytest.raises(HeartsError) as caught:
        driver.try_act("bram", Pass(cards), **changes)
    assert caught.value.code == "stale-trick"
    driver.act("bram", Say("hello"), **changes)


@pytest.mark.parametrize("act", ACTS)
def test_every_act_of_another_epoch_is_stale(act: str) -> None:
    driver = Driver()
    driver.start_game()
    for epoch in (0, 2):
        with pytest.raises(HeartsError) as caught:
            driver.try_act(HOST, ACTS[act], epoch=epoch)
        assert caught.value.code == "stale-epoch"


def test_a_view_offers_exactly_what_would_be_accepted() -> None:
    for stage in (Stage.LOBBY, Stage.PASSING, Stage.PLAYING, Stage.DEAL_OVER, Stage.GAME_OVER):
        driver = Driver(5)
        if stage is Stage.LOBBY:
            driver.seat_four()
        else:
            driver.start_game(target=1 if stage is Stage.GAME_OVER else 1000)
            driver.play_to(stage)
        for key in (HOST, "bram"):
            actor = actor_for(driver.table, key)
            offered = {
                *open_acts(driver.table, actor, of_seat=True),
                *open_acts(driver.table, actor, of_seat=False),
            }
            for tag, act in ACTS.items():
                if tag in (
                    "sit",
                    "pass",
                    "play",
                    "remove-bot",
                    "give-seat",
                    "add-bot",
                    "kick",
                    "ban",
                ):
                    continue
                accepted = code_of(driver, key, actor, act) == ""
                if tag in ("pause", "go-on") and tag not in offered:
                    continue  # accepted where it changes nothing
                assert accepted == (tag in offered), (stage, key, tag)
