"""``hearts-net doctor``: what this machine's network lets through, and what to do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from hearts_client.chosen import Chosen
from hearts_client.doctorwords import MARKS, finding_words, firewall_hint
from hearts_client.exits import Exit
from hearts_client.foundwords import address_of, standing_words, told_apart
from hearts_client.i18n import _
from hearts_client.reaching import find_targets, known_identity
from hearts_net.peer.doctor import Report, Symptom, examine
from hearts_net.peer.endpoint import Target
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.firewalls import possible_firewalls
from hearts_net.peer.found import FoundTable
from hearts_net.peer.home import Home, find_home
from hearts_net.peer.invite import is_invite, parse_address
from hearts_net.peer.loops import in_a_loop
from hearts_net.protocol import limits

_NOT_FOUND = (LinkCode.NO_TABLE, LinkCode.NO_ANSWER, LinkCode.NO_SUCH_HOST)


def run(chosen: Chosen) -> int:
    """Look, print what was found, and end with 0 only if a game would work."""
    home = find_home()
    where = chosen.text("where")
    wanted = in_a_loop(_wanted(where, home)) if where else []
    report = in_a_loop(examine(home, known_identity(home, chosen), wanted))
    lines = _json(report) if chosen.switch("json") else _words(report)
    print(lines)
    return Exit.DONE if report.works else Exit.FAILED


async def _wanted(where: str, home: Home) -> list[Target]:
    """Say where the table should be, also where nobody answers: that is what is to be explained."""
    try:
        return await find_targets(where, home)
    except LinkError as error:
        if is_invite(where) or error.code not in _NOT_FOUND:
            raise
        address = parse_address(where)
        return [Target(address.host, address.port, "")]


def _json(report: Report) -> str:
    found = {
        "works": report.works,
        "findings": [
            {"code": each.code.value, "level": each.level.value, "detail": each.detail}
            for each in report.findings
        ],
        "tables": [{**asdict(table), "standing": table.standing.value} for table in report.tables],
        "firewalls": {
            name: firewall_hint(name, *_ports(report))
            for name in ("ufw", "firewalld", "windows", "macos")
        },
    }
    return json.dumps(found, ensure_ascii=False)


def _ports(report: Report) -> tuple[int, int]:
    """Give the ports that a firewall has to let through: those of the table here, or the usual."""
    for finding in report.findings:
        if finding.code is Symptom.PORTS_OURS:
            return int(finding.detail["control"]), int(finding.detail["public"])
    return limits.CONTROL_PORT, limits.CONTROL_PORT + 1


def _words(report: Report) -> str:
    lines = [f"{_(MARKS[each.level]):>5}  {finding_words(each)}" for each in report.findings]
    lines += ["", _("Tables that answer:"), *_table_lines(report.tables)]
    lines += ["", _("If a firewall is in the way:")]
    lines += [f"  {firewall_hint(name, *_ports(report))}" for name in possible_firewalls()]
    lines += ["", _verdict(report)]
    return "\n".join(lines)


def _table_lines(tables: Sequence[FoundTable]) -> list[str]:
    if not tables:
        return [f"  {_('none')}"]
    return [
        "  "
        + _("{table}: {standing}; at {address}; protocol {versions}; key {key}").format(
            table=name,
            standing=standing_words(table),
            address=address_of(table),
            versions=", ".join(map(str, table.versions)) or "?",
            key=table.key,
        )
        for table, name in zip(tables, told_apart(tables), strict=True)
    ]


def _verdict(report: Report) -> str:
    if report.works:
        return _("A game works from here.")
    return _("As it is, no game works from here: mend what is marked BAD.")
