"""Every message of the protocol, each declared once.

A message is one msgpack map: the key ``type`` holds the class's tag, the other keys are the fields
by name. Cards are two characters, rank then suit (``QS``); seats are 0 to 3 clockwise, seat + 1 to
the left; times are integer milliseconds; keys are CURVE public keys as 40 characters of Z85.
``protocol.md`` describes each field; a test holds the two together.

A ``Meta`` made by ``_word`` lists the values of this version; a peer must bear others (a later
version may add some). One made by ``_exactly`` is enforced on decoding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from hearts_net.rules.cards import CARD_TEXTS


def _word(*values: str) -> Meta:
    return Meta(max_length=16, extra={"values": values})


def _exactly(*values: str) -> Meta:
    return Meta(pattern=rf"^({'|'.join(values)})\Z", extra={"values": values})


ADMISSIONS: Final = ("open", "code", "ask")
"""Ways of admitting newcomers: any key, who knows the table's code, whom the host's player lets
in."""
if TYPE_CHECKING:
    CardText: TypeAlias = str
else:
    CardText = Literal[CARD_TEXTS]  # looked up in a third of the time that a pattern takes
Seat: TypeAlias = Annotated[int, Meta(ge=0, le=3)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**53)]
Score: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31)]
Millis: TypeAlias = Annotated[int, Meta(ge=0, le=2**53)]
RequestId: TypeAlias = Annotated[int, Meta(ge=0, le=2**53)]
Key: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9A-Za-z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}\Z")]
MaybeHex32: TypeAlias = Annotated[str, Meta(pattern=r"^([0-9a-f]{64}|)\Z")]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=400)]
Code: TypeAlias = Annotated[str, Meta(max_length=40)]
Level: TypeAlias = Annotated[str, Meta(min_length=1, max_length=16)]
GameId: TypeAlias = Annotated[str, Meta(max_length=64)]
Machine: TypeAlias = Annotated[str, Meta(max_length=32)]
Word: TypeAlias = Annotated[str, Meta(max_length=16)]
Role: TypeAlias = Annotated[str, _word("player", "bot", "watcher", "deputy")]
Kind: TypeAlias = Annotated[str, _word("empty", "person", "bot")]
PresenceWord: TypeAlias = Annotated[str, _word("present", "slow", "away", "left")]
Phase: TypeAlias = Annotated[
    str, _word("lobby", "dealing", "passing", "playing", "moon", "deal-over", "game-over")
]
Admission: TypeAlias = Annotated[str, _word(*ADMISSIONS)]
Paused: TypeAlias = Annotated[str, _word("", "player", "away", "store")]
Saving: TypeAlias = Annotated[
    str, _word("", "full", "unwritable", "newer", "damaged", "failed", "off")
]
Direction: TypeAlias = Annotated[str, _word("", "left", "right", "across", "hold")]
AdmissionChoice: TypeAlias = Annotated[str, _exactly(*ADMISSIONS)]
Hex32: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
MoonChoice: TypeAlias = Annotated[str, _exactly("others-gain", "shooter-loses")]
VoteChoice: TypeAlias = Annotated[str, _exactly("wait", "bot")]
OptionValue: TypeAlias = bool | int | str
Drawer: TypeAlias = Annotated[str, _word("player", "host", "late")]
Hand: TypeAlias = Annotated[list[CardText], Meta(max_length=13)]
Four: TypeAlias = Annotated[list[Score], Meta(min_length=4, max_length=4)]


class Message(Struct, frozen=True, forbid_unknown_fields=False, omit_defaults=False):
    """What every message is: immutable, and tolerant of keys that a later version may add."""


# ---- peer to host, on control --------------------------------------------------------------------


class Hello(Message, frozen=True, tag_field="type", tag="hello"):
    """The first word on a connection: which versions the peer speaks, and what it is."""

    versions: Annotated[list[Count], Meta(min_length=1, max_length=16)]
    client: Annotated[str, Meta(max_length=64)]


class Join(Message, frozen=True, tag_field="type", tag="join"):
    """Ask to be let in: as a player (person or bot) or as a watcher."""

    role: Role  # "deputy": only the host's own bots process
    name: Name
    level: Annotated[str, Meta(max_length=16)] = ""  # for a bot
    epoch: Count = 0  # the first state of the table that this program has seen
    seq: Count = 0
    shares: bool = False  # this peer puts a share into each shuffle


class ProveCode(Message, frozen=True, tag_field="type", tag="prove-code"):
    """The answer to ``code-wanted``: that the peer knows the table's code, without saying it."""

    share: Hex32  # the peer's, of SPAKE2
    proof: Hex32


