import errno
from pathlib import Path

import numpy as np
import pytest

from learning.training.tensor_files import read_tensors, write_tensors
from neural_physics.errors import Problem
from neural_physics.files import reading

OLD, NEW = ({"a": np.arange(n, dtype=np.float32)} for n in (3, 5))


def test_what_is_written_is_read(tmp_path):
    write_tensors(tmp_path / "f", NEW, {"note": "hello"})
    tensors, metadata = read_tensors(tmp_path / "f")
    assert np.array_equal(tensors["a"], NEW["a"])
    assert metadata == {"note": "hello"}


def test_what_is_written_is_read_by_the_library_and_what_that_writes_is_read(tmp_path):
    library = pytest.importorskip("safetensors.numpy")
    kinds = (np.float64, np.float32, np.float16, np.int64, np.int32, np.uint8, np.bool_)
    tensors = {kind.__name__: np.arange(6).astype(kind).reshape(2, 3) for kind in kinds}
    tensors |= {"one": np.array(3, np.float32), "none": np.empty((0, 4)), "turned": np.eye(3, 2)[:, ::-1].T}
    write_tensors(tmp_path / "ours", tensors, {"note": "façade"})
    # It does not look how an array lies in memory.
    whole = {name: array.copy() for name, array in tensors.items()}
    library.save_file(whole, tmp_path / "theirs", {"note": "façade"})
    ours, (theirs, about) = library.load_file(tmp_path / "ours"), read_tensors(tmp_path / "theirs")
    assert about == {"note": "façade"} and ours.keys() == theirs.keys() == tensors.keys()
    for name, array in tensors.items():
        for read in (ours[name], theirs[name]):
            assert read.dtype == array.dtype and np.array_equal(read, array)


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


def test_the_folder_of_a_training_that_was_exchanged_for_a_link_is_not_written_into(tmp_path):
    work, own = tmp_path / "work", tmp_path / "own"
    own.mkdir()
    (own / "checkpoint.safetensors").write_bytes(b"mine")
    write_tensors(work / "checkpoint.safetensors", OLD, {})
    work.rename(tmp_path / "aside")
    work.symlink_to(own)
    with pytest.raises(Problem) as caught:
        write_tensors(work / "checkpoint.safetensors", NEW, {})
    assert caught.value.code == "place_is_link" and (own / "checkpoint.safetensors").read_bytes() == b"mine"


def test_a_large_file_of_holes_is_not_read(tmp_path, monkeypatch):
    """A stranger's checkpoint takes next to nothing on disk, and says that it has gigabytes."""
    monkeypatch.setattr(reading, "LARGEST_HOLE", 1 << 20)
    path = tmp_path / "f"
    write_tensors(path, {"a": np.zeros(1 << 20, np.float32)}, {})
    assert read_tensors(path) is not None
    data = path.read_bytes()
    path.unlink()
    with path.open("wb") as file:
        file.write(data[:4096])
        file.truncate(len(data))
    if 512 * path.stat().st_blocks > len(data) // 64:
        pytest.skip("this disk keeps no holes")
    assert read_tensors(path) is None
