"""What Blender's exporters write is not written through links that others have put in their way."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from neural_physics.blender.exchange.exporters import export_mesh, export_posed, export_scene
from neural_physics.blender.exchange.textures.data_images import write_data_image
from neural_physics.errors import Problem

pytestmark = [pytest.mark.blender, pytest.mark.once]

WAYS = {
    "a.abc": lambda path: export_scene(path, 1, 2),
    "a.usdc": lambda path: export_scene(path, 1, 2),
    "a.glb": export_mesh,
    "a.fbx": export_mesh,
    "b.fbx": export_posed,
    "a.exr": lambda path: write_data_image(path, np.zeros((2, 2, 3), np.float32)),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_link_in_the_place_of_a_file_is_replaced(name, tmp_path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_grid_add()
    own, path = tmp_path / "own", tmp_path / "out" / name
    path.parent.mkdir()
    own.write_text("mine")
    path.symlink_to(own)
    WAYS[name](path)
    assert own.read_text() == "mine" and path.stat().st_size > 100 and not path.is_symlink()
    if name == "a.abc":
        path.parent.rename(tmp_path / "aside")
        path.parent.symlink_to(tmp_path / "aside")
        with pytest.raises(Problem, match="is a link"):
            WAYS[name](path)
