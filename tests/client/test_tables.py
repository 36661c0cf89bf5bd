"""Finding the tables of this machine."""

from __future__ import annotations

import pytest

from hearts_client.chosen import UsageError
from hearts_client.tables import stored_table
from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.folder import new_table_folder
from hearts_net.peer.home import find_home


@pytest.mark.parametrize("named", [True, False])
def test_a_damaged_table_is_called_damaged_and_not_missing(named: bool) -> None:
    home = find_home()
    folder = new_table_folder(home.tables)
    folder.store.write_bytes(b"no database at all, but quite a few bytes" * 100)
    with pytest.raises(StoreError) as caught:
        stored_table(home, folder.table_id if named else "")
    assert caught.value.code == StoreCode.DAMAGED


def test_without_any_table_there_is_none() -> None:
    with pytest.raises(UsageError, match="No table is saved on this machine"):
        stored_table(find_home(), "")
    with pytest.raises(StoreError) as caught:
        stored_table(find_home(), "attic")
    assert caught.value.code == StoreCode.MISSING