class Command(Message, frozen=True, tag_field="type", tag="command"):
    """Do one thing, once: ``id`` names the request, the rest says which moment it was meant for."""

    id: RequestId
    epoch: Count
    deal: Count
    trick: Annotated[int, Meta(ge=0, le=13)]
    do: AnyAct
    seat: Seat | None = None  # only a deputy names the seat that it plays for


class Snapshot(Message, frozen=True, tag_field="type", tag="snapshot"):
    """Ask for the newest whole view."""


class Fetch(Message, frozen=True, tag_field="type", tag="fetch"):
    """Ask for what a view does not carry: the log, the finished deals, the proof of a deal."""

    what: Annotated[str, _exactly("log", "deals", "proof")]
    after: Count  # the newest number that the peer already has; 0 for all


class Commit(Message, frozen=True, tag_field="type", tag="commit"):
    """Promise a share of the shuffle, in answer to ``shuffling``."""

    game: GameId
    deal: Count
    commitment: Hex32


class Reveal(Message, frozen=True, tag_field="type", tag="reveal"):
    """Open the share that was promised, in answer to ``commitments``."""

    game: GameId
    deal: Count
    seed: Hex32
    nonce: Hex32


class Alive(Message, frozen=True, tag_field="type", tag="alive"):
    """A sign of life, in both directions, with the newest state that the sender knows."""

    epoch: Count
    seq: Count


class Bye(Message, frozen=True, tag_field="type", tag="bye"):
    """Leaving on purpose (peer to host), and the host's word that it was understood."""


# ---- acts: what a command does -------------------------------------------------------------------


class Act(Struct, frozen=True, tag_field="act"):
    """What a command does; the key ``act`` holds the tag."""


class Sit(Act, frozen=True, tag="sit"):
    """Take an empty seat, or change to one (lobby)."""

    seat: Seat


class Stand(Act, frozen=True, tag="stand"):
    """Give the seat up (lobby)."""


class AddBot(Act, frozen=True, tag="add-bot"):
    """Put a computer player on an empty seat (the host's player)."""

    seat: Seat
    level: Level


class RemoveBot(Act, frozen=True, tag="remove-bot"):
    """Take a computer player off its seat (the host's player, lobby)."""

    seat: Seat


class Ready(Act, frozen=True, tag="ready"):
    """Ready to start (lobby), for the next deal (between deals), or for a rematch (game over)."""

    ready: bool = True


class SetRules(Act, frozen=True, tag="set-rules"):
    """Change the rules by name, the others staying as they are (the host's player, lobby)."""

    rules: dict[str, OptionValue]


class Start(Act, frozen=True, tag="start"):
    """Start now that four seats are taken, without waiting for every ready (the host's player)."""


class Pass(Act, frozen=True, tag="pass"):
    """Pass three cards."""

    cards: Annotated[list[CardText], Meta(min_length=3, max_length=3)]


class Play(Act, frozen=True, tag="play"):
    """Play a card."""

    card: CardText


class Claim(Act, frozen=True, tag="claim"):
    """Claim the rest of the deal, on lead."""


class ChooseMoon(Act, frozen=True, tag="choose-moon"):
    """Say how the moon counts (the shooter, where the rules leave the choice)."""

    choice: MoonChoice


class Pause(Act, frozen=True, tag="pause"):
    """Stop the clocks and the play (the host's player)."""


class GoOn(Act, frozen=True, tag="go-on"):
    """End the pause (the host's player)."""


