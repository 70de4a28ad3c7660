"""The viewport preview in Blender's own window: the picture is the mesh's, and the mesh is back at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from blender_window import Window
from test_playing_in_the_window import (
    BUILD,
    FOLDER,
    LAST,
    NAMES,
    WATCH,
    inputs,  # noqa: F401 (a fixture)
    play,
    played,
    render,
    stop_watching,
    watched,
)

pytestmark = [pytest.mark.window, pytest.mark.slow]

FRAME = 20
TOOLS, HEADERS = 130, 130  # pixels at a viewport's left and top, where Blender writes and draws its own

# One frame again and again, so that the picture stands still while the animation plays.
STAGE = """
scene.frame_set({frame})
scene.frame_start = scene.frame_end = {frame}
sheet.neural_physics.use_preview, sheet.neural_physics.show_captions = True, False
for polygon in sheet.data.polygons:
    polygon.use_smooth = True
area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
space, region = area.spaces.active, next(r for r in area.regions if r.type == "WINDOW")
space.shading.type, space.shading.light, space.shading.color_type = "SOLID", "STUDIO", "OBJECT"
space.shading.show_specular_highlight = space.shading.show_cavity = False
space.overlay.show_overlays = space.show_gizmo = {overlays}
space.show_region_ui = False
sheet.color = (0.9, 0.1, 0.1, 1.0)
cube = bpy.data.objects.get("Pillar")
if cube is None:
    cube = bpy.data.objects.new("Pillar", bpy.data.meshes.new("Pillar"))
    cube.data.from_pydata([(0, -1, -2), (0.1, -1, -2), (0.1, -1, 1), (0, -1, 1)], [], [(0, 1, 2, 3)])
    scene.collection.objects.link(cube)
cube.color = (0.1, 0.2, 0.9, 1.0)
for obj in bpy.context.view_layer.objects:
    obj.select_set(obj == sheet and {selected})
bpy.context.view_layer.objects.active = sheet
rv3d = region.data
rv3d.view_perspective = "PERSP"
rv3d.view_rotation = (0.7604, 0.6494, 0.0, 0.0)
rv3d.view_location, rv3d.view_distance = (0.0, 0.0, -0.5), 3.2
result = region.x, window.height - region.y - region.height, region.width, region.height
"""


HIDDEN = """
depsgraph = bpy.context.evaluated_depsgraph_get()
result = len(sheet.evaluated_get(depsgraph).data.vertices) == 0
"""

IN_AREA = """
area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
region = next(r for r in area.regions if r.type == "WINDOW")
with bpy.context.temp_override(window=window, area=area, region=region):
    {what}
