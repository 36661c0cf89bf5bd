"""What a player reads for each error code: one sentence that says what to do next.

Codes are declared by the layers that raise them; the wording lives only here. A test holds that no
code is without a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter

from hearts_client.fairwords import FAIR_WORDS
from hearts_client.i18n import N_, _
from hearts_client.recordwords import RECORD_WORDS
from hearts_client.safetext import safe_text
from hearts_client.themefile import THEME_WORDS

Facts = Mapping[str, str | int | bool]


@dataclass(frozen=True, slots=True)
class Wording:
    """A sentence, and a fuller one for when the facts that it names are known."""

    plain: str
    fuller: str = ""


_RULES = {
    "not-a-card": Wording(
        N_("That is no card: type a rank and a suit, such as qs or 10 of hearts."),
        N_("“{card}” is no card: type a rank and a suit, such as qs or 10 of hearts."),
    ),
    "unknown-option": Wording(
        N_("There is no such option: `hearts-net rules --options` lists them."),
        N_("There is no option “{option}”: `hearts-net rules --options` lists them."),
    ),
    "bad-option-value": Wording(
        N_("The option does not take that value: `hearts-net rules --options` lists the values."),
        N_(
            "The option “{option}” does not take the value “{value}”: "
            "`hearts-net rules --options` lists its values."
        ),
    ),
    "unknown-preset": Wording(
        N_("There is no such preset of rules: `hearts-net rules --options` lists them."),
        N_("There is no preset of rules “{preset}”: `hearts-net rules --options` lists them."),
    ),
    "wrong-phase": Wording(N_("That does not fit this part of the game: wait for your turn.")),
    "game-over": Wording(N_("The game is over: ask for a rematch, or leave.")),
    "bad-deal": Wording(N_("The cards dealt are no deck: start the deal anew, and report it.")),
    "wrong-seat": Wording(N_("There is no such seat: seats are 1 to 4.")),
    "hold-deal": Wording(N_("Nobody passes in this deal: wait for the first trick.")),
    "pass-three": Wording(N_("Pass exactly three different cards of your hand: choose again.")),
    "already-passed": Wording(N_("You have already passed: wait for the others.")),
    "not-in-hand": Wording(
        N_("You do not hold that card: choose one from your hand."),
    ),
    "not-your-turn": Wording(N_("It is not your turn: wait until you are asked.")),
    "lead-two-of-clubs": Wording(N_("The two of clubs opens the first trick: play it.")),
    "must-follow": Wording(N_("You hold the suit led: play a card of that suit.")),
    "hearts-not-broken": Wording(
        N_("Hearts are not broken, so they may not be led yet: lead another suit.")
    ),
    "queen-barred": Wording(
        N_("The queen of spades may not be played before hearts are broken: play another card.")
    ),
    "no-points-first-trick": Wording(
        N_("No hearts and no queen of spades on the first trick: play another card.")
    ),
    "not-on-lead": Wording(
        N_("Only the player on lead can claim the rest, between tricks: play on until you are.")
    ),
    "claim-refused": Wording(
        N_("The rest is not certainly yours: somebody may hold a higher card, so play on.")
    ),
    "not-the-shooter": Wording(N_("Only who shot the moon chooses: wait for the choice.")),
    "not-a-choice": Wording(N_("The moon has two ends: choose others or me.")),
}

_WIRE = {
    "bad-frame": Wording(
        N_("What was sent is no message to the other side: update both programs and try again.")
    ),
    "unknown-message": Wording(
        N_("The other side does not know this kind of message: update the older program.")
    ),
    "bad-field": Wording(
        N_("The other side could not read a part of the message: update the older program."),
    ),
    "hello-first": Wording(N_("The connection began in the wrong order: join the table again.")),
    "not-joined": Wording(N_("You have not joined this table yet: join it first.")),
    "version-mismatch": Wording(
        N_("The table speaks another version of the protocol: update the older program."),
        N_("The table speaks version {host_speaks} of the protocol: update the older program."),
    ),
    "superseded": Wording(
        N_("Your seat is played from another window now: leave that one to play on here."),
    ),
    "bad-name": Wording(
        N_("The table does not take that name: choose another one with --name (1 to 24 letters)."),
    ),
    "bad-role": Wording(N_("The table does not know that role: join as a player or watch.")),
    "table-full": Wording(
        N_("All four seats are taken: watch with `hearts-net watch`, or host a table of your own.")
    ),
    "not-admitted": Wording(
        N_("The host's player does not let you in: ask them, then join again.")
    ),
    "wrong-code": Wording(
        N_("That is not the table's code: ask the host's player for it and type its six digits."),
    ),
    "banned": Wording(
        N_("The host's player has banned you from this table: ask them to take it back."),
    ),
    "host-unproved": Wording(
        N_(
            "What answers does not know the table's code, so it may pose as the host: "
            "ask the host for an invite and join with that."
        ),
    ),
    "stale-epoch": Wording(
        N_("The table was restarted meanwhile: look at the table and do it again.")
    ),
    "stale-trick": Wording(
        N_("That was meant for an earlier moment: look at the table and do it again.")
    ),
    "no-seat": Wording(N_("You hold no seat at this table: sit down first.")),
    "not-allowed": Wording(N_("You may not do that at this table: ask the host's player.")),
    "not-now": Wording(N_("That cannot be done now: wait for the next part of the game.")),
    "seat-taken": Wording(N_("Somebody sits there: choose another seat.")),
    "seat-empty": Wording(N_("Nobody sits there: choose another seat.")),
    "not-away": Wording(
        N_("The table waits for nobody there: vote about a player who has lost the connection.")
    ),
    "already-seated": Wording(N_("You already have a seat: leave it first to take another one.")),
    "unknown-level": Wording(
        N_("There is no computer player of that level: choose another level."),
        N_("There is no level “{level}” of computer players: choose one of {levels}."),
    ),
    "paused": Wording(N_("The game is paused: wait until it goes on.")),
    "seats-missing": Wording(
        N_("Four players are needed: wait for more, or fill the seats with bots.")
    ),
    "not-here": Wording(N_("Nobody like that is here: look who is, and try again.")),
    "nothing-to-say": Wording(N_("There is nothing to say: write a text after the command.")),
    "too-fast": Wording(N_("That was a lot at once: wait a second, then do it again.")),
    "set-aside": Wording(
        N_("This program sends too much, so the table does not listen for a while: wait."),
    ),
    "shut-out": Wording(
        N_("The table has shut this program out until the game is over: join the next one."),
    ),
    "store-failed": Wording(
        N_("The table cannot save the game: make room on the host's disk, then go on.")
    ),
    "closing": Wording(N_("The table is closing: join again when it is back.")),
}

_LINK = {
    "host-down": Wording(
        N_("Nobody answers there: check the address, and that the table is running."),
        N_("Nobody answers at {host}, port {port}: check both, and that the table is running."),
    ),
    "wrong-key": Wording(
        N_("What answers is not this game, or the table's key has changed: ask for a new invite."),
        N_(
            "What answers at {host}, port {port} is not this game, or has another key than the one "
            "you know: ask the host, then join with a new invite, or accept the new key with "
            "`hearts-net forget {host}` and join again."
        ),
    ),
    "refused": Wording(
        N_("The table refused the connection: ask the host's player for an invite.")
    ),
    "host-silent": Wording(
        N_("Something listens there and says nothing: ask whether the table is running."),
        N_(
            "Something listens at {host}, port {port} and says nothing: "
            "ask whether the table is running."
        ),
    ),
    "no-such-host": Wording(
        N_("That name has no address: check its spelling, or type the lobby's address."),
        N_(
            "The name “{host}” has no address: check its spelling, "
            "or type the address that the lobby shows."
        ),
    ),
    "no-answer": Wording(
        N_("No table answers there: check the address and the firewall, or paste the invite."),
        N_(
            "No table answers at {host}, port {port}: "
            "check both and the firewall, or paste the invite."
        ),
    ),
    "host-key-changed": Wording(
        N_(
            "This host has another key than at your last visit, because it was set up anew or "
            "because somebody poses as it: ask the host, and accept the new key with "
            "`hearts-net forget`."
        ),
        N_(
            "{host} has another key than at your last visit, because it was set up anew or because "
            "somebody poses as it: ask the host, and if the new key is theirs, run "
            "`hearts-net forget {forget}` and join again, best with their invite."
        ),
    ),
    "namesake": Wording(
        N_(
            "The table of that name is not at the host that you visited: if you mean it all the "
            "same, join it by its address or with its invite."
        ),
        N_(
            "The table {table} that answers is not at the host that you visited: if you mean it "
            "all the same, join it with `hearts-net join {address}`, or with its invite."
        ),
    ),
    "host-not-known": Wording(
        N_("No key is known for that address: `hearts-net forget` lists those that are."),
        N_("No key is known for {host}: `hearts-net forget` lists those that are."),
    ),
    "bad-profile": Wording(
        N_("A profile's name is made of letters, digits, - and _: choose another --profile."),
        N_("“{profile}” is no profile's name: use letters, digits, - and _ with --profile."),
    ),
    "bad-key-file": Wording(
        N_("The file of your key is damaged: put back a copy, or move it away to get a new key."),
        N_("The key in {path} is damaged: put back a copy, or move it away to get a new key."),
    ),
    "bad-known-hosts": Wording(
        N_("The list of known hosts is damaged: mend it or move it away."),
        N_("The list of known hosts in {path} is damaged: mend it or move it away."),
    ),
    "not-this-game": Wording(
        N_("What answers there is not hearts-net: check the address and the port."),
        N_("What answers at {host}, port {port} is not hearts-net: check both."),
    ),
    "bad-invite": Wording(
        N_("The invite is damaged: copy all of it, from hearts:// to its end."),
    ),
    "bad-address": Wording(
        N_("That is no address: write HOST, HOST:PORT or [IPV6]:PORT, or paste an invite."),
        N_("“{text}” is no address: write HOST, HOST:PORT or [IPV6]:PORT, or paste an invite."),
    ),
    "no-table": Wording(
        N_(
            "No table answers: give the address or the invite that the host's lobby shows; "
            "`hearts-net doctor` says what the network lets through."
        ),
        N_(
            "No table “{table}” answers: give the address or the invite that its lobby shows; "
            "`hearts-net doctor` says what the network lets through."
        ),
    ),
    "several-tables": Wording(
        N_("Several tables answer: say which one, by its address."),
        N_("Several tables answer ({tables}): say which one, by its address."),
    ),
    "key-in-use": Wording(
        N_(
            "Every key of this installation is in use in another window: close one of them, or "
            "choose one with --profile."
        ),
    ),
    "bad-config": Wording(
        N_("The configuration file cannot be read: mend it or move it away."),
        N_("The configuration file {path} cannot be read ({reason}): mend it or move it away."),
    ),
    "home-unwritable": Wording(
        N_("The folder for data cannot be written: set HEARTS_NET_HOME to one that can."),
        N_("The folder {path} cannot be written: set HEARTS_NET_HOME to one that can."),
    ),
}

_BOTS = {
    "nothing-to-choose": Wording(
        N_("The computer player was asked at the wrong moment: report it.")
    ),
    "bad-order": Wording(N_("The process of the computer players was asked wrongly: report it.")),
}

_TABLE = {
    "store-newer": Wording(
        N_("This table was saved by a later version, and is left as it is: update hearts-net."),
    ),
    "store-damaged": Wording(
        N_("The saved table is damaged and cannot be read: resume another one, or host anew."),
        N_("The saved table is damaged and was kept as {kept}: resume another one, or host anew."),
    ),
    "store-locked": Wording(
        N_("This table is running already: join it with `hearts-net join`, or end it first."),
    ),
    "store-unwritable": Wording(
        N_("The saved tables may not be written: set HEARTS_NET_HOME to a folder that can be."),
        N_("{path} may not be written: set HEARTS_NET_HOME to a folder that can be."),
    ),
    "store-full": Wording(
        N_("There is no room to save the game: make room on the disk, then go on.")
    ),
    "store-failed": Wording(
        N_("The table cannot save the game: look after the host's disk, then go on.")
    ),
    "store-missing": Wording(
        N_("There is no such table on this machine: `hearts-net list` shows those that there are."),
    ),
    "port-in-use": Wording(
        N_("The port is in use: choose another with --port, or --port 0 for any that is free."),
        N_("Port {port} is in use: choose another with --port, or --port 0 for any that is free."),
    ),
    "cannot-bind": Wording(
        N_("The port cannot be opened: choose another with --port (above 1023)."),
        N_("Port {port} cannot be opened: choose another with --port (above 1023)."),
    ),
    "host-not-started": Wording(
        N_("The table did not start: try again, or look at what --foreground says."),
        N_("The table did not start: {log} says why."),
    ),
    "table-not-running": Wording(
        N_(
            "No table of yours is running on this machine: `hearts-net host` opens one, "
            "`hearts-net list` shows what is saved and what others have open."
        ),
        N_(
            "Table {table} is not running on this machine: `hearts-net list` shows what is, and "
            "what `hearts-net resume` takes up again."
        ),
    ),
    "table-not-stopped": Wording(
        N_("The table did not end in time: try again in a moment."),
    ),
    "bad-settings": Wording(
        N_("A table cannot be started like that: check the options with `hearts-net host -h`."),
        N_("The table's setting “{setting}” will not do: check it with `hearts-net host -h`."),
    ),
}

_RECORD: Mapping[str, Wording] = {code: Wording(words) for code, words in RECORD_WORDS.items()}
"""Of game records; where another layer has the same code, its wording comes first."""

_THEMES: Mapping[str, Wording] = {code: Wording(*words) for code, words in THEME_WORDS.items()}

_FAIR: Mapping[str, Wording] = {code: Wording(words) for code, words in FAIR_WORDS.items()}

WORDINGS: Mapping[str, Wording] = {
    **_RECORD,
    **_FAIR,
    **_RULES,
    **_WIRE,
    **_LINK,
    **_TABLE,
    **_BOTS,
    **_THEMES,
}


def error_sentence(code: str, detail: Facts | None = None) -> str:
    """Say an error in one sentence with what to do next; an unknown code is named in it."""
    wording = WORDINGS.get(code)
    if wording is None:
        return _("The table said “{code}”: update hearts-net to know what that means.").format(
            code=safe_text(code)
        )
    facts = {
        name: safe_text(value) if isinstance(value, str) else value
        for name, value in (detail or {}).items()
    }
    if wording.fuller and placeholders(wording.fuller) <= facts.keys():
        return _(wording.fuller).format(**facts)
    return _(wording.plain)


def placeholders(pattern: str) -> set[str]:
    """Name the facts that a sentence leaves open."""
    return {name for _text, name, _spec, _conversion in Formatter().parse(pattern) if name}
