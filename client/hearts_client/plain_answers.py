"""What plain mode says when it is asked, and what it asks: pure functions of the newest view."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from hearts_client.absence import presence_note, vote_words
from hearts_client.i18n import _, ngettext
from hearts_client.optionwords import differences, option_words, rules_summary, value_words
from hearts_client.past import PastDeal
from hearts_client.rulestext import sentences
from hearts_client.safetext import safe_text
from hearts_client.savingwords import saving_words
from hearts_client.sentences import SlowTurns, event_sentence, points_words, trick_points
from hearts_client.speech import (
    Style,
    card_name,
    cards_list,
    choice_words,
    direction_words,
    follow_words,
    hand_words,
    joined,
    pass_target,
    place_name,
    seat_name,
    watchers_words,
    who,
)
from hearts_net.protocol.messages import (
    AnyEvent,
    DealSummary,
    OwnView,
    PublicView,
    SeatView,
    TrickCard,
    TrickView,
    View,
)
from hearts_net.rules.options import OPTION_SPECS


class Ask(StrEnum):
    """What the table waits for from this player; the value is the prompt."""

    NOTHING = ""
    SEAT = "sit"
    READY = "ready"
    PASS = "pass"  # noqa: S105 - a prompt, no password
    PLAY = "play"
    MOON = "moon"
    NEXT = "next"
    AGAIN = "again"


def asked(view: View) -> Ask:
    """Say what the table waits for from this player."""
    public, own = view.public, view.own
    if own is None:
        return Ask.SEAT if "sit" in view.may and view.role == "player" else Ask.NOTHING
    me = public.seats[own.seat]
    match public.phase:
        case "lobby":
            return Ask.READY if "ready" in own.may and not me.ready else Ask.NOTHING
        case "passing":
            return Ask.PASS if "pass" in own.may else Ask.NOTHING
        case "playing":
            return Ask.PLAY if "play" in own.may and own.legal else Ask.NOTHING
        case "moon":
            return Ask.MOON if "choose-moon" in own.may else Ask.NOTHING
        case "deal-over":
            return Ask.NEXT if "ready" in own.may and not me.ready else Ask.NOTHING
        case "game-over":
            return Ask.NOTHING if me.ready else Ask.AGAIN
        case _:
            return Ask.NOTHING


def question(view: View, style: Style, host_time: int | None = None) -> list[str]:
    """Say what this player has to do now, in full, every time it is asked, and by when.

    ``host_time`` is what the host's clock says now; the view's own time unless given.
    """
    now = view.time if host_time is None else host_time
    limit = limit_words(view, now) if asked(view) in (Ask.PASS, Ask.PLAY, Ask.MOON) else ""
    return [*_question(view, style, now), *([limit] if limit else [])]


def limit_words(view: View, host_time: int) -> str:
    """Say when a bot plays the turn that is being waited for; "" where there is no limit."""
    seconds = -(-(view.public.turn_until - host_time) // 1000)
    if seconds <= 0:
        return ""
    return ngettext(
        "You have {seconds} second, then a bot does it.",
        "You have {seconds} seconds, then a bot does it.",
        seconds,
    ).format(seconds=seconds)


def _question(view: View, style: Style, host_time: int) -> list[str]:
    own = view.own
    match asked(view):
        case Ask.SEAT:
            return [_("Choose a seat with sit and a number from 1 to 4.")]
        case Ask.READY:
            return [_("Type ready when you want to begin; help lists what else there is.")]
        case Ask.PASS if own is not None:
            return [pass_question(view.public, own), hand(own, style)]
        case Ask.PLAY if own is not None:
            return play_question(view.public, own, style)
        case Ask.MOON:
            return [
                _(
                    "You shot the moon. Type moon others to give 26 points to each of the others, "
                    "or moon me to take 26 off your own score."
                )
            ]
        case Ask.NEXT:
            return [next_question(view, host_time)]
        case Ask.AGAIN:
            return [
                _(
                    "Type rematch for another game with these players, lobby for other rules or "
                    "seats, or quit to leave."
                )
            ]
    return [waiting(view)]


def pass_question(public: PublicView, own: OwnView) -> str:
    """Say whom to pass three cards to."""
    target = pass_target(public.direction, own.seat)
    name = seat_name(public.seats, target) if target is not None else ""
    return _("Pass three cards {direction}, to {name}.").format(
        direction=direction_words(public.direction), name=name
    )


def play_question(public: PublicView, own: OwnView, style: Style) -> list[str]:
    """Say which cards may be played, and why only those."""
    start = [_("Your turn.")]
    if not public.trick:
        start.append(_("You lead."))
    else:
        led = public.trick[0].card[1]
        if any(card[1] == led for card in own.legal):
            start.append(follow_words(led))
    start.append(_("You may play: {cards}.").format(cards=choice_words(own.legal, style)))
    lines = [" ".join(start)]
    if own.can_claim:
        lines.append(_("The rest is yours: type claim to take it, or play on."))
    return lines


def next_question(view: View, host_time: int) -> str:
    """Say when the next deal comes."""
    seconds = -(-(view.public.next_at - host_time) // 1000)
    if view.public.next_at and seconds > 0:
        return ngettext(
            "Type next for the next deal; it starts by itself in {seconds} second.",
            "Type next for the next deal; it starts by itself in {seconds} seconds.",
            seconds,
        ).format(seconds=seconds)
    return _("Type next for the next deal.")


def how_to_go_unsaved(view: View) -> str:
    """Say how the host's player goes on unsaved; "" to everybody else."""
    return _("Type unsaved to play on without saving.") if "go-unsaved" in view.may else ""


