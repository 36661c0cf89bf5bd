"""Tables that are advertised by mDNS: hints, none of which counts before the host has answered."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import ipaddress
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hearts_net.peer.ears import with_scope
from hearts_net.peer.found import MOST_ADDRESSES, MOST_FOUND, in_order
from hearts_net.peer.interfaces import Interface, lan_interfaces
from hearts_net.protocol import limits
from hearts_net.protocol.advert import Advert, read_txt
from hearts_net.protocol.codes import ProtocolError

if TYPE_CHECKING:
    from zeroconf import ServiceStateChange, Zeroconf
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

RESOLVE_WITHIN: Final = 2000
"""Milliseconds for a record's addresses and text to come."""
LOOK_EVERY: Final = 2.0
"""Seconds between two looks at this machine's interfaces."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    """What was advertised under one name."""

    advert: Advert
    addresses: tuple[str, ...]


class Browser:
    """The records on the network at present; ``heed`` is called whenever one comes or changes."""

    def __init__(self, heed: Callable[[], None]) -> None:
        self.records: dict[str, Record] = {}
        """By the name of the instance; those that were withdrawn or have run out are gone."""
        self._heed = heed
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def close(self) -> None:
        """Resolve no more."""
        for task in self._tasks.values():
            task.cancel()

    def on_change(
        self,
        zeroconf: Zeroconf,
        service_type: str,
        name: str,
        state_change: ServiceStateChange,
    ) -> None:
        """Hear of one record; zeroconf calls it with these names."""
        running = self._tasks.pop(name, None)
        if running is not None:
            running.cancel()
        if state_change.name == "Removed":
            self.records.pop(name, None)
            return
        if len(self._tasks) >= MOST_FOUND or len(self.records) >= 2 * MOST_FOUND:
            return  # more than any network has, unless somebody makes them up
        task = asyncio.get_running_loop().create_task(self._resolve(zeroconf, service_type, name))
        self._tasks[name] = task
        task.add_done_callback(lambda done: self._done(name, done))

    def _done(self, name: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(name) is task:
            del self._tasks[name]
        if not task.cancelled() and task.exception() is not None:
            log.warning("a record could not be read: %s", task.exception())

    async def _resolve(self, zeroconf: Zeroconf, service_type: str, name: str) -> None:
        from zeroconf.asyncio import AsyncServiceInfo

        info = AsyncServiceInfo(service_type, name)
        if not info.load_from_cache(zeroconf):
            await info.async_request(zeroconf, RESOLVE_WITHIN)
        record = _record(info)
        if record is None:
            self.records.pop(name, None)
        else:
            self.records[name] = record
            self._heed()


def _record(info: AsyncServiceInfo) -> Record | None:
    """Read a record, or pass over one that is not a table's."""
    try:
        advert = read_txt(info.properties)
    except ProtocolError:
        return None
    addresses = in_order(_usable(info.parsed_scoped_addresses()))
    if info.port != advert.control or not addresses:
        return None
    return Record(advert, addresses[:MOST_ADDRESSES])


def _usable(addresses: Iterable[str]) -> list[str]:
    """Leave out what leads nowhere, or back to this machine itself."""
    usable = []
    for text in addresses:
        address, _, scope = text.partition("%")
        try:
            ip = ipaddress.ip_address(address)
        except ValueError:
            continue
        if ip.is_loopback or ip.is_multicast or ip.is_unspecified:
            continue
        if ip.version == 6 and ip.is_link_local:
            if not scope:
                continue
            address = with_scope(address, int(scope)) if scope.isdecimal() else text
        usable.append(address)
    return usable


@contextlib.asynccontextmanager
async def browsing(heed: Callable[[], None]) -> AsyncIterator[Browser]:
    """Browse while the block runs, on every LAN of this machine, those that come later included.

    Where mDNS cannot be had the browser stays empty: it is one way of several.
    """
    browser = Browser(heed)
    task = asyncio.get_running_loop().create_task(_keep_browsing(browser))
    try:
        yield browser
    finally:
        browser.close()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _keep_browsing(browser: Browser) -> None:
    # a fifth of a second that the screen of somebody who waits need not stand still for
    modules: Any = await asyncio.to_thread(importlib.import_module, "zeroconf.asyncio")
    ears: AsyncZeroconf | None = None
    places: list[str | int] = []
    trouble = ""
    try:
        while True:
            now = mdns_places(lan_interfaces())
            try:
                if now and ears is None:
                    ears = modules.AsyncZeroconf(now, ip_version=ip_version(now))
                    _start(modules, ears, browser)
                elif now != places and now and ears is not None:
                    await ears.async_update_interfaces(now, ip_version(now))
            except OSError as error:  # the port is another program's alone, or an address went
                if str(error) != trouble:
                    log.warning("nothing is heard by mDNS at present: %s", error)
                trouble = str(error)
            places = now
            await asyncio.sleep(LOOK_EVERY)
    finally:
        if ears is not None:
            await ears.async_close()


def _start(modules: Any, ears: AsyncZeroconf, browser: Browser) -> None:  # noqa: ANN401 - a module
    modules.AsyncServiceBrowser(ears.zeroconf, limits.SERVICE, handlers=[browser.on_change])


def mdns_places(lans: Iterable[Interface]) -> list[str | int]:
    """Say where to speak and listen, as zeroconf takes it.

    Addresses of IPv4, and for IPv6 the interfaces' numbers.
    """
    lans = list(lans)
    v4: list[str | int] = [str(address.ip) for lan in lans for address in lan.v4]
    v6: list[str | int] = [lan.index for lan in lans if lan.has_v6]
    return v4 + v6


def ip_version(places: Iterable[str | int]) -> Any:  # noqa: ANN401 - zeroconf's, imported late
    """Say which kinds of addresses these are, as zeroconf takes it."""
    from zeroconf import IPVersion

    kinds = {type(place) for place in places}
    if kinds == {str, int}:
        return IPVersion.All
    return IPVersion.V6Only if kinds == {int} else IPVersion.V4Only