class GoUnsaved(Act, frozen=True, tag="go-unsaved"):
    """Play on though nothing can be saved at present (the host's player)."""


class Rematch(Act, frozen=True, tag="rematch"):
    """After the game: back to the lobby with the same seats (any player)."""


class Say(Act, frozen=True, tag="say"):
    """Say something to the table."""

    text: Text


class Close(Act, frozen=True, tag="close"):
    """End the table, saved (the host's player)."""


class GiveSeat(Act, frozen=True, tag="give-seat"):
    """Free the seat of somebody who left, for a newcomer (the host's player, between deals)."""

    seat: Seat


class Admit(Act, frozen=True, tag="admit"):
    """Let somebody in who asks, or turn them away (the host's player)."""

    key: Key
    admit: bool = True


class Kick(Act, frozen=True, tag="kick"):
    """Send somebody away; they may come again (the host's player)."""

    key: Key


class Ban(Act, frozen=True, tag="ban"):
    """Send somebody away, and never let their key in again (the host's player)."""

    key: Key


class Unban(Act, frozen=True, tag="unban"):
    """Take a ban back (the host's player)."""

    key: Key


class SetAdmission(Act, frozen=True, tag="set-admission"):
    """Choose who is let in from now on; ``code`` makes a new code (the host's player)."""

    admission: AdmissionChoice


class Vote(Act, frozen=True, tag="vote"):
    """Say what should become of the seat of somebody who is away (any player who is here)."""

    seat: Seat  # of who is away
    choice: VoteChoice  # hold the seat for another whole grace, or let a bot play now


AnyAct: TypeAlias = (
    Sit | Stand | AddBot | RemoveBot | Ready | SetRules | Start | Pass | Play | Claim | ChooseMoon
    | Pause | GoOn | GoUnsaved | Rematch | Say | Close | GiveSeat | Vote | Admit | Kick | Ban
    | Unban | SetAdmission
)  # fmt: skip


# ---- host to peer, on control --------------------------------------------------------------------


class Welcome(Message, frozen=True, tag_field="type", tag="welcome"):
    """The answer to hello: the version both speak, and what is here."""

    version: Count
    epoch: Count
    table: Name
    host: Annotated[str, Meta(max_length=64)]  # the program and version of the host
    public_port: Annotated[int, Meta(ge=0, le=65535)]
    held_seat: Seat | None  # a seat that this key already has
    table_id: GameId = ""  # the same over every restart: one host may have several tables
    machine: Machine = ""  # what the host's machine calls itself
    here: bool = False  # another connection of this key has joined and is heard of


class CodeWanted(Message, frozen=True, tag_field="type", tag="code-wanted"):
    """The answer to join where newcomers have to know the table's code."""

    share: Hex32  # the host's, of SPAKE2; the same one until it has been answered


class CodeProved(Message, frozen=True, tag_field="type", tag="code-proved"):
    """The code was right, and the host knows it too; ``joined`` follows."""

    proof: Hex32


class Waiting(Message, frozen=True, tag_field="type", tag="waiting"):
    """The answer to join while the host's player is asked about a newcomer."""


class Removed(Message, frozen=True, tag_field="type", tag="removed"):
    """The host's player has sent this peer away; nothing more is served here."""

    reason: Annotated[str, _word("kicked", "banned")]


class Joined(Message, frozen=True, tag_field="type", tag="joined"):
    """Admitted; a view follows at once."""

    role: Role
    seat: Seat | None
    name: Name  # as the host shows it; a number is added where two would look alike


class Refused(Message, frozen=True, tag_field="type", tag="refused"):
    """Not admitted, or a message that could not be served; the code says why."""

    code: Code
    detail: dict[str, OptionValue]


class Reply(Message, frozen=True, tag_field="type", tag="reply"):
    """The answer to a command; the same request id has the same answer for ever."""

    id: RequestId
    ok: bool
    code: Code  # "" when ok
    detail: dict[str, OptionValue]
    epoch: Count
    seq: Count  # the state number after the command


