"""Every option of the command line, declared once for help, parsing, environment and file.

The values are texts until :mod:`hearts_client.chosen` has looked where each comes from. Nothing
heavy is imported here: it is read before the first word of ``--help``.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from hearts_client.i18n import N_, _

ENVIRONMENT_PREFIX: Final = "HEARTS_NET_"
CONTROL_PORT: Final = 26052
"""As in ``hearts_net.protocol.limits``, which takes time to import; a test holds them together."""

LONGEST_PROFILE: Final = 32
_NAME_LETTERS: Final = frozenset(string.ascii_letters + string.digits + "-_")


class Flag(NamedTuple):
    """One option."""

    key: str
    """Its name in the program and in ``config.toml``."""
    names: tuple[str, ...]
    help: str
    read: Callable[[str], Any] | None = None
    """From text to value, raising ValueError with a sentence's end; None: a switch."""
    metavar: str = ""
    default: Any = None
    many: bool = False
    """May be given more than once; the value is a tuple."""
    kept: bool = True
    """May also be set by environment variable and in ``config.toml``."""
    is_file: bool = False
    """Names a file, in which a space at either end counts; elsewhere it was pasted along."""

    @property
    def variable(self) -> str:
        """The environment variable of the same meaning."""
        return ENVIRONMENT_PREFIX + self.key.upper()


def text(value: str) -> str:
    """Take any text that is not empty."""
    if not value.strip():
        raise ValueError(_("must not be empty"))
    return value


def language(value: str) -> str:
    """Take a language's name; whether there is a catalogue for it is another matter."""
    if not value or not set(value) <= _NAME_LETTERS:
        raise ValueError(_("takes letters, digits, - and _ only"))
    return value


def profile(value: str) -> str:
    """Take a profile's name, which is a file's name too."""
    if not set(value) <= _NAME_LETTERS or not value[:1].isalnum() or len(value) > LONGEST_PROFILE:
        raise ValueError(
            _(
                "takes at most {letters} letters, digits, - and _, the first a letter or digit"
            ).format(letters=LONGEST_PROFILE)
        )
    return value


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Take a whole number within bounds."""

    def read(value: str) -> int:
        if value.isascii() and value.isdecimal() and len(value) <= 18:
            number = int(value)
            if least <= number <= most:
                return number
        raise ValueError(
            _("must be a whole number from {least} to {most}").format(least=least, most=most)
        )

    return read


def one_of(*choices: str) -> Callable[[str], str]:
    """Take one of some words."""

    def read(value: str) -> str:
        if value in choices:
            return value
        raise ValueError(_("must be one of: {choices}").format(choices=", ".join(choices)))

    return read


def bots(value: str) -> tuple[int, str]:
    """Take ``N`` or ``N:LEVEL``; the level "" is the usual one."""
    number, _colon, level = value.partition(":")
    if number not in ("0", "1", "2", "3", "4"):
        raise ValueError(_("must be a number from 0 to 4, or such a number, a colon and a level"))
    return int(number), level


def levels(value: str) -> tuple[str, ...]:
    """Take one level for all four seats, or four of them with commas."""
    names = tuple(part.strip() for part in value.split(","))
    if len(names) not in (1, 4) or not all(names):
        raise ValueError(_("must be one level, or four with commas between them"))
    return names * 4 if len(names) == 1 else names


LONGEST_TITLE: Final = 40
LARGEST_TITLE: Final = 64
"""Letters, and bytes of UTF-8, as in ``hearts_net.host.names``; a test holds them together."""


def title(value: str) -> str:
    """Take a table's name that can be shown whole."""
    if len(value) > LONGEST_TITLE or len(value.encode("utf-8", "replace")) > LARGEST_TITLE:
        raise ValueError(
            _("takes at most {letters} letters ({bytes} bytes of UTF-8)").format(
                letters=LONGEST_TITLE, bytes=LARGEST_TITLE
            )
        )
    return text(value)


