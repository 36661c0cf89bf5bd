"""A stored table whose games cannot be read is not one without games."""

from __future__ import annotations

import pytest

from hearts_client.chosen import Chosen
from hearts_client.commands import export
from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.folder import new_table_folder
from hearts_net.peer.home import find_home


@pytest.mark.parametrize("last", [False, True])
def test_a_table_that_cannot_be_read_is_said_to_be_so(last: bool) -> None:
    folder = new_table_folder(find_home().tables)
    folder.store.write_bytes(b"nothing of ours")
    wanted = "" if last else folder.table_id
    with pytest.raises(StoreError) as caught:
        export.run(Chosen({"table_name": wanted, "last": last, "out": "-"}))
    assert caught.value.code == StoreCode.DAMAGED
