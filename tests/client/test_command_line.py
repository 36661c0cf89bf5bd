from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from hearts_client import cli, flags
from hearts_client.chosen import Chosen, UsageError, choose
from hearts_client.config import Config, FileValue, read_config
from hearts_client.exits import Exit, exit_for
from hearts_client.speech import day_and_time
from hearts_client.tables import options_of
from hearts_net.host import names
from hearts_net.host.archive import StoredTable
from hearts_net.host.folder import TableFolder
from hearts_net.host.table import Stage
from hearts_net.peer.errors import LinkError
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import key_file
from hearts_net.protocol import limits, messages, orders, tablecode
from hearts_net.rules.actions import DealCards, PlayCard
from hearts_net.rules.cards import SEATS, random_card
from hearts_net.rules.fair import Share, commitment_to, gathered
from hearts_net.rules.game import Game
from hearts_net.rules.options import Options, PassingRule
from hearts_net.rules.record import Header, Player, PlayerType, record_lines
from hearts_net.version import PACKAGE_VERSION

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., tuple[int, str, str]]


def no_file() -> Config:
    return Config(Path("config.toml"), {}, ())


# ---- the start -----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["--help"], ["host", "-h"], ["-V"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    program = (
        "import sys; from hearts_client.__main__ import main\n"
        f"code = main({words!r})\n"
        "heavy = {'prompt_toolkit', 'zmq', 'msgspec', 'msgpack', 'asyncio', 'importlib.metadata'}\n"
        "found = heavy & set(sys.modules)\n"
        "assert not found, found\n"
        "assert code == 0, code\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_plain_mode_needs_no_prompt_toolkit() -> None:
    program = "import sys, hearts_client.playing; assert 'prompt_toolkit' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_versions_are_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == PACKAGE_VERSION
    assert limits.VERSION == cli.PROTOCOL_VERSION
    assert names.MAX_TITLE_LETTERS == flags.LONGEST_TITLE
    assert names.MAX_NAME_BYTES == flags.LARGEST_TITLE
    assert limits.CONTROL_PORT == flags.CONTROL_PORT
    assert tablecode.DIGITS == flags.CODE_DIGITS
    assert flags.PAUSE.default == orders.PAUSE
    assert flags.PAUSE.read is not None
    assert flags.PAUSE.read(str(orders.LONGEST_PAUSE)) == orders.LONGEST_PAUSE
    assert flags.ADMIT.read is not None
    assert [flags.ADMIT.read(way) for way in messages.ADMISSIONS] == list(messages.ADMISSIONS)


def test_version_names_package_and_protocol(run_main: Run) -> None:
    assert run_main("-V") == (0, f"hearts-net {PACKAGE_VERSION}, protocol 1\n", "")


@pytest.mark.parametrize("command", [None, *cli.COMMANDS], ids=lambda c: c.name if c else "none")
def test_help_starts_with_examples(command: cli.Command | None, run_main: Run) -> None:
    code, out, err = run_main(*([] if command is None else [command.name]), "-h")
    assert (code, err) == (0, "")
    assert out.startswith("  hearts-net ")
    assert out.index("hearts-net") < out.index("usage:")


def test_without_a_terminal_the_start_is_told_in_plain_words(run_main: Run) -> None:
    code, out, err = run_main()
    assert (code, err) == (0, "")
    assert "1. play: you against three bots, at once." in out
    assert out.endswith("Goodbye.\n")


def test_the_start_screen_takes_the_options_of_a_client(run_main: Run) -> None:
    code, out, err = run_main("--name", "Asha", "--ascii", "--speed", "0", "--colours", "two")
    assert (code, err) == (0, "")
    assert "1. play: you against three bots, at once." in out
    code, _out, err = run_main("--speed", "fast")
    assert (code, err.startswith("--speed must be")) == (2, True)
    code, _out, err = run_main("--name", "Asha", "rules")
    assert code == 2
    assert err.startswith("--name does nothing with rules")


