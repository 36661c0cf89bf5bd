"""The server's key pair of a stored table, kept beside its store for this user's eyes only."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import zmq

from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.folder import TableFolder
from hearts_net.peer.home import write_private


@dataclass(frozen=True, slots=True)
class TableKey:
    """A CURVE key pair in Z85."""

    public: str
    secret: str = field(repr=False)


def load_table_key(folder: TableFolder, public: str, secret: str) -> TableKey:
    """Return the table's key pair; a new table gets the one given, and keeps it.

    Raises :class:`StoreError` ``store-damaged`` for a file that holds no such pair, and
    :class:`LinkError` ``home-unwritable``.
    """
    if not folder.key.exists():
        body = json.dumps({"public": public, "secret": secret}).encode()
        write_private(folder.key, body, replace=False)
    return read_table_key(folder)


def read_table_key(folder: TableFolder) -> TableKey:
    """Return the kept key pair; raises :class:`StoreError` ``store-damaged`` without one."""
    try:
        found = json.loads(folder.key.read_bytes())
        pair = TableKey(str(found["public"]), str(found["secret"]))
        if zmq.curve_public(pair.secret.encode()).decode() != pair.public:
            raise ValueError("the two keys do not belong together")
    except (OSError, ValueError, KeyError, TypeError, zmq.ZMQError) as error:
        raise StoreError(StoreCode.DAMAGED, path=str(folder.key)) from error
    return pair
