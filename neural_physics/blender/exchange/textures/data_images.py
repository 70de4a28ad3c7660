"""Images that hold numbers rather than colours: PNG of 16 bits, and EXR of single precision by Blender."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ....arrays import Floats
from ....errors import Problem
from ....pictures.png import write_png


def write_data_image(path: Path, pixels: NDArray[np.uint16] | Floats) -> None:
    """pixels (H, W, 3), the top row first: uint16 as PNG, float32 as EXR with an alpha of 1.

    No curve for colours changes a number. Raises OSError, and Problem("export_failed").
    """
    if pixels.dtype == np.uint16:
        with path.open("xb") as file:
            write_png(file, cast(NDArray[np.uint16], pixels))
    else:
        _write_exr(path, cast(Floats, pixels))


def _write_exr(path: Path, pixels: Floats) -> None:
    height, width, _ = pixels.shape
    values = np.ones((height, width, 4), np.float32)  # not all programs read images of three such channels
    values[..., :3] = pixels
    image = bpy.data.images.new(path.stem, width, height, alpha=True, float_buffer=True, is_data=True)
    scene = bpy.data.scenes.new(path.stem)
    try:
        image.pixels.foreach_set(values[::-1].reshape(-1))  # type: ignore[attr-defined]
        chosen = scene.render.image_settings
        chosen.file_format, chosen.color_mode, chosen.color_depth = "OPEN_EXR", "RGBA", "32"
        chosen.exr_codec = "ZIP"
        image.save_render(str(path), scene=scene)
    except RuntimeError as error:
        raise Problem("export_failed", path=path, reason=str(error).strip().rstrip(".")) from error
    finally:
        bpy.data.scenes.remove(scene)
        bpy.data.images.remove(image)
