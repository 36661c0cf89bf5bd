"""Pinned keys: read, compared, accepted, and kept in a file that a person may edit."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hearts_net.peer.endpoint import Endpoint
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home, find_home, held
from hearts_net.peer.invite import Address
from hearts_net.peer.known_hosts import (
    MOST_KNOWN,
    KnownHost,
    accept_host,
    check_key,
    check_names,
    forget_hosts,
    is_known_key,
    known_hosts,
    known_hosts_file,
    known_key,
    stranger_among,
)
from hearts_net.peer.recent import RecentTable, mark_favourite, note_visit, recent_tables
from hearts_net.peer.visit import remember_visit

ONE, OTHER = "1" * 40, "2" * 40
KITCHEN = Address("192.168.1.5", 26052)
ATTIC = Address("fe80::1%eth0", 7)


def test_nobody_is_known_at_first(home: Home) -> None:
    assert known_hosts(home) == []
    assert known_key(home, KITCHEN) is None
    assert not check_key(home, KITCHEN, ONE)
    assert not known_hosts_file(home).exists()


def test_a_pinned_key_is_recognised_and_another_is_refused(home: Home) -> None:
    accept_host(home, KITCHEN, ONE, "Kitchen  table")
    accept_host(home, ATTIC, OTHER)
    assert check_key(home, KITCHEN, ONE)
    assert is_known_key(home, OTHER)
    assert not is_known_key(home, "3" * 40)
    with pytest.raises(LinkError) as caught:
        check_key(home, KITCHEN, OTHER)
    assert caught.value.code == LinkCode.HOST_KEY_CHANGED
    assert caught.value.detail == {
        "host": "192.168.1.5:26052",
        "forget": "192.168.1.5:26052",
        "known": ONE,
        "offered": OTHER,
        "path": str(known_hosts_file(home)),
    }
    assert known_hosts(home) == [
        KnownHost(KITCHEN, ONE, "Kitchen table"),
        KnownHost(ATTIC, OTHER, ""),
    ]


def test_a_newcomer_takes_nobodys_place(home: Home) -> None:
    accept_host(home, KITCHEN, ONE, "Kitchen", "attic-pc")
    accept_host(home, KITCHEN, OTHER, "Kitchen", "attic-pc")
    for key in (ONE, OTHER):
        assert check_key(home, KITCHEN, key)
        assert check_names(home, "Kitchen", "attic-pc", key)


def test_a_host_can_be_forgotten(home: Home) -> None:
    accept_host(home, KITCHEN, ONE)
    (host,) = known_hosts(home)
    assert forget_hosts(home, [host]) == [host]
    assert forget_hosts(home, [host]) == []
    assert known_hosts(home) == []


# ---- by names ------------------------------------------------------------------------------------


def test_a_table_on_its_machine_is_recognised_wherever_it_is(home: Home) -> None:
    accept_host(home, KITCHEN, ONE, "Anna's table", "Attic PC")
    assert check_names(home, "anna's  table", "attic-pc", ONE)
    with pytest.raises(LinkError) as caught:
        check_names(home, "ANNA'S\u200b table", "Attic-pc", OTHER)
    assert caught.value.code == LinkCode.HOST_KEY_CHANGED
    assert caught.value.detail["host"] == "Anna's table (Attic-PC)"
    assert caught.value.detail["forget"] == "'Anna'\"'\"'s table @ Attic-PC'"
    for table, machine in (("Anna's table", "other"), ("Anna's table", ""), ("x", "attic-pc")):
        assert not check_names(home, table, machine, OTHER)


def test_a_host_anywhere_is_forgotten_by_its_names(home: Home) -> None:
    accept_host(home, None, ONE, "Anna's table", "attic-pc")
    with pytest.raises(LinkError) as caught:
        check_names(home, "Anna's table", "attic-pc", OTHER)
    assert shlex.split(str(caught.value.detail["forget"])) == ["Anna's table @ attic-pc"]
    assert f"*  {ONE}  Anna's table @ attic-pc" in known_hosts_file(home).read_text()


def test_a_tables_name_is_never_read_as_a_machines(home: Home) -> None:
    accept_host(home, KITCHEN, OTHER, "Kitchen @ attic-pc")
    assert known_hosts(home) == [KnownHost(KITCHEN, OTHER, "Kitchen @ attic-pc", "")]
    assert not check_names(home, "Kitchen", "attic-pc", ONE)
    accept_host(home, None, OTHER, "a", "b @ c")
    assert known_hosts(home)[1] == KnownHost(None, OTHER, "a", "b-@-c")


@given(table=st.text(max_size=64), machine=st.text(max_size=32))
@example(table="\u200b", machine="attic-pc")
@example(table="attic", machine="?")
@example(table="attic @ pc", machine="")
@example(table=" @", machine="@ ")
@example(table="a\x1c b", machine="\x85")
def test_whatever_a_host_calls_itself_is_read_again_as_it_was_written(
    table: str, machine: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = find_home({"HEARTS_NET_HOME": folder})
        accept_host(home, KITCHEN, ONE, table, machine)
        text = known_hosts_file(home).read_text("utf-8")
        accept_host(home, KITCHEN, ONE, table, machine)
        assert known_hosts_file(home).read_text("utf-8") == text, "one visit, one line"
        (host,) = known_hosts(home)
        assert (host.address, host.key) == (KITCHEN, ONE)
        if host.machine:
            assert check_names(home, table, machine, ONE)
            assert stranger_among([host], table, machine, OTHER) is LinkCode.HOST_KEY_CHANGED


def test_who_is_known_by_name_alone_has_to_be_that_host(home: Home) -> None:
    accept_host(home, KITCHEN, ONE, "hearts", "attic-pc")
    accept_host(home, ATTIC, OTHER, "hearts", "cellar-pc")
    known, third = known_hosts(home), "3" * 40
    assert stranger_among(known, "Hearts", "attic-pc", ONE) is None
    assert stranger_among(known, "hearts", "attic-pc", OTHER) is LinkCode.HOST_KEY_CHANGED
    assert stranger_among(known, "hearts", "attic-pc", third) is LinkCode.HOST_KEY_CHANGED
    assert stranger_among(known, "hearts", "new-pc", OTHER) is None, "it has a new name itself"
    assert stranger_among(known, "hearts", "new-pc", third) is LinkCode.NAMESAKE
    assert stranger_among(known, "hearts", "", third) is LinkCode.NAMESAKE
    assert stranger_among(known, "whist", "new-pc", third) is None


def test_forgetting_one_line_forgets_what_others_say_of_the_same_table(home: Home) -> None:
    accept_host(home, KITCHEN, ONE, "Kitchen", "attic-pc")
    accept_host(home, Address("kitchen.local", 26052), ONE, "Kitchen", "attic-pc")
    accept_host(home, ATTIC, ONE, "Other", "attic-pc")
    assert len(forget_hosts(home, known_hosts(home)[:1])) == 2
    assert not check_names(home, "Kitchen", "attic-pc", OTHER)
    assert check_names(home, "Other", "attic-pc", ONE)


def test_a_line_without_names_gains_them(home: Home) -> None:
    accept_host(home, KITCHEN, ONE, "Kitchen")
    accept_host(home, KITCHEN, ONE, "Kitchen", "attic-pc")
    assert known_hosts(home) == [KnownHost(KITCHEN, ONE, "Kitchen", "attic-pc")]


def test_of_too_many_hosts_the_oldest_go(home: Home) -> None:
    lines = [f"10.0.{n // 250}.{n % 250}  {ONE}  t" for n in range(MOST_KNOWN)]
    known_hosts_file(home).write_text("# mine\n" + "\n".join(lines) + "\n")
    accept_host(home, KITCHEN, OTHER)
    known = known_hosts(home)
    assert len(known) == MOST_KNOWN
    assert (known[0].address, known[-1].address) == (Address("10.0.0.1", 26052), KITCHEN)
    assert known_hosts_file(home).read_text().startswith("# mine\n")


# ---- the file ------------------------------------------------------------------------------------


def test_what_a_person_wrote_into_the_file_stays(home: Home) -> None:
    mine = f"# my friends\n\n  kitchen.local {ONE} Anna's  table\n[fd00::1]:9\t{OTHER}\n"
    known_hosts_file(home).write_text(mine)
    assert known_key(home, Address("kitchen.local", 26052)) == ONE
    assert known_key(home, Address("fd00::1", 9)) == OTHER
    accept_host(home, KITCHEN, ONE, "new\n# line\x1b[31m")
    text = known_hosts_file(home).read_text()
    assert text == f"{mine}192.168.1.5:26052  {ONE}  new # line [31m\n"


def test_visiting_again_does_not_touch_the_file(home: Home) -> None:
    accept_host(home, KITCHEN, ONE, "Kitchen")
    before = known_hosts_file(home).stat()
    accept_host(home, KITCHEN, ONE, "Kitchen")
    assert known_hosts_file(home).stat().st_ino == before.st_ino


@pytest.mark.parametrize(
    "line",
    [
        "kitchen.local",
        "kitchen.local short",
        "kitchen.local " + "#" * 40,
        f"kitchen..local {ONE}",
        f"a:0 {ONE}",
    ],
)
def test_a_line_that_says_nothing_is_said_with_its_number(home: Home, line: str) -> None:
    known_hosts_file(home).write_text(f"# top\n{line}\n")
    for call in (known_hosts, lambda home: accept_host(home, KITCHEN, ONE)):
        with pytest.raises(LinkError) as caught:
            call(home)
        assert caught.value.code == LinkCode.BAD_KNOWN_HOSTS
        assert caught.value.detail["line"] == 2
    assert known_hosts_file(home).read_text() == f"# top\n{line}\n"


def test_a_file_that_is_no_text_is_said(home: Home) -> None:
    known_hosts_file(home).write_bytes(b"\xff\xfe")
    with pytest.raises(LinkError) as caught:
        check_key(home, KITCHEN, ONE)
    assert caught.value.code == LinkCode.BAD_KNOWN_HOSTS


def test_a_visit_is_remembered_under_the_address_and_the_name(home: Home) -> None:
    host = Endpoint("192.168.1.5", 26052, ONE)
    remember_visit(home, host, "Kitchen", 1_000, named="kitchen.local:26052")
    assert check_key(home, KITCHEN, ONE)
    assert check_key(home, Address("kitchen.local", 26052), ONE)
    assert [(table.table, table.key) for table in recent_tables(home)] == [("Kitchen", ONE)]


@pytest.mark.parametrize("typed", ["", "hearts://whatever/1/2/3", "two words", "[::1", "a:0"])
def test_what_was_typed_is_pinned_only_where_it_is_an_address(home: Home, typed: str) -> None:
    remember_visit(home, Endpoint("192.168.1.5", 26052, ONE), "Kitchen", 1_000, named=typed)
    assert [host.address for host in known_hosts(home)] == [KITCHEN]


def test_an_address_of_this_machine_is_recent_and_not_pinned(home: Home) -> None:
    for address in ("127.0.0.1", "::1"):
        remember_visit(home, Endpoint(address, 26052, ONE), "Kitchen", 1_000, named="localhost")
    assert known_hosts(home) == []
    remember_visit(home, Endpoint("::1", 26052, ONE), "Kitchen", 1_000, "localhost", "attic-pc")
    assert known_hosts(home) == [KnownHost(None, ONE, "Kitchen", "attic-pc")]
    assert recent_tables(home)[0].addresses == ("::1", "127.0.0.1")


# ---- several clients at once ---------------------------------------------------------------------


def at_once(work: Callable[[int], object], number: int) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(number)))


def test_what_several_clients_keep_at_once_is_all_kept(home: Home) -> None:
    at_once(lambda port: accept_host(home, Address("10.0.0.1", port + 1), ONE), 40)
    assert len(known_hosts(home)) == 40
    some = known_hosts(home)[:20]
    at_once(lambda place: forget_hosts(home, [some[place]]), 20)
    assert len(known_hosts(home)) == 20
    visit = RecentTable("attic", ONE, 26052, ("10.0.0.1",), 1)
    at_once(lambda place: note_visit(home, replace(visit, table=f"attic {place}")), 16)
    assert len(recent_tables(home)) == 16
    visited = recent_tables(home)
    at_once(lambda place: mark_favourite(home, replace(visited[place], favourite=True)), 16)
    assert all(table.favourite for table in recent_tables(home))


def test_who_holds_the_files_for_long_keeps_nobody_waiting_for_ever(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearts_net.peer.home._HELD_FOR", 0.05)
    with held(home), pytest.raises(LinkError) as caught:
        accept_host(home, KITCHEN, ONE)
    assert caught.value.code == LinkCode.HOME_UNWRITABLE
    assert "busy" in str(caught.value.detail["reason"])
    accept_host(home, KITCHEN, ONE)
    assert known_key(home, KITCHEN) == ONE
