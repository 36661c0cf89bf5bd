"""Mutation testing of the rules: change the code in every small way and see that a test notices.

    python tests/rules/mutants.py [CHILDREN [NAME …]]

A copy of the rules and of their tests is made in ``mutants/`` and given to mutmut. mutmut leaves
decorated functions alone, so properties and cached functions are written as plain ones in the copy.
Mutants that no test notices must be among ``EQUIVALENT``, each with the reason why it changes
nothing; any other one fails the run, and so does one that no test reaches.

Each mutant meets the quickest tests first, those of its own module before others. A test fails that
takes three seconds and five times what it takes without mutants: the mutant makes it run for ever.
What is measured is time of the processor, so that a busy machine makes no difference. For what ends
in no other way mutmut has a limit of its own, and such a mutant is tried again alone. NAMEs, such
as ``hearts_net.rules.fair.*``, are mutants to try instead of all.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "mutants"
CONFIG = """
[tool.pytest.ini_options]
addopts = "--strict-markers --import-mode=importlib -p no:cacheprovider -p no:unraisableexception"
timeout = 0
markers = ["long: takes seconds to minutes"]
pythonpath = ["."]

[tool.mutmut]
source_paths = ["hearts_net/rules"]
pytest_add_cli_args_test_selection = ["tests/rules"]
pytest_add_cli_args = ["-m", "not long"]
also_copy = ["hearts_net"]
use_setproctitle = false
timeout_multiplier = 4
timeout_constant = 30
track_dependencies = false
use_git_change_detection = false
"""

CONFTEST = '''
import json
import os
import signal
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from mutmut.mutation import trampoline

settings.register_profile(
    "mutants",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=30,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("mutants")

MEASURED = Path("mutmut-stats.json")
ENDLESS = Path("endless")


def seconds_of(item):
    """What a test takes without mutants."""
    return item.config.stash[SECONDS].get(item.nodeid, 60)


SECONDS = pytest.StashKey()
WANTED = pytest.StashKey()


def pytest_configure(config):
    """Look up once, not at every call of a function, which mutant is tried."""
    name = os.environ.get("MUTANT_UNDER_TEST", "")
    trampoline.get_mutant_under_test = lambda: name
    found = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    config.stash[SECONDS] = found.get("duration_by_test", {})
    config.stash[WANTED] = set(config.args)
    if len(config.args) > 60:  # to collect every test and drop some is quicker than to name many
        config.args[:] = ["tests/rules"]
    signal.signal(signal.SIGPROF, runs_for_ever)


def pytest_collection_modifyitems(config, items):
    """The quickest first, those of the mutated module before others."""
    wanted = config.stash[WANTED]
    if len(wanted) > 60:
        items[:] = [item for item in items if item.nodeid in wanted]
    module = os.environ.get("MUTANT_UNDER_TEST", "").removeprefix("hearts_net.rules.").split(".")[0]
    items.sort(
        key=lambda item: seconds_of(item) * (0.1 if item.path.stem == f"test_{module}" else 1)
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    signal.setitimer(signal.ITIMER_PROF, 3 + 5 * seconds_of(item), 1)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def runs_for_ever(*_):
    with ENDLESS.open("a") as names:
        names.write(os.environ["MUTANT_UNDER_TEST"] + "\\n")
    pytest.fail("runs for ever")
'''
"""Every mutant meets the same examples."""

SLOW = ("test_open_spiel.py", "test_properties.py")
"""Left out: the quick tests must notice a mutant by themselves."""

MEMORY = 3 * 2**30
"""Bytes that mutmut and each of its children may take."""
FOR_EVER = "noticed: its tests do not begin, or do not end"
ENDLESS = WORK / "mutants/endless"
"""Names of mutants that were noticed because a test of theirs did not end."""

PROPERTY = re.compile(
    r"^    @property\n    def (\w+)(.*?)(?=^    (?:@|def |#)|^\S|\Z)", re.M | re.S
)

FALSE = "None is as false as the value before"
NEVER_EQUAL = "two cards are never the same card"
EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "deal",
        "if best < second <= ace: => if best <= second <= ace:",
    ): NEVER_EQUAL,
    ("deal", "if best < third <= ace: => if best <= third <= ace:"): NEVER_EQUAL,
    ("deal", "if best < fourth <= ace: => if best <= fourth <= ace:"): NEVER_EQUAL,
    ("check", "self._settled_told = False => self._settled_told = None"): FALSE,
    ("check", "self._ended = False => self._ended = None"): FALSE,
    (
        "reading",
        "while data := stream.readline(MAX_LINE + 1): => "
        "while data := stream.readline(MAX_LINE + 2):",
    ): "one byte too many or two, the line is too long",
    (
        "record",
        'return json.dumps({"kind": kind.value, **facts}, ensure_ascii=False, '
        'separators=(",", ":")) => return json.dumps({"kind": kind.value, **facts}, '
        'ensure_ascii=None, separators=(",", ":"))',
    ): FALSE,
    ("playout", "begun = () => begun = None"): FALSE,
    (
        "playout",
        "return _by_suits(FULL_DECK & ~barred) if barred else None => "
        "return _by_suits(FULL_DECK & ~barred) if (barred) or True else None",
    ): "to allow every card is to allow anything, only slower",
    ("playout", "if rank > best: => if rank >= best:"): NEVER_EQUAL,
    (
        "cards",
        "return (mask & -mask).bit_length() - 1 => return (mask | -mask).bit_length() - 1",
    ): "less the lowest bit is as long as the lowest bit",
    (
        "legal",
        "if mine and others > mine & -mine:  # their highest against my lowest => "
        "if mine and others >= mine & -mine:  # their highest against my lowest",
    ): NEVER_EQUAL,
    (
        "shuffle",
        'yield from hmac.digest(key, _BLOCK_LABEL + counter.to_bytes(4), "sha256") => '
        'yield from hmac.digest(key, _BLOCK_LABEL + counter.to_bytes(4), "SHA256")',
    ): "the same digest by another spelling",
}
"""By module and change: why it changes nothing."""


def prepare() -> None:
    """Copy what is mutated and what tests it."""
    shutil.rmtree(WORK, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__", "mutants.py", *SLOW)
    for folder in ("hearts_net/rules", "tests/rules"):
        shutil.copytree(ROOT / folder, WORK / folder, ignore=ignore)
    shutil.copy(ROOT / "hearts_net/__init__.py", WORK / "hearts_net/__init__.py")
    for module in (WORK / "hearts_net/rules").glob("*.py"):
        plain = PROPERTY.sub(r"    def \1\2    \1 = property(\1)\n\n", module.read_text())
        plain = plain.replace("\n@cache\n", "\n")
        module.write_text(plain)
    (WORK / "pyproject.toml").write_text(CONFIG)
    (WORK / "tests/conftest.py").write_text(CONFTEST)


def mutmut(*arguments: str) -> str:
    """Run mutmut in the copy and return what it prints."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    done = subprocess.run(command, cwd=WORK, capture_output=True, text=True, check=False)
    return done.stdout


