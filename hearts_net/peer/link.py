"""The link to a table that every client, bot and watcher uses.

It owns the sockets: a DEALER to the host's control port, a SUB to its public one, and beside an old
connection that has fallen silent the new ones that are being dialled. What is said over them is the
session's affair (:mod:`hearts_net.protocol.peer_session`). Until the first view a link fails with a
typed error when there is nobody to talk to; afterwards a lost connection is never an error, and it
reconnects until it is left.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import zmq

from hearts_net.peer.connection import Connection, Context
from hearts_net.peer.dials import Dials
from hearts_net.peer.endpoint import Endpoint, Target
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.identity import Identity
from hearts_net.peer.lookup import endpoints_of
from hearts_net.peer.monitor import FINAL, STOPPED, Sighting, code_of
from hearts_net.peer.probe import is_another_program
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.messages import AnyAct, View
from hearts_net.protocol.peer_session import (
    AskedAbout,
    CodeAsked,
    Event,
    HostClosing,
    LeftTable,
    LinkState,
    OtherTable,
    Output,
    PeerSession,
    RefusedBy,
    RemovedBy,
    Send,
    Subscribe,
    SupersededBy,
    Unsubscribe,
)

Finder: TypeAlias = Callable[[str], Awaitable[Sequence[Target]]]
"""Given a host's key, says where that host may be now."""

log = logging.getLogger(__name__)

FIRST_JOIN_WITHIN: Final = 3800
"""Milliseconds until somebody who joins is told that nobody answers.

With a program's start and the question for a key it stays below five seconds."""
PUT_OFF_FOR: Final = 10_000
"""Milliseconds for which somebody who joins goes on asking a host that is there, and busy."""
PROBE_AFTER: Final = 700
"""Milliseconds of silence until somebody who joins looks whether it is another program's."""
FIND_EVERY: Final = 2000
"""Milliseconds between two looks for a host that may have moved."""
SHUN_FOR: Final = 5000
"""Milliseconds until an address is tried again where another table of the same host was."""
_BURST: Final = 64
"""Messages that are taken in one go before the rest of the program has its turn."""


def request_ids() -> Callable[[], int]:
    """Make a source of request ids that no other run of a program with the same key will use."""
    return itertools.count(secrets.randbelow(2**52)).__next__