CODE_DIGITS: Final = 6
"""As in ``hearts_net.protocol.tablecode``; a test holds them together."""


def table_code(value: str) -> str:
    """Take a table's code, in groups or not."""
    digits = [mark for mark in value if mark.isdecimal()]
    if len(digits) != CODE_DIGITS or any(mark.isalpha() for mark in value):
        raise ValueError(_("takes the six digits that the host's player can tell you"))
    return "".join(digits)


LANG = Flag("lang", ("--lang",), N_("the language, such as en or nl"), language, "LANGUAGE")
PROFILE = Flag(
    "profile", ("--profile",), N_("the key to play with; each profile has its own"), profile, "NAME"
)
LOG_FILE = Flag(
    "log_file",
    ("--log-file",),
    N_("write what went wrong to this file"),
    text,
    "FILE",
    is_file=True,
)
COMMON: Final = (LANG, PROFILE, LOG_FILE)

NAME = Flag("name", ("--name",), N_("your name at the table"), text, "NAME")
PLAIN = Flag("plain", ("--plain",), N_("plain words, for screen readers and pipes"))
ASCII = Flag("ascii", ("--ascii",), N_("suits and lines in ASCII"))
SPEED = Flag(
    "speed",
    ("--speed",),
    N_("how long a finished trick stays on the screen, in milliseconds; 0: not at all"),
    whole_number(0, 10_000),
    "MS",
    1200,
)
COLOURS = Flag(
    "colours",
    ("--colours",),
    N_("colours of the suits: four, two or none"),
    one_of("four", "two", "none"),
    "HOW",
    "four",
)
THEME = Flag(
    "theme",
    ("--theme",),
    N_("how it looks: standard, felt, paper, contrast, or a theme of your own"),
    text,
    "NAME",
    "standard",
)
BACKGROUND = Flag(
    "background",
    ("--background",),
    N_("what is behind the text in your terminal: light, dark, or auto where it can be told"),
    one_of("auto", "light", "dark"),
    "HOW",
    "auto",
)
NO_BELL = Flag("no_bell", ("--no-bell",), N_("no bell when it is your turn"))
MOUSE = Flag("mouse", ("--mouse",), N_("choose cards with the mouse from the start"))
FLASH = Flag(
    "flash", ("--flash",), N_("flash the screen when it is your turn, in place of the bell")
)
NO_CHAT = Flag("no_chat", ("--no-chat",), N_("hide what others say"))
HINTS = Flag(
    "hints", ("--hints",), N_("say why cards may be played; without this, in a first game")
)
PRESELECT = Flag(
    "preselect", ("--preselect",), N_("a card can be chosen before your turn, to be played then")
)
CONFIRM_QUEEN = Flag(
    "confirm_queen", ("--confirm-queen",), N_("ask before the queen of spades is played")
)
CLIENT: Final = (
    NAME, PLAIN, ASCII, SPEED, THEME, BACKGROUND, COLOURS, NO_BELL, FLASH, MOUSE, NO_CHAT, HINTS,
    PRESELECT, CONFIRM_QUEEN,
)  # fmt: skip

