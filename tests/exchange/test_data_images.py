"""Images of numbers against other readers: PNG by pypng, OpenEXR by its own library."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from png_reader import read_png

from neural_physics.blender.exchange.textures.data_images import write_data_image
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender


def test_a_png_has_each_number_that_16_bits_have(rng, tmp_path):
    pixels = rng.permuted(np.arange(65536, dtype=np.uint16)).reshape(256, 256)
    pixels = np.stack([pixels, pixels[::-1], pixels[:, ::-1]], axis=-1)
    write_data_image(tmp_path / "a.png", pixels)
    assert (read_png(tmp_path / "a.png") == pixels).all()


@pytest.mark.parametrize("height, width", [(1, 1), (16, 3), (17, 40)])
def test_an_exr_has_each_number(rng, tmp_path, height, width):
    library = pytest.importorskip("OpenEXR")
    pixels = rng.random((height, width, 3), np.float32)
    write_data_image(tmp_path / "a.exr", pixels)
    read = library.File(str(tmp_path / "a.exr")).channels()["RGBA"].pixels
    assert read.dtype == np.float32 and (read[..., :3] == pixels).all() and (read[..., 3] == 1.0).all()


@pytest.mark.once
def test_where_it_cannot_be_written_that_is_a_sentence_and_nothing_is_left_in_blender(tmp_path):
    before = len(bpy.data.images), len(bpy.data.scenes)
    (tmp_path / "a.exr").mkdir()
    with pytest.raises(Problem, match=r"could not write .*a\.exr"):
        write_data_image(tmp_path / "a.exr", np.zeros((2, 2, 3), np.float32))
    assert (len(bpy.data.images), len(bpy.data.scenes)) == before
