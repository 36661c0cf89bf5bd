"""One question to everybody: who answers it on real networks is seen in ``tests/lan``."""

from __future__ import annotations

import asyncio

from hearts_net.peer.discovery import ask_around


def test_a_look_around_leaves_nothing_open() -> None:
    asyncio.run(ask_around([1], 0.05))  # unclosed sockets would be warnings, and so errors