TABLE = Flag("table", ("--table",), N_("the table's name"), title, "NAME", "hearts")
PORT = Flag(
    "port",
    ("--port",),
    N_("the port for control, the next one is for public; 0: any that are free (default 26052)"),
    whole_number(0, 65534),
    "PORT",
    CONTROL_PORT,
)
RULES = Flag(
    "rules", ("--rules",), N_("a preset of rules: standard, classic-computer, …"), text, "PRESET"
)
SET = Flag(
    "set",
    ("--set",),
    N_("change one rule, as often as you like"),
    text,
    "OPTION=VALUE",
    (),
    many=True,
)
BOTS = Flag(
    "bots", ("--bots",), N_("so many computer players sit down at once"), bots, "N[:LEVEL]", (0, "")
)
ADMIT = Flag(
    "admit",
    ("--admit",),
    N_("who may join: everybody (open), who knows the table's code, or whom you let in (ask)"),
    one_of("open", "code", "ask"),
    "WHO",
    "open",
)
GRACE = Flag(
    "grace",
    ("--grace",),
    N_("after so many seconds a bot plays for somebody who is away (default 60)"),
    whole_number(0, 86_400),
    "SECONDS",
    60,
)
TURN_LIMIT = Flag(
    "turn_limit",
    ("--turn-limit",),
    N_("after so many seconds a bot plays the card; 0: never (default)"),
    whole_number(0, 86_400),
    "SECONDS",
    0,
)
PAUSE = Flag(
    "pause",
    ("--pause",),
    N_("how long a bot seems to think at most, where people play, in milliseconds (default 1200)"),
    whole_number(0, 60_000),
    "MS",
    1200,
)
FOREGROUND = Flag(
    "foreground", ("--foreground",), N_("run the table here, with a log and no screen"), kept=False
)
READY_JSON = Flag(
    "json",
    ("--json",),
    N_("begin standard output with one JSON object: invite, control, public, table"),
    kept=False,
)
EXIT_WHEN_DONE = Flag(
    "exit_when_done",
    ("--exit-when-done",),
    N_("end the table as soon as its game is over"),
    kept=False,
)
DURABLE = Flag(
    "durable",
    ("--durable",),
    N_("write every card to the disk itself at once: safe against a power cut, and slower"),
)
RULES_FLAGS: Final = (RULES, SET)
RUNNING: Final = (PORT, GRACE, TURN_LIMIT, PAUSE, DURABLE, FOREGROUND, READY_JSON, EXIT_WHEN_DONE)
HOSTING: Final = (TABLE, *RULES_FLAGS, BOTS, ADMIT, *RUNNING)

CODE = Flag(
    "code",
    ("--code",),
    N_("the table's code, where it has one; without this it is asked for"),
    table_code,
    "CODE",
    kept=False,
)
LEVEL = Flag(
    "level", ("--level",), N_("how well it plays: easy, medium, hard or expert"), text, "LEVEL"
)
JSON = Flag("json", ("--json",), N_("print JSON, for programs"), kept=False)
WATCH = Flag("watch", ("--watch",), N_("go on, and tell what changes"), kept=False)
DEALS = Flag(
    "deals",
    ("--deals",),
    N_("also prove that each deck is what all players' shares have shuffled"),
    kept=False,
)
LAST = Flag("last", ("--last",), N_("the newest game"), kept=False)
OUT = Flag(
    "out",
    ("--out",),
    N_("write to this file (-: standard output)"),
    text,
    "FILE",
    "-",
    kept=False,
    is_file=True,
)
OUT_DIR = Flag(
    "out",
    ("--out",),
    N_("write each game to a file in this folder (-: all to standard output)"),
    text,
    "DIR",
    "-",
    kept=False,
    is_file=True,
)
GAMES = Flag(
    "games", ("--games",), N_("how many games"), whole_number(1, 10_000_000), "N", 1, kept=False
)
SEED = Flag("seed", ("--seed",), N_("the same seed gives the same games"), text, "SEED", kept=False)
PLAYERS = Flag(
    "players",
    ("--bots",),
    N_("who plays: one level, or four with commas"),
    levels,
    "LEVEL[,LEVEL,LEVEL,LEVEL]",
    kept=False,
)
LEGAL = Flag("legal", ("--legal",), N_("list the legal cards with every card played"), kept=False)
OPTIONS = Flag(
    "options", ("--options",), N_("list the options and presets for a table"), kept=False
)

KEPT: Final = {flag.key: flag for flag in (*COMMON, *CLIENT, *HOSTING, LEVEL) if flag.kept}
"""What the environment and ``config.toml`` may set."""
