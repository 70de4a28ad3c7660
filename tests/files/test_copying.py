"""Copying a folder while somebody writes there."""

from __future__ import annotations

import os
import threading

import pytest

from neural_physics.files.atomic import write_atomically
from neural_physics.files.copying import copy_living_folder


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
        copy_living_folder(living_folder, copy, last=("takes", "take.json"))
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
    copy_living_folder(folder, copy)
    assert [path.name for path in copy.iterdir()] == ["elsewhere"]
    assert (copy / "elsewhere").is_symlink()


def test_a_program_that_may_do_more_may_do_no_more_as_somebody_elses(tmp_path):
    """A program of an enemy's whose copy ran as whoever made it would let the enemy do all that he may."""
    folder, copy = tmp_path / "folder", tmp_path / "copy"
    folder.mkdir()
    (folder / "tool").write_bytes(b"program")
    (folder / "tool").chmod(0o6755)
    copy_living_folder(folder, copy)
    assert (copy / "tool").read_bytes() == b"program" and not (copy / "tool").stat().st_mode & 0o7111
