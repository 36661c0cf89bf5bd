"""Mutation testing of the rules: change the code in every small way and see that a test notices.

    python tests/rules/mutants.py [CHILDREN]

A copy of the rules and of their tests is made in ``mutants/`` and given to mutmut. mutmut leaves
decorated functions alone, so properties are written as plain functions in the copy. Mutants that
no test notices must be among ``EQUIVALENT``, each with the reason why it changes nothing; any other
one fails the run.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "mutants"
CONFIG = """
[tool.pytest.ini_options]
addopts = "--strict-markers --import-mode=importlib -p no:cacheprovider"
timeout = 60
markers = ["long: takes seconds to minutes"]
pythonpath = ["."]

[tool.mutmut]
source_paths = ["hearts_net/rules"]
tests_dir = ["tests/rules"]
pytest_add_cli_args = ["-m", "not long"]
also_copy = ["hearts_net"]
use_setproctitle = false
track_dependencies = false
use_git_change_detection = false
"""

SLOW = ("test_open_spiel.py", "test_properties.py")
"""Left out: the quick tests must notice a mutant by themselves."""

PROPERTY = re.compile(
    r"^    @property\n    def (\w+)(.*?)(?=^    (?:@|def |#)|^\S|\Z)", re.M | re.S
)

FALSE = "None is as false as the value before"
NEVER_EQUAL = "two cards are never the same card"
EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "playout",
        "return self._run(hands, leader, (TWO_OF_CLUBS,), [0, 0, 0, 0], False, HAND_SIZE, rng) => "
        "return self._run(hands, leader, (TWO_OF_CLUBS,), [0, 0, 0, 0], None, HAND_SIZE, rng)",
    ): FALSE,
    ("playout", "self._first_trick = False => self._first_trick = None"): FALSE,
    ("playout", "first_trick = False => first_trick = None"): FALSE,
    ("playout", "begun = () => begun = None"): FALSE,
    ("playout", "no_queen = False => no_queen = None"): FALSE,
    (
        "playout",
        "if not self._laid or self.best < card <= ACE_OF_SUIT[card] == ACE_OF_SUIT[self.led]: => "
        "if not self._laid or self.best <= card <= ACE_OF_SUIT[card] == ACE_OF_SUIT[self.led]:",
    ): NEVER_EQUAL,
    (
        "scoring",
        "total + more for total, more in zip(totals, points, strict=True) => "
        "total + more for total, more in zip(totals, points, strict=None)",
    ): "both have four values",
    ("playout", "if card > best: => if card >= best:"): NEVER_EQUAL,
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
        module.write_text(plain)
    (WORK / "pyproject.toml").write_text(CONFIG)


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


def survivors() -> tuple[int, list[str]]:
    """Return how many mutants there are, and those that no test noticed."""
    results = [line.strip() for line in mutmut("results", "--all", "true").splitlines()]
    named = [line.split(": ", 1) for line in results if ": " in line]
    kept = [
        name
        for name, status in named
        if status not in ("killed", "timeout", "caught by type check")
    ]
    return len(named), kept


def main(arguments: list[str]) -> int:
    """Run it all; 1 if a mutant survives that should not."""
    prepare()
    children = arguments[0] if arguments else "2"
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", children]
    subprocess.run(command, cwd=WORK, check=False)
    count, names = survivors()
    unexplained = []
    for name in names:
        module = name.removeprefix("hearts_net.rules.").split(".")[0]
        change = changed_line(name)
        reason = EQUIVALENT.get((module, change))
        print(f"{name}\n    {change}\n    {reason or 'NOT NOTICED'}")
        if reason is None:
            unexplained.append(name)
    equivalent = len(names) - len(unexplained)
    real = count - equivalent
    print(f"{count} mutants, {equivalent} of them equivalent ({equivalent / count:.1%})")
    print(f"killed {real - len(unexplained)} of {real}: {(real - len(unexplained)) / real:.2%}")
    return 1 if unexplained or equivalent > count * 0.02 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
