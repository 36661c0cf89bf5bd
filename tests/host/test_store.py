from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.folder import (
    Running,
    TableFolder,
    find_running,
    new_table_folder,
    table_folder,
    table_folders,
)
from hearts_net.host.store import SCHEMA_VERSION, Store, read_header, read_journal

ONE, TWO, THREE = b'{"n":1}', '{"n":2,"name":"Chloé"}'.encode(), b'{"n":3}'


@pytest.fixture
def folder(tmp_path: Path) -> TableFolder:
    return new_table_folder(tmp_path / "tables")


@contextlib.contextmanager
def opened(folder: TableFolder) -> Iterator[Store]:
    store = Store.open(folder)
    try:
        yield store
    finally:
        store.close()


def everything_in(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.iterdir() if each.name != "lock"}


def in_another_process(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_a_journal_comes_back_as_it_was_written(folder: TableFolder) -> None:
    with opened(folder) as store:
        store.append(1, [ONE, TWO], sync=True)
        store.append(3, [THREE])
        store.set_fact("ports", "1 2")
    with opened(folder) as store:
        assert list(store.entries()) == [ONE, TWO, THREE]
        assert store.fact("ports") == "1 2"
        assert store.fact("nothing") == ""
        store.append(4, [ONE])
        assert list(store.entries())[3:] == [ONE]


@pytest.mark.parametrize("first", [0, 1, 3, 99])
def test_a_gap_or_a_doublet_is_a_fault_and_nothing_is_written(
    folder: TableFolder, first: int
) -> None:
    with opened(folder) as store:
        store.append(1, [ONE])
        with pytest.raises(ValueError, match="does not follow"):
            store.append(first, [TWO])
        assert list(store.entries()) == [ONE]


def test_only_this_user_can_read_hands_and_keys(folder: TableFolder) -> None:
    with opened(folder) as store:
        store.append(1, [ONE])
        for path in folder.path.iterdir():
            assert path.stat().st_mode & 0o077 == 0, path.name
    assert folder.path.stat().st_mode & 0o077 == 0


def test_appends_leave_the_main_file_alone_until_a_quiet_moment(folder: TableFolder) -> None:
    with opened(folder) as store:
        before = folder.store.read_bytes()
        for number in range(1, 200):
            store.append(number, [THREE], sync=number % 50 == 0)
        assert folder.store.read_bytes() == before
        store.checkpoint()
        assert folder.store.read_bytes() != before
        assert len(list(store.entries())) == 199


def test_a_checkpoint_is_due_in_the_end_even_without_a_deals_end(folder: TableFolder) -> None:
    with opened(folder) as store:
        number = 1
        while not store.wants_checkpoint:
            assert number < 10_000
            store.append(number, [ONE])
            number += 1
        store.checkpoint()
        assert not store.wants_checkpoint


def test_one_store_has_one_host(folder: TableFolder) -> None:
    with opened(folder):
        with pytest.raises(StoreError) as caught:
            Store.open(folder)
        assert caught.value.code == StoreCode.LOCKED
        other = in_another_process(
            """
            import sys
            from pathlib import Path
            from hearts_net.host.folder import TableFolder
            from hearts_net.host.store import Store
            from hearts_net.host.errors import StoreError
            try:
                Store.open(TableFolder(Path(sys.argv[1])))
            except StoreError as error:
                print(error.code)
            """,
            folder.path,
        )
        assert other.stdout.strip() == StoreCode.LOCKED, other.stderr
        assert folder.is_running()
    assert not folder.is_running()


@contextlib.contextmanager
def looked_at_all_the_time(folder: TableFolder) -> Iterator[None]:
    """Have somebody else look whether the table runs, without end."""
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            folder.is_running()

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield
    finally:
        done.set()
        looking.join()


def test_somebody_who_looks_whether_it_runs_is_in_nobodys_way(folder: TableFolder) -> None:
    folder.take().release()
    with looked_at_all_the_time(folder):
        for _ in range(50):
            folder.take().release()


def test_those_who_look_whether_it_runs_are_not_taken_for_the_table(folder: TableFolder) -> None:
    folder.take().release()
    folder.open.touch()
    with looked_at_all_the_time(folder):
        seen = {folder.has_died() for _ in range(300)}
    assert seen == {True}


def test_what_was_appended_survives_a_kill(folder: TableFolder) -> None:
    child = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent(
                """
                import sys
                from pathlib import Path
                from hearts_net.host.folder import TableFolder
                from hearts_net.host.store import Store
                store = Store.open(TableFolder(Path(sys.argv[1])))
                number = 1
                while True:
                    store.append(number, [b'{"n":%d}' % number], sync=number % 20 == 0)
                    print(number, flush=True)
                    number += 1
                """
            ),
            str(folder.path),
        ],
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    told = 0
    while told < 100:
        told = int(child.stdout.readline())
    child.kill()
    child.wait()
    told = max([told, *map(int, child.stdout.read().split())])
    child.stdout.close()
    with opened(folder) as store:
        found = list(store.entries())
    assert len(found) in (told, told + 1)
    assert found == [b'{"n":%d}' % number for number in range(1, len(found) + 1)]