class Superseded(Message, frozen=True, tag_field="type", tag="superseded"):
    """Another connection with the same key has the seat now; this one is served no more."""


class Closing(Message, frozen=True, tag_field="type", tag="closing"):
    """The table ends: ``saved`` (resumable), ``done`` (the game is over and everybody has left)."""

    reason: Annotated[str, _word("saved", "done")]


class LogPage(Message, frozen=True, tag_field="type", tag="log-page"):
    """Events of the log, oldest first."""

    events: Annotated[list[AnyEvent], Meta(max_length=50)]
    more: bool


class DealsPage(Message, frozen=True, tag_field="type", tag="deals-page"):
    """Finished deals of this game, oldest first."""

    deals: Annotated[list[DealSummary], Meta(max_length=50)]
    more: bool


# ---- the shuffle ---------------------------------------------------------------------------------


class Shuffling(Message, frozen=True, tag_field="type", tag="shuffling"):
    """A deck is about to be shuffled: each seat that takes part commits to a share of it."""

    game: GameId
    deal: Count
    seat: Seat  # whose share this peer is to draw
    host: Hex32  # the host's commitment


class Commitments(Message, frozen=True, tag_field="type", tag="commitments"):
    """All that was committed to; from now on the shares are opened."""

    game: GameId
    deal: Count
    host: Hex32
    seats: Annotated[list[MaybeHex32], Meta(min_length=4, max_length=4)]  # "": drawn by the host


class ShareView(Struct, frozen=True):
    """One seat's share in a shuffle, shown after the deal."""

    by: Drawer
    commitment: MaybeHex32
    seed: MaybeHex32  # "" unless the player has opened it
    nonce: MaybeHex32


class Proof(Message, frozen=True, tag_field="type", tag="proof"):
    """All that a finished deal was dealt from."""

    game: GameId
    deal: Count
    host: ShareView
    shares: Annotated[list[ShareView], Meta(min_length=4, max_length=4)]
    hands: Annotated[list[Hand], Meta(min_length=4, max_length=4)]  # as dealt
    passes: Annotated[list[Hand], Meta(min_length=4, max_length=4)]  # empty in a hold deal


# ---- views ---------------------------------------------------------------------------------------


class SeatView(Struct, frozen=True):
    """One seat as everybody sees it."""

    kind: Kind
    name: Annotated[str, Meta(max_length=64)]  # "" when empty
    key: Annotated[str, Meta(max_length=40)]  # the CURVE public key in Z85; "" when empty
    level: Word  # "" unless a bot
    presence: PresenceWord  # "present" when empty
    since: Millis  # host clock (ms since epoch, UTC): since when presence is what it is
    held_until: Millis  # host clock: when a bot steps in; 0 when no countdown runs
    deputy: bool  # a bot plays this person's cards at present
    ready: bool
    host: bool  # the host's player sits here
    cards: Annotated[int, Meta(ge=0, le=13)]  # cards in hand
    passed: bool  # has passed in this deal
    points: Score  # taken in this deal so far
    total: Score
    tricks: Annotated[int, Meta(ge=0, le=13)]


class TrickCard(Struct, frozen=True, omit_defaults=True):
    """A card on the table and the seat that played it."""

    seat: Seat
    card: CardText
    by_bot: bool = False  # a bot played it for a person


class TrickView(Struct, frozen=True):
    """A finished trick."""

    number: Annotated[int, Meta(ge=1, le=13)]
    cards: Annotated[list[TrickCard], Meta(min_length=4, max_length=4)]
    winner: Seat
    points: Score


class DealSummary(Struct, frozen=True):
    """A finished deal: its points and the totals after it."""

    deal: Count
    points: Four
    totals: Four
    moon: Seat | None


class VoteView(Struct, frozen=True):
    """What those who are here want for the seat of somebody who is away."""

    seat: Seat  # of who is away
    wait: Annotated[list[Seat], Meta(max_length=4)]  # the seats of those who want to wait longer
    bot: Annotated[list[Seat], Meta(max_length=4)]  # and of those who want a bot to play now
    needed: Annotated[int, Meta(ge=1, le=4)]  # how many who want the same decide


