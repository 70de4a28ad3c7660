"""Copying a folder while somebody writes there."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from neural_physics.errors import Problem
from neural_physics.files import held_folders
from neural_physics.files.atomic import write_atomically
from neural_physics.files.copying import copy_living_folder, copy_whole_folder
from neural_physics.files.held_folders import NEW, HeldFolder


@pytest.fixture
def living_folder(tmp_path):
    """A folder where somebody appends rows and says after each how many there are."""
    folder, over = tmp_path / "living", threading.Event()
    (folder / "takes").mkdir(parents=True)

    def write():
        count = 0
        with (folder / "takes" / "rows").open("ab", buffering=0) as rows:
            while not over.is_set():
                write_atomically(folder / "state", str(count).encode())
                rows.write(b"row.")
                count += 1
                write_atomically(folder / "takes" / "take.json", str(count).encode())

    writer = threading.Thread(target=write)
    writer.start()
    while not (folder / "takes" / "take.json").exists():
        pass
    yield folder
    over.set()
    writer.join()


def test_every_copy_is_whole_and_what_is_asked_for_last_is_no_older_than_the_rest(living_folder, tmp_path):
    for number in range(100):
        copy = tmp_path / str(number)
        copy_living_folder(
            living_folder, copy, folder_below=tmp_path, target_below=tmp_path, last=("takes", "take.json")
        )
        assert {path.name for path in copy.iterdir()} == {"state", "takes"}
        assert {path.name for path in (copy / "takes").iterdir()} == {"rows", "take.json"}
        rows = (copy / "takes" / "rows").stat().st_size // 4
        assert int((copy / "state").read_text()) <= rows
        # The writer says so after it has written; what it wrote just now may not be said yet.
        assert int((copy / "takes" / "take.json").read_text()) >= rows - 1


def test_what_is_half_written_or_no_file_stays_behind_and_links_stay_links(tmp_path):
    folder, copy = tmp_path / "folder", tmp_path / "copy"
    folder.mkdir()
    (folder / "take.json.new").write_text("{")
    os.mkfifo(folder / "pipe")
    (folder / "elsewhere").symlink_to(tmp_path, target_is_directory=True)
    copy_living_folder(folder, copy, folder_below=tmp_path, target_below=tmp_path)
    assert [path.name for path in copy.iterdir()] == ["elsewhere"]
    assert (copy / "elsewhere").is_symlink()


def test_a_program_that_may_do_more_may_do_no_more_as_somebody_elses(tmp_path):
    """A program of an enemy's whose copy ran as whoever made it would let the enemy do all that he may."""
    folder, copy = tmp_path / "folder", tmp_path / "copy"
    folder.mkdir()
    (folder / "tool").write_bytes(b"program")
    (folder / "tool").chmod(0o6755)
    copy_living_folder(folder, copy, folder_below=tmp_path, target_below=tmp_path)
    assert (copy / "tool").read_bytes() == b"program" and not (copy / "tool").stat().st_mode & 0o7111


@pytest.mark.parametrize("holds", [True, False])
@pytest.mark.parametrize("what", ["file", "folder", "copy"])
def test_nothing_is_written_through_links_that_are_put_into_the_copy_meanwhile(
    tmp_path, monkeypatch, what, holds
):
    monkeypatch.setattr(held_folders, "HOLDS_FOLDERS", holds)
    folder, copy, mine = (tmp_path / name for name in ("folder", "copy", "mine"))
    (folder / "inner").mkdir(parents=True)
    mine.mkdir()
    for path in (folder / "inner" / "a", folder / "inner" / "b"):
        path.write_text("theirs")
    (mine / "b").write_text("mine")
    really = shutil.copyfileobj

    def exchange_after(*words):
        really(*words)
        monkeypatch.setattr(shutil, "copyfileobj", really)
        if what == "file":
            (copy / "inner" / "b").symlink_to(mine / "b")
            return
        place = copy if what == "copy" else copy / "inner"
        place.rename(tmp_path / "was")
        (mine / "inner").mkdir()
        (mine / "b").replace(mine / "inner" / "b" if what == "copy" else mine / "c")
        place.symlink_to(mine, target_is_directory=True)

    monkeypatch.setattr(shutil, "copyfileobj", exchange_after)
    with suppress(Problem, OSError):
        copy_living_folder(folder, copy, folder_below=tmp_path, target_below=tmp_path)
    assert [path.read_text() for path in mine.rglob("*") if path.is_file()] == ["mine"]


def test_what_the_copy_has_no_place_for_is_not_left_out_in_silence(tmp_path, monkeypatch):
    """As Windows says of a path that is too long."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "take.json").write_text("{}")

    opened = HeldFolder.opened

    def refused(folder, name, flags):
        if flags == NEW:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        return opened(folder, name, flags)

    monkeypatch.setattr(HeldFolder, "opened", refused)
    with pytest.raises(FileNotFoundError):
        copy_living_folder(folder, tmp_path / "copy", folder_below=tmp_path, target_below=tmp_path)


def test_a_whole_folder_is_copied_with_all_that_is_in_it_or_not_at_all(tmp_path):
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "mine.new").write_text("mine")
    (folder / "link").symlink_to("inner")
    copy_whole_folder(folder, tmp_path / "copy", target_below=tmp_path)
    assert (tmp_path / "copy" / "inner" / "mine.new").read_text() == "mine"
    assert (tmp_path / "copy" / "link").readlink() == Path("inner")
    os.mkfifo(folder / "pipe")
    with pytest.raises(OSError, match="neither a file nor a folder"):
        copy_whole_folder(folder, tmp_path / "other", target_below=tmp_path)


@pytest.mark.parametrize("holds", [True, False])
def test_a_folder_further_up_that_is_exchanged_gets_nothing(tmp_path, monkeypatch, holds):
    """In which there is one that is called like the copy's."""
    monkeypatch.setattr(held_folders, "HOLDS_FOLDERS", holds)
    folder, copy, mine = (tmp_path / name for name in ("folder", "copy", "mine"))
    (folder / "inner").mkdir(parents=True)
    (mine / "inner").mkdir(parents=True)
    (folder / "inner" / "a").write_text("theirs")
    names = HeldFolder.names

    def exchange(held):
        found = names(held)
        if held.path == folder / "inner":
            monkeypatch.setattr(HeldFolder, "names", names)
            monkeypatch.setattr(HeldFolder, "opened", exchange_before(HeldFolder.opened))
        return found

    def exchange_before(really):
        def opened(held, name, flags):
            if flags == NEW and not copy.is_symlink():
                copy.rename(tmp_path / "was")
                copy.symlink_to(mine, target_is_directory=True)
            return really(held, name, flags)

        return opened

    monkeypatch.setattr(HeldFolder, "names", exchange)
    with suppress(Problem):
        copy_living_folder(folder, copy, folder_below=tmp_path, target_below=tmp_path)
    assert copy.is_symlink() and not list((mine / "inner").iterdir())