"""


def do(window: Window, code: str, **values: object) -> object:
    values = {"folder": str(FOLDER), "last": LAST, "frame": FRAME, **values}
    return window.ask(NAMES + code.format(**values), timeout=120)


@pytest.fixture
def staged(window: Window, inputs) -> Iterator[Window]:  # noqa: F811
    do(window, BUILD, animated=True)
    yield window
    play(window, "cancel", "restore_frame=False")


def pictures(window: Window, name: str, **settings: object) -> tuple[np.ndarray, np.ndarray]:
    """The viewport (H, W, 3), 0 to 255, while it previews, and after the pause."""
    place = {"overlays": False, "selected": False, **settings}
    left, top, width, height = do(window, STAGE, **place)
    box = left + TOOLS, top + HEADERS, left + width, top + height
    play(window, "play")
    window.wait(lambda: do(window, "result = playback.status_of(sheet).previewed"), 30)
    assert do(window, HIDDEN)
    preview = _picture(window, f"preview_{name}", box)
    play(window, "cancel", "restore_frame=False")
    assert not do(window, "result = playback.status_of(sheet).previewed")
    mesh = _picture(window, f"preview_{name}_mesh", box)
    return preview, mesh


def _picture(window: Window, name: str, box: tuple[int, int, int, int]) -> np.ndarray:
    from PIL import Image  # not there where only the bpy module's tests run

    return np.asarray(Image.open(window.shot(name)).convert("RGB").crop(box), int)


def red(picture: np.ndarray) -> np.ndarray:
    return (picture[..., 0] > 1.5 * picture[..., 1]) & (picture[..., 0] > 40)


def test_the_silhouette_and_the_colours_are_the_mesh_s(staged: Window) -> None:
    preview, mesh = pictures(staged, "plain")
    assert red(mesh).mean() > 0.05
    assert (red(preview) != red(mesh)).mean() < 0.002
    both = red(preview) & red(mesh)
    assert np.median(np.abs(preview - mesh)[both].max(1)) < 12


def test_what_is_selected_has_a_rim_and_other_overlays_stay(staged: Window) -> None:
    preview, mesh = pictures(staged, "selected", overlays=True, selected=True)
    plain, _ = pictures(staged, "not_selected", overlays=True)
    assert (red(preview) != red(mesh)).mean() < 0.004
    orange = (preview[..., 0] > 200) & (preview[..., 1] > 120) & (preview[..., 2] < 110)
    assert 100 < orange.sum() < 5000
    rim = np.argwhere(np.abs(preview - plain).max(2) > 60)
    edge = np.argwhere(red(plain))
    assert (np.abs(rim.min(0) - edge.min(0)) <= 3).all()
    assert (np.abs(rim.max(0) - edge.max(0)) <= 3).all()


def test_every_viewport_shows_it_in_its_own_view(staged: Window) -> None:
    split = "bpy.ops.screen.area_split(direction='VERTICAL', factor=0.5)"
    do(staged, IN_AREA, what=split)
    try:
        do(
            staged,
            "others = [a for a in window.screen.areas if a.type == 'VIEW_3D']\n"
            "others[1].spaces.active.region_3d.view_rotation = (0.5, 0.5, 0.5, 0.5)",
        )
        preview, mesh = pictures(staged, "two_viewports")
        assert red(mesh).mean() > 0.02
        assert (red(preview) != red(mesh)).mean() < 0.002
    finally:
        do(staged, IN_AREA, what="bpy.ops.screen.area_close()")


def test_a_viewport_that_looks_at_something_else_alone_does_not_show_it(staged: Window) -> None:
    do(staged, STAGE, overlays=False, selected=False)
    do(
        staged,
        "sheet.select_set(False)\nbpy.data.objects['Pillar'].select_set(True)\n" + IN_AREA,
        what="bpy.ops.view3d.localview(frame_selected=False)",
    )
    try:
        preview, mesh = pictures(staged, "local_view")
        assert not red(mesh).any()
        assert not red(preview).any()
    finally:
        do(staged, IN_AREA, what="bpy.ops.view3d.localview(frame_selected=False)")


def test_another_shading_meanwhile_brings_the_mesh_back(staged: Window) -> None:
    do(staged, STAGE, overlays=False, selected=False)
    play(staged, "play")
    staged.wait(lambda: do(staged, "result = playback.status_of(sheet).previewed"), 30)
    shading = (
        "next(a for a in window.screen.areas if a.type == 'VIEW_3D').spaces.active.shading.type = {kind!r}"
    )
    do(staged, shading, kind="WIREFRAME")
    staged.wait(lambda: not do(staged, "result = playback.status_of(sheet).previewed"), 30)
    assert not do(staged, HIDDEN)
    do(staged, shading, kind="SOLID")
    staged.wait(lambda: do(staged, "result = playback.status_of(sheet).previewed"), 30)


def test_saving_meanwhile_saves_the_mesh(staged: Window) -> None:
    do(staged, STAGE, overlays=False, selected=False)
    play(staged, "play")
    staged.wait(lambda: do(staged, "result = playback.status_of(sheet).previewed"), 30)
    do(staged, "bpy.ops.wm.save_as_mainfile(filepath={folder!r} + '/previewed.blend', copy=True)")
    assert do(staged, "result = playback.status_of(sheet).previewed")
    play(staged, "cancel", "restore_frame=False")
    with_library = (
        "with bpy.data.libraries.load({folder!r} + '/previewed.blend') as (_, into):\n"
        "    into.objects = ['Sheet']\n"
        "result = next(m.node_group.name for m in into.objects[0].modifiers if m.type == 'NODES')\n"
        "bpy.data.objects.remove(into.objects[0])"
    )
    assert "Hidden" not in do(staged, with_library)


def test_the_card_decodes_for_the_mesh_in_real_playback_and_f12_does_without_it(staged: Window) -> None:
    expected = played(staged)
    do(staged, "sheet.neural_physics.decode_with = 'CARD'\nscene.render.use_motion_blur = False")
    made = played(staged)
    assert np.abs(made - expected).max() < 1e-5
    assert not np.array_equal(made, expected)  # the processor's would be equal to the last bit
    do(staged, "scene.frame_set(1)")
    do(staged, WATCH, mode="VIEWPORT")
    play(staged, "play")
    staged.wait(lambda: do(staged, "result = scene.frame_current > 15"), 60)
    play(staged, "cancel", "restore_frame=False")
    poses, threads = watched(staged)
    stop_watching(staged)
    assert all(threads)
    for (frame, _), pose in poses.items():
        assert np.abs(pose - expected[frame - 1]).max() < 1e-5
    do(staged, "scene.frame_set(30)")
    do(staged, WATCH, mode="RENDER")
    render(staged, animation=False)
    poses, threads = watched(staged)
    assert not any(threads)
    assert np.array_equal(poses[30, 0.0], expected[29])
    assert do(staged, "result = playback.status_of(sheet).warning") is None


TWINS = """
from bl_ext.user_default.neural_physics.neural_physics.blender.gpu.decoder import GpuDecoder
from bl_ext.user_default.neural_physics.neural_physics.models.decoding import LinearDecoder
from bl_ext.user_default.neural_physics.neural_physics.models.normals import regress_normals
rng = np.random.default_rng(0)
mean, directions = rng.uniform(-1.0, 1.0, ({vertices}, 3)), rng.normal(size=({vertices}, 3))
directions /= np.linalg.norm(directions, axis=1, keepdims=True)
mean, directions = mean.astype(np.float32), directions.astype(np.float32)
basis, q = (rng.standard_normal(({bases}, {vertices}, 3), np.float32) for _ in range(2))
for part in (basis, q):
    part *= np.float32(0.2 / {bases} ** 0.5)
