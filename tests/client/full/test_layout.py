"""Lines measured in cells: what every screen relies on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearts_client.full.layout import (
    Span,
    beside,
    bottom,
    cells,
    centred,
    clipped,
    fitted,
    line_cells,
    line_of,
    middle,
    padded,
    wrapped,
)

TEXT = st.text(alphabet="ab é日♠e\u0301न\u093f", max_size=30)


@given(TEXT, st.integers(0, 40))
def test_clipped_text_fits(text: str, width: int) -> None:
    assert cells(clipped(text, width)) <= width
    assert cells(padded(text, width)) == width
    assert cells(padded(text, width, right=True)) == width


@given(st.lists(TEXT, max_size=5), st.integers(0, 40))
def test_lines_are_cut_and_filled(texts: list[str], width: int) -> None:
    line = line_of(*(Span(text, "name") for text in texts))
    assert line_cells(fitted(line, width)) == width
    assert line_cells(centred(line, width)) == width


@given(st.text(alphabet="ab é日 ", max_size=80), st.integers(2, 30))
def test_wrapping_loses_nothing(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert all(cells(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_blocks() -> None:
    lines = [line_of("a"), line_of("b"), line_of("c")]
    assert bottom(lines, 2) == lines[1:]
    assert bottom(lines, 4) == [(), *lines]
    assert bottom(lines, 0) == []
    assert middle(lines, 5) == [(), *lines, ()]
    (row,) = beside([line_of("left")], 6, [line_of("right")], 5, "|")
    assert "".join(span.text for span in row) == "left  |right"
