"""The map of the house in CONTRIBUTING.md names every module, and nothing that is not there."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
CLIENT: Final = ROOT / "client" / "hearts_client"
PARTS: Final = {
    "client": CLIENT,
    **{
        path.name: path
        for path in (ROOT / "hearts_net").iterdir()
        if (path / "__init__.py").is_file()
    },
}
"""Each part of the map, and the folder that it is about."""


def named(part: str) -> set[str]:
    """Return every name in back quotes in the rows about a part."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(rf"^\| `?{part}`?(?::[^|]*)? \|(.*)\|$", text, flags=re.M)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def modules(part: str) -> list[str]:
    """Return the modules of a part, those in folders with the folder before them."""
    folder = PARTS[part]
    paths = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*.py"))
    return sorted(str(path) for path in paths if not path.name.startswith("__"))


def is_named(module: str, names: set[str]) -> bool:
    """Tell whether a module or a folder that it is in is named."""
    *folders, name = module.split("/")
    inside = any(f"{folder}/" in names or folder in names for folder in folders)
    return inside or any(fnmatchcase(name, each) for each in names)


@pytest.mark.parametrize("part", PARTS)
def test_every_module_is_on_the_map(part: str) -> None:
    names = named(part) | {"errors"}
    assert [module for module in modules(part) if not is_named(module, names)] == []


@pytest.mark.parametrize("part", PARTS)
def test_what_is_on_the_map_is_there(part: str) -> None:
    there = modules(part)
    ends = {module.rpartition("/")[2] for module in there}
    folders = {f"{path.name}/" for path in PARTS[part].rglob("*") if path.is_dir()}
    unknown = [
        name
        for name in named(part)
        if re.fullmatch(r"[a-z_*/]+", name)
        and name not in folders | PARTS.keys()
        and name not in there
        and not any(fnmatchcase(end, name) for end in ends)
    ]
    assert unknown == []
