"""``hearts-net``: reads the command line and runs one command; every failure is one sentence."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hearts_client.chosen import Chosen, UsageError, choose
from hearts_client.cli import BY_NAME, Command, flags_of, language_in, make_parser
from hearts_client.curtain import Curtain
from hearts_client.ending import ended_in_order
from hearts_client.exits import Exit, exit_for
from hearts_client.flags import CLIENT, PLAIN
from hearts_client.i18n import ENGLISH, _, catalogue_languages, is_english, use_language
from hearts_client.plain_output import fitted
from hearts_client.safetext import safe_text
from hearts_client.terminal import wants_ascii, wants_plain

if TYPE_CHECKING:
    from hearts_client.config import Config
    from hearts_net.rules.errors import HeartsError

_UNWRITTEN = frozenset(
    {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG, errno.EIO, errno.EBADF}
)
"""What a full or broken output says; what else is written has typed errors of its own."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:
        use_language(language_in(words))
        return _fail(_no_output(_("it is closed")))
    _say_what_can_be_said(sys.stdout, sys.stderr)
    use_language(language_in(words))
    log_file = ""
    try:
        parser = make_parser()
        typed = vars(parser.parse_args(words))
        command = BY_NAME.get(typed.pop("command", None) or "")
        _check_place(command, typed)
        typed.update(_arguments(command, typed))
        chosen = choose(flags_of(command), typed, os.environ, _config)
        log_file = _checked_log(chosen.text("log_file"))
        if chosen.is_given("lang"):
            _speak(chosen.text("lang"))
        with ended_in_order():
            code = _run(command, chosen)
        sys.stdout.flush()
        return code
    except SystemExit as end:  # argparse has printed the help or the version
        return end.code if isinstance(end.code, int) else Exit.FAILED
    except UsageError as error:
        return _fail(error.sentence, error.code)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:  # whoever read our output has had enough
        _let_go_of_output()
        return Exit.FAILED
    except OSError as error:
        if error.errno not in _UNWRITTEN or error.filename is not None:
            return _failed(error, log_file)
        _let_go_of_output()
        return _fail(_no_output(error.strerror or str(error)))
    except Exception as error:
        return _failed(error, log_file)


def _speak(wish: str) -> None:
    """Speak the language that was wished for; say so where there is no catalogue for it."""
    spoken = use_language(wish)
    if spoken == ENGLISH and not is_english(wish):
        words = _("There are no words in “{wish}”, so it is English; there are: {all}.")
        _fail(words.format(wish=safe_text(wish), all=", ".join(catalogue_languages())))


def _check_place(command: Command | None, typed: Mapping[str, object]) -> None:
    """Refuse an option before the command that the command does not take."""
    taken = {flag.key for flag in flags_of(command)}
    for flag in CLIENT:
        if flag.key in typed and flag.key not in taken and flag.key != PLAIN.key:
            raise UsageError(
                _(
                    "{option} does nothing with {command}; `hearts-net {command} -h` says more."
                ).format(option=flag.names[0], command=command.name if command else "")
            )


def _arguments(command: Command | None, typed: Mapping[str, object]) -> dict[str, str]:
    """Give the arguments without the space that was pasted along with them.

    An empty one is refused: a script's variable without a value means no table at all.
    """
    found: dict[str, str] = {}
    for argument in command.arguments if command else ():
        value = typed.get(argument.key)
        if not isinstance(value, str):
            continue
        if not value.strip():
            raise UsageError(
                _("{argument} must not be empty: leave it out, or say which.").format(
                    argument=argument.metavar
                )
            )
        found[argument.key] = value.strip()
    return found


def _checked_log(path: str) -> str:
    """Give the log file back if it can be written, before anything starts."""
    if path:
        try:
            with open(path, "ab"):
                return path
        except (OSError, ValueError) as error:
            raise UsageError(
                _("The log file {path} cannot be written ({reason}): choose another.").format(
                    path=safe_text(path), reason=getattr(error, "strerror", None) or error
                )
            ) from error
    return ""


def _no_output(reason: str) -> str:
    return _("Standard output cannot be written ({reason}).").format(reason=reason)


def _let_go_of_output() -> None:
    """Have the rest of the output go nowhere: the interpreter would complain of it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say_what_can_be_said(*streams: object) -> None:
    """Let no letter that an output's encoding lacks end the program."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _run(command: Command | None, chosen: Chosen) -> int:
    import importlib

    module = "hearts_client.commands.start" if command is None else command.module
    with _curtain(command, chosen):
        _check_theme(chosen)
        run = importlib.import_module(module).run
        return int(run(chosen))


def _check_theme(chosen: Chosen) -> None:
    """Refuse a theme before anything is launched: where it is shown, also one with a bad file."""
    theme = chosen.text("theme")
    shown = not (chosen.switch("foreground") or wants_plain(chosen))
    if not theme or not (shown or chosen.is_given("theme")):
        return
    from hearts_client.themefile import find_theme, load_theme, own_themes
    from hearts_net.peer.home import find_home

    look = load_theme if shown else find_theme
    look(theme, own_themes(find_home()))


def _curtain(command: Command | None, chosen: Chosen) -> Curtain:
    """Hang up what is seen while the rest is loaded, for commands that open a full screen."""
    name = "" if command is None else command.name
    words = {
        "": _("One moment…"),
        "play": _("Opening a table…"),
        "host": _("Opening a table…"),
        "resume": _("Taking the table up again…"),
        "join": _("Looking for the table…"),
    }.get(name, "")
    told = any(chosen.is_given(key) and chosen.switch(key) for key in ("foreground", "json"))
    if not words or told or wants_plain(chosen):
        return Curtain("", wanted=False)
    encoding = "ascii" if wants_ascii(chosen) else sys.stdout.encoding
    return Curtain(fitted(words, encoding), ascii_only=encoding == "ascii")


def _config() -> Config:
    """Read the configuration file, and warn of what is odd in it."""
    from hearts_client.config import read_config
    from hearts_net.peer.home import find_home

    config = read_config(find_home().config / "config.toml")
    for warning in config.warnings:
        _fail(warning)
    return config


def _failed(error: Exception, log_file: str) -> int:
    """Say an error in one sentence; what nobody expected goes to a file with its details."""
    from hearts_net.rules.errors import HeartsError

    if isinstance(error, HeartsError):
        sentence, code = _known(error)
        return _fail(sentence, code)
    from hearts_client.crash import write_crash

    path = write_crash(error, log_file)
    if path is None:
        return _fail(_("Something went wrong inside hearts-net: use --log-file to see what."))
    return _fail(_("Something went wrong inside hearts-net: {path} says what.").format(path=path))


def _known(error: HeartsError) -> tuple[str, Exit]:
    from hearts_client.refusals import error_sentence

    code, detail = error.code, error.detail
    reason = detail.get("reason")
    if code == "refused" and isinstance(reason, str) and reason:
        code = reason
    exit_code = exit_for(code)
    if error.code == "refused" and exit_code is Exit.FAILED:
        exit_code = Exit.REFUSED
    return error_sentence(code, detail), exit_code


def _fail(sentence: str, code: Exit = Exit.FAILED) -> int:
    if sys.stderr is None:
        return code
    print(fitted(sentence, sys.stderr.encoding or "ascii"), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
