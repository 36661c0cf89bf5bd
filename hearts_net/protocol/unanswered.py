"""What a peer has asked for and not been answered: commands, and pages of the log or of the deals.

Everything here is asked again until an answer comes: a command for ever and always with the same
id (the host applies it once), a page a few times (asking anew costs nothing).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hearts_net.protocol import limits
from hearts_net.protocol.messages import ChooseMoon, Command, Fetch, Message, Pass, Play, View


@dataclass(frozen=True, slots=True)
class PendingCommand:
    """A command without a reply.

    Attributes:
        asked: the id that the program above knows it by; the first one, when it was issued anew.
        game, turn: of the view that it was meant for.
        due: when to send it again.

    """

    asked: int
    command: Command
    game: str
    turn: int | None
    due: int

    def is_still_meant(self, view: View) -> bool:
        """Whether a choice made in another epoch answers what is asked for now as well."""
        public, command = view.public, self.command
        meant = (self.game, command.deal, command.trick)
        if (public.game, public.deal, public.trick_number) != meant or view.epoch == command.epoch:
            return False
        match command.do:
            case Play():
                return public.phase == "playing" and public.turn == self.turn
            case Pass():
                return public.phase == "passing"
            case ChooseMoon():
                return public.phase == "moon"
            case _:
                return False


@dataclass(frozen=True, slots=True)
class _PendingPage:
    fetch: Fetch
    tries: int
    due: int


class Unanswered:
    """Keep what waits for an answer, and say what to send again when."""

    __slots__ = ("_commands", "_pages")

    def __init__(self) -> None:
        self._commands: dict[int, PendingCommand] = {}
        self._pages: dict[str, _PendingPage] = {}

    def add_command(self, asked: int, command: Command, view: View, now: int) -> None:
        """Wait for the reply to a command that was made for ``view``."""
        public, due = view.public, now + limits.REPLY_WITHIN
        self._commands[command.id] = PendingCommand(asked, command, public.game, public.turn, due)

    def add_page(self, fetch: Fetch, now: int) -> None:
        """Wait for a page; a newer wish for the same kind takes the place of the older."""
        self._pages[fetch.what] = _PendingPage(fetch, 1, now + limits.REPLY_WITHIN)

    def replied(self, request: int) -> PendingCommand | None:
        """Give back the command that a reply is to; None if it was answered before."""
        return self._commands.pop(request, None)

    def awaits(self, what: str) -> bool:
        """Whether a page is still awaited."""
        return what in self._pages

    def page_came(self, what: str) -> None:
        """Stop waiting for a page."""
        self._pages.pop(what, None)

    def due(self, now: int) -> list[Message]:
        """Return what has waited long enough to be sent again."""
        messages: list[Message] = []
        for request, pending in self._commands.items():
            if now >= pending.due:
                self._commands[request] = replace(pending, due=now + limits.REPLY_WITHIN)
                messages.append(pending.command)
        for what, page in list(self._pages.items()):
            if now < page.due:
                continue
            if page.tries >= limits.FETCH_TRIES:
                del self._pages[what]
                continue
            due = now + limits.REPLY_WITHIN
            self._pages[what] = _PendingPage(page.fetch, page.tries + 1, due)
            messages.append(page.fetch)
        return messages

    def everything(self, now: int) -> list[Message]:
        """Return all that waits, in the order in which it was asked, for a new connection."""
        due = now + limits.REPLY_WITHIN
        for request, pending in self._commands.items():
            self._commands[request] = replace(pending, due=due)
        for what, page in self._pages.items():
            self._pages[what] = replace(page, due=due)
        commands = [pending.command for pending in self._commands.values()]
        return [*commands, *(page.fetch for page in self._pages.values())]

    def deadlines(self) -> list[int]:
        """Return when :meth:`due` has something."""
        commands = [pending.due for pending in self._commands.values()]
        return [*commands, *(page.due for page in self._pages.values())]

    def drop(self) -> list[PendingCommand]:
        """Wait for nothing any more; return the commands that will have no answer."""
        dropped = list(self._commands.values())
        self._commands.clear()
        self._pages.clear()
        return dropped
