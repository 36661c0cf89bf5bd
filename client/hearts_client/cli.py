"""The commands of ``hearts-net``, and the parser made of them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from hearts_client import flags as f
from hearts_client.chosen import UsageError
from hearts_client.flags import Flag
from hearts_client.i18n import N_, _
from hearts_client.safetext import safe_text
from hearts_net.version import PACKAGE_VERSION

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

PROTOCOL_VERSION = 1
"""As in ``hearts_net.protocol.limits``; a test holds them together."""


class Argument(NamedTuple):
    """What stands after a command without dashes."""

    key: str
    metavar: str
    help: str
    many: bool = False


class Command(NamedTuple):
    """One command: ``hearts_client.commands.NAME`` has its ``run``."""

    name: str
    help: str
    examples: tuple[tuple[str, str], ...]
    flags: tuple[Flag, ...]
    arguments: tuple[Argument, ...] = ()

    @property
    def module(self) -> str:
        """Where its ``run`` is."""
        return f"hearts_client.commands.{self.name}"


WHERE = Argument(
    "where",
    "INVITE|ADDRESS|NAME",
    N_("an invite, an address, or the name of a table"),
)

COMMANDS: tuple[Command, ...] = (
    Command(
        "play",
        N_("a table with three bots, at once, on this machine only"),
        (
            ("hearts-net play", N_("cards in your hand within a second")),
            ("hearts-net play --plain", N_("the same in plain words")),
            ("hearts-net play --set target=50", N_("a shorter game")),
        ),
        (*f.CLIENT, *f.RULES_FLAGS, f.LEVEL, f.PAUSE),
    ),
    Command(
        "host",
        N_("start a table on the network and sit down at it"),
        (
            (
                "hearts-net host --table attic",
                N_("friends join with the address that the lobby shows"),
            ),
            (
                "hearts-net host --bots 2 --rules omnibus",
                N_("two seats for bots, and a house rule"),
            ),
            ("hearts-net host --foreground --json", N_("no screen: for a server or a program")),
        ),
        (*f.CLIENT, *f.HOSTING),
    ),
    Command(
        "join",
        N_("join a table; without an argument, the only one that answers"),
        (
            ("hearts-net join 192.168.1.20", N_("the address that the lobby shows")),
            (
                "hearts-net join hearts://…",
                N_("the invite, which proves that it is the right host"),
            ),
            ("hearts-net join attic", N_("a table by its name")),
        ),
        (*f.CLIENT, f.CODE),
        (WHERE,),
    ),
    Command(
        "bot",
        N_("a computer player that joins over the network and leaves when the table ends"),
        (("hearts-net bot 192.168.1.20 --name Robin", N_("from this machine or another one")),),
        (f.NAME, f.LEVEL, f.PAUSE, f.CODE),
        (WHERE,),
    ),
    Command(
        "watch",
        N_("follow a table in plain words, without a seat"),
        (("hearts-net watch attic", N_("every card as it is played")),),
        (f.NAME, f.ASCII, f.CODE),
        (WHERE,),
    ),
    Command(
        "list",
        N_("the tables that answer, and those saved on this machine"),
        (
            ("hearts-net list", ""),
            ("hearts-net list --watch", N_("go on, and tell what comes and goes")),
            ("hearts-net list --json", N_("for programs")),
        ),
        (f.JSON, f.WATCH),
    ),
    Command(
        "doctor",
        N_("what the network lets through, and what to do; 0 only if a game would work"),
        (
            ("hearts-net doctor", N_("this machine and its networks")),
            ("hearts-net doctor hearts://…", N_("why that table cannot be reached")),
        ),
        (f.JSON,),
        (WHERE,),
    ),
    Command(
        "resume",
        N_("take a saved or crashed table up again"),
        (
            ("hearts-net resume", N_("the newest one that was saved")),
            ("hearts-net resume attic", N_("by its name or its id")),
        ),
        (*f.CLIENT, *f.RUNNING),
        (Argument("table_name", "TABLE", N_("the table's name or id")),),
    ),
    Command(
        "forget",
        N_("forget the key of a host, so that the next one that answers there is trusted"),
        (
            ("hearts-net forget 192.168.1.20", N_("after its host told you why its key changed")),
            ("hearts-net forget attic", N_("the host of a table, by the table's name")),
            ("hearts-net forget", N_("list the hosts whose keys are known")),
        ),
        (f.JSON,),
        (Argument("address", "ADDRESS|NAME", N_("an address, or the name of a table")),),
    ),
    Command(
        "stop",
        N_("end a running table of this machine; it is saved"),
        (("hearts-net stop", N_("the only one that runs")), ("hearts-net stop attic", "")),
        (f.JSON,),
        (Argument("table_name", "TABLE", N_("the table's name or id")),),
    ),
    Command(
        "export",
        N_("write a game of this machine as a game record"),
        (
            ("hearts-net export --last", N_("the newest game, to standard output")),
            ("hearts-net export attic --out attic.hearts.jsonl", ""),
        ),
        (f.LAST, f.OUT),
        (Argument("table_name", "TABLE", N_("the table's name or id")),),
    ),
    Command(
        "check",
        N_("prove that game records follow the rules"),
        (
            ("hearts-net check *.hearts.jsonl", N_("a line a file; exit code 1 when one does not")),
            ("hearts-net check --deals last.hearts.jsonl", N_("also that nobody chose the deck")),
        ),
        (f.DEALS, f.JSON),
        (Argument("files", "FILE", N_("a game record (-: standard input)"), many=True),),
    ),
    Command(
        "simulate",
        N_("play whole games among bots, with no network, and write their records"),
        (
            ("hearts-net simulate --games 10 --out games", N_("a file a game")),
            ("hearts-net simulate --seed 7 --bots easy,easy,medium,medium", ""),
        ),
        (f.GAMES, f.SEED, *f.RULES_FLAGS, f.PLAYERS, f.LEGAL, f.OUT_DIR),
    ),
    Command(
        "rules",
        N_("how Hearts is played, and what a host can choose"),
        (
            ("hearts-net rules", ""),
            ("hearts-net rules --options", N_("every house rule and preset")),
        ),
        (f.OPTIONS, f.JSON),
    ),
    Command(
        "demo",
        N_("four bots play a whole game over the network, told in plain words"),
        (("hearts-net demo", ""), ("hearts-net demo --set target=50", N_("a shorter one"))),
        (*f.RULES_FLAGS, f.LEVEL),
    ),
    Command(
        "completion",
        N_("print a script with which your shell completes commands, options and files"),
        (
            (
                "hearts-net completion bash",
                N_('in ~/.bashrc: eval "$(hearts-net completion bash)"; likewise for zsh'),
            ),
            ("hearts-net completion fish | source", N_("in fish's configuration")),
        ),
        (),
        (Argument("shell", "SHELL", N_("bash, zsh, tcsh, fish or powershell")),),
    ),
)
BY_NAME: Mapping[str, Command] = {command.name: command for command in COMMANDS}
EXAMPLES = (
    ("hearts-net play", N_("a game with three bots, at once")),
    ("hearts-net host --table attic", N_("a table on the network")),
    ("hearts-net join 192.168.1.20", N_("join it from another machine")),
)


class Parser(argparse.ArgumentParser):
    """argparse, with examples before everything else and errors in one sentence."""

    def __init__(self, examples: Sequence[tuple[str, str]] = (), **settings: Any) -> None:  # noqa: ANN401 - argparse's own
        self.examples = examples
        self.tells_rules = False
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **settings,
        )

    def format_help(self) -> str:
        """Put the examples first."""
        tail = "\n" + "\n".join(_rule_lines()) + "\n" if self.tells_rules else ""
        return "".join(_example_lines(self.examples)) + "\n" + super().format_help() + tail

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print the help or the version, and keep silent about no failure to do so."""
        print(message, end="", file=file or sys.stdout)
        sys.stdout.flush()

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage and leaving."""
        message = safe_text(message)
        raise UsageError(
            _("{message}; `{command} -h` shows what there is.").format(
                message=message[:1].upper() + message[1:], command=self.prog
            )
        )


def _example_lines(examples: Sequence[tuple[str, str]]) -> Iterator[str]:
    width = max((len(line) for line, _words in examples), default=0)
    for line, words in examples:
        yield f"  {line:<{width}}   {_(words)}".rstrip() + "\n" if words else f"  {line}\n"


def _rule_lines() -> Iterator[str]:
    from hearts_client.optionwords import option_lines  # only for the help that shows them

    return option_lines()


def make_parser(each: Callable[[argparse.Action], None] = lambda _option: None) -> Parser:
    """Make the parser of every command; ``each`` is given every option and argument."""
    parser = Parser(
        EXAMPLES,
        prog="hearts-net",
        description=_("Hearts for the people in the room: the card game on a local network."),
        epilog=_(
            "Options can also be set by variables (HEARTS_NET_NAME for --name) and in config.toml; "
            "HEARTS_NET_HOME puts everything under one folder."
        ),
    )
    parser.add_argument(
        "-V",
        "--version",
        action="version",
        version=f"hearts-net {PACKAGE_VERSION}, protocol {PROTOCOL_VERSION}",
        help=_("print the version of the package and of the protocol"),
    )
    _add_flags(parser, (*f.COMMON, *f.CLIENT), each)
    commands = parser.add_subparsers(dest="command", metavar=_("COMMAND"), title=_("commands"))
    for command in COMMANDS:
        sub = commands.add_parser(
            command.name,
            examples=command.examples,
            help=_(command.help),
            description=_(command.help)[:1].upper() + _(command.help)[1:] + ".",
        )
        sub.tells_rules = f.SET in command.flags
        for argument in command.arguments:
            each(
                sub.add_argument(
                    argument.key,
                    metavar=argument.metavar,
                    nargs="+" if argument.many else "?",
                    help=_(argument.help),
                )
            )
        _add_flags(sub, (*command.flags, *f.COMMON), each)
    return parser


def _add_flags(
    parser: Parser, flags: Sequence[Flag], each: Callable[[argparse.Action], None]
) -> None:
    for flag in flags:
        settings: dict[str, Any] = {"dest": flag.key, "help": _(flag.help).replace("%", "%%")}
        if flag.read is None:
            settings["action"] = "store_true"
        else:
            settings["metavar"] = flag.metavar
            if flag.many:
                settings["action"] = "append"
        # Suppressed, so that what stands before the command is not undone by the command's parser.
        each(parser.add_argument(*flag.names, default=argparse.SUPPRESS, **settings))


def flags_of(command: Command | None) -> tuple[Flag, ...]:
    """List the options that a command takes; without one, those of the start screen.

    Its doors open tables as ``play``, ``host`` and ``resume`` do.
    """
    own = (*f.CLIENT, *f.HOSTING, f.LEVEL) if command is None else command.flags
    return (*f.COMMON, *own)


def language_in(argv: Sequence[str]) -> str | None:
    """Find the language before the arguments are parsed, so that help is in it."""
    wish = os.environ.get(f.LANG.variable)
    for index, word in enumerate(argv):
        if word.startswith("--lang="):
            wish = word.partition("=")[2]
            break
        if word == "--lang" and index + 1 < len(argv):
            wish = argv[index + 1]
            break
    try:
        return f.language(wish) if wish else None
    except ValueError:  # it is refused when the arguments are read
        return None
