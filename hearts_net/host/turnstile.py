"""Leaves unanswered, for a while, whoever comes again and again.

What libzmq has accepted costs its thread and this program some work before it can be closed, and
whoever does nothing but connect could keep both busy. So the kernel is asked not to answer them:
on Linux a listening socket may have a filter, which here passes everything but the SYN of certain
addresses. Connections that exist, those of the same address too, notice nothing. Other systems have
no such filter.
"""

from __future__ import annotations

import contextlib
import ctypes
import socket
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from hearts_net.host.descriptors import borrowed

IS_SUPPORTED: Final = sys.platform == "linux"
_ATTACH: Final = 26
_DETACH: Final = 27
_PROGRAM: Final = struct.Struct("@HP")
_STEP: Final = struct.Struct("=HBBI")
_LOAD_BYTE, _LOAD_WORD, _AND, _SHIFT, _IS, _RETURN = 0x30, 0x20, 0x54, 0x74, 0x15, 0x06
_NETWORK: Final = 0xFFF00000
"""Where a filter finds the IP header; offset 0 is TCP's."""
_FLAGS: Final = 13
_SYN, _SYN_OR_ACK = 0x02, 0x12
_SOURCE_4, _SOURCE_6 = 12, 8
_ALL: Final = 0xFFFFFFFF

_FIRST: Final = 1.0
_FACTOR: Final = 4
_LONGEST: Final = 60.0
_MOST: Final = 32
"""Addresses at once: more than a filter of one page holds would help nobody."""


@dataclass(slots=True)
class _Barred:
    until: float
    lasts: float


class Turnstile:
    """Keeps certain addresses from connecting; times in seconds of one clock."""

    def __init__(self) -> None:
        self._listeners: set[int] = set()
        self._barred: dict[str, _Barred] = {}
        self._shut: frozenset[str] = frozenset()

    def listens(self, descriptor: int) -> None:
        """Take note of a socket that listens."""
        if IS_SUPPORTED:
            self._listeners.add(descriptor)
            if self._shut:
                self._filter(descriptor)

    def bar(self, address: str, now: float) -> float:
        """Answer an address no more for a while, each time for longer; return the seconds."""
        known = self._barred.pop(address, None)
        if known is not None and now < known.until:
            self._barred[address] = known  # what had come before
            return 0
        lasts = min(known.lasts * _FACTOR, _LONGEST) if known is not None else _FIRST
        while len(self._barred) >= _MOST:
            del self._barred[next(iter(self._barred))]
        self._barred[address] = _Barred(now + lasts, lasts)
        self.look(now)
        return lasts

    def look(self, now: float) -> None:
        """Let those connect again whose time is over; remember for as long that they came."""
        if not self._barred:
            return
        for address, known in list(self._barred.items()):
            if now >= known.until + _LONGEST:
                del self._barred[address]
        shut = frozenset(one for one, known in self._barred.items() if now < known.until)
        if shut != self._shut:
            self._shut = shut
            for descriptor in list(self._listeners):
                self._filter(descriptor)

    def _filter(self, descriptor: int) -> None:
        """Have a listening socket pass nothing that is barred."""
        try:
            with borrowed(descriptor) as listener:
                if not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    self._listeners.discard(descriptor)
                elif self._shut:
                    _attach(listener, program(self._shut))
                else:
                    listener.setsockopt(socket.SOL_SOCKET, _DETACH, 0)
        except OSError:
            self._listeners.discard(descriptor)


def _attach(listener: socket.socket, code: bytes) -> None:
    held = ctypes.create_string_buffer(code, len(code))
    head = _PROGRAM.pack(len(code) // _STEP.size, ctypes.addressof(held))
    listener.setsockopt(socket.SOL_SOCKET, _ATTACH, head)


def program(addresses: Iterable[str]) -> bytes:
    """Return the filter (classic BPF) that passes all but the first packet from these addresses."""
    four: list[bytes] = []
    six: list[bytes] = []
    for address in addresses:
        with contextlib.suppress(ValueError):
            match ip_address(address):
                case IPv4Address() as found:
                    four += _unless(found.packed, _SOURCE_4)
                case IPv6Address() as found:
                    six += _unless(found.packed, _SOURCE_6)
    head = [
        _step(_LOAD_BYTE, _FLAGS),
        _step(_AND, _SYN_OR_ACK),
        _step(_IS, _SYN, 1, 0),
        _step(_RETURN, _ALL),
        _step(_LOAD_BYTE, _NETWORK),
        _step(_SHIFT, 4),
        _step(_IS, 4, 0, 1),
        _step(0x05, len(six) + 1),  # to those of IPv4, a jump of any length
    ]
    return b"".join([*head, *six, _step(_RETURN, _ALL), *four, _step(_RETURN, _ALL)])


def _unless(packed: bytes, source: int) -> list[bytes]:
    """Return the steps that drop a packet from one address."""
    steps: list[bytes] = []
    left = len(packed) // 4 * 2 + 1
    for at in range(0, len(packed), 4):
        steps.append(_step(_LOAD_WORD, _NETWORK + source + at))
        left -= 2
        (word,) = struct.unpack_from(">I", packed, at)
        steps.append(_step(_IS, word, 0, left))
    return [*steps, _step(_RETURN, 0)]


def _step(code: int, value: int, when: int = 0, otherwise: int = 0) -> bytes:
    return _STEP.pack(code, when, otherwise, value)
