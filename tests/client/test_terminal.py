"""Whether a terminal takes symbols: by its encoding, and by what its locale says."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from hearts_client.chosen import Chosen
from hearts_client.terminal import takes_symbols, wants_ascii


@pytest.mark.parametrize(
    ("environ", "symbols"),
    [
        ({}, True),
        ({"LANG": "nl_BE.UTF-8"}, True),
        ({"LANG": "C.UTF-8"}, True),
        ({"LANG": "C"}, False),
        ({"LANG": "POSIX"}, False),
        ({"LANG": "C", "LC_CTYPE": "en_GB.UTF-8"}, True),
        ({"LANG": "en_GB.UTF-8", "LC_CTYPE": "C"}, False),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "C"}, False),
        ({"LANG": "C", "LC_ALL": "en_GB.UTF-8"}, True),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": ""}, True),
    ],
)
def test_the_locale_c_takes_letters_alone(environ: dict[str, str], symbols: bool) -> None:
    assert takes_symbols("utf-8", environ) is symbols
    assert not takes_symbols("ascii", environ)


ASKED = """
import sys
from hearts_client.chosen import Chosen
from hearts_client.terminal import wants_ascii
print(sys.stdout.encoding, wants_ascii(Chosen({"ascii": False})))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="needs Linux's /proc")
@pytest.mark.parametrize(
    ("variable", "value", "wanted"),
    [("LANG", "C", "True"), ("LC_ALL", "C", "True"), ("LC_CTYPE", "POSIX", "True"),
     ("LC_CTYPE", "C.UTF-8", "False"), ("LANG", "C.UTF-8", "False")],
)  # fmt: skip
def test_it_is_known_before_python_changes_it(variable: str, value: str, wanted: str) -> None:
    kept = {key: text for key, text in os.environ.items() if key[:3] not in ("LC_", "LAN")}
    done = subprocess.run(
        [sys.executable, "-c", ASKED], env={**kept, variable: value}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["utf-8", wanted]


def test_a_wish_goes_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hearts_client.terminal.given_environment", lambda: {"LANG": "C"})
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), "utf-8"))
    assert wants_ascii(Chosen({"ascii": False}))
    assert not wants_ascii(Chosen({"ascii": False}, given=["ascii"]))
    assert wants_ascii(Chosen({"ascii": True}, given=["ascii"]))
