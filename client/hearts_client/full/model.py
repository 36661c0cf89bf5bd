"""The whole state of a full-screen client as one value, and the effects it asks for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from hearts_client import table_state
from hearts_client.doors import ListedTable, NewTable, SavedTable
from hearts_client.preferences import Value
from hearts_client.settings import ClientSettings, Signal
from hearts_client.speech import Style, in_hand_order
from hearts_client.table_state import TableState, has_ended, own, trick_shown
from hearts_net.bots.levels import DEFAULT_LEVEL
from hearts_net.protocol.messages import AnyAct, OptionValue, PublicView, TrickView, View

START = "start"
"""What is to be confirmed: that the game starts though somebody is not ready."""


FLASH_MS = 200


class Where(StrEnum):
    """Which part of the client takes the keys."""

    START = "start"
    WAITING = "waiting"
    LOBBY = "lobby"
    PASSING = "passing"
    PLAYING = "playing"
    MOON = "moon"
    DEAL_OVER = "deal-over"
    GAME_OVER = "game-over"
    PAGE = "page"
    RULES_FORM = "rules-form"
    PEOPLE = "people"
    SETTINGS = "settings"
    SURE = "sure"
    LEAVING = "leaving"
    FIELD = "field"
    ENDED = "ended"


class Page(StrEnum):
    """A page over the table."""

    SCORES = "scores"
    LOG = "log"
    RULES = "rules"
    HELP = "help"
    LAST_TRICK = "last-trick"
    HISTORY = "history"
    RULES_FORM = "rules-form"
    PEOPLE = "people"
    SETTINGS = "settings"
    INVITE = "invite"
    LEAVING = "leaving"


FORMS = frozenset({Page.RULES_FORM, Page.PEOPLE, Page.SETTINGS, Page.LEAVING})
"""Pages with keys of their own, which help opened there explains."""


class Purpose(StrEnum):
    """What a line of text is typed for."""

    CHAT = "chat"
    CARD = "card"
    ADDRESS = "address"
    TABLE_NAME = "table-name"
    CODE = "code"
    NAME = "name"


class Tone(StrEnum):
    """How a notice is meant."""

    PLAIN = "plain"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Notice:
    """One sentence for the player, shown until the next key or turn, or for some seconds."""

    text: str
    tone: Tone = Tone.PLAIN
    pending: bool = False
    """It speaks of an answer awaited, and goes when that has come."""
    unlinked: bool = False
    """It speaks of a table that does not answer, and goes when it does."""


@dataclass(frozen=True, slots=True)
class Field:
    """A line of text being typed."""

    purpose: Purpose
    text: str = ""
    at: int = 0
    """The cursor: how many characters are before it."""


@dataclass(frozen=True, slots=True)
class StartState:
    """The start screen: what was found, and which line is chosen."""

    chosen: int = 0
    found: tuple[ListedTable, ...] = ()
    saved: tuple[SavedTable, ...] = ()
    left_open: tuple[ListedTable, ...] = ()
    """Tables of the player's own that run on."""
    told_of: str = ""
    """The address of such a table, once the player who opens another has been told of it."""
    looked: bool = False
    """Whoever was going to answer has had the time for it."""
    opening: str = ""
    """What is being opened, in words; empty when nothing is."""


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that a screen is drawn from."""

    settings: ClientSettings
    table: TableState = field(default_factory=TableState)
    at_table: bool = True
    """False on the start screen."""
    page: Page | None = None
    under: Page | None = None
    """The page that help lies on."""
    field: Field | None = None
    notice: Notice | None = None
    chosen: str = ""
    """The card that the selection is on."""
    picked: str = ""
    """The card that was picked by its number or a click just before: once more plays it."""
    marked: tuple[str, ...] = ()
    """The cards marked for passing."""
    ahead: str = ""
    """The card chosen before one's turn; it is played then, if it may be."""
    dropped_at: int = 0
    """When a key that plays was dropped last, as it was meant for what was before; 0 for never."""
    sure: str = ""
    """What the player is asked to confirm: a card to play, or :data:`START`; "" for nothing."""
    choice: int = 0
    """The line chosen in the lobby (a seat), in the moon's choice, or in a form."""
    answer: int = 0
    """The button chosen on the page that asks before leaving: 0 stays."""
    scroll: int = 0
    draft: tuple[tuple[str, OptionValue], ...] = ()
    """The rules as they stand on the form."""
    level: str = DEFAULT_LEVEL
    """The level of the next computer player that is added."""
    flash_until: int = 0
    """The screen is shown in reverse until then: a silent bell."""
    invite: str = ""
    """The text that others join with, where this client knows it."""
    where_to: str = ""
    """The address of the table's host, in words."""
    zone: int = 0
    """Seconds that local time is ahead of UTC."""
    start: StartState = StartState()

    @property
    def ascii(self) -> bool:
        """Draw in ASCII only."""
        return self.settings.ascii

    @property
    def mouse(self) -> bool:
        """Clicks count."""
        return self.settings.mouse

    @property
    def chat(self) -> bool:
        """What others say is shown."""
        return self.settings.chat

    @property
    def style(self) -> Style:
        """How sentences write cards."""
        return Style.ASCII if self.settings.ascii else Style.SYMBOLS

    @property
    def public(self) -> PublicView | None:
        """The part of the newest view that everybody sees."""
        return self.table.view.public if self.table.view else None

    @property
    def watches(self) -> bool:
        """Whether this client looks on at the table, and can do nothing there."""
        return self.table.view is not None and self.table.view.role == "watcher"

    @property
    def me(self) -> int | None:
        """The player's seat; None for a watcher."""
        mine = own(self.table)
        return None if mine is None else mine.seat

    @property
    def hand(self) -> tuple[str, ...]:
        """The cards in hand, as they are held."""
        mine = own(self.table)
        return () if mine is None else tuple(in_hand_order(mine.hand))

    @property
    def legal(self) -> tuple[str, ...]:
        """The cards that may be chosen now, as they are held: legal plays, or all while passing."""
        mine, public = own(self.table), self.public
        if mine is None or public is None:
            return ()
        if public.phase == "passing":
            return () if mine.passed else self.hand
        return tuple(in_hand_order(mine.legal))