def waiting(view: View) -> str:
    """Say what the table waits for when it is not for this player."""
    public = view.public
    if public.paused == "store":
        return saving_words(public.saving, goes_unsaved=how_to_go_unsaved(view))
    if public.paused:
        return _("The game is paused.")
    if public.phase == "dealing":
        return _("The cards are being shuffled.")
    names = [
        seat_name(public.seats, seat)
        for seat, player in enumerate(public.seats)
        if is_awaited(public, seat, player) and (view.own is None or seat != view.own.seat)
    ]
    if public.phase == "lobby" and any(seat.kind == "empty" for seat in public.seats):
        return _("Waiting for more players.")
    if names:
        return _("Waiting for {names}.").format(names=joined(names))
    return _("Nothing to do at the moment.")


def is_awaited(public: PublicView, seat: int, player: SeatView) -> bool:
    """Tell whether the table waits for this seat."""
    if public.phase == "passing":
        return not player.passed
    if public.phase in ("playing", "moon"):
        return public.turn == seat
    return player.kind == "person" and not player.ready and _is_wanted(public)


def _is_wanted(public: PublicView) -> bool:
    """Tell whether there are those who wait: after a game only who has asked for another does."""
    return public.phase != "game-over" or any(_wants_another(player) for player in public.seats)


def _wants_another(player: SeatView) -> bool:
    return player.kind == "person" and player.ready


def wishes_for_another(before: View | None, view: View) -> list[str]:
    """Say who has asked for another game since the view before."""
    own, public = view.own, view.public
    if public.phase != "game-over":
        return []
    was = before.public.seats if before and before.public.phase == "game-over" else ()
    known = {seat for seat, player in enumerate(was) if _wants_another(player)}
    return [
        _("{name} wants to play again.").format(name=seat_name(public.seats, seat))
        for seat, player in enumerate(public.seats)
        if _wants_another(player) and seat not in known and (own is None or seat != own.seat)
    ]


# ---- answers -------------------------------------------------------------------------------------


def hand(own: OwnView, style: Style) -> str:
    """Say the player's cards, suit by suit."""
    return _("Your hand: {cards}.").format(cards=hand_words(own.hand, style))


def legal(own: OwnView, style: Style) -> str:
    """Say which cards may be played, or passed, now."""
    if "pass" in own.may:
        return _("You may pass any three of your cards.")
    if not own.legal:
        return _("It is not your turn to play.")
    return _("You may play: {cards}.").format(cards=choice_words(own.legal, style))


