"""What can go wrong between a peer and a host, before or beside the protocol.

    HeartsError
    └── LinkError      no way to the host, a file or an address of this machine that will not do

A code is for programs and never changes; the sentence that a person reads belongs to the client.
"""

from __future__ import annotations

from enum import StrEnum

from hearts_net.rules.errors import HeartsError


class LinkCode(StrEnum):
    """Codes of :class:`LinkError`."""

    # the way to the host
    HOST_DOWN = "host-down"  # nothing listens there
    HOST_SILENT = "host-silent"  # something listens, and says nothing
    WRONG_KEY = "wrong-key"  # not this game, or the host's key has changed
    REFUSED = "refused"  # the host does not let this key in
    NOT_THIS_GAME = "not-this-game"  # something else listens there
    VERSION_MISMATCH = "version-mismatch"
    # whom to call
    BAD_INVITE = "bad-invite"
    BAD_ADDRESS = "bad-address"
    NO_SUCH_HOST = "no-such-host"  # the name has no address
    NO_TABLE = "no-table"  # no table of that name answers
    SEVERAL_TABLES = "several-tables"  # more than one table fits what was said
    NO_ANSWER = "no-answer"  # the question which key an address has was not answered
    HOST_KEY_CHANGED = "host-key-changed"
    NAMESAKE = "namesake"  # a table of that name was visited, and this is another host's
    NOT_KNOWN = "host-not-known"  # no key is pinned to that address
    # this machine
    KEY_IN_USE = "key-in-use"
    BAD_PROFILE = "bad-profile"
    BAD_KEY_FILE = "bad-key-file"
    BAD_KNOWN_HOSTS = "bad-known-hosts"
    BAD_CONFIG = "bad-config"
    HOME_UNWRITABLE = "home-unwritable"


class LinkError(HeartsError):
    """The host cannot be reached, or this machine's side of the link is not in order."""
