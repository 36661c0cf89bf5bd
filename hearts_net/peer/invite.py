"""Invites and addresses: the two ways in which a person tells a client where a table is.

An invite is ``hearts://ADDRESS,ADDRESS…/PORT/KEY/CHECK``: every address of the host (a literal IPv4
or IPv6 address or a name, no brackets, since shells and mail programs are unkind to them), the
control port, the host's CURVE key in base64url, and six check digits over everything before them. A
changed character or a cut is refused before anything connects. White space is of no meaning, so
that an invite may be copied out of a terminal that has broken it into lines.
"""

from __future__ import annotations

import base64
import ipaddress
import re
import zlib
from dataclasses import dataclass

from zmq.utils import z85

from hearts_net.peer.endpoint import LARGEST_PORT, is_key
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.protocol.limits import CONTROL_PORT

SCHEME = "hearts://"
MAX_ADDRESSES = 16
"""More than a machine's interfaces have, and few enough to try all at once."""
MAX_TEXT = 2048
"""Characters of an invite or address that are looked at."""

_KEY_BYTES = 32
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_LABEL = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
_SCOPE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_MAX_NAME = 253


@dataclass(frozen=True, slots=True)
class Address:
    """A host, as a name or a literal address without brackets, and a control port."""

    host: str
    port: int

    def text(self) -> str:
        """Write it as a person types it: ``host:port``, ``[v6]:port``."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Invite:
    """Where a table is, and the key by which it is known."""

    addresses: tuple[str, ...]
    port: int
    key: str
    """The host's public key, 40 characters of Z85."""

    def text(self) -> str:
        """Write the invite. Raises :class:`LinkError` ``bad-invite`` for what no invite can say."""
        body = f"{SCHEME}{','.join(self.addresses)}/{self.port}/{_key_text(self.key)}/"
        text = body + _check_digits(body)
        if parse_invite(text) != self:
            raise LinkError(LinkCode.BAD_INVITE, why="fields")
        return text


def is_invite(text: str) -> bool:
    """Tell whether ``text`` means to be an invite, a good one or not."""
    return "".join(text[:MAX_TEXT].split()).lower().startswith(SCHEME[:-1])


def parse_invite(text: str) -> Invite:
    """Read an invite.

    Raises :class:`LinkError` ``bad-invite``; the detail ``why`` is ``scheme``, ``shape``, ``check``
    (a changed character or a cut), ``address``, ``port`` or ``key``.
    """
    packed = "".join(text.split()) if len(text) <= MAX_TEXT else ""
    if not packed.startswith(SCHEME):
        raise LinkError(LinkCode.BAD_INVITE, why="scheme")
    parts = packed[len(SCHEME) :].split("/")
    if len(parts) != 4 or not packed.isascii():
        raise LinkError(LinkCode.BAD_INVITE, why="shape")
    hosts, port, key, check = parts
    if _check_digits(packed[: len(packed) - len(check)]) != check:
        raise LinkError(LinkCode.BAD_INVITE, why="check")
    return Invite(_invite_hosts(hosts), _invite_port(port), _key_from_text(key))


def parse_address(text: str, default_port: int = CONTROL_PORT) -> Address:
    """Read ``host``, ``host:port``, ``[v6]``, ``[v6]:port`` or a bare IPv6 address.

    Names are the same in capitals and without. Raises :class:`LinkError` ``bad-address``; the
    detail ``why`` is ``host`` or ``port``.
    """
    text = text.strip()
    if len(text) > MAX_TEXT:
        raise LinkError(LinkCode.BAD_ADDRESS, why="host")
    host, port = _split(text)
    if not is_host(host):
        raise LinkError(LinkCode.BAD_ADDRESS, why="host", text=text[:80])
    host = host if ":" in host else host.lower()  # an interface's name after % has its case
    return Address(host, default_port if port is None else _port_number(port, text))


def is_host(host: str) -> bool:
    """Tell whether ``host`` is a literal address or could be a name, without asking anybody."""
    if ":" in host:
        return _is_v6(host)
    if not host.isascii():
        return False
    labels = host.removesuffix(".").split(".")
    if len(host) > _MAX_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        return False
    # a name whose last part is a number would be taken for an IPv4 address by some resolvers
    return _is_v4(host) if labels[-1].isdigit() else True


# ---- parts ---------------------------------------------------------------------------------------


def _split(text: str) -> tuple[str, str | None]:
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or ":" not in host or (rest and not rest.startswith(":")):
            raise LinkError(LinkCode.BAD_ADDRESS, why="host", text=text[:80])
        return host, rest[1:] if rest else None
    if text.count(":") == 1:
        host, _, port = text.partition(":")
        return host, port
    return text, None


def _port_number(text: str, whole: str) -> int:
    if not _PORT.fullmatch(text) or int(text) > LARGEST_PORT:
        raise LinkError(LinkCode.BAD_ADDRESS, why="port", text=whole[:80])
    return int(text)


def _is_v4(host: str) -> bool:
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return True


def _is_v6(host: str) -> bool:
    address, percent, scope = host.partition("%")
    try:
        ipaddress.IPv6Address(address)
    except ValueError:
        return False
    return not percent or _SCOPE.fullmatch(scope) is not None


def _invite_hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(text.split(","))
    if len(hosts) > MAX_ADDRESSES or not all(is_host(host) for host in hosts):
        raise LinkError(LinkCode.BAD_INVITE, why="address")
    return hosts


def _invite_port(text: str) -> int:
    if not _PORT.fullmatch(text) or int(text) > LARGEST_PORT:
        raise LinkError(LinkCode.BAD_INVITE, why="port")
    return int(text)


def _key_text(key: str) -> str:
    if not is_key(key):
        raise LinkError(LinkCode.BAD_INVITE, why="key")
    return base64.urlsafe_b64encode(z85.decode(key)).decode().rstrip("=")


def _key_from_text(text: str) -> str:
    try:
        raw = base64.b64decode(text + "=", altchars=b"-_", validate=True)
    except ValueError as error:
        raise LinkError(LinkCode.BAD_INVITE, why="key") from error
    if len(raw) != _KEY_BYTES or base64.urlsafe_b64encode(raw).decode().rstrip("=") != text:
        raise LinkError(LinkCode.BAD_INVITE, why="key")
    return z85.encode(raw).decode()


def _check_digits(body: str) -> str:
    """CRC-32: any change of one character changes it, for certain."""
    crc = zlib.crc32(body.encode()).to_bytes(4, "big")
    return base64.urlsafe_b64encode(crc).decode().rstrip("=")
