"""The network interfaces of this machine: which of them carry a LAN, and under which addresses.

Cards are played in a room, so what counts is what leads to the others in it: Ethernet and wireless
first, then the networks that containers and virtual machines have within this machine, and last the
tunnels, which lead somewhere else.
"""

from __future__ import annotations

import ipaddress
import socket
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import ifaddr

Address: TypeAlias = ipaddress.IPv4Interface | ipaddress.IPv6Interface

_UP: Final = 0x1
_LOOPBACK: Final = 0x8
_POINT_TO_POINT: Final = 0x10
_RUNNING: Final = 0x40
_GET_FLAGS: Final = {"linux": 0x8913, "darwin": 0xC0206911}.get(sys.platform)
_TUNNELS: Final = ("tun", "tap", "wg", "utun", "ppp", "ipsec", "tailscale", "wireguard", "openvpn")
_WITHIN: Final = (
    "docker", "br-", "virbr", "vmnet", "vboxnet", "lxc", "lxdbr", "cni", "flannel", "podman", "zt",
    "awdl", "llw", "anpi", "vethernet", "vmware", "virtualbox", "hyper-v",
)  # fmt: skip
_UNUSABLE_V6: Final = 0x20 | 0x40 | 0x08
"""Flags of ``/proc/net/if_inet6``: deprecated, tentative, found twice."""


class Kind(StrEnum):
    """What an interface leads to, the likeliest way to the other players first."""

    LAN = "lan"
    """Ethernet or wireless."""
    WITHIN = "within"
    """A network of containers or virtual machines."""
    TUNNEL = "tunnel"
    """Somewhere else: a VPN, a line to one other machine."""
    LOOPBACK = "loopback"
    DOWN = "down"
    """Nowhere: no cable, switched off, or no address."""


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface and its addresses, those of IPv4 first."""

    name: str
    index: int
    kind: Kind
    addresses: tuple[Address, ...]

    @property
    def carries_lan(self) -> bool:
        """Tell whether the others may be reached through it by broadcast and multicast."""
        return self.kind in (Kind.LAN, Kind.WITHIN)

    @property
    def v4(self) -> tuple[ipaddress.IPv4Interface, ...]:
        """Its addresses of IPv4."""
        return tuple(each for each in self.addresses if isinstance(each, ipaddress.IPv4Interface))

    @property
    def has_v6(self) -> bool:
        """Tell whether it has an address of IPv6."""
        return any(each.version == 6 for each in self.addresses)


def interfaces() -> list[Interface]:
    """List this machine's interfaces, the likeliest way to the others first."""
    import ifaddr  # not for a game on this machine alone

    try:
        adapters = list(ifaddr.get_adapters(include_unconfigured=True))
    except OSError:
        return []
    unusable = _unusable_v6()
    found = [_read(adapter, unusable) for adapter in adapters]
    kinds = list(Kind)
    return sorted(found, key=lambda each: (kinds.index(each.kind), each.index))


def lan_interfaces() -> list[Interface]:
    """List those that carry a LAN now."""
    return [interface for interface in interfaces() if interface.carries_lan]


def scopes() -> list[str]:
    """Name the interfaces through which a link-local address of IPv6 may be meant."""
    fit = [each for each in interfaces() if each.carries_lan and each.has_v6]
    return [str(each.index) if sys.platform == "win32" else each.name for each in fit]


def _read(adapter: ifaddr.Adapter, unusable: frozenset[str]) -> Interface:
    addresses = [address for ip in adapter.ips if (address := _address(ip)) is not None]
    usable = [each for each in addresses if str(each.ip) not in unusable]
    usable.sort(key=lambda each: each.version)
    name = str(adapter.name)
    kind = _kind(name, str(adapter.nice_name), usable)
    return Interface(_shown(adapter), adapter.index or 0, kind, tuple(usable))


def _shown(adapter: ifaddr.Adapter) -> str:
    """Name it as its user knows it: on Windows that is not the name that the system uses."""
    return str(adapter.nice_name if sys.platform == "win32" else adapter.name)


def _address(ip: ifaddr.IP) -> Address | None:
    text = ip.ip[0] if isinstance(ip.ip, tuple) else ip.ip
    try:
        return ipaddress.ip_interface(f"{str(text).partition('%')[0]}/{ip.network_prefix}")
    except ValueError:
        return None


def _kind(name: str, nice_name: str, addresses: Iterable[Address]) -> Kind:
    ips = [each.ip for each in addresses]
    flags = _flags(name)
    if flags & _LOOPBACK or (ips and all(ip.is_loopback for ip in ips)):
        return Kind.LOOPBACK
    if not ips or (flags and not (flags & _UP and flags & _RUNNING)):
        return Kind.DOWN
    names = (name.lower(), nice_name.lower())
    if flags & _POINT_TO_POINT or _is_called(names, _TUNNELS):
        return Kind.TUNNEL
    return Kind.WITHIN if _is_called(names, _WITHIN) else Kind.LAN


def _is_called(names: Iterable[str], kinds: tuple[str, ...]) -> bool:
    return any(name.startswith(kinds) or f" {kind}" in name for name in names for kind in kinds)


def _flags(name: str) -> int:
    """Ask the system for an interface's flags; 0 where it does not tell."""
    if _GET_FLAGS is None:
        return 0
    import fcntl

    question = struct.pack("16s16x", name.encode()[:15])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
            answer = fcntl.ioctl(asker, _GET_FLAGS, question)
    except OSError:
        return 0
    return int(struct.unpack_from("@H", answer, 16)[0])


def _unusable_v6() -> frozenset[str]:
    return frozenset(_read_unusable(Path("/proc/net/if_inet6")))


def _read_unusable(path: Path) -> Iterator[str]:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        words = line.split()
        if int(words[4], 16) & _UNUSABLE_V6:
            yield str(ipaddress.IPv6Address(bytes.fromhex(words[0])))
