"""``hearts-net forget``: the keys of hosts that are known, and how to let one go."""

from __future__ import annotations

import json

from hearts_client.chosen import Chosen
from hearts_client.i18n import _, ngettext
from hearts_client.safetext import safe_text
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import find_home
from hearts_net.peer.invite import parse_address
from hearts_net.peer.known_hosts import KnownHost, forget_hosts, known_hosts, known_hosts_file


def run(chosen: Chosen) -> int:
    """Forget what is pinned to an address or a table; without a word, list all that is pinned."""
    home = find_home()
    wanted = chosen.text("address").strip()
    pinned = known_hosts(home)
    if not wanted:
        return _list(pinned, str(known_hosts_file(home)), as_json=chosen.switch("json"))
    found = forget_hosts(home, _meant(wanted, pinned))
    if chosen.switch("json"):
        print(json.dumps([_plain(host) for host in found], ensure_ascii=False))
        return 0
    keys = len({host.key for host in found})
    text = ngettext(
        "{count} key is forgotten: the next host that answers as {host} is trusted.",
        "{count} keys are forgotten: the next host that answers as {host} is trusted.",
        keys,
    )
    print(text.format(count=keys, host=safe_text(wanted)))
    return 0


def _meant(wanted: str, pinned: list[KnownHost]) -> list[KnownHost]:
    """Find what an address or a name means; an address first, for names are others' choice."""
    named = _named(wanted, pinned)
    try:
        found = _at(wanted, pinned) or named
    except LinkError:
        found = named
        if not found:
            raise
    if not found:
        raise LinkError(LinkCode.NOT_KNOWN, host=wanted[:80])
    return found


def _named(wanted: str, pinned: list[KnownHost]) -> list[KnownHost]:
    table, on, machine = wanted.rpartition(" @ ")
    if on:
        return [host for host in pinned if host.has_names(table, machine)]
    return [host for host in pinned if host.has_table(wanted)]


def _at(wanted: str, pinned: list[KnownHost]) -> list[KnownHost]:
    address = parse_address(wanted)
    exact = [host for host in pinned if host.address == address]
    at_host = [host for host in pinned if host.address and host.address.host == address.host]
    return exact if exact and wanted != address.host else at_host


def _list(pinned: list[KnownHost], path: str, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps([_plain(host) for host in pinned], ensure_ascii=False))
        return 0
    if not pinned:
        print(_("No host's key is known yet: the first visit to a table keeps it."))
        return 0
    for host in pinned:
        where = host.address.text() if host.address else "*"
        print(f"{where}  {host.key}  {safe_text(host.called())}".rstrip())
    print(_("This list is in {path}; delete a line there, or forget an address.").format(path=path))
    return 0


def _plain(host: KnownHost) -> dict[str, str]:
    return {
        "address": host.address.text() if host.address else "",
        "key": host.key,
        "table": host.table,
        "machine": host.machine,
    }
