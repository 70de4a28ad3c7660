import errno
from pathlib import Path

import numpy as np
import pytest

from ml_backend.training.tensor_files import read_tensors, write_tensors
from neural_physics.errors import Problem

pytestmark = pytest.mark.torch
OLD, NEW = ({"a": np.arange(n, dtype=np.float32)} for n in (3, 5))


def test_what_is_written_is_read(tmp_path):
    write_tensors(tmp_path / "f", NEW, {"note": "hello"})
    tensors, metadata = read_tensors(tmp_path / "f")
    assert np.array_equal(tensors["a"], NEW["a"])
    assert metadata == {"note": "hello"}


def test_a_full_disk_is_reported_and_leaves_the_old_file(tmp_path, monkeypatch):
    write_tensors(tmp_path / "f", OLD, {})
    opened = Path.open

    def full(self, *args, **kwargs):
        with opened(self, *args, **kwargs) as file:
            file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(Problem) as caught:
        write_tensors(tmp_path / "f", NEW, {})
    monkeypatch.undo()
    assert caught.value.code == "disk_full"
    assert np.array_equal(read_tensors(tmp_path / "f")[0]["a"], OLD["a"])
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_folder_that_may_not_be_written_is_reported():
    with pytest.raises(Problem) as caught:
        write_tensors(Path("/proc/nowhere/f"), NEW, {})
    assert caught.value.code == "folder_not_writable"


def test_a_torn_file_is_none(tmp_path):
    write_tensors(tmp_path / "f", NEW, {})
    (tmp_path / "f").write_bytes((tmp_path / "f").read_bytes()[:-1])
    assert read_tensors(tmp_path / "f") is None
    assert read_tensors(tmp_path / "missing") is None