def test_a_newer_store_is_left_untouched(folder: TableFolder) -> None:
    with opened(folder) as store:
        store.append(1, [ONE])
    with contextlib.closing(sqlite3.connect(folder.store)) as link:
        link.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        link.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    before = everything_in(folder.path)
    with pytest.raises(StoreError) as caught:
        Store.open(folder)
    assert caught.value.code == StoreCode.NEWER
    assert caught.value.detail["found"] == SCHEMA_VERSION + 1
    assert everything_in(folder.path) == before
    assert not folder.is_running()


def scribble(path: Path) -> None:
    path.write_bytes(b"these are not the cards you are looking for" * 99)


def page_size(body: bytes | bytearray) -> int:
    return int.from_bytes(body[16:18], "big")


def cut(path: Path) -> None:
    body = path.read_bytes()
    path.write_bytes(body[: page_size(body) + 100])


def scratch_pages(path: Path) -> None:
    body = bytearray(path.read_bytes())
    page = page_size(body)
    body[page:] = os.urandom(len(body) - page)
    path.write_bytes(bytes(body))


def take_a_row_out(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as link:
        link.execute("DELETE FROM entries WHERE n = 2")
        link.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def another_programs_file(path: Path) -> None:
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as link:
        link.execute("CREATE TABLE bookmarks (url)")
        link.commit()


@pytest.mark.parametrize(
    "damage", [scribble, cut, scratch_pages, take_a_row_out, another_programs_file]
)
def test_a_damaged_store_is_set_aside_never_overwritten(
    folder: TableFolder, damage: Callable[[Path], None]
) -> None:
    with opened(folder) as store:
        store.append(1, [ONE, TWO, THREE])
    damage(folder.store)
    body = folder.store.read_bytes()
    with pytest.raises(StoreError) as caught:
        Store.open(folder)
    assert caught.value.code == StoreCode.DAMAGED
    kept = Path(str(caught.value.detail["kept"]))
    assert kept.read_bytes() == body
    assert not folder.store.exists()
    with opened(folder) as store:  # a fresh one, beside what was kept
        assert list(store.entries()) == []
    assert kept.read_bytes() == body


def test_a_damaged_store_keeps_its_log_too(folder: TableFolder) -> None:
    with opened(folder) as store:
        store.append(1, [ONE])
        wal = folder.store.with_name(folder.store.name + "-wal")
        shutil.copy(wal, folder.path / "copy")
    shutil.move(folder.path / "copy", wal)
    log = wal.read_bytes()
    scribble(folder.store)
    with pytest.raises(StoreError) as caught:
        Store.open(folder)
    kept = Path(str(caught.value.detail["kept"]))
    assert kept.with_name(kept.name + "-wal").read_bytes() == log


def test_an_empty_file_has_lost_everything_and_is_no_new_store(folder: TableFolder) -> None:
    folder.store.touch()
    for read in (read_header, read_journal):
        with pytest.raises(StoreError) as caught:
            read(folder.store)
        assert caught.value.code == StoreCode.DAMAGED
    with pytest.raises(StoreError) as caught:
        Store.open(folder)
    assert caught.value.code == StoreCode.DAMAGED
    assert Path(str(caught.value.detail["kept"])).exists()


@pytest.mark.parametrize("killed_at", ["_set_aside", "rename"])
def test_a_store_that_was_being_written_anew_is_taken_up_whole(
    folder: TableFolder, monkeypatch: pytest.MonkeyPatch, killed_at: str
) -> None:
    class KilledError(BaseException):
        pass

    def die(*_: object) -> None:
        raise KilledError

    store = Store.open(folder)
    store.append(1, [ONE, TWO])
    for left in folder.path.glob("table.sqlite3*"):
        if left.suffix != ".sqlite3-wal":
            left.unlink()
    with pytest.raises(StoreError):
        store.check()
    where = "hearts_net.host.store._set_aside" if killed_at == "_set_aside" else "os.rename"
    monkeypatch.setattr(where, die)
    with pytest.raises(KilledError):
        store.append(3, [THREE])
    monkeypatch.undo()
    store._lock.release()
    again = Store.open(folder, make=False)
    assert list(again.entries()) == [ONE, TWO]
    again.append(3, [THREE])
    again.close()
    assert read_journal(folder.store) == [ONE, TWO, THREE]
    store._file.close()


def test_a_table_without_its_store_is_no_new_table(folder: TableFolder) -> None:
    with opened(folder) as store:
        store.append(1, [ONE])
    folder.store.unlink()
    folder.store.with_name("draft.sqlite3").write_bytes(b"SQLite format 3\0 and no more")
    before = everything_in(folder.path)
    with pytest.raises(StoreError) as caught:
        Store.open(folder, make=False)
    assert caught.value.code == StoreCode.MISSING
    assert everything_in(folder.path) == before
    assert not folder.is_running()


OPEN_AS_NOBODY = """
    import os, sys
    from pathlib import Path
    from hearts_net.host.errors import StoreError
    from hearts_net.host.folder import TableFolder
    from hearts_net.host.store import Store
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    try:
        Store.open(TableFolder(Path(sys.argv[1])))
    except StoreError as error:
        print(error.code)
    """


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs POSIX permissions")
@pytest.mark.parametrize("which", ["folder", "file", "lock"])
def test_what_may_not_be_written_is_a_typed_error(tmp_path: Path, which: str) -> None:
    folder = TableFolder(tmp_path / "0123456789ab")
    folder.path.mkdir()
    with opened(folder) as store:
        store.append(1, [ONE])
    owner = os.getuid() or 65534
    for each in (*tmp_path.parents, tmp_path):
        if each.stat().st_uid == os.getuid() and str(each).startswith("/tmp/"):
            each.chmod(0o755)
    for each in (folder.path, folder.store, folder.lock):
        os.chown(each, owner, -1)
    denied = {"folder": folder.path, "file": folder.store, "lock": folder.lock}[which]
    denied.chmod(0o555 if which == "folder" else 0o444)
    before = everything_in(folder.path)
    done = in_another_process(OPEN_AS_NOBODY, folder.path)
    denied.chmod(0o755)
    assert done.stdout.strip() == StoreCode.UNWRITABLE, done.stderr
    assert {name: before[name] for name in before} == {
        name: body for name, body in everything_in(folder.path).items() if name in before
    }


FILL = """
    import resource, sys
    from pathlib import Path
    from hearts_net.host.errors import StoreError
    from hearts_net.host.folder import TableFolder
    from hearts_net.host.store import Store
    store = Store.open(TableFolder(Path(sys.argv[1])))
    limit = int(sys.argv[2])
    most = resource.RLIM_INFINITY
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
    number = 1
    try:
        while number < 5000:
            store.append(number, [b'{"n":"%s"}' % (b"x" * 500)])
            number += 1
    except StoreError as error:
        print(error.code, number - 1)
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    else:
        Path(sys.argv[1], "ballast").unlink()
    store.append(number, [b'{"n":"room again"}'])
    store.close()
    """


def check_after_a_full_disk(folder: TableFolder, done: subprocess.CompletedProcess[str]) -> str:
    """What was accepted is there, what was refused is not, and it went on once there was room."""
    assert done.returncode == 0, done.stderr
    code, told = done.stdout.split()
    with opened(folder) as store:
        entries = list(store.entries())
    assert len(entries) == int(told) + 1 > 100
    assert entries[-1] == b'{"n":"room again"}'
    return code


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_file_that_may_grow_no_more_loses_nothing_told(folder: TableFolder) -> None:
    done = in_another_process(FILL, folder.path, 1_000_000)
    assert check_after_a_full_disk(folder, done) in (StoreCode.FULL, StoreCode.FAILED)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root on Linux only")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_said_and_loses_nothing_told(small_disk: Path) -> None:
    folder = new_table_folder(small_disk / "tables")
    (folder.path / "ballast").write_bytes(b"\0" * 1_000_000)
    done = in_another_process(FILL, folder.path, 0)
    assert check_after_a_full_disk(folder, done) == StoreCode.FULL


# ---- damaged or gone while it is in use ----------------------------------------------------------


def remove(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    os.truncate(path, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file stays where it is")
@pytest.mark.parametrize("damage", [scribble, remove, empty, another_programs_file])
def test_a_store_damaged_in_use_is_set_aside_and_written_anew(
    folder: TableFolder, damage: Callable[[Path], None]
) -> None:
    with opened(folder) as store:
        store.append(1, [ONE, TWO])
        store.set_fact("ports", "1 2")
        store.check()
        damage(folder.store)
        body = folder.store.read_bytes() if folder.store.exists() else None
        with pytest.raises(StoreError) as caught:
            store.check()
        assert caught.value.code == StoreCode.DAMAGED
        store.check()  # said once
        store.append(3, [THREE])
        store.check()
        kept = [
            path.read_bytes()
            for path in folder.path.glob("table.sqlite3.damaged-*")
            if not path.name.endswith(("-wal", "-shm"))
        ]
        assert kept == ([] if body is None else [body])
        assert read_journal(folder.store) == [ONE, TWO, THREE]
    with opened(folder) as store:
        assert list(store.entries()) == [ONE, TWO, THREE]
        assert store.fact("ports") == "1 2"
    assert [path.name for path in folder.path.glob("draft*")] == []


@pytest.mark.skipif(sys.platform == "win32", reason="an open file stays where it is")
def test_a_later_versions_store_in_its_place_is_left_there(
    folder: TableFolder, tmp_path: Path
) -> None:
    other = new_table_folder(tmp_path / "others")
    with opened(other) as store:
        store.append(1, [ONE])
    with contextlib.closing(sqlite3.connect(other.store)) as link:
        link.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        link.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    body = other.store.read_bytes()
    with opened(folder) as store:
        store.append(1, [ONE])
        os.replace(other.store, folder.store)
        with pytest.raises(StoreError) as caught:
            store.check()
        assert caught.value.code == StoreCode.NEWER
        for _ in range(2):
            with pytest.raises(StoreError) as caught:
                store.append(2, [TWO])
            assert caught.value.code == StoreCode.NEWER
        assert folder.store.read_bytes() == body
        os.replace(folder.store, tmp_path / "away")
        store.append(2, [TWO])
        assert read_journal(folder.store) == [ONE, TWO]
    assert (tmp_path / "away").read_bytes() == body


def test_what_was_kept_back_for_long_is_written_at_once(folder: TableFolder) -> None:
    many = [b'{"n":%d}' % number for number in range(2, 10_002)]
    with opened(folder) as store:
        store.append(1, [ONE])
        store.append(2, many, sync=True)
        store.append(10_002, [TWO])
    with opened(folder) as store:
        assert list(store.entries()) == [ONE, *many, TWO]


def test_what_asks_for_it_is_synced_and_nothing_else_is(folder: TableFolder) -> None:
    with opened(folder) as store:
        said: list[str] = []
        store._link.set_trace_callback(said.append)
        store.append(1, [ONE])
        store.append(2, [TWO], sync=True)
        store.append(3, [THREE])
    words = [" ".join(line.split()[:4]) for line in said if "checkpoint" not in line]
    assert words == [
        "INSERT INTO entries VALUES",
        "PRAGMA synchronous = FULL",
        "INSERT INTO entries VALUES",
        "PRAGMA synchronous = NORMAL",
        "INSERT INTO entries VALUES",
    ]


# ---- folders -------------------------------------------------------------------------------------


def running(folder: TableFolder) -> Running:
    return Running(
        folder.table_id, folder.path, os.getpid(), 1, 2, "k" * 40, "attic", "hearts://…", True
    )


def test_a_table_runs_while_its_lock_is_held_and_not_longer(tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    folder = new_table_folder(tables)
    assert find_running(tables) == []
    with opened(folder):
        assert find_running(tables) == []  # not ready yet
        folder.announce(running(folder))
        assert find_running(tables) == [running(folder)]
        assert folder.running.stat().st_mode & 0o077 == 0
    assert folder.running.exists()  # as after a kill
    assert find_running(tables) == []
    with opened(folder):
        assert find_running(tables) == []  # the killed one's word is gone


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"pid": "x"}', b"\xff\xfe"])
def test_a_bad_running_file_is_no_running_table(folder: TableFolder, body: bytes) -> None:
    with opened(folder):
        folder.running.write_bytes(body)
        assert folder.read_running() is None


@pytest.mark.parametrize("name", ["", "..", "../../etc", "0123456789AB", "nope", "0123456789ab"])
def test_only_a_tables_own_folder_is_one(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError) as caught:
        table_folder(tmp_path, name)
    assert caught.value.code == StoreCode.MISSING


def test_the_table_used_last_comes_first(tmp_path: Path) -> None:
    first, second = new_table_folder(tmp_path), new_table_folder(tmp_path)
    (tmp_path / "not-a-table").mkdir()
    for folder, age in ((first, 100), (second, 200)):
        with opened(folder):
            pass
        for path in (folder.store, folder.lock):
            os.utime(path, (2_000_000_000 - age, 2_000_000_000 - age))
    assert table_folders(tmp_path) == [first, second]
    assert table_folder(tmp_path, second.table_id) == second
    assert table_folders(tmp_path / "missing") == []