class Link:
    """A session's connection to one table, made anew for as long as it takes.

    ``on_event`` is called in the event loop with each event of the session; it may call :meth:`do`,
    :meth:`fetch` and :meth:`leave`. An exception that it raises ends the link and comes out of
    :meth:`run`.
    """

    def __init__(
        self,
        address: Target | Sequence[Target],
        identity: Identity,
        session: PeerSession,
        *,
        on_event: Callable[[Event], None],
        finder: Finder | None = None,
    ) -> None:
        """Make a link; nothing connects before :meth:`run`.

        Of several targets the first whose host has the right key is the one. ``finder`` is asked
        where the host is when nobody is found there, and when a connection stays lost.
        """
        self._targets = [address] if isinstance(address, Target) else list(address)
        self._identity = identity
        self._session = session
        self._on_event = on_event
        self._finder = finder
        self._outputs: deque[Output] = deque()
        self._context: Context | None = None
        self._dials: Dials | None = None
        self._main: Connection | None = None
        self._public: Connection | None = None
        self._subscription = (0, b"")
        self._public_due: int | None = None
        self._searching = True
        self._find_due: int | None = None
        self._finding: asyncio.Task[None] | None = None
        self._probing: asyncio.Task[None] | None = None
        self._looked = finder is None
        self._give_up_at: int | None = None
        self._put_off: RefusedBy | None = None
        """The host's newest refusal that passes, while somebody joins."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due = 0
        self._due: int | None = 0
        self._stepping = False
        self._ended = False
        self._error: BaseException | None = None
        self._done: asyncio.Future[None] | None = None

    # ---- what the program above uses

    @property
    def view(self) -> View | None:
        """The newest state of the table; None before the first."""
        return self._session.view

    @property
    def state(self) -> LinkState:
        """Where the session stands."""
        return self._session.state

    @property
    def host(self) -> Endpoint | None:
        """Where the host is, once it has been found."""
        return self._main.endpoint if self._main else None

    @property
    def sighting(self) -> Sighting:
        """What there is to see of the host, for a word on why it is away."""
        return self._main.sighting if self._main else Sighting.NOTHING

    def do(self, act: AnyAct, seat: int | None = None) -> int:
        """Send a command, now or when the host is back; return the id that its reply will have.

        Raises :class:`~hearts_net.protocol.codes.ProtocolError` for what can never be sent.
        """
        request, outputs = self._session.command(act, _now(), seat)
        self._queue(outputs)
        return request

    def give_code(self, text: str) -> None:
        """Prove the table's code where the host wants one, now or when it does.

        Raises :class:`~hearts_net.protocol.codes.ProtocolError` ``wrong-code`` for what is none.
        """
        self._queue(self._session.give_code(text, _now()))

    def fetch(self, what: str, after: int) -> None:
        """Ask for a page of the ``log`` or the ``deals``; it arrives as an event."""
        self._queue(self._session.fetch(what, after, _now()))

    def leave(self) -> None:
        """Say goodbye; :meth:`run` returns when the host has heard it, or half a second later."""
        self._queue(self._session.leave(_now()))

    async def run(self) -> None:
        """Stay connected until left, superseded, or the table is closed. Only once.

        Raises :class:`LinkError` when there is no way in: ``host-down``, ``host-silent``,
        ``wrong-key``, ``not-this-game``, ``no-such-host``, ``version-mismatch``, or ``refused``
        with the host's own code as ``reason``.
        """
        if self._done is not None:
            raise RuntimeError("a link runs once")
        self._done = asyncio.get_running_loop().create_future()
        try:
            endpoints = await self._find_endpoints()
            if not self._ended:
                self._start(endpoints)
            await self._done
        finally:
            await self._close()
        if self._error is not None:
            raise self._error

    async def _find_endpoints(self) -> list[Endpoint]:
        """Look the targets up; leaving is possible meanwhile."""
        assert self._done is not None
        self._step()
        looking = asyncio.ensure_future(endpoints_of(self._targets))
        try:
            either: set[asyncio.Future[Any]] = {looking, self._done}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            return looking.result() if looking.done() else []
        finally:
            looking.cancel()

    def _start(self, endpoints: list[Endpoint]) -> None:
        now = _now()
        self._give_up_at = now + FIRST_JOIN_WITHIN
        self._find_due = now + FIND_EVERY
        self._context = zmq.Context()
        self._dials = Dials(self._context, self._identity, endpoints, self._step)
        self._dials.everywhere(now)
        self._probing = asyncio.get_running_loop().create_task(self._probe())
        self._judge_search(now)
        self._step()

    async def _close(self) -> None:
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
        tasks = [task for task in (self._finding, self._probing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._drop_dials()
        for connection in (self._main, self._public):
            if connection is not None:
                connection.close()
        if self._context is not None:
            self._context.term()

    # ---- one step: take what has arrived, do what is due

    def _queue(self, outputs: Iterable[Output]) -> None:
        """Send at once what can be sent; all else, events above all, in the loop's next turn."""
        self._outputs.extend(outputs)
        while self._outputs and isinstance(first := self._outputs[0], Send) and not self._ended:
            self._outputs.popleft()
            self._send(first.body)
        if self._done is not None and not self._ended:
            # also to look at the socket: a send can swallow the descriptor's news of a message
            asyncio.get_running_loop().call_soon(self._step)

    def _main_stirs(self) -> None:
        """Take what has come; a view is there for the program above before all else is seen to."""
        main, session = self._main, self._session
        if main is None or main.has_news or session.state is not LinkState.LIVE or self._stepping:
            self._step()
            return
        self._stepping = True
        try:
            bursts = _BURST
            while bursts and self._main is main and not self._ended and self._take_control(main):
                self._perform()
                bursts -= 1
            more = not bursts or session.state is not LinkState.LIVE
            if (more or session.is_behind) and not self._ended:
                self._set_timer(at_once=more)
        except Exception as error:
            self._end(error)
        finally:
            self._stepping = False

    def _step(self) -> None:
        """Go on until nothing is left to do now; whatever wakes the link comes here."""
        if self._stepping or self._ended:
            return
        self._stepping = True
        try:
            self._keep_time(_now())
            bursts = _BURST
            while self._once() and not self._ended and bursts:
                bursts -= 1
            if not self._ended:
                self._set_timer(at_once=not bursts)
        except Exception as error:
            self._end(error)
        finally:
            self._stepping = False

    def _once(self) -> bool:
        """Take one thing of each kind; False when there was nothing."""
        busy = self._perform()
        busy |= self._look_at_main()
        busy |= self._perform()  # a view, most often: somebody waits for it
        busy |= self._look_at_dials()
        busy |= self._look_at_public()
        return busy

    def _perform(self) -> bool:
        """Do what the session has asked for, in its order."""
        if not self._outputs:
            return False
        while self._outputs and not self._ended:
            match self._outputs.popleft():
                case Send(body):
                    self._send(body)
                case Subscribe(port, to):
                    self._subscribe(port, to)
                case Unsubscribe():
                    self._unsubscribe()
                case event:
                    self._tell(event)
        return True

    def _send(self, body: bytes) -> None:
        if self._main is not None:
            self._main.send(body)  # what gets lost here, the session asks for again

    def _tell(self, event: Event) -> None:
        if self._session.state is LinkState.LIVE or isinstance(event, CodeAsked | AskedAbout):
            self._give_up_at = None  # the host is there; it is people that take their time
        self._on_event(event)
        match event:
            case RefusedBy(code, detail, final) if final:
                self._end(_refusal(code, detail))
            case RefusedBy() if self._give_up_at is not None:
                self._wait_longer(event, self._give_up_at, _now())
            case LeftTable() | SupersededBy() | RemovedBy() | HostClosing():
                self._end(None)
            case OtherTable():
                self._look_elsewhere(_now())

    def _wait_longer(self, refused: RefusedBy, give_up_at: int, now: int) -> None:
        """Have the session ask some more; once for each reason, since this must end some day."""
        if self._put_off is None or self._put_off.code != refused.code:
            wait = refused.detail.get("wait", 0)
            self._give_up_at = max(give_up_at, now + int(wait) + PUT_OFF_FOR)
        self._put_off = refused

    def _end(self, error: BaseException | None) -> None:
        if self._ended:
            return
        self._ended = True
        self._error = error
        if self._done is not None and not self._done.done():
            self._done.set_result(None)

    # ---- control

    def _look_at_main(self) -> bool:
        main = self._main
        if main is None or self._ended:
            return False
        sighting = main.next_sighting()
        if sighting is None:
            return self._take_control(main)
        if sighting is Sighting.UP:
            self._drop_dials()
            self._connected(main)
        elif sighting is Sighting.LOST:
            main.look()  # a host's last word counts though the line is gone by now
            while self._take_control(main):
                pass
            self._outputs.extend(self._session.disconnected(_now()))
        elif sighting in STOPPED:
            main.close()
            self._main = None
        return True

    def _take_control(self, main: Connection) -> bool:
        body = main.receive()
        if body is None:
            return False
        self._drop_dials()  # the old connection lives after all
        self._outputs.extend(self._session.receive_control(body, _now()))
        return True

    # ---- dials

    def _look_at_dials(self) -> bool:
        if self._dials is None or self._ended:
            return False
        news = self._dials.news()
        for dial, sighting in news:
            if sighting is Sighting.UP:
                self._promote(self._dials.take(dial))
                return True
            if not self._searching and sighting is not Sighting.OPEN:
                self._dials.drop(dial)
        if news and self._searching:
            self._judge_search(_now())
        return bool(news)

    def _promote(self, dial: Connection) -> None:
        """Go on over a dial whose handshake has succeeded; the old connection is closed."""
        assert self._dials is not None
        if self._main is not None:
            self._main.close()
        if self._searching:
            self._searching = False
            self._dials.keep_to(dial.endpoint.key)
            self._give_up_at = _now() + FIRST_JOIN_WITHIN
        self._put_off = None
        self._main = dial
        dial.ready = self._main_stirs
        self._connected(dial)

    def _connected(self, main: Connection) -> None:
        self._session.between(self._identity.public, main.endpoint.key)
        self._outputs.extend(self._session.connected(_now()))

    def _drop_dials(self) -> None:
        if self._dials is not None:
            self._dials.drop_all()

    def _judge_search(self, now: int) -> None:
        """Give up at once where waiting cannot help at any of the addresses."""
        assert self._dials is not None
        if not all(sighting in FINAL for sighting in self._dials.sightings()):
            return
        if self._looked:
            self._end(self._failure())
        else:
            self._find(now)

    async def _probe(self) -> None:
        """Rule out what has said nothing so far because it is another program."""
        assert self._dials is not None
        await asyncio.sleep(PROBE_AFTER / 1000)
        silent = self._dials.silent() if self._searching else []
        answers = await asyncio.gather(*(is_another_program(dial.endpoint) for dial in silent))
        if not self._searching or self._ended:
            return
        for dial, is_other in zip(silent, answers, strict=True):
            if is_other:
                dial.rule_out()
        self._judge_search(_now())

    def _failure(self) -> LinkError:
        if self._put_off is not None:
            return _refusal(self._put_off.code, self._put_off.detail)
        target = self._targets[0] if self._targets else Target("", 0, "")
        sightings = self._dials.sightings() if self._dials else []
        code = code_of([self._main.sighting] if self._main else sightings)
        return LinkError(code, host=target.host, port=target.control_port)

    # ---- public

    def _subscribe(self, port: int, to: bytes) -> None:
        self._unsubscribe()
        self._subscription = (port, to)
        if self._main is None or self._context is None:
            return
        at = Endpoint(self._main.endpoint.address, port, self._main.endpoint.key)
        try:
            self._public = Connection(self._context, zmq.SUB, self._identity, at, self._step, to)
        except zmq.ZMQError:
            self._public_due = _now() + FIND_EVERY

    def _unsubscribe(self) -> None:
        self._public_due = None
        if self._public is not None:
            self._public.close()
            self._public = None

    def _look_at_public(self) -> bool:
        public = self._public
        if public is None or self._ended:
            return False
        sighting = public.next_sighting()
        if sighting is None:
            return self._take_public(public)
        if sighting is Sighting.UP:
            self._outputs.extend(self._session.public_connected(_now()))
        elif sighting in STOPPED:
            self._unsubscribe()
            self._public_due = _now() + FIND_EVERY
        return True

    def _take_public(self, public: Connection) -> bool:
        body = public.receive()
        if body is None:
            return False
        self._outputs.extend(self._session.receive_public(body, _now()))
        return True

    # ---- a host that has moved

    def _find(self, now: int) -> None:
        self._find_due = now + FIND_EVERY
        if self._finder is not None and (self._finding is None or self._finding.done()):
            self._finding = asyncio.get_running_loop().create_task(self._look_around())

    async def _look_around(self) -> None:
        """Ask the finder, and dial each address that is new for a key that is wanted."""
        assert self._finder is not None
        assert self._dials is not None
        for key in {endpoint.key for endpoint in self._dials.endpoints}:
            for endpoint in await self._found(self._finder, key):
                if endpoint.key == key and not self._ended:
                    self._dials.add(endpoint, _now())
        self._looked = True
        if self._searching and not self._ended:
            self._judge_search(_now())
        self._step()

    async def _found(self, finder: Finder, key: str) -> list[Endpoint]:
        try:
            return await endpoints_of(self._same_table(await finder(key)))
        except LinkError:
            return []
        except Exception:  # looking for a host must not end the link to it
            log.exception("the search for the host failed")
            return []

    def _same_table(self, targets: Sequence[Target]) -> list[Target]:
        """Leave out the other tables of the same host, which has one key for all of them."""
        welcome = self._session.welcome
        table = welcome.table if welcome else self._targets[0].table
        return [target for target in targets if not table or target.table in ("", table)]

    def _look_elsewhere(self, now: int) -> None:
        """Leave the other table that has the own one's port now, and come back only by and by."""
        assert self._dials is not None
        self._drop_dials()
        if self._main is not None:
            self._main.close()
            self._dials.put_last(self._main.endpoint, now + SHUN_FOR)
            self._main = None
        self._find_due = now

    # ---- time

    def _keep_time(self, now: int) -> None:
        """Do what is due; ``_due`` is the earliest of it, as the step before has left things."""
        if self._due is None or now < self._due:
            return
        if self._give_up_at is not None and now >= self._give_up_at:
            self._end(self._failure())
            return
        due = self._session.deadline()
        if due is not None and now >= due:
            self._outputs.extend(self._session.tick(now))
        if self._dials is None:
            return
        if self._public_due is not None and now >= self._public_due:
            self._subscribe(*self._subscription)
        if self._wants_dial() and now >= self._dials.due:
            self._dials.beside(self.host, now)
        if not self._searching and not self._wants_dial():
            self._find_due = None
        elif self._find_due is None or now >= self._find_due:
            self._find(now)

    def _wants_dial(self) -> bool:
        if self._searching:
            return False
        return self._main is None or self._session.wants_dial

    def _set_timer(self, *, at_once: bool) -> None:
        """Wake up when the next thing is due; a timer that is early enough is left alone."""
        loop = asyncio.get_running_loop()
        if at_once:
            loop.call_soon(self._step)
        dues = [self._give_up_at, self._session.deadline(), self._public_due, self._find_due]
        if self._dials is not None and self._wants_dial():
            dues.append(self._dials.due)
        due = self._due = min((due for due in dues if due is not None), default=None)
        if due is None or (self._timer is not None and self._timer_due <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_due = due
        self._timer = loop.call_later(max(0, due - _now()) / 1000, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._step()


def _now() -> int:
    """Monotonic milliseconds, rounded down."""
    return time.monotonic_ns() // 1_000_000


def _refusal(code: str, detail: Mapping[str, bool | int | str]) -> LinkError:
    if code == ErrorCode.VERSION:
        return LinkError(LinkCode.VERSION_MISMATCH, **detail)
    return LinkError(LinkCode.REFUSED, **{**detail, "reason": code})
