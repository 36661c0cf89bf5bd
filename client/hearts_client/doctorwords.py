"""What a player reads of each finding about the network, and what to do about a firewall."""

from __future__ import annotations

from collections.abc import Mapping

from hearts_client.i18n import N_, _, ngettext
from hearts_client.safetext import safe_text
from hearts_net.peer.doctor import Finding, Level, Symptom
from hearts_net.peer.interfaces import Kind

WORDS: Mapping[Symptom, str] = {
    Symptom.INTERFACE_USED: N_("{interface} is used: {kind}, {addresses}."),
    Symptom.INTERFACE_UNUSED: N_("{interface} is not used: {kind}, {addresses}."),
    Symptom.NO_NETWORK: N_(
        "This machine is on no network: plug it in or join a wireless one; until then you can host "
        "and join on this machine alone."
    ),
    Symptom.MULTICAST_WORKS: N_("Multicast leaves {interface} and comes back."),
    Symptom.MULTICAST_FAILS: N_(
        "Multicast does not come back on {interface}: allow it in the firewall of this machine, or "
        "join with the invite."
    ),
    Symptom.NOBODY_HEARD: N_(
        "No other machine answers multicast here: either nobody else is there, or the network "
        "filters it; then join with the address or the invite that the host's lobby shows."
    ),
    Symptom.PORTS_FREE: N_("Ports {control} and {public} can be opened."),
    Symptom.PORTS_OURS: N_("Ports {control} and {public} are those of your table {table}."),
    Symptom.PORTS_TAKEN: N_(
        "Port {port} is another program's: host with --port 0, which takes any that are free."
    ),
    Symptom.PORTS_OF_A_TABLE: N_(
        "Port {port} is another table's of this machine: join that one, or host beside it with "
        "--port 0."
    ),
    Symptom.ADDRESS_REACHED: N_("They are reached at this machine's address {address}."),
    Symptom.ADDRESS_NOT_REACHED: N_(
        "They are not reached at this machine's own address {address}: a firewall on this machine "
        "is in the way."
    ),
    Symptom.FIREWALL_ACTIVE: N_("The firewall {firewall} is at work here; see below."),
    Symptom.WAY_OPEN: N_("Something listens at {address}, port {port}."),
    Symptom.WAY_REFUSED: N_(
        "{address} is there, but nothing listens at its port {port}: is the table still open?"
    ),
    Symptom.WAY_FILTERED: N_(
        "{address} is there, but says nothing at port {port}: a firewall on that machine is in the "
        "way, so have its player run hearts-net doctor."
    ),
    Symptom.WAY_SILENT: N_(
        "{address} is on the same network ({interface}), but nobody answers there: is that machine "
        "switched on, and on this network?"
    ),
    Symptom.WAY_ISOLATED: N_(
        "{address} is on the same network ({interface}) and does not answer, though others there "
        "do: if that machine is on, the access point isolates its clients (AP or client isolation, "
        "a guest network). Switch that off, use another network or a cable, or play over a phone's "
        "hotspot."
    ),
    Symptom.WAY_ABROAD: N_(
        "{address} is not on any network of this machine and does not answer: join the same "
        "network as the host."
    ),
    Symptom.TABLE_NOT_REACHED: N_(
        "The table {table} answers questions but lets nobody in: the firewall of its machine lets "
        "UDP through and not TCP."
    ),
}
"""All but ``others-heard``, which counts."""

KINDS: Mapping[Kind, str] = {
    Kind.LAN: N_("a local network"),
    Kind.WITHIN: N_("containers or virtual machines"),
    Kind.TUNNEL: N_("a VPN or tunnel"),
    Kind.LOOPBACK: N_("this machine itself"),
    Kind.DOWN: N_("no connection"),
}
MARKS: Mapping[Level, str] = {
    Level.GOOD: N_("ok"),
    Level.NOTE: N_("note"),
    Level.BAD: N_("BAD"),
}


def finding_words(finding: Finding) -> str:
    """Say one finding in a sentence."""
    facts: dict[str, str | int] = {
        name: safe_text(value) if isinstance(value, str) else value
        for name, value in finding.detail.items()
    }
    if finding.code is Symptom.OTHERS_HEARD:
        return ngettext(
            "{count} other machine answers multicast here.",
            "{count} other machines answer multicast here.",
            int(facts["count"]),
        ).format(**facts)
    if "kind" in facts:
        facts["kind"] = _(KINDS[Kind(str(facts["kind"]))])
        facts["addresses"] = facts["addresses"] or _("no address")
    return _(WORDS[finding.code]).format(**facts)


def firewall_hint(firewall: str, control: int, public: int) -> str:
    """Say how to let a table through a firewall: ``ufw``, ``firewalld``, ``windows``, ``macos``."""
    ports = {"control": control, "public": public}
    match firewall:
        case "ufw":
            return _(
                "ufw: sudo ufw allow {control}:{public}/tcp; sudo ufw allow {control}/udp; "
                "sudo ufw allow 5353/udp"
            ).format(**ports)
        case "firewalld":
            return _(
                "firewalld: sudo firewall-cmd --permanent --add-port={control}-{public}/tcp "
                "--add-port={control}/udp --add-service=mdns; sudo firewall-cmd --reload"
            ).format(**ports)
        case "windows":
            return _(
                "Windows: set the network to private, and allow python in Windows Security, "
                "Firewall, “Allow an app through firewall”; or as administrator: netsh advfirewall "
                "firewall add rule name=hearts-net dir=in action=allow protocol=TCP "
                "localport={control}-{public}, and the same with protocol=UDP "
                "localport={control},5353"
            ).format(**ports)
        case _:
            return _(
                "macOS: allow incoming connections for python in System Settings, Network, "
                "Firewall, Options; and allow your terminal under Privacy & Security, Local Network"
            )
