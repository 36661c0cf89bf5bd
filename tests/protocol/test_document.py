"""protocol.md and the code say the same: messages, fields, ranges, codes, limits and examples.

The document is read as a stranger's program would read it: headings name the message, a table
its fields, a ``json`` block an example and a ``hex`` block the bytes of it. Who changes a message
edits table and ``json`` block by hand; the failing test then says what the ``hex`` block is to be.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

import msgpack
import msgspec
import pytest
import zmq
from msgspec import inspect as mi

from hearts_net.host import conduct
from hearts_net.host.authority import PACED
from hearts_net.host.manners import KINDS
from hearts_net.host.permissions import RULES
from hearts_net.host.sockets import make_control, make_public
from hearts_net.host.table import Stage
from hearts_net.peer.connection import OPTIONS as PEER_OPTIONS
from hearts_net.peer.invite import parse_invite
from hearts_net.protocol import limits
from hearts_net.protocol import messages as m
from hearts_net.protocol.codec import (
    BEATS,
    TO_HOST,
    TO_PEER,
    decode_as,
    decode_to_host,
    decode_to_peer,
    encode,
    tag_of,
)
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.datagram import Answer, Question
from hearts_net.protocol.host_session import TRANSITIONS as HOST_TRANSITIONS
from hearts_net.protocol.peer_session import TRANSITIONS as PEER_TRANSITIONS
from hearts_net.rules.cards import CARD_TEXTS, hand_texts
from hearts_net.rules.errors import FairCode, OptionCode, RuleCode
from hearts_net.rules.fair import check_shuffle, read_shuffle, stand_in
from hearts_net.rules.options import OPTION_SPECS

DOCUMENT: Final = Path(__file__).parents[2] / "protocol.md"
ON_PUBLIC: Final = ("public", "beat")
STRUCTURES: Final[dict[str, type[Any]]] = {
    kind.__name__: kind
    for kind in (
        m.PublicView,
        m.SeatView,
        m.VoteView,
        m.OwnView,
        m.DeskView,
        m.Somebody,
        m.TrickCard,
        m.TrickView,
        m.DealSummary,
        m.ShareView,
    )
}
ACTS: Final[dict[str, type[Any]]] = {tag_of(kind): kind for kind in get_args(m.AnyAct)}
EVENTS: Final[dict[str, type[Any]]] = {tag_of(kind): kind for kind in get_args(m.AnyEvent)}
DATAGRAMS: Final[dict[str, type[Any]]] = {tag_of(kind): kind for kind in (Question, Answer)}
TAGGED: Final[dict[str, dict[str, type[Any]]]] = {
    "Messages to the host": dict(TO_HOST),
    "Messages to a peer": {tag: kind for tag, kind in TO_PEER.items() if tag not in ON_PUBLIC},
    "Messages on public": {tag: TO_PEER[tag] for tag in ON_PUBLIC},
    "Acts": ACTS,
    "Events": EVENTS,
    "The UDP question": DATAGRAMS,
}
"""What each section describes, all of it with a table and an example."""
DESCRIBED: Final = {**TAGGED, "Structures": STRUCTURES}
EXAMPLES: Final = [(section, tag) for section, kinds in TAGGED.items() for tag in kinds]

# ---- reading the document ------------------------------------------------------------------------


@dataclass
class Part:
    """What stands under one heading, up to the next one."""

    rows: list[list[str]] = field(default_factory=list)
    blocks: dict[str, list[str]] = field(default_factory=dict)
    text: str = ""

    def only(self, language: str) -> str:
        (block,) = self.blocks[language]
        return block


def read_document() -> dict[str, dict[str, Part]]:
    """Return the parts by section (``##``) and heading (``###``; "" for the section's own)."""
    sections: dict[str, dict[str, Part]] = {}
    part = Part()
    pieces = re.split(r"^```(\w*)\n(.*?)^```$", DOCUMENT.read_text("utf-8"), flags=re.M | re.S)
    for prose, language, block in zip(
        pieces[::3], [*pieces[1::3], ""], [*pieces[2::3], ""], strict=True
    ):
        for line in prose.splitlines():
            if line.startswith("## "):
                part = Part()
                sections[line[3:]] = {"": part}
            elif line.startswith("### "):
                part = Part()
                name = line.split("`")[1] if "`" in line else line[4:]
                sections[list(sections)[-1]][name] = part
            elif line.startswith("|"):
                part.rows.append([cell.strip() for cell in line[1:-1].split("|")])
            else:
                part.text += line + "\n"
        if language:
            part.blocks.setdefault(language, []).append(block)
    return sections


@pytest.fixture(scope="module")
def document() -> dict[str, dict[str, Part]]:
    return read_document()


def table(part: Part) -> list[list[str]]:
    """Return the rows of the part's table, without its head."""
    return part.rows[2:]


def word(cell: str) -> str:
    """Return what stands in a cell's back quotes."""
    found = re.fullmatch(r"`([^`]*)`", cell)
    assert found, cell
    return found.group(1).strip('"')


# ---- what the code says of a field ---------------------------------------------------------------


def number(value: int) -> str:
    for power in (31, 53):
        if abs(value) == 2**power:
            return f"{'-' if value < 0 else ''}2^{power}"
    return str(value)


def between(low: int | None, high: int | None, of: str = "") -> str:
    if low == high:
        return f"{high}{of}"
    return f"up to {high}{of}" if not low else f"{low} … {high}{of}"


def text_range(info: mi.StrType) -> tuple[str, str]:
    pattern = info.pattern or ""
    if pattern.endswith(r"{40}\Z"):
        return "key", ""
    if pattern == r"^[0-9a-f]{16}\Z":
        return "text", "16 of `0123456789abcdef`"
    if pattern == r"^[0-9a-f]{64}\Z":
        return "text", "64 of `0123456789abcdef`"
    if pattern == r"^([0-9a-f]{64}|)\Z":
        return "text", '64 of `0123456789abcdef`, or `""`'
    most = info.max_length
    return "text", "" if most is None else between(info.min_length, most, " characters")


def described(info: mi.Type) -> tuple[str, str]:
    """Return the type and the range of a field, as the document writes them."""
    match info:
        case mi.Metadata():
            values = (info.extra or {}).get("values")
            kind, scope = described(info.type)
            return kind, ", ".join(f"`{v}`" if v else '`""`' for v in values) if values else scope
        case mi.BoolType():
            return "boolean", ""
        case mi.IntType():
            return "integer", f"{number(info.ge or 0)} … {number(info.le or 0)}"
        case mi.StrType():
            return text_range(info)
        case mi.LiteralType():
            assert set(info.values) == set(CARD_TEXTS)
            return "card", ""
        case mi.ListType():
            kind, scope = described(info.item_type)
            count = between(info.min_length, info.max_length, " items")
            return f"array of {kind}", f"{count}, each {scope}" if scope else count
        case mi.DictType():
            return "map", f"up to {limits.MAX_MAP} keys"
        case mi.StructType():
            return f"`{info.cls.__name__}`", ""
        case mi.UnionType():
            return of_union(info)
    raise AssertionError(info)


def of_union(info: mi.UnionType) -> tuple[str, str]:
    parts = [part for part in info.types if not isinstance(part, mi.NoneType)]
    if len(parts) == 1:
        kind, scope = described(parts[0])
        return f"{kind} or nil", scope
    structs = {part.cls for part in parts if isinstance(part, mi.StructType)}
    if structs == set(ACTS.values()):
        return "act", ""
    assert structs == set(EVENTS.values())
    return "event", ""


def fields_of(kind: type[Any]) -> list[list[str]]:
    """Return name, type and range of each field, as the document is to have them."""
    info = mi.type_info(kind)
    assert isinstance(info, mi.StructType)
    rows = []
    for each in info.fields:
        shape, scope = described(each.type)
        if not each.required:
            made = each.default_factory
            value = each.default if made is msgspec.NODEFAULT else made()
            default = "nil" if value is None else json.dumps(value)
            scope = (scope + "; " if scope else "") + f"may be left out: {default}"
        rows.append([f"`{each.encode_name}`", shape, scope])
    if issubclass(kind, m.Event):
        rows = rows[2:]  # n and time, described once for all events
    return rows


# ---- fields and examples -------------------------------------------------------------------------


@pytest.mark.parametrize("section", DESCRIBED)
def test_every_message_is_described_and_nothing_else_is(
    document: dict[str, dict[str, Part]], section: str
) -> None:
    assert set(document[section]) - {""} == set(DESCRIBED[section])


@pytest.mark.parametrize(
    ("section", "tag"), [(section, tag) for section, kinds in DESCRIBED.items() for tag in kinds]
)
def test_every_field_has_its_type_range_and_meaning(
    document: dict[str, dict[str, Part]], section: str, tag: str
) -> None:
    rows = table(document[section][tag])
    assert [row[:3] for row in rows] == fields_of(DESCRIBED[section][tag])
    assert all(len(row) == 4 and len(row[3]) > 2 for row in rows)


def test_what_all_events_have_is_described_once(document: dict[str, dict[str, Part]]) -> None:
    rows = [row[:3] for row in table(document["Events"][""])]
    assert rows == [["`n`", "integer", "0 … 2^53"], ["`time`", "integer", "0 … 2^53"]]


def hex_lines(body: bytes) -> str:
    return "\n".join(textwrap.wrap(body.hex(" "), 95))


@pytest.mark.parametrize(("section", "tag"), EXAMPLES)
def test_the_bytes_of_an_example_are_the_example(
    document: dict[str, dict[str, Part]], section: str, tag: str
) -> None:
    part = document[section][tag]
    readable = json.loads(part.only("json"))
    body = bytes.fromhex(part.only("hex"))
    right = msgpack.packb(readable)
    assert body == right, f"the hex block is to be:\n{hex_lines(right)}"
    assert msgpack.unpackb(body) == readable


@pytest.mark.parametrize(("section", "tag"), EXAMPLES)
def test_an_example_is_a_message_of_the_code(
    document: dict[str, dict[str, Part]], section: str, tag: str
) -> None:
    body = bytes.fromhex(document[section][tag].only("hex"))
    plain = msgpack.unpackb(body)
    match section:
        case "Messages to the host":
            assert encode(decode_to_host(body)) == body
        case "Messages to a peer" | "Messages on public":
            assert encode(decode_to_peer(body)) == body
        case "Acts":
            values = {"type": "command", "id": 1, "epoch": 1, "deal": 1, "trick": 1, "do": plain}
            command = decode_to_host(msgpack.packb(values))
            assert isinstance(command, m.Command)
            assert msgspec.msgpack.encode(command.do) == body
        case "Events":
            page = {"type": "log-page", "events": [plain], "more": False}
            answer = decode_to_peer(msgpack.packb(page))
            assert isinstance(answer, m.LogPage)
            assert [msgspec.msgpack.encode(event) for event in answer.events] == [body]
        case _:
            assert encode(decode_as(body, DATAGRAMS[tag], limits.DATAGRAM)) == body


def test_beats_and_they_alone_begin_as_one_subscribes_to_them(
    document: dict[str, dict[str, Part]],
) -> None:
    assert f"`{BEATS.hex(' ')}`" in document["Sockets"][""].text
    for tag in ON_PUBLIC:
        body = bytes.fromhex(document["Messages on public"][tag].only("hex"))
        assert body.startswith(BEATS) == (tag == "beat")
    assert encode(m.Beat(2**53, 2**53)).startswith(BEATS)


# ---- codes, limits, times ------------------------------------------------------------------------


def test_every_code_is_described_once(document: dict[str, dict[str, Part]]) -> None:
    parts = document["Error codes"]
    written = [word(row[0]) for part in parts.values() for row in table(part)]
    codes = [str(code) for kind in (ErrorCode, RuleCode, OptionCode) for code in kind]
    assert sorted(written) == sorted(codes)
    rows = [row for part in parts.values() for row in table(part)]
    assert all(len(row) == 3 and all(len(cell) > 3 for cell in row) for row in rows)


def constants() -> dict[str, int]:
    found = {name: value for name, value in vars(limits).items() if isinstance(value, int)}
    return {name: value for name, value in found.items() if name.isupper()}


def test_every_finding_about_a_deal_is_described(document: dict[str, dict[str, Part]]) -> None:
    rows = document["Fair deals"][""].rows
    start = rows.index(["code", "it means"])
    assert sorted(word(row[0]) for row in rows[start + 2 :]) == sorted(FairCode)


def test_the_examples_of_a_fair_deal_are_one(document: dict[str, dict[str, Part]]) -> None:
    def example(section: str, tag: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(document[section][tag].only("json"))
        return found

    proof = example("Messages to a peer", "proof")
    promised = example("Messages to a peer", "commitments")
    opened = example("Messages to the host", "reveal")
    assert promised["host"] == proof["host"]["commitment"]
    assert promised["seats"] == [each["commitment"] for each in proof["shares"]]
    assert promised["seats"][3] == example("Messages to the host", "commit")["commitment"]
    assert {key: proof["shares"][3][key] for key in ("seed", "nonce")} == {
        key: opened[key] for key in ("seed", "nonce")
    }
    parts = {"host": proof["host"], "seats": proof["shares"]}
    shuffle = read_shuffle(json.dumps(parts))
    hands = shuffle.hands(proof["game"], proof["deal"])
    assert [hand_texts(hand) for hand in hands] == proof["hands"]
    check_shuffle(proof["game"], proof["deal"], shuffle, hands)
    text = document["Fair deals"][""].text
    assert f"`{shuffle.key(proof['game'], proof['deal']).hex()}`" in text
    for seat in (1, 2):
        stands_in = stand_in(proof["game"], proof["deal"], seat, shuffle.host)
        assert f"`{stands_in.hex()}`" in text


def test_every_limit_and_time_is_described_with_its_value(
    document: dict[str, dict[str, Part]],
) -> None:
    rows = table(document["Limits"][""]) + table(document["Times"][""])
    written = {word(row[0]): int(row[1].replace(" ", "")) for row in rows}
    assert written == constants()
    assert all(len(row) == 3 and len(row[2]) > 3 for row in rows)


def test_every_rate_is_described_with_its_numbers(document: dict[str, dict[str, Part]]) -> None:
    rows = table(document["How often"][""])
    written = {word(row[0]): limits.Rate(int(row[1]), int(row[2])) for row in rows}
    assert written == limits.RATES
    assert all(len(row) == 4 and len(row[3]) > 3 for row in rows)


def test_the_rates_count_the_messages_that_the_host_counts(
    document: dict[str, dict[str, Part]],
) -> None:
    names = {"ProveRequest": "prove-code"}
    counted: dict[int, set[str]] = {}
    for request, kind in KINDS.items():
        name = request.__name__
        counted.setdefault(kind, set()).add(names.get(name, name.removesuffix("Request").lower()))
    told = {
        word(row[0]): set(re.findall(r"`([^`]*)`", row[3].split(";")[0])) & set(TO_HOST)
        for row in table(document["How often"][""])
    }
    assert told["arrive"] == counted[conduct.ARRIVE]
    assert told["command"] == counted[conduct.COMMAND]
    assert told["look"] == told["stranger-look"] == counted[conduct.LOOK]
    assert told["alive"] == counted[conduct.ALIVE]
    assert set(TO_HOST) == set().union(*counted.values())
    (row,) = (row for row in table(document["How often"][""]) if row[0] == "`command`")
    paced = re.findall(r"`([^`]*)`", row[3].split(";")[1])
    assert sorted(paced) == sorted(tag_of(act) for act in PACED)


def test_the_version_is_the_one_of_the_changelog(document: dict[str, dict[str, Part]]) -> None:
    headings = [name for name in document["Changelog"] if name]
    assert headings[0] == f"Version {limits.VERSION}"
    assert max(limits.VERSIONS) == limits.VERSION


def test_every_option_is_described(document: dict[str, dict[str, Part]]) -> None:
    rows = {word(row[0]): row[1] for row in table(document["The rules in a view"][""])}
    assert set(rows) == {spec.name for spec in OPTION_SPECS}
    for spec in OPTION_SPECS:
        texts = re.findall(r"`([^`]*)`", rows[spec.name])
        assert texts[: len(spec.choice_texts())] == list(spec.choice_texts())


# ---- the sockets ---------------------------------------------------------------------------------


def options_of(part: Part, column: int) -> dict[str, int]:
    """Return the options of the host (column 1) or of a peer (2) by name."""
    rows = [row for row in part.rows if row[0].isupper() and row[column].isdigit()]
    return {row[0]: int(row[column]) for row in rows}


@pytest.fixture
def context() -> Iterator[zmq.Context[zmq.Socket[bytes]]]:
    with zmq.Context() as made:
        yield made


def test_the_hosts_sockets_are_set_as_described(
    document: dict[str, dict[str, Part]], context: zmq.Context[zmq.Socket[bytes]]
) -> None:
    written = options_of(document["Sockets"][""], 1)
    unreadable = {"ROUTER_MANDATORY", "ROUTER_HANDOVER", "XPUB_VERBOSE"}
    assert unreadable < set(written)
    names = set(written) - unreadable
    _, secret = zmq.curve_keypair()
    for make in (make_control, make_public):
        with make(context, secret.decode()) as socket:
            options = {name: socket.getsockopt(getattr(zmq, name)) for name in names}
        if make is make_public:
            assert options.pop("MAXMSGSIZE") == limits.MAX_ON_PUBLIC
        if sys.platform != "linux":
            assert options.pop("RCVHWM") == 64
        assert options == {name: written[name] for name in names if name in options}


def test_a_peers_sockets_are_set_as_described(document: dict[str, dict[str, Part]]) -> None:
    written = options_of(document["Sockets"][""], 2)
    assert {zmq.SocketOption(option).name: value for option, value in PEER_OPTIONS} == written


# ---- who may do what, and the states -------------------------------------------------------------


def test_who_may_do_what_is_what_the_host_checks(document: dict[str, dict[str, Part]]) -> None:
    written = {}
    for tag, who, when in table(document["Who may do what"][""]):
        phases = set(Stage) if when == "any" else {Stage(word(x)) for x in when.split(", ")}
        written[word(tag)] = ({part.strip() for part in who.split(";")}, phases)
    checked = {
        tag_of(kind): ({capacity.value for capacity in rule.who}, set(rule.when))
        for kind, rule in RULES.items()
    }
    assert written == checked


def edges(diagram: str) -> set[tuple[str, str, str]]:
    """Return (from, to, cause) of each arrow of a mermaid state diagram, causes told apart."""
    found: set[tuple[str, str, str]] = set()
    for line in diagram.splitlines():
        arrow = re.fullmatch(r"\s+(\w+) --> (\w+) : (.+)", line)
        if arrow:
            start, end, causes = arrow.groups()
            found.update((start, end, cause.strip()) for cause in causes.split(","))
    return found


def test_the_peers_diagram_is_drawn_from_its_table(document: dict[str, dict[str, Part]]) -> None:
    part = document["Life of a session"]["The peer's states"]
    assert edges(part.only("mermaid")) == {
        (state.value, target.value, cause.value)
        for state, row in PEER_TRANSITIONS.items()
        for cause, target in row.items()
    }


def test_the_hosts_diagram_is_drawn_from_its_table(document: dict[str, dict[str, Part]]) -> None:
    part = document["Life of a session"]["The host's states"]
    granted = edges(part.only("mermaid"))
    ours = {edge for edge in granted if edge[2] != "another connection joins"}
    assert granted - ours == {("joined", "superseded", "another connection joins")}
    assert ours == {
        (state.value, target.value, tag)
        for state, row in HOST_TRANSITIONS.items()
        for tag, target in row.items()
        if not isinstance(target, ErrorCode)
    }
    refused = {
        (word(state), word(tag)): word(code)
        for state, tags, code in table(part)
        for tag in tags.split(", ")
    }
    assert refused == {
        (state.value, tag): code.value
        for state, row in HOST_TRANSITIONS.items()
        for tag, code in row.items()
        if isinstance(code, ErrorCode)
    }


def test_sequences_speak_of_messages_that_exist(document: dict[str, dict[str, Part]]) -> None:
    known = {*TO_HOST, *TO_PEER}
    for part in document["Life of a session"].values():
        for diagram in part.blocks.get("mermaid", []):
            for said in re.findall(r"^\s+\w+--?>>\w+: (\S+)", diagram, flags=re.M):
                assert said.strip(",:") in known


def test_the_invite_is_one(document: dict[str, dict[str, Part]]) -> None:
    part = document["Invites"][""]
    invite = parse_invite(part.only("text").strip())
    assert f"`{invite.key}`" in part.text
    assert invite.port == limits.CONTROL_PORT
