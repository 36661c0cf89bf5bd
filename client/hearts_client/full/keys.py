"""The key table: every key, what it means where, and how help and hints name it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hearts_client.full.intents import Intent, Want
from hearts_client.full.model import Where
from hearts_client.i18n import N_

HAND = frozenset({Where.PASSING, Where.PLAYING})
TABLE = HAND | {Where.MOON, Where.DEAL_OVER, Where.GAME_OVER, Where.LOBBY}
IN_GAME = HAND | {Where.MOON, Where.DEAL_OVER}
LISTS = frozenset(
    {Where.LOBBY, Where.MOON, Where.START, Where.RULES_FORM, Where.PEOPLE, Where.SETTINGS,
     Where.LEAVING}
)  # fmt: skip
ANYWHERE = frozenset(Where) - {Where.FIELD}
WATCHING = frozenset(
    {Want.SCORES, Want.LAST_TRICK, Want.HISTORY, Want.LOG, Want.RULES, Want.INVITE, Want.SETTINGS,
     Want.MOUSE, Want.MUTE, Want.HELP, Want.REDRAW, Want.LEAVE}
)  # fmt: skip
"""What somebody can wish at a table who only looks on."""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One line of the key table."""

    keys: tuple[str, ...]
    """As prompt_toolkit names them."""
    intent: Intent
    places: frozenset[Where]
    shown: str
    """The keys as a person reads them."""
    help: str
    """What they do, for the help page."""
    hint: str = ""
    """A word or two for the bottom line; empty: not shown there."""
    needs: str = ""
    """The act that must be open to this client for the hint to be shown; empty: none."""


def _row(
    keys: str,
    want: Want,
    places: Iterable[Where],
    shown: str,
    help_: str,
    hint: str = "",
    number: int = 0,
    needs: str = "",
) -> KeyRow:
    intent = Intent(want, number)
    return KeyRow(tuple(keys.split()), intent, frozenset(places), shown, help_, hint, needs)


