"""``hearts-net forget``: the keys of hosts that are known, and how to let one go."""

from __future__ import annotations

import json

from hearts_client.chosen import Chosen
from hearts_client.i18n import _, ngettext
from hearts_client.safetext import safe_text
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import find_home
from hearts_net.peer.invite import parse_address
from hearts_net.peer.known_hosts import KnownHost, forget_host, known_hosts, known_hosts_file


def run(chosen: Chosen) -> int:
    """Forget what is pinned to an address; without one, list all that is pinned."""
    home = find_home()
    wanted = chosen.text("address").strip()
    pinned = known_hosts(home)
    if not wanted:
        return _list(pinned, str(known_hosts_file(home)), as_json=chosen.switch("json"))
    address = parse_address(wanted)
    exact = [host for host in pinned if host.address == address]
    at_host = [host for host in pinned if host.address.host == address.host]
    found = exact if exact and wanted != address.host else at_host
    if not found:
        raise LinkError(LinkCode.NOT_KNOWN, address=address.text())
    for host in found:
        forget_host(home, host.address)
    if chosen.switch("json"):
        print(json.dumps([_plain(host) for host in found], ensure_ascii=False))
        return 0
    text = ngettext(
        "{count} key is forgotten: the next host that answers at {address} is trusted.",
        "{count} keys are forgotten: the next host that answers at {address} is trusted.",
        len(found),
    )
    print(text.format(count=len(found), address=safe_text(wanted)))
    return 0


def _list(pinned: list[KnownHost], path: str, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps([_plain(host) for host in pinned], ensure_ascii=False))
        return 0
    if not pinned:
        print(_("No host's key is known yet: the first visit to a table keeps it."))
        return 0
    for host in pinned:
        print(f"{host.address.text()}  {host.key}  {safe_text(host.table)}".rstrip())
    print(_("This list is in {path}; delete a line there, or forget an address.").format(path=path))
    return 0


def _plain(host: KnownHost) -> dict[str, str]:
    return {"address": host.address.text(), "key": host.key, "table": host.table}
