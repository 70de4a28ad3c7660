"""The preview shows what Blender's own solid viewport would show of the same shape."""

from __future__ import annotations

from math import radians

import bpy
import gpu
import numpy as np
import pytest
from mathutils import Matrix

from neural_physics.blender.gpu.decoder import GpuDecoder
from neural_physics.blender.gpu.preview import Preview, View

pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("graphics")]

SIZE = 256
EYE = Matrix.Translation((0.0, -6.0, 0.0)) @ Matrix.Rotation(radians(90.0), 4, "X")
NEAR, FAR = 0.1, 100.0
PERSPECTIVE = Matrix(
    (
        (2.5, 0.0, 0.0, 0.0),
        (0.0, 2.5, 0.0, 0.0),
        (0.0, 0.0, -(FAR + NEAR) / (FAR - NEAR), -2 * FAR * NEAR / (FAR - NEAR)),
        (0.0, 0.0, -1.0, 0.0),
    )
)
ORTHOGRAPHIC = Matrix.Diagonal((0.4, 0.4, -2 / (FAR - NEAR), 1.0)) @ Matrix.Translation(
    (0.0, 0.0, (FAR + NEAR) / 2)
)


class Stage:
    """A viewport of the file that is open, drawn without a window, in solid mode with nothing added."""

    def __init__(self):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        areas = bpy.context.window_manager.windows[0].screen.areas
        self._area = next(area for area in areas if area.type == "VIEW_3D")
        self._region = next(region for region in self._area.regions if region.type == "WINDOW")
        self._space = self._area.spaces.active
        shading = self._space.shading
        shading.type, shading.light, shading.color_type = "SOLID", "STUDIO", "OBJECT"
        shading.show_specular_highlight = shading.show_cavity = shading.show_object_outline = False
        self._space.overlay.show_overlays = False
        self.offscreen = gpu.types.GPUOffScreen(SIZE, SIZE)

    def workbench(self, projection=PERSPECTIVE):
        """Draw the scene; its picture (SIZE, SIZE, 4), 0 to 255."""
        self.offscreen.draw_view3d(
            bpy.context.scene,
            bpy.context.view_layer,
            self._space,
            self._region,
            EYE.inverted(),
            projection,
            do_color_management=True,
            draw_background=False,
        )
        return self.picture()

    def preview(self, preview, projection=PERSPECTIVE, clear=True, rim=False):
        """Draw the preview onto nothing, or onto what was drawn; the picture."""
        with self.offscreen.bind():
            if clear:
                gpu.state.active_framebuffer_get().clear(color=(0.0, 0.0, 0.0, 0.0), depth=1.0)
            preview.draw(View(EYE.inverted(), projection, SIZE, SIZE), rim=rim)
        return self.picture()

    def picture(self):
        buffer = self.offscreen.texture_color.read()
        buffer.dimensions = SIZE * SIZE * 4
        return np.frombuffer(buffer, np.uint8).reshape(SIZE, SIZE, 4).astype(int)


@pytest.fixture
def stage():
    return Stage()


def add_head():
    bpy.ops.mesh.primitive_monkey_add(rotation=(0.3, 0.2, 0.5))
    head = bpy.context.object
    head.color = (0.8, 0.3, 0.1, 1.0)
    for polygon in head.data.polygons:
        polygon.use_smooth = True
    bpy.context.view_layer.update()
    return head


def shape_of(obj):
    """Its vertices and normals as a model of one basis, which swells it, and no other motion."""
    count = len(obj.data.vertices)
    points, normals = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
    obj.data.vertices.foreach_get("co", points.reshape(-1))
    obj.data.vertex_normals.foreach_get("vector", normals.reshape(-1))
    return points, normals


def previewed(obj, z=((0.0,),), instance=0, with_normals=True):
    points, normals = shape_of(obj)
    turned = normals, np.zeros((1, *normals.shape), np.float32)
    decoder = GpuDecoder(obj.name, points, normals[None], turned if with_normals else None)
    return Preview(obj, decoder.decode(np.array(z, np.float32)), instance)


def covered(picture):
    return picture[..., 3] > 127


def difference(a, b):
    """The median over the pixels that both cover whole: Blender smoothes edges. 0 to 255."""
    both = (a[..., 3] > 250) & (b[..., 3] > 250)
    return np.median(np.abs(a - b)[both][:, :3].max(1))


def share_of_other_pixels(a, b):
    return (covered(a) != covered(b)).mean()


@pytest.mark.parametrize("projection", [PERSPECTIVE, ORTHOGRAPHIC], ids=["perspective", "orthographic"])
def test_the_silhouette_is_that_of_the_solid_viewport(stage, projection):
    head = add_head()
    theirs = stage.workbench(projection)
    ours = stage.preview(previewed(head), projection)
    assert covered(theirs).mean() > 0.05
    assert share_of_other_pixels(theirs, ours) < 0.01


def test_a_moved_shape_has_the_silhouette_of_the_moved_mesh(stage):
    head = add_head()
    swollen = previewed(head, z=[[0.0], [0.15]], instance=1)
    before = stage.workbench()
    points, normals = shape_of(head)
    head.data.vertices.foreach_set("co", (points + np.float32(0.15) * normals).reshape(-1))
    head.data.update()
    bpy.context.view_layer.update()
    theirs, ours = stage.workbench(), stage.preview(swollen)
    assert share_of_other_pixels(theirs, ours) < 0.01
    assert share_of_other_pixels(before, ours) > 0.01


