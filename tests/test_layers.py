"""Imports go one way, in the peer and in the client, and what decides stays pure."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CLIENT = ROOT / "client"
ALLOWED = {
    "rules": {"rules"},
    "protocol": {"rules", "protocol"},
    "peer": {"rules", "protocol", "peer"},
    "bots": {"rules", "protocol", "peer", "bots"},
    "host": {"rules", "protocol", "peer", "host"},
}
WORLD = {
    "asyncio", "multiprocessing", "os", "pathlib", "platformdirs", "prompt_toolkit", "select",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time",
    "zmq",
}  # fmt: skip
"""Sockets, clock, disk and other programs."""
LOOPS = {"asyncio", "multiprocessing", "prompt_toolkit", "socket", "subprocess", "threading", "zmq"}
CLIENTS_ORDER = (
    {
        "full", "plain", "plain_acts", "plain_answers", "plain_commands", "plain_feed",
        "plain_input", "plain_intents", "plain_moment", "plain_says", "plain_start",
        "plain_teller", "plain_wishes",
    },
    {"playing", "reaching"},
    {"latedoors", "sitdown", "startdoors"},
    {"commands"},
    {"__main__"},
)  # fmt: skip
"""After everything else, which is words and settings, each may import those before it."""


@cache
def imports(path: Path) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
            found.update(f"{node.module}.{name.name}" for name in node.names)
    return frozenset(found)


def modules(package: str) -> list[Path]:
    found = sorted((ROOT / package).rglob("*.py"))
    assert found, package
    return found


def module_file(name: str) -> Path | None:
    """Find one of our own modules; None for a name in one, and for what is not ours."""
    for root in (ROOT, CLIENT):
        place = root / name.replace(".", "/")
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.exists() and name.startswith("hearts_"):
                return path
    return None


def reached_from(name: str) -> dict[str, Path]:
    """Find all of our modules that importing one brings, by name."""
    found: dict[str, Path] = {}
    left = [name]
    while left:
        path = module_file(name := left.pop())
        if path is not None and name not in found:
            found[name] = path
            left += imports(path)
    return found


def others_reached_from(name: str) -> dict[str, str]:
    """Say which other packages importing one of our modules brings, and which module does."""
    return {
        other.partition(".")[0]: ours
        for ours, path in reached_from(name).items()
        for other in imports(path)
    }


@pytest.mark.parametrize("layer", sorted(ALLOWED))
def test_no_module_imports_upwards(layer: str) -> None:
    for path in modules(f"hearts_net/{layer}"):
        for name in imports(path):
            parts = name.split(".")
            if parts[0] == "hearts_net" and len(parts) > 1 and parts[1] != "version":
                assert parts[1] in ALLOWED[layer], f"{path.relative_to(ROOT)} imports {name}"


def test_the_peer_never_imports_the_screen() -> None:
    for path in modules("hearts_net"):
        for name in imports(path):
            root = name.split(".")[0]
            assert root not in {"hearts_client", "prompt_toolkit"}, f"{path} imports {name}"


@pytest.mark.parametrize("layer", ["rules", "protocol"])
def test_the_pure_layers_touch_no_world(layer: str) -> None:
    for path in modules(f"hearts_net/{layer}"):
        touched = {name.split(".")[0] for name in imports(path)} & WORLD
        assert not touched, f"{path.relative_to(ROOT)} imports {touched}"


def test_the_authority_is_a_function_of_bytes_and_time() -> None:
    reached = others_reached_from("hearts_net.host.authority")
    assert "msgspec" in reached, "what is looked through here"
    assert not {name: reached[name] for name in reached.keys() & WORLD}


@pytest.mark.parametrize("name", ["model", "steps", "keys", "layout"])
def test_the_full_screen_thinks_without_a_terminal(name: str) -> None:
    reached = others_reached_from(f"hearts_client.full.{name}")
    assert "hearts_net" in reached or "hearts_client" in reached, "what is looked through here"
    assert not {each: reached[each] for each in reached.keys() & LOOPS}


def test_nobody_plays_with_what_tests_are_made_of() -> None:
    for path in [*modules("hearts_net"), *modules("client/hearts_client")]:
        if "testing" in path.parts:
            continue
        testing = {name for name in imports(path) if ".testing" in name}
        assert not testing, f"{path.relative_to(ROOT)} imports {testing}"


def place_in_client(name: str) -> int:
    """Say how late a module of the client comes."""
    part = name.split(".")[1]
    return next((at for at, parts in enumerate(CLIENTS_ORDER, 1) if part in parts), 0)


def test_the_client_imports_one_way_too() -> None:
    for path in modules("client/hearts_client"):
        ours = ".".join(path.relative_to(CLIENT).with_suffix("").parts)
        if ours.startswith("hearts_client.testing"):
            continue
        for name in imports(path):
            if name.startswith("hearts_client."):
                assert place_in_client(name) <= place_in_client(ours), f"{ours} imports {name}"


def test_neither_client_knows_the_other() -> None:
    full = {place for place in CLIENTS_ORDER[0] if place != "full"}
    for path in modules("client/hearts_client/full"):
        plain = {name for name in imports(path) if set(name.split(".")[1:2]) & full}
        assert not plain, f"{path.relative_to(ROOT)} imports {plain}"
    for name in ("plain", "plain_input", "plain_start"):
        reached = reached_from(f"hearts_client.{name}")
        assert not [each for each in reached if each.startswith("hearts_client.full")]
        assert "prompt_toolkit" not in others_reached_from(f"hearts_client.{name}")
