"""``hearts-net forget``: the command that accepts a host's changed key."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from hearts_client.__main__ import main
from hearts_client.refusals import error_sentence
from hearts_net.peer.errors import LinkError
from hearts_net.peer.home import find_home
from hearts_net.peer.invite import Address
from hearts_net.peer.known_hosts import accept_host, check_key, known_hosts

ONE, OTHER = "1" * 40, "2" * 40
KITCHEN, ATTIC = Address("10.0.0.5", 26052), Address("10.0.0.5", 27000)
CELLAR = Address("fd00::5", 26052)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _visited() -> None:
    home = find_home()
    for address in (KITCHEN, ATTIC, CELLAR):
        accept_host(home, address, ONE, "attic")


@pytest.fixture
def run_forget(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> tuple[int, str, str]:
        code = main(["forget", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_the_hosts_that_are_known_are_listed(run_forget: Run) -> None:
    code, out, _ = run_forget()
    assert code == 0
    assert f"10.0.0.5:26052  {ONE}  attic" in out
    assert "known-hosts" in out
    code, out, _ = run_forget("--json")
    assert [each["address"] for each in json.loads(out)] == [
        "10.0.0.5:26052",
        "10.0.0.5:27000",
        "[fd00::5]:26052",
    ]


def test_one_port_or_every_port_of_a_host_is_forgotten(run_forget: Run) -> None:
    code, out, _ = run_forget("10.0.0.5:27000")
    assert (code, "1 key is forgotten" in out) == (0, True)
    assert [host.address for host in known_hosts(find_home())] == [KITCHEN, CELLAR]
    accept_host(find_home(), ATTIC, ONE)
    code, out, _ = run_forget("10.0.0.5")
    assert (code, "1 key is forgotten" in out) == (0, True)
    assert [host.address for host in known_hosts(find_home())] == [CELLAR]


def test_a_host_is_forgotten_by_the_names_of_its_table(run_forget: Run) -> None:
    home = find_home()
    accept_host(home, None, ONE, "Anna's table", "cellar-pc")
    accept_host(home, ATTIC, OTHER, "Anna's table", "barn-pc")
    code, out, _ = run_forget("Anna's table @ cellar-pc")
    assert (code, "1 key is forgotten" in out) == (0, True)
    assert [host.machine for host in known_hosts(home) if host.machine] == ["barn-pc"]
    code, out, _ = run_forget("--json", "anna's table")
    assert [each["machine"] for each in json.loads(out)] == ["barn-pc"]


def test_an_address_comes_before_a_table_that_is_called_like_it(run_forget: Run) -> None:
    accept_host(find_home(), CELLAR, OTHER, "10.0.0.5:26052")
    assert run_forget("10.0.0.5:26052")[0] == 0
    assert [host.address for host in known_hosts(find_home())] == [ATTIC, CELLAR, CELLAR]


def test_what_is_not_known_is_said(run_forget: Run) -> None:
    code, _, err = run_forget("10.9.9.9")
    assert code == 1
    assert err == "No key is known for 10.9.9.9: `hearts-net forget` lists those that are.\n"
    code, _, err = run_forget("no address at all")
    assert code == 2
    assert "no address" in err


def test_a_changed_key_is_refused_until_its_command_is_run() -> None:
    with pytest.raises(LinkError) as caught:
        check_key(find_home(), KITCHEN, OTHER)
    said = error_sentence(caught.value.code, caught.value.detail)
    assert "set up anew" in said
    assert "poses as it" in said
    command = said.partition("`hearts-net ")[2].partition("`")[0]
    assert command == "forget 10.0.0.5:26052"
    assert main(command.split()) == 0
    assert not check_key(find_home(), KITCHEN, OTHER)
