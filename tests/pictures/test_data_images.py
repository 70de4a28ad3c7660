"""Images of numbers against other readers: PNG by zlib, OpenEXR by its own library."""

from __future__ import annotations

import numpy as np
import pytest
from png_reader import read_png

from neural_physics.pictures.data_images import write_exr, write_png


@pytest.mark.parametrize("height, width", [(1, 1), (16, 3), (17, 40), (64, 33)])
def test_a_png_has_each_number(rng, tmp_path, height, width):
    pixels = rng.integers(0, 65536, (height, width, 3), dtype=np.uint16)
    done = []
    with (tmp_path / "a.png").open("wb") as file:
        write_png(file, pixels, done.append)
    assert (read_png(tmp_path / "a.png") == pixels).all()
    assert done == sorted(done) and done[-1] == height


@pytest.mark.parametrize("height, width", [(1, 1), (16, 3), (17, 40), (64, 33)])
@pytest.mark.parametrize("noise", [True, False])
def test_an_exr_has_each_number(rng, tmp_path, height, width, noise):
    library = pytest.importorskip("OpenEXR")
    pixels = rng.normal(size=(height, width, 3)).astype(np.float32) if noise else np.zeros((height, width, 3))
    with (tmp_path / "a.exr").open("wb") as file:
        write_exr(file, pixels.astype(np.float32), lambda _: None)
    read = library.File(str(tmp_path / "a.exr")).channels()["RGBA"].pixels
    assert read.dtype == np.float32 and (read[..., :3] == pixels).all() and (read[..., 3] == 1.0).all()
