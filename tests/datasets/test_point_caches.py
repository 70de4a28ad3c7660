"""PC2 and MDD: as other programs write and read them, Blender's Mesh Cache modifier among them."""

from __future__ import annotations

import os
import struct

import numpy as np
import pytest

from neural_physics.datasets.point_caches import read_mdd, read_pc2, write_pc2
from neural_physics.errors import Problem

FRAMES = np.random.default_rng(4).normal(size=(5, 7, 3)).astype(np.float32)


def pc2_bytes(frames: np.ndarray, count: int | None = None) -> bytes:
    """A PC2 written from the format's description alone."""
    head = b"POINTCACHE2\0" + struct.pack("<ii", 1, frames.shape[1]) + struct.pack("<ff", 0.0, 1.0)
    return head + struct.pack("<i", len(frames) if count is None else count) + frames.astype("<f4").tobytes()


def mdd_bytes(frames: np.ndarray) -> bytes:
    """An MDD written from the format's description alone."""
    times = [number / 24 for number in range(len(frames))]
    head = struct.pack(">ii", len(frames), frames.shape[1]) + struct.pack(f">{len(frames)}f", *times)
    return head + frames.astype(">f4").tobytes()


def test_pc2_is_written_byte_for_byte_as_described(tmp_path):
    write_pc2(tmp_path / "a.pc2", FRAMES)
    assert (tmp_path / "a.pc2").read_bytes() == pc2_bytes(FRAMES)


def test_pc2_and_mdd_of_other_programs_are_read(tmp_path):
    (tmp_path / "a.pc2").write_bytes(pc2_bytes(FRAMES))
    (tmp_path / "a.mdd").write_bytes(mdd_bytes(FRAMES))
    assert np.array_equal(read_pc2(tmp_path / "a.pc2"), FRAMES)
    assert np.array_equal(read_mdd(tmp_path / "a.mdd"), FRAMES)


@pytest.mark.parametrize("count", [0, 2, 99])
def test_pc2_holds_what_its_size_says_not_what_a_killed_writer_announced(tmp_path, count):
    (tmp_path / "a.pc2").write_bytes(pc2_bytes(FRAMES, count)[:-5])
    assert np.array_equal(read_pc2(tmp_path / "a.pc2"), FRAMES[:4])


@pytest.mark.parametrize(
    ("data", "read", "code"),
    [
        (b"", read_pc2, "cache_not_pc2"),
        (pc2_bytes(FRAMES)[:31], read_pc2, "cache_not_pc2"),
        (mdd_bytes(FRAMES), read_pc2, "cache_not_pc2"),
        (pc2_bytes(FRAMES).replace(b"POINTCACHE2", b"POINTCACHE3"), read_pc2, "cache_not_pc2"),
        (b"POINTCACHE2\0" + struct.pack("<iiffi", 1, -7, 0, 1, 5), read_pc2, "cache_not_pc2"),
        (b"", read_mdd, "cache_not_mdd"),
        (pc2_bytes(FRAMES), read_mdd, "cache_not_mdd"),
        (mdd_bytes(FRAMES)[:-1], read_mdd, "cache_not_mdd"),
        (mdd_bytes(FRAMES) + b"\0", read_mdd, "cache_not_mdd"),
        (struct.pack(">ii", 0, 0), read_mdd, "cache_not_mdd"),
        (struct.pack(">ii", -1, 7), read_mdd, "cache_not_mdd"),
    ],
)
def test_files_that_are_not_caches_are_refused(tmp_path, data, read, code):
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(Problem) as raised:
        read(tmp_path / "file")
    assert raised.value.code == code
    with pytest.raises(Problem) as raised:
        read(tmp_path / "missing")
    assert raised.value.code == "file_missing"


@pytest.mark.blender
@pytest.mark.parametrize("form", ["PC2", "MDD"])
def test_blenders_mesh_cache_modifier_plays_the_frames_exactly(tmp_path, form):
    bpy = pytest.importorskip("bpy")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    path = tmp_path / f"cache.{form.lower()}"
    if form == "PC2":
        write_pc2(path, FRAMES)
    else:
        path.write_bytes(mdd_bytes(FRAMES))
    mesh = bpy.data.meshes.new("Points")
    mesh.from_pydata(np.zeros((7, 3)).tolist(), [], [[0, 1, 2, 3, 4, 5, 6]])
    obj = bpy.data.objects.new("Points", mesh)
    bpy.context.scene.collection.objects.link(obj)
    modifier = obj.modifiers.new("Cache", "MESH_CACHE")
    modifier.cache_format, modifier.filepath, modifier.frame_start = form, str(path), 1
    for number in (0, 3, 1, 4, 2):
        bpy.context.scene.frame_set(1 + number)
        shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        found = np.empty(21, np.float32)
        shown.vertices.foreach_get("co", found)
        assert np.array_equal(found.reshape(7, 3), FRAMES[number])


@pytest.mark.parametrize("read", [read_pc2, read_mdd])
@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_folders_and_pipes_are_refused_and_not_waited_for(tmp_path, read, kind):
    path = tmp_path / "cache"
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    with pytest.raises(Problem) as raised:
        read(path)
    assert raised.value.code in ("cache_not_pc2", "cache_not_mdd")
