"""Imports go one way: rules ← protocol ← peer, host, bots ← client, and two layers stay pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = {
    "rules": {"rules"},
    "protocol": {"rules", "protocol"},
    "peer": {"rules", "protocol", "peer"},
    "bots": {"rules", "protocol", "peer", "bots"},
    "host": {"rules", "protocol", "peer", "host"},
}
IMPURE = {
    "asyncio", "multiprocessing", "os", "pathlib", "platformdirs", "prompt_toolkit", "select",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time",
    "zmq",
}  # fmt: skip


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)


def modules(package: str) -> list[Path]:
    found = sorted((ROOT / package).rglob("*.py"))
    assert found, package
    return found


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
        touched = {name.split(".")[0] for name in imports(path)} & IMPURE
        assert not touched, f"{path.relative_to(ROOT)} imports {touched}"