def trick(view: View, style: Style) -> str:
    """Say what lies on the table."""
    public = view.public
    if public.phase != "playing":
        return _("No trick is being played.")
    me = view.own.seat if view.own else None
    if not public.trick:
        leader = public.turn if public.turn is not None else public.leader
        if leader == me:
            return _("Trick {number}. You lead.").format(number=public.trick_number)
        name = seat_name(public.seats, leader) if leader is not None else ""
        return _("Trick {number}. {name} leads.").format(number=public.trick_number, name=name)
    return _("Trick {number}. On the table: {cards}.").format(
        number=public.trick_number, cards=trick_cards(public.trick, public.seats, me, style)
    )


def trick_cards(
    cards: Sequence[TrickCard], seats: Sequence[SeatView], me: int | None, style: Style
) -> str:
    """Say who played what, in the order of play."""
    said = []
    for one in cards:
        pattern = _("{name} {card}, played by a bot") if one.by_bot else _("{name} {card}")
        card = card_name(one.card, style)
        said.append(pattern.format(name=who(seats, one.seat, me), card=card))
    return ", ".join(said)


def finished_trick(trick: TrickView, view: View, style: Style) -> str:
    """Say a whole trick in one line, for somebody who only listens."""
    cards = trick_cards(trick.cards, view.public.seats, None, style)
    name = seat_name(view.public.seats, trick.winner)
    if not trick.points:
        return _("Trick {number}: {cards}. {name} takes it.").format(
            number=trick.number, cards=cards, name=name
        )
    return _("Trick {number}: {cards}. {name} takes it, {points}.").format(
        number=trick.number, cards=cards, name=name, points=trick_points(trick.points)
    )


def last_trick(view: View, style: Style) -> str:
    """Say the last finished trick of this deal."""
    last = view.public.last_trick
    if last is None:
        return _("No trick of this deal is finished yet.")
    return past_trick(last, view, style)


def tricks(found: Sequence[PastDeal], wanted: int, view: View, style: Style) -> list[str]:
    """Say every trick of a deal, one a line; ``wanted`` is its number, 0 for the newest."""
    deal = next((one for one in found if one.deal == wanted), None) if wanted else None
    deal = deal or (found[-1] if found and not wanted else None)
    if deal is None:
        return [_("No trick of such a deal is known.")]
    words = direction_words(deal.direction)
    if deal.direction == "hold":
        lines = [_("Deal {deal}. Nobody passes cards.").format(deal=deal.deal)]
    else:
        said = _("Deal {deal}. Three cards are passed {direction}.")
        lines = [said.format(deal=deal.deal, direction=words)]
    lines += [past_trick(trick, view, style) for trick in deal.tricks]
    if deal.claimed_by is not None:
        name = seat_name(view.public.seats, deal.claimed_by)
        lines.append(_("{name} claimed the rest.").format(name=name))
    if deal.settled:
        lines.append(_("Every card that counts has been taken; the rest is not played."))
    return lines if deal.tricks or len(lines) > 1 else [*lines, _("No trick has been taken yet.")]


def past_trick(last: TrickView, view: View, style: Style) -> str:
    """Say a finished trick: who played what, and who took it for how much."""
    me = view.own.seat if view.own else None
    facts = {
        "number": last.number,
        "cards": trick_cards(last.cards, view.public.seats, me, style),
        "points": trick_points(last.points),
    }
    if last.winner == me:
        return _("Trick {number}: {cards}. You took it: {points}.").format(**facts)
    return _("Trick {number}: {cards}. {name} took it: {points}.").format(
        name=seat_name(view.public.seats, last.winner), **facts
    )


def deal_score(view: View) -> str:
    """Say the points of this deal so far."""
    seats = view.public.seats
    me = view.own.seat if view.own else None
    return _("This deal: {points}.").format(
        points=points_words([seat.points for seat in seats], seats, me)
    )


def total_score(view: View) -> str:
    """Say the totals of the game."""
    seats = view.public.seats
    me = view.own.seat if view.own else None
    return _("Totals: {points}.").format(
        points=points_words([seat.total for seat in seats], seats, me)
    )


