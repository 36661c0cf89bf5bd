"""Which firewall of this machine is at work, as far as its files and own words tell."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

UFW: Final = Path("/etc/ufw/ufw.conf")
FIREWALLD: Final = (Path("/run/firewalld.pid"), Path("/run/firewalld/firewalld.pid"))
_MACOS: Final = ("/usr/libexec/ApplicationFirewall/socketfilterfw", "--getglobalstate")
_TELL_WITHIN: Final = 3.0


def active_firewalls() -> list[str]:
    """Name those of ``ufw``, ``firewalld``, ``windows`` and ``macos`` that are at work here."""
    return list(_active())


def possible_firewalls() -> tuple[str, ...]:
    """Name those that this system may have."""
    return {"win32": ("windows",), "darwin": ("macos",)}.get(sys.platform, ("ufw", "firewalld"))


def _active() -> Iterator[str]:
    if sys.platform == "win32":
        yield "windows"  # it is, unless somebody has switched it off
    if sys.platform == "darwin" and "enabled" in _said(_MACOS):
        yield "macos"
    if "enabled=yes" in _text(UFW).lower().replace(" ", "").split():
        yield "ufw"
    if any(path.exists() for path in FIREWALLD):
        yield "firewalld"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _said(command: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command of the system
            command, capture_output=True, text=True, timeout=_TELL_WITHIN, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout
