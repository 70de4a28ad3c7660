"""Capsules as they are drawn: where they are, from a known camera, and only when they are to be seen."""

from __future__ import annotations

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")
import gpu
from mathutils import Matrix
from scenes import add_cloth, add_empty, empty_scene

from neural_physics.blender.display import capsule_overlay
from neural_physics.blender.display.capsule_overlay import draw_capsules, shows_capsules
from neural_physics.blender.settings.properties import settings_of

pytestmark = pytest.mark.blender

SIZE = 200
# From above, four units to the picture's side.
FROM_ABOVE = Matrix.Diagonal((0.5, 0.5, -0.1, 1.0))


@pytest.fixture
def cloth():
    """An object half as large, with one upright and one lying capsule of radii 0.4 and 0.2 on an Empty."""
    empty_scene()
    obj = add_cloth()
    obj.scale = (0.5, 0.5, 0.5)
    stick = add_empty("Stick", (0.5, -0.5, 0.0))
    settings = settings_of(obj)
    settings.enabled = True
    item = settings.capsules.add()
    item.source, item.end, item.start_radius, item.end_radius = stick, (0.0, 1.0, 0.0), 0.4, 0.2
    return obj


def picture(obj):
    """(SIZE, SIZE) opacities, the first index along X, the second along Y."""
    bpy.context.view_layer.update()
    offscreen = gpu.types.GPUOffScreen(SIZE, SIZE)
    with offscreen.bind(), gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.state.active_framebuffer_get().clear(color=(0.0, 0.0, 0.0, 0.0), depth=1.0)
        gpu.matrix.load_matrix(Matrix.Identity(4))
        gpu.matrix.load_projection_matrix(FROM_ABOVE)
        draw_capsules(obj, bpy.context.evaluated_depsgraph_get(), (SIZE, SIZE), 1.5)
        buffer = gpu.state.active_framebuffer_get().read_color(0, 0, SIZE, SIZE, 4, 0, "FLOAT")
    buffer.dimensions = SIZE * SIZE * 4
    return np.array(buffer, np.float32).reshape(SIZE, SIZE, 4)[:, :, 3].T


@pytest.mark.usefixtures("graphics")
def test_outlines_are_drawn_where_the_capsule_is(cloth):
    drawn = np.argwhere(picture(cloth) > 0.1) * 4.0 / SIZE - 2.0
    # Around (0.5, -0.5) to (0.5, 0.5): seen from above, from -0.9 to 0.7 along Y.
    assert drawn.min(0) == pytest.approx([0.1, -0.9], abs=0.05)
    assert drawn.max(0) == pytest.approx([0.9, 0.7], abs=0.05)


@pytest.mark.usefixtures("graphics")
def test_nothing_is_drawn_of_a_capsule_whose_carrier_is_gone(cloth):
    bpy.data.objects.remove(bpy.data.objects["Stick"])
    assert not picture(cloth).any()


def test_capsules_show_only_where_there_are_some_and_they_are_wanted(cloth):
    assert shows_capsules(cloth)
    settings = settings_of(cloth)
    settings.projection.show = False
    assert not shows_capsules(cloth)
    settings.projection.show = True
    settings.capsules[0].enabled = False
    assert not shows_capsules(cloth)
    settings.capsules[0].enabled = True
    settings.projection.enabled = False
    assert not shows_capsules(cloth)


def test_without_a_window_nothing_is_registered():
    capsule_overlay.register()
    assert capsule_overlay._HANDLER.handle is None
    capsule_overlay.unregister()
