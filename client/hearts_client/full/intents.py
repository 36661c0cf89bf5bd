"""What a person can want to do: keys and clicks become these, whatever screen is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Want(StrEnum):
    """The kinds of intent."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    FIRST = "first"
    LAST = "last"
    ENTER = "enter"
    MARK = "mark"
    PICK = "pick"
    POINT = "point"
    FOUND = "found"
    FAVOUR = "favour"
    TYPE_CARD = "type-card"
    CHAT = "chat"
    HINT = "hint"
    CLAIM = "claim"
    LAST_TRICK = "last-trick"
    HISTORY = "history"
    SCORES = "scores"
    LOG = "log"
    RULES = "rules"
    HELP = "help"
    START = "start"
    BOT = "bot"
    LEVEL = "level"
    PRESET = "preset"
    PAUSE = "pause"
    UNSAVED = "unsaved"
    GIVE = "give"
    BOT_NOW = "bot-now"
    WAIT_LONGER = "wait-longer"
    NOT_YET = "not-yet"
    REMATCH = "rematch"
    REOPEN = "reopen"
    INVITE = "invite"
    LET_IN = "let-in"
    TURN_AWAY = "turn-away"
    PEOPLE = "people"
    SEND_AWAY = "send-away"
    BAN = "ban"
    ADMISSION = "admission"
    MOUSE = "mouse"
    MUTE = "mute"
    BELL = "bell"
    REDRAW = "redraw"
    SETTINGS = "settings"
    AHEAD = "ahead"
    LEAVE = "leave"
    BACK = "back"
    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Intent:
    """One wish: a kind, and where it needs one a number (a choice, 0 first) or a card."""

    want: Want
    number: int = 0
    card: str = ""
