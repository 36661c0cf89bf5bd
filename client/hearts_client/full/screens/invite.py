"""The invite, unbroken wherever a line can hold it: in the lobby, and alone on a page."""

from __future__ import annotations

from hearts_client.full.layout import Line, Span, line_of, wrapped
from hearts_client.full.model import Model
from hearts_client.i18n import _, ngettext
from hearts_net.peer.errors import LinkError
from hearts_net.peer.invite import Invite, parse_invite


def whole_invites(invite: str, width: int) -> list[str]:
    """Give invites that fit into a line: this one, or else one for each address that it names."""
    if len(invite) <= width:
        return [invite]
    try:
        found = parse_invite(invite)
        singles = [Invite((each,), found.port, found.key).text() for each in found.addresses]
    except LinkError:
        return []
    return [each for each in singles if len(each) <= width]


def lobby_invite(model: Model, width: int) -> list[Line]:
    """Draw the invite from the left edge on, to be copied in one go; or say how to see it."""
    fitting = whole_invites(model.invite, width)
    if not fitting:
        return [line_of(" ", Span(_("I shows the invite, which is too long for a line."), "dim"))]
    return [line_of(" ", Span(_("or with this invite:"), "dim")), line_of(fitting[0])]


def invite_page(model: Model, width: int) -> list[Line]:
    """Show the invite and nothing beside it."""
    if not model.invite:
        return [line_of(part) for part in wrapped(_("Nobody else can reach this table."), width)]
    fitting = whole_invites(model.invite, width)
    said = ngettext(
        "Others paste this after “hearts-net join”:",
        "Others paste one of these after “hearts-net join”; each is for another address:",
        len(fitting),
    )
    if not fitting:
        said = _(
            "Others paste this after “hearts-net join”, in quotation marks; that it is broken "
            "into lines does not matter."
        )
    lines: list[Line] = [line_of(part) for part in wrapped(said, width)]
    for each in fitting:
        lines += [(), line_of(each)]
    if not fitting:
        cut = range(0, len(model.invite), width)
        lines += [(), *(line_of(model.invite[at : at + width]) for at in cut)]
    return lines
