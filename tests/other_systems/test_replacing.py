"""Files and folders that somebody has open, as Windows refuses to replace, rename or delete them."""

from __future__ import annotations

import errno
import os
import threading
import time
from pathlib import Path

import pytest
from pretending import HeldFiles, loaded_on, module

from neural_physics.files import held_folders, replacing
from neural_physics.files.atomic import write_atomically
from neural_physics.files.below import remove_below, rename_below
from neural_physics.files.replacing import rename


@pytest.fixture
def held_files(monkeypatch) -> HeldFiles:
    monkeypatch.setattr(replacing, "LET_GO_WITHIN", 60.0)  # what lets go is a thread, on a busy machine
    monkeypatch.setattr(held_folders, "HOLDS_FOLDERS", False)
    return HeldFiles(monkeypatch)


def read_for(path: Path, seconds: float) -> None:
    """Have a file open for a while, as a panel or a virus scanner has."""
    reader = path.open("rb")
    threading.Timer(seconds, reader.close).start()


def test_a_file_that_is_read_for_a_moment_is_replaced_all_the_same(tmp_path, held_files):
    (tmp_path / "f").write_bytes(b"old")
    read_for(tmp_path / "f", 0.1)
    write_atomically(tmp_path / "f", b"new")
    assert (tmp_path / "f").read_bytes() == b"new" and held_files.refusals
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_file_that_is_not_let_go_stays_as_it_was_and_nothing_is_left_beside_it(
    tmp_path, held_files, monkeypatch
):
    monkeypatch.setattr(replacing, "LET_GO_WITHIN", 0.3)
    (tmp_path / "f").write_bytes(b"old")
    with (tmp_path / "f").open("rb") as reader, pytest.raises(PermissionError):
        write_atomically(tmp_path / "f", b"new")
    assert reader.closed and (tmp_path / "f").read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


@pytest.mark.parametrize(
    "act",
    [
        lambda folder: remove_below(folder.parent, folder),
        lambda folder: rename_below(folder.parent, folder, folder.with_name("moved")),
        lambda folder: rename(folder, folder.with_name("moved")),
    ],
)
def test_a_folder_waits_for_who_reads_a_file_in_it(tmp_path, held_files, act):
    take = tmp_path / "take"
    take.mkdir()
    (take / "positions.pc2").write_bytes(b"0")
    (take / "take.json").write_bytes(b"1")
    read_for(take / "positions.pc2", 0.1)
    act(take)
    assert not take.exists() and held_files.refusals


@pytest.mark.parametrize("number", [errno.EBUSY, errno.ETXTBSY])
def test_a_share_of_a_windows_server_is_waited_for_as_well(tmp_path, monkeypatch, number):
    path, replace = tmp_path / "f", os.replace
    answers = iter([OSError(number, "held")])

    def at_the_second_time(*paths):
        for error in answers:
            raise error
        replace(*paths)

    monkeypatch.setattr(os, "replace", at_the_second_time)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"


def test_where_a_folder_is_read_only_nobody_waits(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "rename", refuse)
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it waits for nothing"))
    with pytest.raises(PermissionError):
        rename(tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize("knows", [True, False])
def test_on_macos_the_disks_own_memory_is_written_out_where_the_file_system_can(tmp_path, monkeypatch, knows):
    asked, synced = [], []

    def ask(file, what):
        asked.append(what)
        if not knows:
            raise OSError(errno.ENOTSUP, "Operation not supported")

    flushing = loaded_on("darwin", "neural_physics.files.flushing", fcntl=module(fcntl=ask, F_FULLFSYNC=51))
    monkeypatch.setattr(os, "fsync", synced.append)
    flushing.flush(7)
    assert asked == [51] and synced == ([] if knows else [7])


def test_elsewhere_there_is_fsync(monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    loaded_on("win32", "neural_physics.files.flushing", fcntl=None).flush(7)
    assert synced == [7]