# ---- effects: what the application must do -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Do:
    """Send a command."""

    act: AnyAct


@dataclass(frozen=True, slots=True)
class GiveCode:
    """Prove this code to the table."""

    code: str


@dataclass(frozen=True, slots=True)
class FetchPage:
    """Ask the table for the log or the finished deals."""

    what: str
    after: int


@dataclass(frozen=True, slots=True)
class ThinkOfHint:
    """Work out a hint for this view, beside everything else."""

    view: View


@dataclass(frozen=True, slots=True)
class Ring:
    """Ring the bell."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Write settings to the player's file, by their names there."""

    values: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class CallPlayer:
    """Have the player called this at every table that is opened from now on."""

    name: str


@dataclass(frozen=True, slots=True)
class GameOver:
    """Remember that a game has been played to its end."""


@dataclass(frozen=True, slots=True)
class Wear:
    """Load this theme; only then is it the one in the settings."""

    theme: str


@dataclass(frozen=True, slots=True)
class Restyle:
    """Show the colours that the settings ask for."""


@dataclass(frozen=True, slots=True)
class LeaveTable:
    """Say goodbye to the table, then end (or go back to the start screen)."""


@dataclass(frozen=True, slots=True)
class Quit:
    """End the client."""

    code: int = 0


@dataclass(frozen=True, slots=True)
class Redraw:
    """Draw the whole screen anew."""


@dataclass(frozen=True, slots=True)
class OpenPlay:
    """Play at once against three bots."""


@dataclass(frozen=True, slots=True)
class OpenHost:
    """Host a table."""

    wanted: NewTable


@dataclass(frozen=True, slots=True)
class OpenJoin:
    """Join a table, or look on there."""

    address: str
    watch: bool = False


@dataclass(frozen=True, slots=True)
class OpenResume:
    """Take a saved table up again."""

    table: str


@dataclass(frozen=True, slots=True)
class Favour:
    """Mark a table that was found as a favourite, or no longer."""

    address: str
    favourite: bool


Effect: TypeAlias = (
    Do
    | GiveCode
    | FetchPage
    | Ring
    | Keep
    | CallPlayer
    | GameOver
    | Wear
    | Restyle
    | ThinkOfHint
    | LeaveTable
    | Quit
    | Redraw
    | OpenPlay
    | OpenHost
    | OpenJoin
    | OpenResume
    | Favour
)
Step: TypeAlias = tuple[Model, tuple[Effect, ...]]


