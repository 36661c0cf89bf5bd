"""Keys: made once, private, and in use by one client at a time."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading

import pytest
import zmq

from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import Home
from hearts_net.peer.identity import (
    MOST_CLIENTS,
    Identity,
    key_file,
    load_identity,
    new_identity,
    read_identity,
)

HOLD = """
import sys
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import load_identity
identity = load_identity(find_home(), sys.argv[1] or None)
print(identity.profile, flush=True)
sys.stdin.read()
"""


def code(home: Home, profile: str | None = None) -> str:
    with pytest.raises(LinkError) as caught:
        load_identity(home, profile)
    return caught.value.code


def test_a_key_is_made_on_first_use_and_kept(home: Home) -> None:
    with load_identity(home) as first:
        assert zmq.curve_public(first.secret.encode()).decode() == first.public
    with load_identity(home) as again:
        assert again == first
    assert read_identity(home) == Identity(first.public, first.secret, "default")
    path = key_file(home, "default")
    assert path.read_text().startswith("#")
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_secret_is_not_shown(home: Home) -> None:
    with load_identity(home) as identity:
        assert identity.secret not in repr(identity)


def test_a_table_reads_the_key_while_a_client_uses_it_and_may_be_first(home: Home) -> None:
    table = read_identity(home)
    with load_identity(home) as client:
        assert (client.public, client.profile) == (table.public, "default")
        assert read_identity(home) == table


def test_the_first_free_key_is_taken(home: Home) -> None:
    with load_identity(home) as one, load_identity(home) as two:
        assert (one.profile, two.profile) == ("default", "player-2")
        assert one.public != two.public
        with load_identity(home) as three:
            assert three.profile == "player-3"
        one.release()
        one.release()
        with load_identity(home) as again:
            assert again == one


def test_a_named_profile_in_use_is_taken_all_the_same(home: Home) -> None:
    with load_identity(home, "anna") as anna, load_identity(home, "anna") as again:
        assert again == anna


def test_a_key_is_in_use_until_the_last_who_took_it_lets_go(home: Home) -> None:
    first = load_identity(home)
    with load_identity(home, "default") as named:
        assert named == first
        first.release()
        with load_identity(home) as other:
            assert other.profile == "player-2"
    with load_identity(home) as again:
        assert again == first


def test_when_every_key_is_in_use_it_is_said(home: Home) -> None:
    taken = [load_identity(home) for _ in range(MOST_CLIENTS)]
    assert code(home) == LinkCode.KEY_IN_USE
    for identity in taken:
        identity.release()
    assert len({identity.public for identity in taken}) == MOST_CLIENTS


@pytest.mark.parametrize(
    "profile", ["", ".", "..", "../x", "a/b", "a b", "-a", "a" * 33, "é", "a\n"]
)
def test_a_profile_is_a_plain_word(home: Home, profile: str) -> None:
    assert code(home, profile) == LinkCode.BAD_PROFILE
    assert not home.keys.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not toml at all [",
        b'public = "x"',
        b"public = 1\nsecret = 2\n",
        b"\xff\xfe",
        b'public = "%s"\nsecret = "%s"\n' % (zmq.curve_keypair()[0], zmq.curve_keypair()[1]),
        b'public = "%s"\nsecret = "%s"\n' % (b"x" * 40, zmq.curve_keypair()[1]),
        b'public = "%s"\nsecret = "%s"\n' % (b"x" * 40, b"x" * 39),
    ],
)
def test_a_damaged_key_file_is_said_and_left_alone(home: Home, content: bytes) -> None:
    path = key_file(home, "default")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert code(home) == LinkCode.BAD_KEY_FILE
    assert code(home) == LinkCode.BAD_KEY_FILE  # and not: in use
    assert path.read_bytes() == content


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
def test_a_key_file_that_others_could_read_is_closed(home: Home) -> None:
    load_identity(home).release()
    key_file(home, "default").chmod(0o644)
    load_identity(home).release()
    assert key_file(home, "default").stat().st_mode & 0o777 == 0o600


def test_a_file_system_without_rights_or_locks_will_do(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks here")

    if os.name == "posix":
        monkeypatch.setattr("fcntl.flock", refuse)
    monkeypatch.setattr("os.link", refuse)
    monkeypatch.setattr("pathlib.Path.chmod", refuse)
    with load_identity(home) as identity:
        key_file(home, "default").touch(mode=0o644)
        os.chmod(key_file(home, "default"), 0o644)
        assert read_identity(home).public == identity.public


def test_many_first_uses_at_once_make_one_key(home: Home) -> None:
    start = threading.Barrier(8)
    keys: list[str] = []

    def read() -> None:
        start.wait()
        keys.append(read_identity(home).public)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1


def test_another_process_has_the_key_until_it_dies(home: Home) -> None:
    environment = {**os.environ, "HEARTS_NET_HOME": str(home.config.parent)}
    command = [sys.executable, "-c", HOLD, ""]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"default\n"
        with load_identity(home) as other:
            assert other.profile == "player-2"
        holder.kill()
        holder.wait(10)
    with load_identity(home) as again:
        assert again.profile == "default"


def test_a_key_for_the_moment_is_kept_nowhere(home: Home) -> None:
    assert new_identity().public != new_identity().public
    assert not home.keys.exists()


def test_who_loses_the_lock_while_it_is_made_shared_takes_the_next_key(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system lets go of the one kind of lock before it gives the other."""
    answers = iter([False, True])
    monkeypatch.setattr("hearts_net.peer.lock._share", lambda _: next(answers))
    with load_identity(home) as identity:
        assert identity.profile == "player-2"