KEYS: tuple[KeyRow, ...] = (
    _row("space", Want.MARK, {Where.PASSING}, "Space", N_("mark a card to pass"), N_("mark")),
    _row("enter", Want.ENTER, {Where.PASSING}, "Enter", N_("send the three marked"), N_("send")),
    _row("enter", Want.ENTER, {Where.PLAYING}, "Enter", N_("play the chosen card"), N_("play")),
    _row("space", Want.ENTER, {Where.PLAYING}, "", ""),
    _row("left", Want.LEFT, HAND, "←→", N_("to the card beside"), N_("move")),
    _row("right", Want.RIGHT, HAND, "", ""),
    _row("up", Want.UP, HAND, "↑↓", N_("to the suit before, after")),
    _row("down", Want.DOWN, HAND, "", ""),
    _row("home", Want.FIRST, HAND, "Home End", N_("to the first, last card")),
    _row("end", Want.LAST, HAND, "", ""),
    _row("1", Want.PICK, {Where.PASSING}, "1-9 0", N_("by number; again: not"),
         N_("pick")),
    _row("1", Want.PICK, {Where.PLAYING}, "1-9 0", N_("by number; again: play"),
         N_("pick")),
    *(_row(str(n), Want.PICK, HAND, "", "", number=n - 1) for n in range(2, 10)),
    _row("0", Want.PICK, HAND, "", "", number=9),
    _row(":", Want.TYPE_CARD, HAND, ":", N_("type a card: qs or 10h")),
    _row("d", Want.AHEAD, {Where.PLAYING}, "d", N_("choose ahead (a setting)"),
         N_("ahead"), needs="ahead"),
    _row("k", Want.CLAIM, {Where.PLAYING}, "k", N_("claim the rest"), N_("claim"), needs="claim"),
    _row("h", Want.HINT, HAND, "h", N_("a hint, where aids are on")),
    # forms
    _row("left h", Want.LEFT, {Where.RULES_FORM, Where.SETTINGS}, "←→", N_("change this line"),
         N_("change")),
    _row("enter", Want.ENTER, {Where.SETTINGS}, "Enter", N_("change this line"), N_("change")),
    _row("space", Want.ENTER, {Where.SETTINGS}, "", ""),
    _row("escape q c-c ,", Want.BACK, {Where.SETTINGS}, "q", N_("back; everything is kept"),
         N_("back")),
    _row("y", Want.YES, {Where.SURE}, "y", N_("yes, do it"), N_("yes")),
    _row("n escape", Want.NO, {Where.SURE}, "n", N_("no, not yet"), N_("no")),
    _row("enter", Want.ENTER, {Where.LOBBY}, "Enter", N_("ready, or not yet"), N_("ready")),
    _row("space", Want.ENTER, {Where.LOBBY}, "", ""),
    _row("left h", Want.LEFT, {Where.LEAVING}, "←→", N_("choose"), N_("choose")),
    _row("up k", Want.UP, {Where.LEAVING}, "", ""),
    _row("up k", Want.UP, LISTS, "↑↓", N_("choose a line"), N_("choose")),
    _row("down j", Want.DOWN, LISTS, "", ""),
    _row("left h", Want.LEFT, LISTS, "", ""),
    _row("right l", Want.RIGHT, LISTS, "", ""),
    # lobby
    _row("s", Want.POINT, {Where.DEAL_OVER, Where.GAME_OVER}, "s", N_("sit on a free seat")),
    _row("b", Want.BOT, {Where.DEAL_OVER, Where.GAME_OVER}, "b",
         N_("host: a bot on a free seat")),
    _row("s", Want.POINT, {Where.LOBBY}, "s", N_("sit there; on yours: stand up"), N_("sit"),
         needs="seat"),
    _row("b", Want.BOT, {Where.LOBBY}, "b", N_("host: a bot there, or off"), N_("bot"),
         needs="bot"),
    _row("v", Want.LEVEL, {Where.LOBBY}, "v", N_("host: level of the next bot"),
         N_("level"), needs="add-bot"),
    _row("o", Want.PRESET, {Where.LOBBY}, "o", N_("host: change the rules"),
         N_("options"), needs="set-rules"),
    _row("g", Want.START, {Where.LOBBY}, "g", N_("host: start now"), N_("go"), needs="start"),
    _row("I", Want.INVITE, {Where.LOBBY}, "I", N_("the invite alone, to copy"), N_("invite"),
         needs="invite"),
    # choices
    _row("enter", Want.ENTER, {Where.MOON}, "Enter", N_("choose"), N_("choose")),
    _row("1", Want.PICK, {Where.MOON}, "1 2", N_("choose by number")),
    _row("2", Want.PICK, {Where.MOON}, "", "", number=1),
    _row("enter", Want.ENTER, {Where.DEAL_OVER}, "Enter", N_("ready for the next deal"),
         N_("next deal"), needs="ready"),
    _row("space", Want.ENTER, {Where.DEAL_OVER}, "", ""),
    _row("h", Want.NOT_YET, {Where.DEAL_OVER}, "h", N_("hold on: no next deal yet"),
         N_("hold on"), needs="not-yet"),
    _row("enter", Want.REMATCH, {Where.GAME_OVER}, "Enter", N_("play again with these"),
         N_("play again"), needs="ready"),
    _row("o", Want.REOPEN, {Where.GAME_OVER}, "o", N_("to the lobby: rules, seats"),
         N_("lobby"), needs="rematch"),
    _row("enter", Want.ENTER, {Where.START, Where.LEAVING}, "Enter", N_("do it"), N_("choose")),
    _row("1", Want.FOUND, {Where.START}, "1-9", N_("choose a table found"), N_("table")),
    *(_row(str(n), Want.FOUND, {Where.START}, "", "", number=n - 1) for n in range(2, 10)),
    _row("f", Want.FAVOUR, {Where.START}, "f", N_("favourite, or no longer"), N_("favourite")),
    _row("y", Want.YES, {Where.LEAVING}, "y", N_("yes, leave"), N_("leave")),
    _row("n escape q", Want.NO, {Where.LEAVING}, "n", N_("no, stay"), N_("stay")),
    _row("c-c", Want.YES, {Where.LEAVING}, "", ""),
    _row("enter", Want.ENTER, {Where.RULES_FORM}, "Enter", N_("set these rules"), N_("set")),
    _row("escape q c-c", Want.BACK, {Where.RULES_FORM}, "q", N_("back, nothing changed"),
         N_("back")),
    _row("enter", Want.ENTER, {Where.PEOPLE}, "Enter", N_("let in, or take a ban back"),
         N_("let in")),
    _row("d", Want.SEND_AWAY, {Where.PEOPLE}, "d", N_("turn away, or send away"),
         N_("send away")),
    _row("b", Want.BAN, {Where.PEOPLE}, "b", N_("send away for good"), N_("ban")),
    _row("a", Want.ADMISSION, {Where.PEOPLE}, "a", N_("who may join: all, code, asked"),
         N_("who may join")),
    _row("escape q c-c", Want.BACK, {Where.PEOPLE}, "q", N_("back to the table"), N_("back")),
    _row("up k", Want.UP, {Where.PAGE}, "↑↓", N_("scroll"), N_("scroll")),
    _row("down j space", Want.DOWN, {Where.PAGE}, "", ""),
    _row("pageup", Want.LEFT, {Where.PAGE}, "", ""),
    _row("pagedown", Want.RIGHT, {Where.PAGE}, "", ""),
    _row("home", Want.FIRST, {Where.PAGE}, "", ""),
    _row("end", Want.LAST, {Where.PAGE}, "", ""),
    _row("enter escape q c-c", Want.BACK, {Where.PAGE}, "Enter", N_("back to the table"),
         N_("back")),
    _row("enter q c-c escape", Want.LEAVE, {Where.ENDED}, "Enter", N_("end"), N_("end")),
    # everywhere
    _row("tab", Want.SCORES, TABLE | {Where.PAGE}, "Tab", N_("score sheet"), N_("scores")),
    _row("c", Want.CHAT, TABLE, "c", N_("say something"), N_("chat")),
    _row("l", Want.LAST_TRICK, TABLE - {Where.LOBBY}, "l", N_("the last trick"), N_("last")),
    _row("r", Want.HISTORY, (TABLE - {Where.LOBBY}) | {Where.PAGE}, "r",
         N_("every trick of every deal"), N_("tricks")),
    _row("e", Want.LOG, TABLE | {Where.PAGE}, "e", N_("all that happened (log)")),
    _row("i", Want.RULES, TABLE | {Where.PAGE, Where.START}, "i", N_("the rules"), N_("rules")),
    _row("p", Want.PAUSE, TABLE - {Where.LOBBY}, "p", N_("host: pause, go on")),
    _row("u", Want.UNSAVED, TABLE, "u", N_("host: play on unsaved"),
         N_("unsaved"), needs="go-unsaved"),
    _row("v", Want.BOT_NOW, IN_GAME, "v", N_("away: vote for a bot now"),
         N_("bot now"), needs="vote"),
    _row("t", Want.WAIT_LONGER, IN_GAME, "t", N_("away: vote to wait longer"),
         N_("wait"), needs="vote"),
    _row("w", Want.GIVE, {Where.LOBBY, Where.DEAL_OVER, Where.GAME_OVER}, "w",
         N_("host: free a leaver's seat"), N_("free seat"), needs="give-seat"),
    _row("a", Want.PEOPLE, TABLE, "a", N_("host: people, who may come"),
         N_("people"), needs="desk"),
    _row("y", Want.LET_IN, TABLE, "y", N_("host: let in who asks"), N_("let in"), needs="admit"),
    _row("n", Want.TURN_AWAY, TABLE, "n", N_("host: turn away who asks"),
         N_("turn away"), needs="admit"),
    _row(",", Want.SETTINGS, TABLE | {Where.PAGE, Where.START}, ",", N_("settings"),
         N_("settings")),
    _row("m", Want.MOUSE, ANYWHERE, "m", N_("mouse on or off")),
    _row("x", Want.MUTE, TABLE, "x", N_("hide or show the chat")),
    _row("B", Want.BELL, TABLE, "B", N_("bell on or off")),
    _row("? f1", Want.HELP, ANYWHERE - {Where.ENDED}, "?", N_("this help"), N_("help")),
    _row("c-l", Want.REDRAW, ANYWHERE, "^L", N_("draw the screen anew")),
    _row("q c-c", Want.LEAVE, ANYWHERE, "q ^C", N_("leave, after asking"), N_("leave")),
)  # fmt: skip
"""Where two rows fit, the first one counts."""