def test_it_is_lit_and_coloured_like_the_solid_viewport(stage):
    head = add_head()
    theirs, ours = stage.workbench(), stage.preview(previewed(head))
    both = covered(theirs) & covered(ours)
    assert difference(theirs, ours) <= 2
    head.color = (0.1, 0.2, 0.9, 1.0)
    blue = stage.preview(previewed(head))
    assert (blue[both][:, 2] > blue[both][:, 0]).mean() > 0.99
    assert (ours[both][:, 2] < ours[both][:, 0]).mean() > 0.99


def test_a_flat_mesh_and_one_without_normals_are_lit_face_by_face(stage):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2)
    ball = bpy.context.object
    bpy.context.view_layer.update()
    theirs = stage.workbench()
    for with_normals in (False, True):
        assert difference(theirs, stage.preview(previewed(ball, with_normals=with_normals))) <= 2
    ball.data.shade_smooth()
    assert difference(theirs, stage.preview(previewed(ball))) > 3
    assert difference(theirs, stage.preview(previewed(ball, with_normals=False))) <= 2


def test_what_stands_in_front_hides_it_and_what_stands_behind_does_not(stage):
    head = add_head()
    bpy.ops.mesh.primitive_cube_add(size=0.7, location=(0.6, -0.9, 0.3))
    in_front = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(size=3.0, location=(0.0, 4.0, 0.0))
    for cube in (in_front, bpy.context.object):
        cube.color = (0.1, 0.3, 0.8, 1.0)
    preview = previewed(head)
    theirs = stage.workbench()
    head.hide_viewport = True
    stage.workbench()
    ours = stage.preview(preview, clear=False)
    reddish = [picture[..., 0] > picture[..., 2] for picture in (theirs, ours)]
    assert reddish[0].mean() > 0.03
    assert (reddish[0] != reddish[1]).mean() < 0.01


def test_the_selected_object_has_a_thin_rim_in_the_themes_colour(stage):
    head = add_head()
    preview = previewed(head)
    theme = bpy.context.preferences.themes[0].view_3d
    for selected, active, colour in (
        (True, True, theme.object_active),
        (True, False, theme.object_selected),
        (False, True, None),
    ):
        head.select_set(selected)
        bpy.context.view_layer.objects.active = head if active else None
        plain, rimmed = stage.preview(preview), stage.preview(preview, rim=True)
        changed = np.abs(plain - rimmed).max(-1) > 0
        if colour is None:
            assert not changed.any()
            continue
        assert 0.003 < changed.mean() < 0.05
        assert np.abs(rimmed[changed][:, :3] - 255 * np.array(colour)).max() < 3
        # Around it, and never on it.
        assert not (changed & covered(plain)).any()


def test_an_open_sheet_has_a_rim_too(stage):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4, rotation=(radians(80.0), 0.0, 0.3))
    preview = previewed(bpy.context.object)
    bpy.context.view_layer.update()
    plain, rimmed = stage.preview(preview), stage.preview(preview, rim=True)
    assert (np.abs(plain - rimmed).max(-1) > 0).mean() > 0.003


def test_one_preview_serves_several_viewports_of_a_frame(stage):
    preview = previewed(add_head())
    from_front = View(EYE.inverted(), PERSPECTIVE, SIZE // 2, SIZE // 2)
    above = Matrix.Translation((0.0, 0.0, 6.0)).inverted()
    from_above = View(above, PERSPECTIVE, SIZE // 2, SIZE // 2)

    def drawn(*places):
        with stage.offscreen.bind():
            gpu.state.active_framebuffer_get().clear(color=(0.0, 0.0, 0.0, 0.0), depth=1.0)
            for column, view in places:
                gpu.state.viewport_set(column * SIZE // 2, 0, SIZE // 2, SIZE // 2)
                preview.draw(view)
        return stage.picture()

    both = drawn((0, from_front), (1, from_above))
    one, other = drawn((0, from_front)), drawn((1, from_above))
    half = SIZE // 2
    assert np.array_equal(both[:, :half], one[:, :half]) and np.array_equal(both[:, half:], other[:, half:])
    assert covered(one).any() and (covered(one)[:half, :half] != covered(other)[:half, half:]).mean() > 0.01


def test_drawing_leaves_the_state_as_it_was(stage):
    preview = previewed(add_head())
    gpu.state.depth_test_set("NONE")
    gpu.state.depth_mask_set(False)
    gpu.state.blend_set("ALPHA")
    try:
        stage.preview(preview)
        assert gpu.state.depth_test_get() == "NONE"
        assert gpu.state.blend_get() == "ALPHA" and not gpu.state.depth_mask_get()
    finally:
        gpu.state.blend_set("NONE")
        gpu.state.depth_mask_set(True)


def test_the_view_is_that_of_what_is_being_drawn(stage):
    with stage.offscreen.bind(), gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(EYE.inverted())
        gpu.matrix.load_projection_matrix(PERSPECTIVE)
        view = View.current()
    assert (view.width, view.height) == (SIZE, SIZE)
    assert np.allclose(view.view_from_world, EYE.inverted()) and np.allclose(view.clip_from_view, PERSPECTIVE)


def test_a_deleted_object_draws_nothing_and_another_mesh_is_refused(stage):
    head = add_head()
    preview = previewed(head)
    bpy.ops.mesh.primitive_cube_add()
    with pytest.raises(ValueError, match="vertices"):
        Preview(bpy.context.object, preview._decoded)
    bpy.data.objects.remove(head)
    assert not covered(stage.preview(preview, rim=True)).any()
