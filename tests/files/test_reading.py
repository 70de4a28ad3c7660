"""Files that come from anybody are read without waiting, acting or unpacking more than they should hold."""

from __future__ import annotations

import os
import tracemalloc
import zipfile
from io import BytesIO

import numpy as np
import pytest

from neural_physics.errors import Problem
from neural_physics.files import reading
from neural_physics.files.reading import NotReadable, Torn, map_array, read_arrays, read_bytes, read_json
from neural_physics.files.row_files import row_count

READERS = (map_array, read_arrays, read_json, lambda path: read_bytes(path, 10))


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "link to a device"])
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path, read, kind):
    path = tmp_path / "file"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "device":
            path = path.__class__("/dev/zero")
        case _:
            path.symlink_to("/dev/zero")
    with pytest.raises(NotReadable, match="not a file"):
        read(path)


def test_arrays_are_read_as_numpy_has_written_them(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {
        "floats": rng.normal(size=(3, 4)),
        "by_columns": np.asfortranarray(rng.normal(size=(3, 4, 2))),
        "none": np.empty((0, 3), np.float32),
        "scalar": np.array(True),
        "texts": np.array(["hips", "neck"]),
        "other_end": np.arange(5, dtype=">i4"),
    }
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "all.npz", **arrays)
        found = read_arrays(tmp_path / "all.npz")
        assert list(found) == list(arrays)
        for name, array in arrays.items():
            assert found[name].dtype == array.dtype and found[name].shape == array.shape
            np.testing.assert_array_equal(found[name], array)
            found[name][...] = array  # it can be written to
    assert list(read_arrays(tmp_path / "all.npz", ["none", "missing"])) == ["none"]
    np.save(tmp_path / "one.npy", arrays["by_columns"])
    np.testing.assert_array_equal(map_array(tmp_path / "one.npy"), arrays["by_columns"])


def test_a_few_kilobytes_do_not_unpack_to_gigabytes(tmp_path):
    np.savez_compressed(tmp_path / "bomb.npz", zeros=np.zeros(30_000_000, np.uint8))
    assert (tmp_path / "bomb.npz").stat().st_size < 50_000
    with pytest.raises(NotReadable, match="far more"):
        read_arrays(tmp_path / "bomb.npz")


@pytest.mark.parametrize("shape", ["(10**12,)", "(-1,)", "(2**40, 2**40)", "(3, -8)"])
def test_the_shape_in_a_header_is_believed_only_as_far_as_the_data_goes(tmp_path, shape):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape.replace('10**12', str(10**12))}, }}"
    text = text.replace("2**40", str(2**40))
    header = b"\x93NUMPY\x01\x00" + (len(text) + 1).to_bytes(2, "little") + text.encode() + b"\n"
    (tmp_path / "array.npy").write_bytes(header + bytes(64))
    with pytest.raises(NotReadable, match="cut short"):
        map_array(tmp_path / "array.npy")
    with zipfile.ZipFile(tmp_path / "arrays.npz", "w") as archive:
        archive.writestr("array.npy", header + bytes(64))
    with pytest.raises(NotReadable, match="cut short"):
        read_arrays(tmp_path / "arrays.npz")


def test_a_header_of_gigabytes_is_not_read(tmp_path):
    """NumPy reads all that it claims to be, and only then finds it too long."""
    path = tmp_path / "a.npy"
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x02\x00" + (1 << 30).to_bytes(4, "little"))
        file.truncate(1 << 31)  # on disk next to nothing
    tracemalloc.start()
    with pytest.raises(NotReadable, match="header"):
        map_array(path)
    with pytest.raises(Problem, match="header"):
        row_count(path, 3)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1 << 20


def test_an_archive_of_holes_is_not_read(tmp_path, monkeypatch):
    """Stored as they are, zeros take no more room unpacked than packed, and none on disk."""
    monkeypatch.setattr(reading, "LARGEST_HOLE", 1 << 20)
    path, array = tmp_path / "a.npz", np.zeros(1 << 20, np.float32)
    np.savez(path, array)
    assert read_arrays(path)["arr_0"].size == array.size
    with path.open("r+b") as file:  # all but its ends
        data, size = file.read(), path.stat().st_size
        file.truncate(0)
        file.write(data[:4096])
        file.seek(size - 4096)
        file.write(data[-4096:])
    with pytest.raises(NotReadable, match="not there"):
        read_arrays(path)


def test_python_objects_are_not_loaded(tmp_path):
    np.savez(tmp_path / "objects.npz", them=np.array([{}], object))
    with pytest.raises(NotReadable, match="Python objects"):
        read_arrays(tmp_path / "objects.npz")


def test_an_archive_that_is_torn_packed_otherwise_or_encrypted_is_not_readable(tmp_path):
    path = tmp_path / "arrays.npz"
    np.savez_compressed(path, array=np.random.default_rng(0).normal(size=1000))
    whole = path.read_bytes()
    for torn in (whole[:-30], whole[:200] + bytes(200) + whole[400:], b"PK\x05\x06"):
        path.write_bytes(torn)
        with pytest.raises(Torn):
            read_arrays(path)
    for other in (b"", b"text of somebody"):
        path.write_bytes(other)
        with pytest.raises(NotReadable) as raised:
            read_arrays(path)
        assert not isinstance(raised.value, Torn)
    data = BytesIO()
    np.save(data, np.zeros(10))
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("array.npy", data.getvalue())
        with pytest.raises(NotReadable, match="another way"):
            read_arrays(path)


def test_json_is_bounded_in_size_and_depth(tmp_path):
    (tmp_path / "large.json").write_text("[" + "0," * 1000 + "0]")
    with pytest.raises(NotReadable, match="larger"):
        read_json(tmp_path / "large.json", 100)
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(ValueError):
        read_json(tmp_path / "deep.json")
    (tmp_path / "text.json").write_bytes(b'{"name": "\xc3\xa4"}')
    assert read_json(tmp_path / "text.json") == {"name": "ä"}