def intent_of(key: str, place: Where) -> Intent | None:
    """Say what a key means there; None when it means nothing."""
    for row in KEYS:
        if place in row.places and key in row.keys:
            return row.intent
    return None


def intent_unseen(key: str, place: Where) -> Intent | None:
    """Say what a key means while the window is too small to show anything: only leaving works."""
    if place in (Where.LEAVING, Where.ENDED):
        intent = intent_of(key, place)
        return intent if intent and intent.want in (Want.YES, Want.NO, Want.LEAVE) else None
    return Intent(Want.LEAVE) if key in ("q", "c-c") else None


def is_idle(want: Want, place: Where) -> bool:
    """Tell whether a wish leads to nothing for somebody who looks on there."""
    return place in TABLE and want not in WATCHING


def rows_for(place: Where, *, watching: bool = False) -> list[KeyRow]:
    """List the key rows that a help page shows for a place, each key once."""
    seen: set[str] = set()
    rows = []
    for row in KEYS:
        idle = watching and is_idle(row.intent.want, place)
        if place in row.places and row.shown and not idle and not seen & set(row.keys):
            rows.append(row)
        if place in row.places:
            seen.update(row.keys)
    return rows


def all_keys() -> list[str]:
    """List every key that means something somewhere."""
    return sorted({key for row in KEYS for key in row.keys})