class PublicView(Struct, frozen=True, omit_defaults=True):
    """All that everybody may see; nothing in it grows with the game."""

    table: Name
    game: GameId  # "" before the first start
    phase: Phase
    paused: Paused  # by the host's player, for an absent seat, or since nothing can be saved
    rules: dict[str, OptionValue]
    seats: Annotated[list[SeatView], Meta(min_length=4, max_length=4)]
    watchers: Count
    deal: Count  # number of the deal, 0 in the lobby
    direction: Direction  # "" before the first deal
    trick_number: Annotated[int, Meta(ge=0, le=13)]  # 0 outside play
    leader: Seat | None
    turn: Seat | None  # whose card (playing) or choice (moon) it is
    turn_until: Millis  # host clock: when the turn limit runs out; 0: no limit
    next_at: Millis  # host clock: when the next deal starts by itself; 0: no countdown
    trick: Annotated[list[TrickCard], Meta(max_length=3)]
    last_trick: TrickView | None
    hearts_broken: bool
    queen_taken_by: Seat | None
    points_out: Score  # penalty points not yet taken in this deal
    seen: Annotated[list[CardText], Meta(max_length=52)]  # cards played in this deal, in order
    shown_voids: Annotated[
        list[Annotated[str, Meta(max_length=4)]], Meta(max_length=4)
    ]  # per seat, e.g. "CH"
    last_deal: DealSummary | None
    winner: Seat | None  # of the finished game
    newest_event: Count
    address: Annotated[str, Meta(max_length=64)]  # host:port to type, "" on loopback-only tables
    votes: Annotated[list[VoteView], Meta(max_length=4)] = []  # only where somebody has voted
    saving: Saving = ""  # why nothing can be saved; "off": it goes on so; "": all is saved


class OwnView(Struct, frozen=True):
    """What one seat alone sees."""

    seat: Seat
    hand: Annotated[list[CardText], Meta(max_length=13)]
    legal: Annotated[
        list[CardText], Meta(max_length=13)
    ]  # empty unless it is this seat's turn to play
    passed: Annotated[list[CardText], Meta(max_length=3)]
    received: Annotated[list[CardText], Meta(max_length=3)]  # in the hand until the first play
    may: Annotated[
        list[Word], Meta(max_length=32)
    ]  # tags of the acts that would be accepted in kind now
    can_claim: bool


class Somebody(Struct, frozen=True):
    """Somebody as the host's player has to do with them."""

    key: Key
    name: Name
    role: Word  # the role they ask for; "" for somebody banned


class DeskView(Struct, frozen=True):
    """What the host's player alone sees: who may come in, and who asks to."""

    admission: AdmissionChoice
    code: Annotated[str, Meta(max_length=6)]  # what newcomers have to know; "" where it is none
    wrong_codes: Count  # tried so far; after CODE_TRIES of them newcomers are asked about
    asking: Annotated[list[Somebody], Meta(max_length=16)]  # the longest waiting first
    standing: Annotated[list[Somebody], Meta(max_length=32)]  # who is here without a seat
    banned: Annotated[list[Somebody], Meta(max_length=32)]


class View(Message, frozen=True, tag_field="type", tag="view"):
    """The whole state as one seat (or, with ``own`` nil, somebody without one) may see it."""

    epoch: Count
    seq: Count
    time: Millis  # the host's clock, UTC
    public: PublicView
    own: OwnView | None
    events: Annotated[list[AnyEvent], Meta(max_length=16)]  # what led here from seq - 1
    role: Role
    may: Annotated[
        list[Word], Meta(max_length=32)
    ]  # acts open to this key besides those of its seat
    desk: DeskView | None = None  # only for the host's player


class Public(Message, frozen=True, tag_field="type", tag="public"):
    """The public view on the public socket."""

    epoch: Count
    seq: Count
    time: Millis
    public: PublicView
    events: Annotated[list[AnyEvent], Meta(max_length=16)]


