"""What is installed is what somebody has looked at: pinned, hashed, and in the list of reviews."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = sorted(ROOT.glob("requirements*.lock"))
GROUPS: dict[str, list[str]] = PROJECT["dependency-groups"]


@dataclass(frozen=True)
class Locked:
    """One package of a lock file."""

    name: str
    version: str
    hashes: tuple[str, ...]


def locked(path: Path) -> list[Locked]:
    """Read a lock file; every line of it has to be understood."""
    found = []
    text = re.sub(r"\\\n", " ", path.read_text("utf-8"))
    for line in filter(None, (line.strip() for line in text.splitlines())):
        pin, *hashes = line.split(" --hash=")
        requirement = Requirement(pin)
        (only,) = requirement.specifier
        assert only.operator == "==", line
        assert requirement.url is None, line
        name = canonicalize_name(requirement.name)
        found.append(Locked(name, only.version, tuple(each.strip() for each in hashes)))
    return found


def lock_of(group: str) -> Path:
    return ROOT / ("requirements.lock" if group == "build" else f"requirements-{group}.lock")


def reviewed() -> dict[str, tuple[str, date, str]]:
    """Return version, date and purpose of each package in the list."""
    found: dict[str, tuple[str, date, str]] = {}
    for line in (ROOT / "requirements-reviewed.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, version, day, purpose = line.split(maxsplit=3)
        assert name not in found, name
        found[name] = version, date.fromisoformat(day), purpose
    return found


def test_there_is_a_lock_for_each_group_and_no_other() -> None:
    assert sorted({lock_of(group) for group in GROUPS}) == LOCKS


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_package_is_pinned_with_hashes(path: Path) -> None:
    packages = locked(path)
    assert packages
    for package in packages:
        assert package.hashes, package
        for each in package.hashes:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", each), package


def test_two_locks_never_disagree() -> None:
    versions: dict[str, set[str]] = {}
    for path in LOCKS:
        for package in locked(path):
            versions.setdefault(package.name, set()).add(package.version)
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}


def test_every_version_locked_has_been_looked_at() -> None:
    seen = {package.name: package.version for path in LOCKS for package in locked(path)}
    assert seen == {name: version for name, (version, _, _) in reviewed().items()}


def test_each_review_says_when_and_what_for() -> None:
    for name, (_, day, purpose) in reviewed().items():
        assert day >= date(2026, 1, 1), name
        group, _, reason = purpose.partition(": ")
        assert {*group.split(", ")} <= {"play", *GROUPS}, name
        assert reason, name


def test_what_a_player_installs_was_looked_at_more_closely() -> None:
    text = (ROOT / "requirements-reviewed.txt").read_text("utf-8")
    told = dict(re.findall(r"^#   (\S+)\s+(\S.*)", text, flags=re.M))
    played = {name for name, (_, _, purpose) in reviewed().items() if purpose.startswith("play")}
    assert set(told) == played
    notes = re.split(r"^#   (?=\S)", text, flags=re.M)[1:]
    assert all("Advisor" in note and "ulls in" in note for note in notes)


@pytest.mark.parametrize("group", ["play", *GROUPS])
def test_what_the_project_asks_for_is_locked(group: str) -> None:
    asked = PROJECT["project"]["dependencies"] if group == "play" else GROUPS[group]
    lock = lock_of("build" if group == "play" else group)
    versions = {package.name: package.version for package in locked(lock)}
    for text in asked:
        requirement = Requirement(text)
        version = versions[canonicalize_name(requirement.name)]
        assert Version(version) in requirement.specifier, text


def test_the_build_backend_is_the_one_that_is_locked() -> None:
    (backend,) = PROJECT["build-system"]["requires"]
    assert backend in GROUPS["build"]


def test_make_installs_nothing_without_a_hash() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    for line in re.findall(r"^.*\bpip install\b.*$", text, flags=re.M):
        assert "--require-hashes" in line or "--no-deps --no-build-isolation" in line, line
    assert "pip install" not in (ROOT / ".ci" / "run").read_text("utf-8")
