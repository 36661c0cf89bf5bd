from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Callable

import pytest

from hearts_client.plain_input import MOST_IN_LINE, READ_AT_ONCE, LineSplitter, read_lines
from hearts_client.plain_output import LineWriter, fitted, is_utf8


def test_lines_are_whole_whatever_the_bytes_are_cut_into() -> None:
    splitter = LineSplitter()
    text = "hand\r\nsay Chloé ♥\n\nquit"
    lines = [line for byte in text.encode() for line in splitter.feed(bytes([byte]))]
    assert lines == ["hand", "say Chloé ♥", ""]
    assert splitter.end() == ["quit"]
    assert splitter.end() == []


def test_bytes_that_are_no_text_and_endless_lines_do_no_harm() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"\xff\xfe\n") == ["\ufffd\ufffd"]
    for _ in range(10):
        assert splitter.feed(b"x" * 10_000) == []
    assert [len(line) for line in splitter.feed(b"\n")] == [MOST_IN_LINE]


async def _collect(descriptor: int) -> list[str]:
    lines: list[str] = []
    ended = asyncio.Event()

    def take(some: list[str], want_more: Callable[[], None]) -> None:
        lines.extend(some)
        want_more()

    read_lines(descriptor, asyncio.get_running_loop(), take, ended.set)
    await asyncio.wait_for(ended.wait(), 5)
    return lines


def test_a_pipe_is_read_to_its_end() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"hand\nquit")
    os.close(writer)
    assert asyncio.run(_collect(reader)) == ["hand", "quit"]
    os.close(reader)


def test_a_file_is_read_to_its_end(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "lines")
    with open(path, "w", encoding="utf-8") as file:
        file.write("hand\n")
    descriptor = os.open(path, os.O_RDONLY)
    assert asyncio.run(_collect(descriptor)) == ["hand"]
    os.close(descriptor)


def test_no_more_is_read_before_more_is_wanted() -> None:
    async def test(reader: int) -> None:
        taken: asyncio.Queue[tuple[list[str], Callable[[], None]]] = asyncio.Queue()
        read_lines(
            reader,
            asyncio.get_running_loop(),
            lambda lines, want_more: taken.put_nowait((lines, want_more)),
            lambda: taken.put_nowait(([], lambda: None)),
        )
        got = 0
        for _ in range(4):
            lines, want_more = await asyncio.wait_for(taken.get(), 5)
            assert taken.empty(), "one call at a time, whatever waits in the pipe"
            assert 0 < len(lines) <= READ_AT_ONCE
            got += len(lines)
            want_more()
        assert got == 4 * READ_AT_ONCE
        assert await asyncio.wait_for(taken.get(), 5)

    reader, writer = os.pipe()
    os.write(writer, b"\n" * (4 * READ_AT_ONCE))
    os.close(writer)
    asyncio.run(test(reader))
    os.close(reader)


def test_a_closed_input_has_ended() -> None:
    assert asyncio.run(_collect(-1)) == []


def test_off_a_terminal_every_line_and_prompt_is_a_line_at_once() -> None:
    raw = io.BytesIO()
    writer = LineWriter(io.TextIOWrapper(io.BufferedWriter(raw), "utf-8"), terminal=False)
    writer.say("Chloé plays 3♥.")
    assert raw.getvalue().decode() == "Chloé plays 3♥.\n"
    writer.prompt("play")
    writer.say("next")
    assert raw.getvalue().decode() == "Chloé plays 3♥.\nplay>\nnext\n"


def test_on_a_terminal_what_is_said_meanwhile_ends_the_prompts_line() -> None:
    out = io.StringIO()
    writer = LineWriter(out, terminal=True)
    writer.prompt("play")
    assert writer.at_prompt
    writer.say("news")
    writer.prompt("play")
    writer.answered()
    writer.say("You play it.")
    assert out.getvalue() == "play> \nnews\nplay> You play it.\n"


@pytest.mark.parametrize(
    ("text", "encoding", "said"),
    [
        ("Chloé plays 3♥ — “so”…", "ascii", 'Chloe plays 3h - "so"...'),
        ("Chloé plays 3♥", "latin-1", "Chloé plays 3h"),
        ("राम", "ascii", "???"),
        ("Chloé 3♥", "utf-8", "Chloé 3♥"),
    ],
)
def test_an_output_that_lacks_letters_gets_the_nearest(text: str, encoding: str, said: str) -> None:
    assert fitted(text, encoding) == said


def test_which_encodings_can_say_everything() -> None:
    assert is_utf8("UTF-8")
    assert is_utf8("utf8")
    assert not is_utf8("ascii")
    assert not is_utf8(None)