z = rng.standard_normal(({instances}, {bases}), np.float32)
made = GpuDecoder("Sheet", mean, basis, (directions, q)).decode(z)
positions, normals = made.read_positions(), made.read_normals()
wrong = turned = 0.0
for instance in range(0, {instances}, 32):
    expected = LinearDecoder(mean, basis).decode(z[instance])
    wrong = max(wrong, float(np.abs(positions[instance] - expected).max()))
    apart = np.linalg.norm(normals[instance] - regress_normals(z[instance], directions, q), axis=1)
    turned = max(turned, float(apart.max()))
result = wrong, turned
"""


@pytest.mark.parametrize(
    ("vertices", "bases", "instances"),
    [
        *[(vertices, bases, 1) for vertices in (1, 2601) for bases in (64, 128, 256)],
        (1, 64, 256),
        (2601, 64, 256),
        (100_000, 64, 1),
        (100_000, 256, 1),
    ],
)
def test_the_window_s_card_makes_what_the_processor_makes(
    window: Window, vertices: int, bases: int, instances: int
) -> None:
    wrong, turned = do(window, TWINS, vertices=vertices, bases=bases, instances=instances)
    size = 2.0 * 3.0**0.5 if vertices > 1 else 1.0  # metres across
    assert wrong < 1e-5 * size
    assert turned < 1e-3  # a chord, which for such angles is the angle