PLACES = {
    place.value: place
    for place in (
        Where.LOBBY,
        Where.PASSING,
        Where.PLAYING,
        Where.MOON,
        Where.DEAL_OVER,
        Where.GAME_OVER,
    )
}
"""By the phase that a view names; a later version may know others."""


def where(model: Model, now: int) -> Where:
    """Tell which part of the client takes the keys."""
    if has_ended(model.table):
        return Where.ENDED
    if model.page is Page.LEAVING:
        return Where.LEAVING
    if model.field is not None:
        return Where.FIELD
    if model.page is Page.RULES_FORM:
        return Where.RULES_FORM
    if model.page is Page.PEOPLE:
        return Where.PEOPLE
    if model.page is Page.SETTINGS:
        return Where.SETTINGS
    if model.page is not None:
        return Where.PAGE
    if not model.at_table:
        return Where.START
    return _where_at_table(model, now)


def _where_at_table(model: Model, now: int) -> Where:
    public = model.public
    if public is None:
        return Where.WAITING
    if model.sure and public.phase == ("lobby" if model.sure == START else "playing"):
        return Where.SURE
    if public.phase in ("deal-over", "dealing", "game-over") and trick_shown(model.table, now):
        return Where.PLAYING
    return PLACES.get(public.phase, Where.WAITING)


def closed_page(model: Model) -> Model:
    """Put the open page away; below help is what it was opened on."""
    below = model.under if model.page is Page.HELP else None
    return replace(model, page=below, under=None, scroll=0)


def explained(model: Model) -> Model:
    """Give the client without its help: what help explains are the keys there."""
    below = model.under if model.under in FORMS else None
    return replace(model, page=below, under=None, field=None, scroll=0)


def is_ready(model: Model) -> bool:
    """Tell whether this player has said ready."""
    public, me = model.public, model.me
    return public is not None and me is not None and public.seats[me].ready


def with_settings(model: Model, **changes: object) -> Model:
    """Change settings; the names are those of :class:`ClientSettings`."""
    return replace(model, settings=replace(model.settings, **changes))  # type: ignore[arg-type]


def looked_at(model: Model, now: int) -> int:
    """Give the milliseconds for which a question was there to be read, and no key went past it.

    A key held down since before the question repeats: each time that it is dropped, it starts anew.
    """
    return now - max(model.table.turn_since, model.dropped_at)


def next_moment(model: Model, now: int) -> int | None:
    """Give when the screen changes by itself next, or None."""
    moments = [model.flash_until] if now < model.flash_until else []
    moment = table_state.next_moment(model.table, now) if model.at_table else None
    return min([*moments, *([] if moment is None else [moment])], default=None)


def signalled(model: Model, now: int) -> Step:
    """Call the player, in the way that is set."""
    match model.settings.signal:
        case Signal.BELL:
            return model, (Ring(),)
        case Signal.FLASH:
            return replace(model, flash_until=now + FLASH_MS), ()
        case Signal.NONE:
            return model, ()


def with_notice(model: Model, text: str, tone: Tone = Tone.PLAIN) -> Step:
    """Say something to the player."""
    return replace(model, notice=Notice(text, tone)), ()


def with_link_notice(model: Model, text: str) -> Step:
    """Say what is wrong with the table's answers; without a link, only until there is one."""
    unlinked = model.table.link != "live"
    return replace(model, notice=Notice(text, Tone.ERROR, unlinked=unlinked)), ()


def lying_trick(model: Model, now: int) -> TrickView | None:
    """Give the finished trick that is shown: until its time, or until cards to answer lie there."""
    public, shown = model.public, table_trick(model, now)
    if public is None or (public.trick and public.turn == model.me):
        return None
    return shown


def without_outdated(model: Model) -> Model:
    """Take back the notice about an answer, or a connection, that has come meanwhile."""
    notice, table = model.notice, model.table
    if notice is None:
        return model
    answered = notice.pending and table.pending is None
    linked = notice.unlinked and table.link == "live"
    return replace(model, notice=None) if answered or linked else model


def table_trick(model: Model, now: int) -> TrickView | None:
    """Give the finished trick that lies on the table still."""
    return trick_shown(model.table, now)