def test_host_help_lists_the_house_rules(run_main: Run) -> None:
    _code, out, _err = run_main("host", "-h")
    assert "queen_of_spades" in out
    assert "wait-for-hearts" in out


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_shell_completes_commands_options_and_files(tmp_path: Path, run_main: Run) -> None:
    code, script, err = run_main("completion", "bash")
    assert (code, err) == (0, "")
    (tmp_path / "last.hearts.jsonl").touch()
    for words, wanted in (
        (["si"], "simulate"),
        (["host", "--tab"], "--table"),
        (["check", "--deals", "las"], "last.hearts.jsonl"),
    ):
        assert completed(script, ["hearts-net", *words], tmp_path) == [wanted]


def completed(script: str, words: list[str], folder: Path) -> list[str]:
    """Return what bash would offer after some words, the last of them begun."""
    ask = (
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; "
        "complete -p hearts-net >/dev/null || exit 1; function=$(complete -p hearts-net | "
        "sed 's/.*-F \\([^ ]*\\).*/\\1/'); $function hearts-net "
        f"{words[-1]} {words[-2]}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    result = subprocess.run(
        ["bash", "-c", f"{script}\n{ask}"],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=30,
        check=True,
    )
    return [line.strip() for line in result.stdout.splitlines() if line.strip()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh", "fish", "powershell"])
def test_every_shell_has_a_script_that_names_each_command(shell: str, run_main: Run) -> None:
    code, script, err = run_main("completion", shell)
    assert (code, err) == (0, "")
    assert [command.name for command in cli.COMMANDS if command.name not in script] == []


def test_a_shell_that_is_not_known_is_refused(run_main: Run) -> None:
    code, _out, err = run_main("completion", "abacus")
    assert code == 2
    assert err == (
        "There is no completion for the shell “abacus”: name bash, zsh, tcsh, fish or powershell.\n"
    )
    assert run_main("completion")[2] == "Name a shell: bash, zsh, tcsh, fish or powershell.\n"


# ---- one declaration -----------------------------------------------------------------------------


@pytest.mark.parametrize("command", cli.COMMANDS, ids=lambda command: command.name)
def test_every_command_has_a_module_and_no_option_twice(command: cli.Command) -> None:
    module = __import__(command.module, fromlist=["run"])
    assert callable(module.run)
    names = [name for flag in cli.flags_of(command) for name in flag.names]
    assert len(names) == len(set(names))
    assert command.examples
    assert all(flag.help and (flag.read is None) == (not flag.metavar) for flag in command.flags)


def test_every_command_takes_the_common_options() -> None:
    for command in cli.COMMANDS:
        assert set(flags.COMMON) <= set(cli.flags_of(command))


# ---- where a value comes from --------------------------------------------------------------------


def test_flag_beats_variable_beats_file_beats_default() -> None:
    file = Config(Path("c"), {"grace": FileValue("30", 1), "name": FileValue("File", 2)}, ())
    chosen = choose(
        (flags.GRACE, flags.NAME, flags.TABLE, flags.PORT),
        {"port": "1000"},
        {"HEARTS_NET_PORT": "2000", "HEARTS_NET_GRACE": "40"},
        lambda: file,
    )
    assert chosen.number("port") == 1000
    assert chosen.number("grace") == 40
    assert chosen.text("name") == "File"
    assert chosen.text("table") == "hearts"
    assert chosen.is_given("name")
    assert not chosen.is_given("table")


def test_switches_and_lists_from_the_environment() -> None:
    environ = {"HEARTS_NET_PLAIN": "yes", "HEARTS_NET_SET": "target=50 moon=shooter-loses"}
    chosen = choose((flags.PLAIN, flags.SET), {}, environ, no_file)
    assert chosen.switch("plain")
    assert chosen.texts("set") == ("target=50", "moon=shooter-loses")


@pytest.mark.parametrize(
    ("typed", "environ", "says"),
    [
        ({"port": "70000"}, {}, "--port must be a whole number from 0 to 65534, not “70000”"),
        ({"port": "²"}, {}, "--port must be"),
        ({}, {"HEARTS_NET_GRACE": "soon"}, "HEARTS_NET_GRACE must be a whole number"),
        ({}, {"HEARTS_NET_PLAIN": "perhaps"}, "HEARTS_NET_PLAIN must be true or false"),
        ({"bots": "5"}, {}, "--bots must be a number from 0 to 4"),
        ({"name": " "}, {}, "--name must not be empty"),
    ],
)
def test_a_wrong_value_says_where_it_comes_from(
    typed: dict[str, str], environ: dict[str, str], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        choose(
            (flags.PORT, flags.GRACE, flags.PLAIN, flags.BOTS, flags.NAME), typed, environ, no_file
        )


def test_the_file_is_read_by_key_and_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('name = "Asha"\nturn-limit = 90\nset = ["target=50"]\n\ncolour = "red"\n')
    config = read_config(path)
    assert config.values["name"] == FileValue("Asha", 1)
    assert config.values["turn_limit"] == FileValue("90", 2)
    assert config.values["set"] == FileValue(["target=50"], 3)
    assert config.warnings == (f"{path}, line 5: there is no option “colour”, so it is ignored.",)


@pytest.mark.parametrize("content", [b"name = ", b"\xff\xfe", b"name = 3.5\n", b"plain = 'x'\n"])
def test_a_file_that_will_not_do_is_a_typed_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    with pytest.raises(LinkError, match="bad-config"):
        read_config(path)


def test_an_unknown_key_is_a_warning_and_a_broken_file_an_error(
    tmp_path: Path, run_main: Run
) -> None:
    folder = tmp_path / "home" / "config"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('\nnmae = "Asha"\n')
    code, _out, err = run_main("rules")
    assert code == 0
    assert err.count("\n") == 1
    assert "line 2" in err
    (folder / "config.toml").write_text("plain =\n")
    code, _out, err = run_main("rules")
    assert code == 1
    assert err.startswith("The configuration file ")


# ---- failures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["hots"], 2, "invalid choice"),
        (["host", "--nope"], 2, "nrecognized arguments: --nope"),
        (["host", "--port"], 2, "expected one argument"),
        (["host", "--port", "x"], 2, "--port must be"),
        (["host", "--table", "x" * 41], 2, "--table takes at most 40 letters"),
        (["host", "--table", "月" * 22], 2, "--table takes at most 40 letters"),
        (["host", "--rules", "nope"], 2, "no preset of rules “nope”"),
        (["host", "--set", "target=0"], 2, "“target” does not take the value “0”"),
        (["host", "--set", "nope=1"], 2, "no option “nope”"),
        (["host", "--set", "foo"], 2, "“foo” sets no option: write --set OPTION=VALUE."),
        (["host", "--bots", "2:genius"], 2, "no level “genius”"),
        (["host", "--admit", "nobody"], 2, "--admit must be one of"),
        (["play", "--level", "genius"], 2, "no level “genius”"),
        (["play", "--name", "x" * 25], 2, "at most 24 letters"),
        (["join"], 3, "No table answers"),
        (["join", "hearts://10.0.0.1/26052/short/x"], 2, "invite is damaged"),
        (["join", "10.0.0.1:99999999"], 2, "is no address"),
        (["play", "--profile", "../../x"], 2, "--profile takes at most 32 letters"),
        (["list", "--profile", "../../x"], 2, "--profile takes at most 32 letters"),
        (["rules", "--profile", "-x"], 2, "expected one argument"),
        (["rules", "--profile=-x"], 2, "--profile takes at most 32 letters"),
        (["stop", "--profile", "x" * 33], 2, "--profile takes at most 32 letters"),
        (["rules", "--lang", "../../etc"], 2, "--lang takes letters, digits, - and _ only"),
        (["rules", "--lang="], 2, "--lang takes letters, digits, - and _ only"),
        (["stop"], 3, "No table of yours is running on this machine: `hearts-net host` opens one"),
        (["stop", "nope"], 1, "no such table"),
        (["resume"], 1, "No table is saved on this machine: `hearts-net host` opens one."),
        (["resume", "attic"], 1, "no such table"),
        (["export"], 2, "--last"),
        (["export", "--last"], 1, "No deal has been finished on this machine"),
        (["export", "attic"], 1, "There is no such table"),
        (["simulate", "--games", "0"], 2, "--games must be"),
        (["simulate", "--bots", "easy,easy"], 2, "--bots must be"),
        (["simulate", "--bots", "genius"], 2, "no level “genius”"),
        (["check"], 2, "required: FILE"),
        (["rules", "--log-file", "/nonexistent/x"], 2, "log file /nonexistent/x cannot be"),
        (["list", "--log-file", "/"], 2, "log file / cannot be written"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_every_failure_is_one_sentence(
    words: list[str], code: int, says: str, run_main: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearts_net.peer.target.ask", _no_answer)
    got, out, err = run_main(*words)
    assert got == code, err
    assert out == ""
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert says in err


@pytest.mark.parametrize(
    "words",
    [
        ["\x1b[31mhots"],
        ["host", "--\x1b[31mnope"],
        ["list", "\x1b[31mhots"],
        ["host", "--port", "\x1b]0;title\x07x"],
        ["host", "--rules", "\x1b[31m"],
        ["host", "--set", "\x1b[31m=1"],
        ["host", "--set", "target=\x1b[31m"],
        ["join", "\x1b[31m"],
        ["play", "--profile", "\x1b[31m"],
    ],
)
def test_what_was_typed_is_repeated_without_escapes(words: list[str], run_main: Run) -> None:
    code, out, err = run_main(*words)
    assert (code, out) == (2, "")
    assert err.rstrip("\n").isprintable()


def test_settings_are_repeated_without_escapes(
    run_main: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = find_home().config / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('"od\\u001b[31md" = 1\n')
    monkeypatch.setenv("HEARTS_NET_NO_BELL", "\x1b[31m")
    code, _out, err = run_main("play")
    assert code == 2
    assert "od[31md" in err
    assert err.replace("\n", "").isprintable()


async def _no_answer(host: str, port: int) -> None:
    raise LinkError("no-answer", host=host, port=port)


def test_nobody_there_ends_with_3(run_main: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hearts_net.peer.target.ask", _no_answer)
    code, _out, err = run_main("join", "127.0.0.1:9")
    assert code == Exit.NOBODY
    assert err.startswith("No table answers at 127.0.0.1, port 9: check both and the firewall")


def test_an_unknown_language_is_english(run_main: Run) -> None:
    assert run_main("-V", "--lang", "xx")[0] == 0
    code, out, err = run_main("rules", "--lang", "xx")
    assert code == 0
    said = "There are no words in “xx”, so it is English; there are: en.\n"
    assert err == said
    assert "Hearts is for four players" in out
    for english in ("en", "en_GB", "C"):
        assert run_main("rules", "--lang", english)[2] == ""


@pytest.mark.parametrize(
    "name", ["a", "player-2", "A_b", "x" * 32, "", "-a", "_", "a.b", "ä", "x" * 33]
)
def test_a_profile_is_named_as_its_key_file_is(name: str) -> None:
    def takes(function: Callable[[], object]) -> bool:
        try:
            function()
        except (ValueError, LinkError):
            return False
        return True

    home = find_home()
    assert takes(lambda: flags.profile(name)) == takes(lambda: key_file(home, name))


def test_exit_codes_of_errors() -> None:
    assert exit_for("host-down") is Exit.NOBODY
    assert exit_for("wrong-key") is Exit.REFUSED
    assert exit_for("version-mismatch") is Exit.VERSION
    assert exit_for("anything-else") is Exit.FAILED


def test_what_nobody_expected_is_one_sentence_and_a_file(
    run_main: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("hearts_client.commands.rules.paragraphs", fail)
    log = tmp_path / "log"
    code, out, err = run_main("rules", "--log-file", str(log))
    assert (code, out) == (1, "")
    assert err == f"Something went wrong inside hearts-net: {log} says what.\n"
    assert "ZeroDivisionError: inside" in log.read_text()


def test_an_unwritable_home_is_said(
    run_main: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HEARTS_NET_HOME", str(tmp_path / "file" / "below"))
    code, _out, err = run_main("list")
    assert code == 1
    assert "HEARTS_NET_HOME" in err


def test_a_reader_that_has_had_enough_is_no_failure_to_talk_about() -> None:
    command = f"{sys.executable} -m hearts_client simulate --games 3 --bots easy | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stderr == ""
    assert json.loads(done.stdout)["kind"] == "game"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", ["rules", "-h", "-V", "host -h", "play --plain"])
def test_a_full_output_is_said(words: str) -> None:
    command = f"{sys.executable} -m hearts_client {words} </dev/null >/dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    reason = os.strerror(errno.ENOSPC)
    assert done.stderr == f"Standard output cannot be written ({reason}).\n"
    assert done.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes descriptors")
@pytest.mark.parametrize("words", ["rules", "-V", "list --json"])
def test_a_closed_output_is_said(words: str) -> None:
    command = f"{sys.executable} -m hearts_client {words} >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stderr == "Standard output cannot be written (it is closed).\n"
    assert done.returncode == 1
    command = f"{sys.executable} -m hearts_client nope 2>&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("words", [[], ["play"], ["host"]])
def test_an_unknown_theme_is_said_before_anything_is_launched(
    words: list[str], run_main: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def launched(*_: object) -> None:
        raise AssertionError("no command is even begun")

    name = words[0] if words else "start"
    monkeypatch.setattr(f"hearts_client.commands.{name}.run", launched)
    monkeypatch.setattr("hearts_client.__main__._curtain", lambda *_: contextlib.nullcontext())
    for plain in (False, True):
        monkeypatch.setattr("hearts_client.__main__.wants_plain", lambda _, plain=plain: plain)
        code, out, err = run_main(*words, "--theme", "nope")
        assert (code, out) == (Exit.USAGE, "")
        assert err == ("There is no theme “nope”; there are: standard, felt, paper, contrast.\n")


def test_a_theme_whose_file_is_bad_keeps_nobody_from_plain_mode(
    run_main: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    themes = find_home().config / "themes"
    themes.mkdir(parents=True)
    (themes / "mine.toml").write_text("colour = 7\n")
    monkeypatch.setattr("hearts_client.commands.play.run", lambda _: Exit.DONE)
    assert run_main("play", "--plain", "--theme", "mine") == (Exit.DONE, "", "")


def test_space_that_was_pasted_along_is_no_mistake(
    run_main: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Chosen] = []

    def taken(chosen: Chosen) -> int:
        found.append(chosen)
        return 0

    monkeypatch.setattr("hearts_client.commands.host.run", taken)
    monkeypatch.setattr("hearts_client.commands.join.run", taken)
    options = {
        "--table": " attic ", "--port": " 7 ", "--admit": "ask ", "--bots": " 2:easy",
        "--rules": " omnibus ", "--set": " target = 50 ", "--name": " Asha\n", "--theme": " felt ",
    }  # fmt: skip
    words = [word for pair in options.items() for word in pair]
    assert run_main("host", "--plain", *words) == (0, "", "")
    assert run_main("join", "--plain", " hearts://10.0.0.1/1/x/y\n") == (0, "", "")
    host, join = found
    assert (host.text("table"), host.number("port"), host.text("admit")) == ("attic", 7, "ask")
    assert (host.bots("bots"), host.text("name")) == ((2, "easy"), "Asha")
    assert options_of(host).target == 50
    assert join.text("where") == "hearts://10.0.0.1/1/x/y"


# ---- commands without a network ------------------------------------------------------------------


def test_simulated_games_pass_the_check_and_a_changed_one_does_not(
    tmp_path: Path, run_main: Run
) -> None:
    out = tmp_path / "games"
    words = (
        "simulate",
        "--games",
        "2",
        "--seed",
        "7",
        "--bots",
        "easy",
        "--legal",
        "--out",
        str(out),
    )
    assert run_main(*words) == (0, "", "")
    files = sorted(out.iterdir())
    assert len(files) == 2
    bad = tmp_path / "bad.hearts.jsonl"
    lines = files[0].read_text().splitlines()
    cut = next(n for n, line in enumerate(lines) if '"deal-end"' in line)
    bad.write_text("\n".join([*lines[:cut], lines[cut].replace('"points"', '"point"')]) + "\n")
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    code, told, err = run_main(
        "check",
        str(files[0]),
        str(bad),
        str(tmp_path / "binary"),
        str(tmp_path / "no"),
        str(files[1]),
    )
    assert (code, err) == (1, "")
    right, wrong, binary, missing, last = told.splitlines()
    assert right.startswith(f"{files[0]}: right; 1 game, ")
    assert wrong.startswith(f"{bad}:{cut + 1}: missing-key: ")
    assert binary.startswith(f"{tmp_path / 'binary'}:1: ")
    assert missing.startswith(f"{tmp_path / 'no'}: record-unreadable: ")
    assert last.startswith(f"{files[1]}: right")


def test_check_proves_the_deals_too_and_names_what_is_wrong_with_one(
    tmp_path: Path, run_main: Run
) -> None:
    out = tmp_path / "games"
    assert run_main("simulate", "--seed", "7", "--bots", "easy", "--out", str(out))[0] == 0
    (right,) = out.iterdir()
    code, told, err = run_main("check", "--deals", str(right))
    assert (code, err) == (0, "")
    assert told.startswith(f"{right}: right; 1 game, ")
    assert told.endswith(" deals, each verified\n")
    bad = tmp_path / "bad.hearts.jsonl"
    lines = right.read_text().splitlines()
    deal = json.loads(lines[1])
    end = next(n for n, line in enumerate(lines) if '"deal-end"' in line)
    found = {"deck-stacked": "0" * 64, "bad-shuffle": {"host": 1}, "not-checkable": None}
    for problem, shuffle in found.items():
        changed = {**deal, "shuffle": shuffle}
        if shuffle is None:
            del changed["shuffle"]
        bad.write_text("\n".join([lines[0], json.dumps(changed), *lines[2 : end + 1]]) + "\n")
        assert run_main("check", str(bad))[0] == 0
        code, told, err = run_main("check", "--deals", str(bad))
        assert (code, err) == (1, "")
        assert told.startswith(f"{bad}:2: {problem}: ")
        code, told, _ = run_main("check", "--deals", "--json", str(bad))
        assert code == 1
        verdict = json.loads(told)
        assert (verdict["code"], verdict["line"]) == (problem, 2)
    code, told, _ = run_main("check", "--deals", "--json", str(right))
    assert json.loads(told)["verified"] == json.loads(told)["deals"]
    assert json.loads(told)["drawn_by_host"] == 0
    assert json.loads(told)["late"] == []


def a_deal_without(late: int, host: int) -> str:
    """Return the record of one deal among people, to which one seat's share came too late."""
    rng, game = Random(2), Game.start(Options(passing=PassingRule.NONE))
    host_share, *shares = (Share(rng.randbytes(32), rng.randbytes(32)) for _ in range(5))
    promised = [commitment_to("g", 1, seat, shares[seat]) for seat in SEATS]
    opened = [None if seat == late else shares[seat] for seat in SEATS]
    shuffle = gathered("g", 1, host_share, promised, opened)
    game = game.apply(DealCards(shuffle.hands("g", 1), shuffle.text()))
    while game.finished_deals == 0:
        assert game.deal is not None
        assert game.deal.turn is not None
        game = game.apply(PlayCard(game.deal.turn, random_card(game.deal.legal(), rng)))
    first, second, third, fourth = (
        Player(name, PlayerType.HUMAN, is_host=seat == host)
        for seat, name in enumerate(("Asha", "Bram", "Chloé", "Dai"))
    )
    header = Header("g", "2026-01-01T00:00:00Z", game.options, (first, second, third, fourth))
    return "".join(f"{line}\n" for line in record_lines(header, [game]))


def test_check_says_whose_share_came_too_late(tmp_path: Path, run_main: Run) -> None:
    record = tmp_path / "late.hearts.jsonl"
    record.write_text(a_deal_without(late=1, host=0))
    code, told, err = run_main("check", "--deals", str(record))
    assert (code, err) == (0, "")
    assert told.endswith(
        ", each verified; 1 share of a person was drawn by the host; shares that came too late: "
        "Bram in deal 1\n"
    )
    told = run_main("check", "--deals", "--json", str(record))[1]
    assert json.loads(told)["late"] == [{"game": "g", "deal": 1, "seat": 1, "name": "Bram"}]
    record.write_text(a_deal_without(late=0, host=0))
    code, told, err = run_main("check", "--deals", str(record))
    assert (code, err) == (1, "")
    assert told.startswith(f"{record}:2: share-withheld: The host's own player promised a share")
    assert told.endswith("[seat 0]\n")


def test_check_prints_json(tmp_path: Path, run_main: Run) -> None:
    (tmp_path / "empty").write_bytes(b"")
    code, out, _err = run_main("check", "--json", str(tmp_path / "empty"))
    assert code == 1
    assert json.loads(out)["code"] == "empty-record"


def test_simulate_to_standard_output_is_the_same_for_a_seed(run_main: Run) -> None:
    def record() -> list[str]:
        return run_main("simulate", "--seed", "a", "--bots", "easy")[1].splitlines()

    first, second = record(), record()
    assert first[1:] == second[1:]
    assert json.loads(first[-1])["kind"] == "game-end"


def test_rules_in_words_options_and_json(run_main: Run) -> None:
    assert "shot the moon" in run_main("rules")[1]
    options = run_main("rules", "--options")[1]
    assert (
        "  target: the score that ends the game, any whole number from 1 to 1000\n    100: "
        in options
    )
    data = json.loads(run_main("rules", "--json")[1])
    assert data["presets"]["omnibus"]["jack_of_diamonds"] is True


def test_nothing_to_list(run_main: Run) -> None:
    assert run_main("list", "--json") == (0, "[]\n", "")


def test_a_table_whose_game_is_over_is_listed_as_finished(
    run_main: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = ("Asha", "Bram", "Chloé", "Dewi")
    stored = [
        StoredTable(TableFolder(Path(table_id)), table, stage, 4, players, 0, is_running=False)
        for table_id, table, stage in (
            ("0123456789ab", "attic", Stage.GAME_OVER),
            ("ba9876543210", "cellar", Stage.PLAYING),
        )
    ]
    monkeypatch.setattr("hearts_client.commands.list.stored_tables", lambda _tables: stored)
    then = day_and_time(0)
    assert re.fullmatch(r"(1969-12-31|1970-01-01) \d\d:\d\d", then)
    assert run_main("list")[1].splitlines() == [
        f"attic: finished on {then}; hearts-net resume 0123456789ab for a rematch",
        f"cellar: saved on {then}; hearts-net resume ba9876543210",
    ]
    assert [one["state"] for one in json.loads(run_main("list", "--json")[1])] == [
        "finished",
        "saved",
    ]


def test_ascii_output_for_an_ascii_terminal() -> None:
    environ = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "hearts_client", "host", "-h"], capture_output=True, env=environ
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()


@pytest.mark.parametrize("code", ["12345", "1234567", "sesame", "12345a"])
def test_what_cannot_be_a_tables_code_is_a_usage_error(run_main: Run, code: str) -> None:
    done, _out, err = run_main("join", "10.0.0.1", "--code", code)
    assert done == 2
    assert "six digits" in err


def test_a_tables_code_may_be_written_in_groups() -> None:
    assert flags.table_code("482 913") == flags.table_code("482-913") == "482913"
