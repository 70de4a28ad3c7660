"""Digests of files: what is noticed of small ones, and of those that are only looked at in places."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from neural_physics.files.digests import BLOCK, PLACES, sampled_digest
from neural_physics.files.reading import NotReadable

WHOLE = BLOCK * PLACES  # bytes of the largest file that is read whole


def file_of(path: Path, size: int) -> Path:
    path.write_bytes(np.random.default_rng(size).bytes(size))
    return path


def flipped(path: Path, place: int) -> Path:
    with path.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1]))
    return path


@pytest.mark.parametrize("size", [0, 1, BLOCK, BLOCK + 1, WHOLE, 3 * WHOLE])
def test_a_copy_elsewhere_has_the_same_digest_whenever_it_was_written(tmp_path, size):
    path = file_of(tmp_path / "a", size)
    copy = Path(shutil.copy(path, tmp_path / "b"))
    os.utime(copy, (1.0, 1.0))
    assert sampled_digest(copy) == sampled_digest(path)


@pytest.mark.parametrize("place", [0, BLOCK - 1, BLOCK, WHOLE // 2, WHOLE - 1])
def test_any_byte_of_a_file_that_is_read_whole_is_noticed(tmp_path, place):
    path = file_of(tmp_path / "a", WHOLE)
    before = sampled_digest(path)
    assert sampled_digest(flipped(path, place)) != before


def test_of_larger_files_beginning_end_and_size_are_noticed(tmp_path):
    size = 3 * WHOLE
    path = file_of(tmp_path / "a", size)
    found = [sampled_digest(path)]
    found += [sampled_digest(flipped(path, place)) for place in (0, size - 1)]
    os.truncate(path, size - 1)
    assert len({*found, sampled_digest(path)}) == 4


def test_whatever_changes_a_run_as_long_as_the_distance_between_two_blocks_is_noticed(tmp_path):
    """As a simulation does that goes another way for a while."""
    size = 3 * WHOLE
    path = file_of(tmp_path / "a", size)
    before, run = sampled_digest(path), size // (PLACES - 1) + 1
    for start in range(0, size - run, run // 2):
        data = bytearray(path.read_bytes())
        data[start : start + run] = bytes(run)
        (tmp_path / "b").write_bytes(data)
        assert sampled_digest(tmp_path / "b") != before, start


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotReadable):
        sampled_digest(tmp_path / "pipe")
