"""While the animation plays, previewed objects are drawn from what goes to the graphics card alone."""

from __future__ import annotations

from math import radians

import bpy
import gpu
import numpy as np
import play_scenes
import pytest
import synthetic
from mathutils import Matrix

from neural_physics.blender.gpu.context import NoGPU
from neural_physics.blender.gpu.decoder import GpuDecoder
from neural_physics.blender.gpu.preview import View
from neural_physics.blender.playing import handlers, mesh_cache, playback, played_objects
from neural_physics.blender.playing.handlers import PLAYED
from neural_physics.blender.playing.output import previewing
from neural_physics.blender.playing.output.geometry_nodes import GROUP, find_modifier, read_positions
from neural_physics.blender.playing.preview_drawing import DRAWING, draw_previews
from neural_physics.blender.settings.properties import settings_of

pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("graphics")]

SIZE = 256
EYE = Matrix.Translation((0.0, -3.0, -0.5)) @ Matrix.Rotation(radians(90.0), 4, "X")
PROJECTION = Matrix.Diagonal((0.9, 0.9, -0.02, 1.0)) @ Matrix.Translation((0.0, 0.0, 50.0))
ATTRIBUTE_FRAME = 30


@pytest.fixture
def sheet():
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    bpy.context.view_layer.objects.active = sheet
    playback.attach(sheet)
    settings_of(sheet).use_preview = True
    yield sheet
    DRAWING.clear()


@pytest.fixture
def plays(monkeypatch):
    """As if the animation played in a window."""
    for module in (handlers, played_objects):
        monkeypatch.setattr(module, "animation_plays", lambda: True)
    scene = bpy.context.scene
    handlers.on_playback(scene, bpy.context.evaluated_depsgraph_get())


def session(sheet):
    return PLAYED.session_of(sheet)


def vertices_in_viewport(sheet):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return len(sheet.evaluated_get(depsgraph).data.vertices)