class Beat(Message, frozen=True, tag_field="type", tag="beat"):
    """Once a second on the public socket: the newest state, so that a lost tail is noticed."""

    epoch: Count
    seq: Count


# ---- events: what happened, for the log and the animation ----------------------------------------


class Event(Struct, frozen=True, tag_field="event"):
    """Something that happened; ``n`` counts them, ``time`` is the host's clock (UTC)."""

    n: Count
    time: Millis


class SeatTaken(Event, frozen=True, tag="seat-taken"):
    """Somebody has sat down."""

    seat: Seat
    name: Name
    kind: Kind


class SeatLeft(Event, frozen=True, tag="seat-left"):
    """Stood up (lobby) or the seat was freed."""

    seat: Seat
    name: Name


class PresenceChanged(Event, frozen=True, tag="presence"):
    """A seat is present, slow, away or left; or a deputy has come or gone."""

    seat: Seat
    name: Name
    presence: PresenceWord
    deputy: bool


class Voted(Event, frozen=True, tag="voted"):
    """Somebody has said what should become of the seat of somebody who is away."""

    seat: Seat
    name: Name
    by: Seat
    choice: VoteChoice


class VoteEnded(Event, frozen=True, tag="vote-ended"):
    """Most of those who are here have decided what becomes of a seat."""

    seat: Seat
    name: Name
    choice: VoteChoice


class RulesSet(Event, frozen=True, tag="rules-set"):
    """The rules are these now."""

    rules: dict[str, OptionValue]


class GameStarted(Event, frozen=True, tag="game-started"):
    """A game has begun."""

    game: GameId


class DealStarted(Event, frozen=True, tag="deal-started"):
    """Cards have been dealt."""

    deal: Count
    direction: Direction


class Passed(Event, frozen=True, tag="passed"):
    """Somebody has passed; which cards is theirs to know."""

    seat: Seat
    by_bot: bool


class PlayStarted(Event, frozen=True, tag="play-started"):
    """The passing is over, or there was none; who leads."""

    leader: Seat


class Played(Event, frozen=True, tag="played"):
    """A card was played."""

    seat: Seat
    card: CardText
    by_bot: bool


class TrickTaken(Event, frozen=True, tag="trick-taken"):
    """A trick is complete."""

    trick: TrickView


class HeartsBroken(Event, frozen=True, tag="hearts-broken"):
    """Hearts may be led from now on."""

    seat: Seat


class Claimed(Event, frozen=True, tag="claimed"):
    """The rest of the deal was claimed, rightly."""

    seat: Seat


class Settled(Event, frozen=True, tag="settled"):
    """Every card that counts has been taken: the deal ends early."""


class MoonChosen(Event, frozen=True, tag="moon-chosen"):
    """The shooter has said how the moon counts."""

    seat: Seat
    choice: MoonChoice


class DealEnded(Event, frozen=True, tag="deal-ended"):
    """A deal is over."""

    summary: DealSummary


class GameEnded(Event, frozen=True, tag="game-ended"):
    """The game is over."""

    totals: Four
    winner: Seat


class PausedChanged(Event, frozen=True, tag="paused"):
    """The play has been paused, or goes on ("")."""

    paused: Paused


class Said(Event, frozen=True, tag="said"):
    """Somebody has said something."""

    name: Name
    seat: Seat | None
    text: Text


class HostRestarted(Event, frozen=True, tag="host-restarted"):
    """The table was taken up again by a new host process."""

    epoch: Count


class SentAway(Event, frozen=True, tag="sent-away"):
    """The host's player has sent somebody away who was at the table."""

    name: Name
    reason: Annotated[str, _word("kicked", "banned")]


AnyEvent: TypeAlias = (
    SeatTaken | SeatLeft | PresenceChanged | Voted | VoteEnded | RulesSet | GameStarted
    | DealStarted | Passed | PlayStarted | Played | TrickTaken | HeartsBroken | Claimed | Settled
    | MoonChosen | DealEnded | GameEnded | PausedChanged | Said | HostRestarted
    | SentAway
)  # fmt: skip
