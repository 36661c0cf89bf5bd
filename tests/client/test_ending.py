from __future__ import annotations

import asyncio
import signal

import pytest

from hearts_client.ending import ended_in_order, told_to_end, uninterrupted
from hearts_client.exits import Exit

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs the signals of POSIX")


def test_a_signal_leaves_the_blocks_that_it_meets() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as caught, ended_in_order():
        signal.raise_signal(signal.SIGTERM)
    assert caught.value.code == Exit.TERMINATED
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_has_to_be_done_is_not_cut_short(number: signal.Signals) -> None:
    with ended_in_order():
        before = signal.getsignal(number)
        with uninterrupted():
            signal.raise_signal(number)
        assert signal.getsignal(number) is before


def test_a_loop_takes_signals_and_leaves_them_as_they_were() -> None:
    told: list[Exit] = []

    async def work() -> None:
        with told_to_end(asyncio.get_running_loop(), told.append):
            signal.raise_signal(signal.SIGHUP)
            signal.raise_signal(signal.SIGINT)
            while len(told) < 2:
                await asyncio.sleep(0)

    with ended_in_order():
        before = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)}
        asyncio.run(work())
        assert {number: signal.getsignal(number) for number in before} == before
    assert sorted(told) == [Exit.INTERRUPTED, Exit.TERMINATED]