def changed_line(name: str) -> str:
    """Return what a mutant changes, the old line and the new one."""
    lines = mutmut("show", name).splitlines()
    old = [line[1:].strip() for line in lines if line.startswith("-") and line[1:2] == " "]
    new = [line[1:].strip() for line in lines if line.startswith("+") and line[1:2] == " "]
    return " | ".join(old) + " => " + " | ".join(new)


def run(children: str, *names: str) -> None:
    """Let mutmut try some mutants, or all that it has not tried."""
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", children, *names]
    subprocess.run(command, cwd=WORK, check=False)


def statuses() -> dict[str, str]:
    """Return what became of each mutant that was tried."""
    lines = [line.strip() for line in mutmut("results", "--all", "true").splitlines()]
    found = dict(line.split(": ", 1) for line in lines if line.startswith("hearts_net."))
    return {name: status for name, status in found.items() if status != "not checked"}


def main(arguments: list[str]) -> int:
    """Run it all; 1 if a mutant survives that should not."""
    prepare()
    # one that fills the memory without end is noticed by that, and leaves the machine some
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    children, *names = arguments or ["2"]
    run(children, *names)
    found = statuses()
    unclear = [name for name, status in found.items() if status not in ("killed", "survived")]
    if unclear:
        run("1", *unclear)
        found = statuses()
    count, unexplained, equivalent = len(found), 0, 0
    for name, status in found.items():
        if status == "killed":
            continue
        change, reason = changed_line(name), FOR_EVER if status == "timeout" else None
        if status == "survived":
            module = name.removeprefix("hearts_net.rules.").split(".")[0]
            reason = EQUIVALENT.get((module, change))
            equivalent += reason is not None
        unexplained += reason is None
        print(f"{name}\n    {change}\n    {reason or 'NOT NOTICED: ' + status}")
    real = count - equivalent
    print(f"{count} mutants, {equivalent} of them equivalent ({equivalent / count:.1%})")
    print(f"noticed {real - unexplained} of {real}: {(real - unexplained) / real:.2%}")
    endless = set(ENDLESS.read_text().split()) if ENDLESS.exists() else set()
    print(f"{len(endless)} of these because a test did not end")
    return 1 if unexplained or equivalent > count * 0.02 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