def score(view: View) -> list[str]:
    """Say the score, what is still out, and what has happened in this deal."""
    public = view.public
    if not public.deal:
        return [_("No deal has been played yet.")]
    lines = [
        _("Deal {deal}, {phase}.").format(deal=public.deal, phase=phase_words(public)),
        deal_score(view),
        total_score(view),
    ]
    if public.phase == "playing":
        lines.append(state_of_deal(view))
    if public.phase == "game-over":
        lines.append(final_table(view))
    return lines


def state_of_deal(view: View) -> str:
    """Say whether hearts are broken, who has the queen, and how many points are still out."""
    public = view.public
    me = view.own.seat if view.own else None
    parts = [_("Hearts are broken.") if public.hearts_broken else _("Hearts are not broken.")]
    taker = public.queen_taken_by
    if taker is None:
        parts.append(_("The queen of spades has not been taken."))
    elif taker == me:
        parts.append(_("You took the queen of spades."))
    else:
        name = seat_name(public.seats, taker)
        parts.append(_("{name} took the queen of spades.").format(name=name))
    points = public.points_out
    out = ngettext("{points} point is still out.", "{points} points are still out.", points)
    parts.append(out.format(points=points))
    return " ".join(parts)


def phase_words(public: PublicView) -> str:
    """Say which part of the game it is, in a few words."""
    match public.phase:
        case "lobby":
            return _("before the game")
        case "dealing":
            return _("the cards are being shuffled")
        case "passing":
            return _("passing {direction}").format(direction=direction_words(public.direction))
        case "playing":
            return _("trick {number} of 13").format(number=public.trick_number)
        case "moon":
            return _("the moon was shot")
        case "deal-over":
            return _("between two deals")
        case "game-over":
            return _("the game is over")
        case other:
            return safe_text(other)


def seats(view: View, host_time: int | None = None) -> list[str]:
    """Say who sits where, one seat a line, and how many look on.

    ``host_time`` is what the host's clock says now; the view's own time unless given.
    """
    now = view.time if host_time is None else host_time
    lines = [seat_line(view, seat, now) for seat in range(4)]
    looking_on = watchers_words(view.public)
    return [*lines, looking_on] if looking_on else lines


def seat_line(view: View, seat: int, host_time: int) -> str:
    """Say who sits on one seat, and how they are."""
    public = view.public
    player = public.seats[seat]
    me = view.own.seat if view.own else None
    place = _("Seat {number}, {place}").format(number=seat + 1, place=place_name(seat, me))
    if player.kind == "empty":
        return _("{place}: free.").format(place=place)
    notes = []
    if seat == me:
        notes.append(_("you"))
    if player.kind == "bot":
        level = safe_text(player.level)
        notes.append(
            _("a computer player, {level}").format(level=level) if level else _("a computer player")
        )
    if player.host:
        notes.append(_("the host's player"))
    if player.deputy:
        notes.append(_("a bot plays for them"))
    if player.presence != "present":
        notes.append(presence_note(player, host_time))
    if vote_words(public, seat):
        notes.append(vote_words(public, seat))
    if public.phase in ("lobby", "deal-over") and player.kind == "person":
        notes.append(_("ready") if player.ready else _("not ready yet"))
    name = safe_text(player.name)
    if not notes:
        return _("{place}: {name}.").format(place=place, name=name)
    return _("{place}: {name}, {notes}.").format(place=place, name=name, notes=", ".join(notes))


def neighbours(view: View) -> str:
    """Say where the player and the others sit."""
    own, all_seats = view.own, view.public.seats
    if own is None:
        return ""
    me = own.seat
    there = [
        seat_name(all_seats, seat) if all_seats[seat].kind != "empty" else _("nobody yet")
        for seat in ((me + 1) % 4, (me + 2) % 4, (me + 3) % 4)
    ]
    return _(
        "You sit south. Left, west: {left}. Across, north: {across}. Right, east: {right}."
    ).format(left=there[0], across=there[1], right=there[2])


