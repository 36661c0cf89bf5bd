"""The bots' process: orders on standard input, an end with it, no key in what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import zmq

from hearts_net.bots.orders import MAX_LINE
from hearts_net.bots.process import lines_of
from hearts_net.testing.ports import free_port

SOON = 10.0
"""Seconds: a deadline, not a wait."""


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(
        [sys.executable, "-m", "hearts_net.bots"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    yield child
    if child.poll() is None:
        child.kill()
    child.communicate()


def pair() -> tuple[str, str]:
    public, secret = zmq.curve_keypair()
    return public.decode(), secret.decode()


def said(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stderr is not None
    return process.stderr.readline()


def tell(process: subprocess.Popen[bytes], *lines: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(b"".join(line + b"\n" for line in lines))
    process.stdin.flush()


def test_bad_lines_are_told_and_do_no_harm(process: subprocess.Popen[bytes]) -> None:
    tell(process, b"junk", b'{"do":"sit"}', b"x" * (MAX_LINE * 20), b"\xff\x00")
    for _ in range(4):
        assert said(process) == b"bots: bad-order\n"
    tell(process, b'{"do":"leave","seat":0}')
    assert process.poll() is None
    out, err = process.communicate(timeout=SOON)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_it_ends_within_a_second_of_its_input(process: subprocess.Popen[bytes]) -> None:
    (host, _), bots = pair(), [pair() for _ in range(3)]
    port = free_port()
    for seat, (public, secret) in enumerate(bots):
        order = {"do": "sit", "control": port, "key": host, "public": public, "secret": secret}
        tell(process, json.dumps({**order, "seat": seat, "name": "A", "level": "x"}).encode())
    lines = {said(process) for _ in range(3)}
    assert lines == {
        f"bots: seat {seat}: unknown-level, playing medium\n".encode() for seat in range(3)
    }
    began = time.monotonic()
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(SOON) == 0
    assert time.monotonic() - began < 1.0
    assert process.stderr is not None
    rest = process.stderr.read()
    for public, secret in [(host, ""), *bots]:
        assert public.encode() not in rest
        assert not secret or secret.encode() not in rest
    process.stdin = None


def test_lines_come_whole_and_a_long_one_comes_empty() -> None:
    reading, writing = os.pipe()
    lines = [b"one", b"", b"x" * (MAX_LINE + 1), b"two", b"y" * (MAX_LINE * 20), b"three"]
    try:
        os.write(writing, b"\n".join(lines[:4]) + b"\n")
        os.set_blocking(writing, False)
        assert os.write(writing, lines[4][:50_000]) == 50_000
        found = lines_of(reading)
        first = [next(found) for _ in range(4)]
        os.write(writing, lines[4][50_000:] + b"\nthree\nrest")
        os.close(writing)
        writing = -1
        assert first == [b"one", b"", b"", b"two"]
        assert list(found) == [b"", b"three"]
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
