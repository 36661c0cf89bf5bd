"""Advertises a table by mDNS: ``python -m hearts_net.host.herald``, a child of the table's process.

mDNS hears every device of the network, so it has a process of its own, and no card waits for it.
Each line on standard input is a JSON object: the table's ``id`` and its ``advert``; the newest one
counts. At the end of the input, that is also when the table was killed, the record is withdrawn.
Interfaces that come and go are followed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
from zeroconf import ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from hearts_net.peer.interfaces import Interface, lan_interfaces
from hearts_net.peer.loops import in_a_loop
from hearts_net.peer.mdns import ip_version, mdns_places
from hearts_net.protocol import limits
from hearts_net.protocol.advert import Advert, pack_txt

LOOK_EVERY: Final = 2.0
"""Seconds between two looks at this machine's interfaces."""
LAST_WORDS_WITHIN: Final = 1.5
"""Seconds for the withdrawal."""
END_WITHIN: Final = 10.0
"""Seconds that this process may outlive its table, whatever the network does to it."""

log = logging.getLogger(__name__)


class Herald:
    """Keeps one table's record on every LAN of this machine."""

    def __init__(self, look: Callable[[], list[Interface]] = lan_interfaces) -> None:
        self._look = look
        self._zeroconf: AsyncZeroconf | None = None
        self._info: ServiceInfo | None = None
        self._places: list[str | int] = []
        self._table_id = ""
        self._advert: Advert | None = None
        self._trouble = ""

    def tell(self, table_id: str, advert: Advert) -> None:
        """Take note of what is to be said from now on."""
        self._table_id, self._advert = table_id, advert

    async def step(self) -> None:
        """Bring what is on the network in line with the interfaces and the advert as they are."""
        advert = self._advert
        if advert is None:
            return
        try:
            await self._follow(self._look(), advert)
        except Exception as error:  # no network, no right to the port: it may come back
            if self._trouble != str(error):
                log.warning("the table cannot be advertised by mDNS at present: %s", error)
            self._trouble = str(error)
            await self._drop()
        else:
            self._trouble = ""

    async def close(self) -> None:
        """Withdraw the record."""
        try:
            async with asyncio.timeout(LAST_WORDS_WITHIN):
                await self._drop()
        except TimeoutError:
            log.warning("the record could not be withdrawn in time")

    async def _follow(self, lans: list[Interface], advert: Advert) -> None:
        places = mdns_places(lans)
        if not places:
            await self._drop()
            return
        moved = places != self._places
        if self._zeroconf is None:
            self._zeroconf = AsyncZeroconf(places, ip_version=ip_version(places))
        elif moved:
            await self._zeroconf.async_update_interfaces(places, ip_version(places))
        self._places = places
        info = _info(self._table_id, advert, lans)
        if self._info is None:
            # the name is the table's id, drawn at random: nobody need be asked whether it is free
            await self._zeroconf.async_register_service(info, cooperating_responders=True)
        elif moved or info.text != self._info.text:
            await self._zeroconf.async_update_service(info)
        self._info = info

    async def _drop(self) -> None:
        zeroconf, self._zeroconf = self._zeroconf, None
        self._info, self._places = None, []
        if zeroconf is not None:
            await zeroconf.async_close()


def _info(table_id: str, advert: Advert, lans: list[Interface]) -> ServiceInfo:
    return ServiceInfo(
        limits.SERVICE,
        f"{table_id}.{limits.SERVICE}",
        port=advert.control,
        properties=pack_txt(advert),
        server=f"hearts-{table_id}.local.",
        parsed_addresses=[str(address.ip) for lan in lans for address in lan.addresses],
    )


async def run(lines: asyncio.Queue[bytes | None]) -> None:
    """Advertise what the lines say until None comes."""
    herald = Herald()
    try:
        while True:
            try:
                async with asyncio.timeout(LOOK_EVERY):
                    line = await lines.get()
            except TimeoutError:
                line = b""
            if line is None:
                return
            if line:
                herald.tell(*_told(line))
            if lines.empty():
                await herald.step()
    finally:
        await herald.close()


def _told(line: bytes) -> tuple[str, Advert]:
    said: dict[str, Any] = json.loads(line)
    return str(said["id"]), msgspec.convert(said["advert"], Advert)


async def _listen() -> None:
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, None)
        time.sleep(END_WITHIN)
        os._exit(1)  # it hangs, and there is nobody left to notice

    threading.Thread(target=read, daemon=True).start()
    await run(lines)


def main() -> int:
    """Advertise until standard input ends; the table alone says when that is."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the table, which then ends this
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("zeroconf").setLevel(logging.ERROR)
    in_a_loop(_listen())
    return 0


if __name__ == "__main__":
    sys.exit(main())