def rules(view: View) -> list[str]:
    """Say the rules of this table: what differs from the standard ones, then the target."""
    lines = [rules_summary(view.public.rules)]
    if differences(view.public.rules):
        target = view.public.rules.get("target", 100)
        lines.append(_("In short: {words}.").format(words=value_words("target", target)))
    return lines


def all_rules(view: View) -> list[str]:
    """Say how Hearts is played, and every option of this table."""
    given = view.public.rules
    return [
        rules_summary(given),
        *sentences(int(given.get("target", 100))),
        *(
            _("{option}: {value}.").format(
                option=option_words(spec.name), value=value_words(spec.name, given[spec.name])
            )
            for spec in OPTION_SPECS
            if spec.name in given
        ),
    ]


def deals(finished: Sequence[DealSummary], view: View) -> list[str]:
    """Say the score sheet, one deal a line."""
    if not finished:
        return [_("No deal is finished yet.")]
    all_seats, me = view.public.seats, view.own.seat if view.own else None
    lines = []
    for deal in finished:
        line = _("Deal {deal}: {points}.").format(
            deal=deal.deal, points=points_words(deal.points, all_seats, me)
        )
        if deal.moon is not None:
            shooter = who(all_seats, deal.moon, me)
            line += " " + _("The moon was shot by {name}.").format(name=shooter)
        lines.append(line)
    lines.append(total_score(view))
    return lines


def final_table(view: View) -> str:
    """Say the players by their totals, once a game is over: ``1. Dana 14; 2. you 25; …``."""
    public = view.public
    me = view.own.seat if view.own else None
    totals = [seat.total for seat in public.seats]
    places = [
        _("{place}. {name} {points}").format(
            place=1 + sum(other < totals[seat] for other in totals),
            name=who(public.seats, seat, me),
            points=totals[seat],
        )
        for seat in sorted(range(4), key=lambda seat: totals[seat])
    ]
    return _("Final table: {places}.").format(places="; ".join(places))


def passed(own: OwnView, style: Style) -> str:
    """Say which cards the player has passed; "" when none were."""
    if not own.passed:
        return ""
    return _("You have passed {cards}.").format(cards=cards_list(own.passed, style))


def received(own: OwnView, style: Style) -> str:
    """Say which cards were passed to the player; "" when none were."""
    if not own.received:
        return ""
    return _("You received {cards}.").format(cards=cards_list(own.received, style))


def where_we_are(view: View) -> list[str]:
    """Say everything that somebody who has just come to the table must know."""
    public, own = view.public, view.own
    lines = [
        _("Table {table}. {rules}").format(
            table=safe_text(public.table), rules=rules_summary(public.rules)
        )
    ]
    if public.address:
        lines.append(_("Others join with: {address}").format(address=safe_text(public.address)))
    if own is not None:
        lines.append(neighbours(view))
    else:
        lines.extend(seats(view))
    if public.deal:
        lines.append(_("Deal {deal}, {phase}.").format(deal=public.deal, phase=phase_words(public)))
        lines.append(total_score(view))
    style = Style.SPOKEN
    if own is not None and own.hand and asked(view) is not Ask.PASS:  # that question tells it
        lines.append(hand(own, style))
    if public.phase == "playing":
        lines.append(trick(view, style))
    if public.paused or (own is not None and public.deal and asked(view) is Ask.NOTHING):
        lines.append(waiting(view))
    return lines


def meanwhile(view: View, style: Style) -> list[str]:
    """Say the hand and who is waited for, to a player who has nothing to do at the moment."""
    own = view.own
    if own is None or not view.public.deal or asked(view) is not Ask.NOTHING:
        return []
    return [hand(own, style), waiting(view)] if own.hand else [waiting(view)]


def log(events: Sequence[AnyEvent], view: View, style: Style, count: int) -> list[str]:
    """Say the last things that happened, oldest first."""
    me = view.own.seat if view.own else None
    turns = SlowTurns()
    lines = [
        event_sentence(event, view.public.seats, me, style)
        for event in events
        if not turns.is_end_of_one(event)
    ]
    return [line for line in lines if line][-count:] or [_("Nothing has happened yet.")]
