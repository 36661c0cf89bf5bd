"""The package's version, where the start of a program can read it without looking at metadata."""

from __future__ import annotations

from typing import Final

PACKAGE_VERSION: Final = "0.1.0"
"""The same as in ``pyproject.toml``; a test holds them together."""
