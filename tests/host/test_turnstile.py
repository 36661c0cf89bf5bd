"""Who is left unanswered, and for how long."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from itertools import count

import pytest

from hearts_net.host.turnstile import IS_SUPPORTED, Turnstile

pytestmark = pytest.mark.skipif(not IS_SUPPORTED, reason="needs the socket filters of Linux")


@pytest.fixture(params=["127.0.0.1", "::1", "::"])
def listener(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    try:
        made = socket.socket(family)
        made.bind((request.param, 0))
    except OSError:
        pytest.skip("no IPv6 here")
    made.listen()
    yield made
    made.close()


def is_answered(listener: socket.socket, source: str, timeout: float = 0.3) -> bool:
    host, port = listener.getsockname()[:2]
    with socket.socket(socket.AF_INET6 if ":" in source else socket.AF_INET) as line:
        line.bind((source, 0))
        line.settimeout(timeout)
        try:
            line.connect((source if host == "::" else host, port))
        except TimeoutError:
            return False
        listener.accept()[0].close()
        return True


def sources(listener: socket.socket) -> list[str]:
    """Return from where somebody could come to a listener."""
    match listener.getsockname()[0]:
        case "127.0.0.1":
            return ["127.0.0.66", "127.0.0.67"]
        case "::1":
            return ["::1"]
        case _:
            return ["::1", "127.0.0.66"]


def test_only_who_is_barred_is_left_unanswered_and_only_for_a_while(
    listener: socket.socket,
) -> None:
    turnstile = Turnstile()
    turnstile.listens(listener.fileno())
    for now, source in zip(count(0, 1000), sources(listener), strict=False):
        others = [other for other in sources(listener) if other != source]
        assert is_answered(listener, source)
        lasts = turnstile.bar(source, now)
        assert not is_answered(listener, source)
        assert all(is_answered(listener, other) for other in others)
        turnstile.look(now + lasts / 2)
        assert not is_answered(listener, source)
        turnstile.look(now + lasts)
        assert is_answered(listener, source)


def test_a_connection_that_exists_goes_on(listener: socket.socket) -> None:
    source = sources(listener)[0]
    host, port = listener.getsockname()[:2]
    turnstile = Turnstile()
    turnstile.listens(listener.fileno())
    turnstile.bar("127.0.0.99", 0)
    with socket.socket(listener.family) as line:  # it has its listener's filter
        line.bind((source, 0))
        line.connect((source if host == "::" else host, port))
        accepted = listener.accept()[0]
        with accepted:
            turnstile.bar(source, 0)
            for one, other in ((line, accepted), (accepted, line)):
                one.sendall(b"still here")
                other.settimeout(5)
                assert other.recv(64) == b"still here"
    assert not is_answered(listener, source)


def test_each_time_it_lasts_longer_until_somebody_has_stayed_away() -> None:
    turnstile, now, lasted = Turnstile(), 0.0, []
    for _ in range(5):
        lasted.append(turnstile.bar("10.0.0.1", now))
        assert turnstile.bar("10.0.0.1", now) == 0
        now += lasted[-1]
    assert lasted == [1, 4, 16, 60, 60]
    turnstile.look(now + 60)
    assert turnstile.bar("10.0.0.1", now + 60) == 1


def test_a_crowd_of_addresses_is_remembered_only_in_part(listener: socket.socket) -> None:
    turnstile = Turnstile()
    turnstile.listens(listener.fileno())
    for number in range(500):
        assert turnstile.bar(f"10.0.{number >> 8}.{number & 255}", 0) == 1
        assert turnstile.bar(f"fd00::{number:x}", 0) == 1
    assert is_answered(listener, sources(listener)[0])
    turnstile.bar(sources(listener)[0], 0)
    assert not is_answered(listener, sources(listener)[0])


def test_a_descriptor_that_listens_no_more_is_left_alone(listener: socket.socket) -> None:
    turnstile = Turnstile()
    turnstile.listens(listener.fileno())
    with socket.create_server(("127.0.0.1", 0)) as closed:
        turnstile.listens(closed.fileno())
        turnstile.bar("127.0.0.1", 0)
        assert turnstile._listeners == {listener.fileno(), closed.fileno()}
    turnstile.bar("127.0.0.2", 0)
    assert turnstile._listeners == {listener.fileno()}


def test_a_descriptor_that_is_something_else_by_now_is_left_alone() -> None:
    turnstile = Turnstile()
    with socket.socket() as line:
        turnstile.listens(line.fileno())
        turnstile.bar("127.0.0.1", 0)
        assert turnstile._listeners == set()