def silhouettes():
    """Of what Blender draws, and of what the preview draws: (SIZE, SIZE) bool each."""
    areas = bpy.context.window_manager.windows[0].screen.areas
    area = next(area for area in areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    space = area.spaces.active
    space.overlay.show_overlays = space.shading.show_object_outline = False
    offscreen = gpu.types.GPUOffScreen(SIZE, SIZE)
    scene, layer = bpy.context.scene, bpy.context.view_layer
    offscreen.draw_view3d(
        scene,
        layer,
        space,
        region,
        EYE.inverted(),
        PROJECTION,
        do_color_management=True,
        draw_background=False,
    )
    theirs = covered(offscreen)
    with offscreen.bind():
        gpu.state.active_framebuffer_get().clear(color=(0.0, 0.0, 0.0, 0.0), depth=1.0)
        draw_previews(View(EYE.inverted(), PROJECTION, SIZE, SIZE))
    return theirs, covered(offscreen)


def covered(offscreen):
    buffer = offscreen.texture_color.read()
    buffer.dimensions = SIZE * SIZE * 4
    return np.frombuffer(buffer, np.uint8).reshape(SIZE, SIZE, 4)[..., 3] > 127


def decoded_positions(sheet):
    """(V, 3) of the only object that is previewed."""
    silhouettes()
    ((_, decoded),) = DRAWING._made.values()
    return decoded.read_positions()[0]


def test_without_playing_the_mesh_is_on_show(sheet):
    bpy.context.scene.frame_set(10)
    assert not session(sheet).output.preview.on
    assert vertices_in_viewport(sheet) == 36
    theirs, ours = silhouettes()
    assert theirs.mean() > 0.05
    assert not ours.any()


def test_the_preview_has_the_mesh_silhouette_and_the_mesh_is_hidden(sheet, plays):
    for frame in (2, 17, 60):
        bpy.context.scene.frame_set(frame)
        assert vertices_in_viewport(sheet) == 0
        theirs, ours = silhouettes()
        assert not theirs.any()
        handlers.on_pause()
        bpy.context.view_layer.update()
        mesh, nothing = silhouettes()
        assert not nothing.any()
        assert mesh.mean() > 0.05
        assert (mesh != ours).mean() < 0.005
        handlers.on_playback(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def test_after_the_pause_the_mesh_is_what_playing_without_preview_shows(sheet, plays):
    frames = range(1, 41)
    for frame in frames:
        bpy.context.scene.frame_set(frame)
    handlers.on_pause()
    bpy.context.view_layer.update()
    paused = play_scenes.shown(sheet)
    settings_of(sheet).use_preview = False
    assert np.array_equal(paused, play_scenes.played(sheet, frames)[40])


def test_capsules_push_what_is_previewed(sheet, plays):
    ball = play_scenes.add_hand("Ball", seed=None)
    ball.location = (0.0, -0.1, -0.5)
    item = settings_of(sheet).capsules.add()
    item.source, item.start_radius, item.end_radius = ball, 0.25, 0.25
    settings_of(sheet).projection.depth_limit = 0.3
    bpy.context.scene.frame_set(25)
    made = decoded_positions(sheet).copy()
    handlers.on_pause()
    bpy.context.view_layer.update()
    shown = play_scenes.shown(sheet)
    assert np.abs(made - shown).max() < 1e-5
    settings_of(sheet).projection.enabled = False
    bpy.context.scene.frame_set(25)
    assert np.abs(play_scenes.shown(sheet) - shown).max() > 0.02


def test_another_reference_frame_is_followed():
    play_scenes.open_scene()
    rig = play_scenes.add_hand("Rig", seed=5)
    sheet = play_scenes.add_sheet(play_scenes.add_hand(), reference_frame="Rig")
    playback.attach(sheet)
    settings_of(sheet).use_preview = True
    handlers.on_playback(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    bpy.context.scene.frame_set(33)
    assert rig.location.length > 0.1
    _, ours = silhouettes()
    handlers.on_pause()
    bpy.context.view_layer.update()
    mesh, _ = silhouettes()
    assert (mesh != ours).mean() < 0.005
    DRAWING.clear()


def test_objects_that_share_a_model_are_decoded_at_once_each_in_its_quality(sheet, monkeypatch):
    hand = bpy.data.objects["Hand"]
    other = play_scenes.add_object("Other", synthetic.sheet_mesh())
    other.location = (0.2, 0.5, 0.1)
    settings = settings_of(other)
    settings.enabled = settings.use_preview = True
    settings.model = settings_of(sheet).model
    item = settings.interactions.add()
    item.name, item.object = "Hand", hand
    settings.bases_shown = 1
    playback.attach(other)
    calls = []
    decode = GpuDecoder.decode

    def counted(self, z, *args):
        calls.append(len(z))
        return decode(self, z, *args)

    monkeypatch.setattr(GpuDecoder, "decode", counted)
    handlers.on_playback(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    bpy.context.scene.frame_set(12)
    silhouettes()
    silhouettes()  # nothing has changed: nothing is decoded again
    assert calls == [2]
    ((_, decoded),) = DRAWING._made.values()
    made = decoded.read_positions().copy()
    handlers.on_pause()
    bpy.context.view_layer.update()
    for shape, obj in zip(made, (sheet, other), strict=True):
        assert np.abs(shape - play_scenes.shown(obj)).max() < 1e-5


def test_renders_show_the_mesh_while_it_is_previewed(sheet, plays):
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.render.engine, scene.cycles.samples = "CYCLES", 1
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.frame_set(20)
    poses = []

    def look(scene, depsgraph):
        if depsgraph.mode == "RENDER":
            poses.append(read_positions(sheet.data))

    bpy.app.handlers.frame_change_post.append(look)
    try:
        bpy.ops.render.render()
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    handlers.on_pause()
    bpy.context.view_layer.update()
    assert np.array_equal(poses[-1], play_scenes.shown(sheet))


def test_a_file_saved_meanwhile_shows_the_mesh_to_everybody(sheet, plays, tmp_path):
    bpy.context.scene.frame_set(ATTRIBUTE_FRAME)
    path = tmp_path / "saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    assert session(sheet).output.preview.on
    handlers.on_pause()
    bpy.context.view_layer.update()
    expected = play_scenes.shown(sheet)
    with bpy.data.libraries.load(str(path)) as (_, into):
        into.objects = ["Sheet"]
    (saved,) = into.objects
    assert find_modifier(saved).node_group.name.startswith(GROUP)
    assert "Hidden" not in find_modifier(saved).node_group.name
    assert np.array_equal(read_positions(saved.data), expected)


def test_baking_the_playback_bakes_what_the_mesh_shows(sheet, plays, tmp_path):
    mesh_cache.bake_playback(bpy.context.scene, sheet, tmp_path / "baked.pc2", 1, last=5)
    baked = np.fromfile(tmp_path / "baked.pc2", "<f4", offset=32).reshape(5, 36, 3)
    assert np.abs(baked[4] - baked[0]).max() > 1e-3


def unsettle(sheet, what):
    if what == "preview_modifiers":
        sheet.modifiers.new("Subdivision", "SUBSURF")
    elif what == "preview_mode":
        bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    else:
        for space in previewing.viewports():
            space.shading.type = "WIREFRAME"


@pytest.mark.parametrize("what", ["preview_modifiers", "preview_mode", "preview_shading"])
def test_where_a_preview_would_be_wrong_the_mesh_is_shown_with_a_warning(sheet, plays, what):
    bpy.context.scene.frame_set(5)
    assert vertices_in_viewport(sheet) == 0
    unsettle(sheet, what)
    assert PLAYED.previews_unsettled()
    handlers.settle_previews()
    bpy.context.view_layer.update()
    assert vertices_in_viewport(sheet) >= 36
    assert playback.status_of(sheet).warning.code == what


def test_a_graphics_card_that_fails_is_reported_and_the_mesh_plays_on(sheet, plays, monkeypatch):
    bpy.context.scene.frame_set(5)

    def fail(*_):
        raise NoGPU("gpu_failed", reason="it was unplugged")

    monkeypatch.setattr(GpuDecoder, "decode", fail)
    silhouettes()
    assert PLAYED.previews_unsettled()
    handlers.settle_previews()
    assert not PLAYED.previews_unsettled()
    assert playback.status_of(sheet).warning.code == "gpu_failed"
    for frame in (6, 7):
        bpy.context.scene.frame_set(frame)
        assert vertices_in_viewport(sheet) == 36
    expected = play_scenes.shown(sheet)
    settings_of(sheet).use_preview = False
    assert np.array_equal(play_scenes.played(sheet, range(1, 8))[7], expected)


def test_undoing_meanwhile_leaves_nothing_hidden(sheet, plays):
    bpy.context.preferences.edit.use_global_undo = True
    bpy.context.scene.frame_set(5)
    bpy.ops.ed.undo_push(message="before")
    bpy.data.objects["Hand"].location = (0.1, 0.2, 0.3)
    bpy.ops.ed.undo_push(message="moved")
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    assert vertices_in_viewport(bpy.data.objects["Sheet"]) == 36
