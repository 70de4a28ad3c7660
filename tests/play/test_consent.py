"""What the artist has asked for holds for what was there; all waits where what writes on disk comes later."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import bpy
import play_scenes
import pytest
import synthetic

from neural_physics.blender.jobs import host
from neural_physics.blender.jobs.timers import in_window
from neural_physics.blender.playing import collision_suspension, consent, handlers, playback
from neural_physics.blender.playing.mesh_cache import bake_steps
from neural_physics.blender.playing.output import geometry_nodes
from neural_physics.blender.scene import simulation_caches
from neural_physics.blender.scene.animation import animated_paths
from neural_physics.blender.scene.scene_interaction import sample_steps
from neural_physics.blender.settings.properties import settings_of
from neural_physics.errors import Problem

pytestmark = pytest.mark.blender

DISK = 'modifiers["Cloth"].point_cache.use_disk_cache'


@pytest.fixture
def library(tmp_path):
    """Another file, with a cloth whose cache its keys bring onto the disk, and a sheet that plays."""
    play_scenes.open_scene()
    cloth = play_scenes.add_object("Prop", synthetic.sheet_mesh(4))
    cache = cloth.modifiers.new("Cloth", "CLOTH").point_cache
    for frame in (1, 5, 20):
        cache.use_disk_cache = frame == 5
        cloth.keyframe_insert(DISK, frame=frame)
    playback.attach(play_scenes.add_sheet(play_scenes.add_hand("Theirs", 1), "Their Sheet"))
    bpy.context.scene.frame_set(1)
    path = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.fixture
def sheet(library, tmp_path):
    """The artist's own, in a file of its own, which plays as they have asked."""
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "own.blend"))
    playback.go_on()
    playback.attach(sheet)
    return sheet


def visited(do):
    """The frames that Blender visits while something is done."""
    frames = []
    seen = lambda scene, *_: frames.append(scene.frame_current)  # noqa: E731
    bpy.app.handlers.frame_change_pre.append(seen)
    try:
        do()
    finally:
        bpy.app.handlers.frame_change_pre.remove(seen)
    return frames


def bring(library, names, *, link=False):
    with bpy.data.libraries.load(str(library), link=link) as (_, wanted):
        wanted.objects = list(names)
    for obj in wanted.objects:
        bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return wanted.objects


def jump(frame):
    return visited(lambda: bpy.context.scene.frame_set(frame))


@pytest.mark.parametrize("link", [False, True])
def test_nothing_is_shown_beside_what_comes_from_another_file_until_that_is_asked_for(sheet, library, link):
    """And frames are visited once nothing writes."""
    assert len(jump(30)) > 20, "as was asked for"
    bring(library, ["Prop"], link=link)
    assert playback.waits() and playback.status_of(sheet).warning.code == "play_waits"
    assert jump(60) == [60]
    playback.go_on()
    assert not playback.waits() and jump(90) == [90]
    assert playback.status_of(sheet).warning.code == "catch_up_needed"
    with pytest.raises(Problem) as caught:
        list(playback.catch_up(bpy.context.scene))
    assert caught.value.code == "visits_animated"
    bpy.data.batch_remove(ids=[bpy.data.objects["Prop"], *bpy.data.actions])
    assert len(jump(60)) > 20


def test_what_plays_and_comes_with_it_is_not_shown(sheet, library):
    _, _, theirs = bring(library, ["Prop", "Theirs", "Their Sheet"])
    saved = play_scenes.shown(theirs)
    bpy.context.scene.frame_set(2)
    bpy.data.objects["Hand"].location.x += 1.0
    bpy.context.view_layer.update()
    assert (play_scenes.shown(theirs) == saved).all() and playback.status_of(theirs).problem is None
    playback.go_on()
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(2)
    assert (play_scenes.shown(theirs) != saved).any()


def test_what_comes_and_writes_nothing_keeps_nobody_waiting(sheet, library):
    bring(library, ["Theirs", "Their Sheet"])
    assert not playback.waits() and len(jump(30)) > 20


def test_what_was_brought_back_by_a_redo_was_not_asked_for(sheet, library):
    bpy.ops.ed.undo_push(message="before")
    bring(library, ["Prop"])
    bpy.ops.ed.undo_push(message="came")
    bpy.ops.ed.undo()
    playback.go_on()
    assert not playback.waits()
    bpy.ops.ed.redo()
    assert "Prop" in bpy.data.objects and playback.waits()


def test_a_library_that_is_read_again_was_not_asked_for(sheet, library, tmp_path):
    """It may be another file by now, with as many things and other curves."""
    own = str(tmp_path / "own.blend")
    bpy.ops.wm.save_as_mainfile(filepath=own)
    bpy.ops.wm.open_mainfile(filepath=str(library))
    theirs = bpy.data.objects["Prop"]
    theirs.modifiers["Cloth"].point_cache.use_disk_cache = False
    bag = theirs.animation_data.action.layers[0].strips[0].channelbags[0]
    bag.fcurves[0].data_path = "location"
    harmless = tmp_path / "harmless.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(harmless), copy=True)
    bpy.ops.wm.open_mainfile(filepath=own)
    bring(harmless, ["Prop"], link=True)
    playback.go_on()
    assert playback.PLAYED.consent.may_visit and not playback.waits()
    harmless.write_bytes(library.read_bytes())
    bpy.data.libraries[0].reload()
    bpy.context.view_layer.update()
    assert playback.waits() and not playback.PLAYED.consent.may_visit
    assert jump(60) == [60]


def test_nothing_of_a_file_moves_where_it_cannot_be_told_what_it_writes(sheet, monkeypatch):
    def fails():
        raise RecursionError

    monkeypatch.setattr(consent, "what_writes", fails)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert playback.waits()


def test_nothing_of_a_file_moves_where_its_opening_ends_in_the_middle(sheet, monkeypatch):
    def fails():
        raise RuntimeError

    bpy.ops.wm.save_mainfile()
    monkeypatch.setattr(handlers.PLAYED, "rebuild", fails)
    monkeypatch.setattr(handlers.PLAYED.consent, "decide", fails)
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert playback.waits()


def test_a_file_that_cannot_be_opened_leaves_what_plays_playing(sheet, tmp_path):
    broken = tmp_path / "broken.blend"
    broken.write_bytes(b"BLENDER17-01v0500" + bytes(100))
    with pytest.raises(RuntimeError):
        bpy.ops.wm.open_mainfile(filepath=str(broken))
    assert not playback.waits() and len(jump(30)) > 20


@pytest.mark.parametrize("played", [True, False])
def test_what_begins_to_play_beside_something_that_writes_waits_unless_play_was_clicked(
    tmp_path, monkeypatch, played
):
    play_scenes.open_scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    other = play_scenes.add_object("Other", synthetic.sheet_mesh(4))
    other.modifiers.new("Cloth", "CLOTH").point_cache.use_disk_cache = True
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    settings_of(sheet).interactions[0].name = ""
    if played:
        playback.go_on()
    playback.attach(sheet)
    assert playback.waits() != played
    # A setting that is set is an edit; it is made up for.
    assert bool(settings_of(sheet).interactions[0].name) == played
    playback.go_on()
    assert settings_of(sheet).interactions[0].name == "Hand" and not playback.waits()


def test_while_it_waits_no_collider_wakes(sheet, library):
    """That is an edit, too, and of what nobody has touched."""
    ball = play_scenes.add_object("Ball", synthetic.sheet_mesh(4))
    ball.modifiers.new("Collision", "COLLISION").show_viewport = False
    settings_of(ball).resting_collision = True, True
    bring(library, ["Prop"])
    cloth = play_scenes.add_object("Own", synthetic.sheet_mesh(4))
    cloth.modifiers.new("Cloth", "CLOTH")
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(1)
    assert not ball.modifiers[0].show_viewport
    collision_suspension.resume_collisions()
    assert not ball.modifiers[0].show_viewport, "nor as something stops"
    playback.go_on()
    assert ball.modifiers[0].show_viewport


def test_while_it_waits_a_mesh_that_viewports_hid_stays_as_it_is(sheet, library):
    """As in a file that Blender saved by itself while a preview was drawn."""
    geometry_nodes.show_in_viewports(sheet, False)
    bring(library, ["Prop"])
    path = bpy.data.filepath
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    modifier = geometry_nodes.find_modifier(bpy.data.objects["Sheet"])
    assert handlers.PLAYED.waits and modifier.node_group.name.endswith(geometry_nodes.HIDDEN)
    bpy.ops.wm.save_mainfile()
    assert modifier.node_group.name.endswith(geometry_nodes.HIDDEN)
    playback.go_on()
    assert not modifier.node_group.name.endswith(geometry_nodes.HIDDEN)


def test_strips_may_lie_in_each_other_without_end():
    class Strip:
        def __init__(self, within):
            self.fcurves, self.strips = ["curve"], within

    within = [Strip([])]
    for _ in range(10_000):
        within = [Strip(within)]
    assert len(list(animated_paths._of_strips(within))) == 10_001


@pytest.mark.parametrize(
    ("kind", "baked"), [("MODULAR", True), ("ALL", True), ("REPLAY", False), ("", False)]
)
def test_a_fluid_of_a_kind_that_there_is_not_counts_as_not_baked(kind, baked):
    """Blender takes it for a replay."""
    fluid = SimpleNamespace(cache_type=kind, has_cache_baked_data=True, is_cache_baking_any=False)
    assert simulation_caches._is_baked(fluid) == baked


def test_what_was_appended_while_it_played_is_as_it_was_once_it_stops(sheet, library):
    """Blender says of appended modifiers that they are a library's."""
    _, theirs = bring(library, ["Theirs", "Their Sheet"])
    playback.detach(theirs)
    assert [modifier.type for modifier in theirs.modifiers] == ["CLOTH"] and theirs.modifiers[0].show_viewport


def keyed_onto_the_disk(name="Other"):
    """A cloth whose cache its keys bring onto the disk, made here."""
    cloth = play_scenes.add_object(name, synthetic.sheet_mesh(4))
    cache = cloth.modifiers.new("Cloth", "CLOTH").point_cache
    for frame in (1, 5, 20):
        cache.use_disk_cache = frame == 5
        cloth.keyframe_insert(DISK, frame=frame)
    return cloth


@pytest.mark.parametrize("what", ["all of it", "its keys"])
def test_what_an_undo_brings_back_was_not_asked_for(sheet, what):
    """It was a stranger's, and the artist took it away before the click."""
    cloth = keyed_onto_the_disk()
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message="theirs")
    if what == "all of it":
        bpy.data.objects.remove(cloth)
        bpy.data.batch_remove(ids=[each for each in bpy.data.actions if each.users == 0])
    else:
        cloth.animation_data_clear()
        bag = bpy.data.actions[cloth.name + "Action"].layers[0].strips[0].channelbags[0]
        bag.fcurves.clear()
        cloth.modifiers["Cloth"].point_cache.use_disk_cache = False
    bpy.ops.ed.undo_push(message="taken away")
    playback.go_on()
    assert not playback.waits() and len(jump(30)) > 20
    bpy.ops.ed.undo()
    assert playback.waits()
    assert jump(60) == [60]


def disk_cloth(name="Other"):
    cloth = play_scenes.add_object(name, synthetic.sheet_mesh(4))
    cache = cloth.modifiers.new("Cloth", "CLOTH").point_cache
    cache.use_disk_cache = True
    return cloth


@pytest.mark.parametrize("where", ["here", "in another view layer", "in another scene", "by its keys"])
def test_no_frame_is_visited_where_anything_would_write_on_the_way_whoever_asks(sheet, where):
    """A script that visits a frame has more evaluated than Blender's own playing, and other frames."""
    scene = bpy.context.scene
    assert len(jump(30)) > 20
    cloth = keyed_onto_the_disk() if where == "by its keys" else disk_cloth()
    if where == "in another view layer":
        out_of_sight = bpy.data.collections.new("Out of Sight")
        scene.collection.children.link(out_of_sight)
        out_of_sight.objects.link(cloth)
        scene.view_layers.new("Other")
        bpy.context.view_layer.layer_collection.children[0].exclude = True
    if where == "in another scene":
        bpy.data.scenes.new("Other").collection.objects.link(cloth)
    if where.startswith("in "):
        scene.collection.objects.unlink(cloth)
    playback.go_on()
    assert not playback.waits() and set(jump(90)) == {90}
    for visits in (
        lambda: list(playback.catch_up(scene)),
        lambda: list(sample_steps(scene, sheet, 3)),
        lambda: list(bake_steps(scene, sheet, Path("a.pc2"), 1, last=3)),
    ):
        with pytest.raises(Problem) as caught:
            visits()
        code = "visits_animated" if where == "by its keys" else "visits_write"
        assert caught.value.code == code and ("Other" in caught.value.message or code == "visits_animated")
    bpy.data.batch_remove(ids=[cloth, *(each for each in bpy.data.actions if "Other" in each.name)])
    list(playback.catch_up(scene))
    assert playback.status_of(sheet).behind == 0


@pytest.mark.parametrize("comes_back", [False, True])
def test_what_is_switched_off_writes_nothing_unless_it_is_switched_on_and_off(sheet, comes_back):
    """As Play switches off the simulation in whose place a model plays."""
    cloth = disk_cloth()
    cloth.modifiers[0].show_viewport = False
    if comes_back:
        cloth.modifiers[0].driver_add("show_viewport").driver.expression = "0"
    playback.go_on()
    assert (len(jump(40)) > 20) == (not comes_back)


def test_in_another_scene_motion_was_not_asked_for(sheet):
    bpy.context.view_layer.update()
    other = bpy.data.scenes.new("Second")
    playback.attach(sheet)
    other.collection.objects.link(disk_cloth())
    playback.go_on()
    assert not playback.waits()
    bpy.context.window.scene = other
    other.frame_set(2)
    assert playback.waits()
    playback.go_on()
    other.frame_set(3)
    assert not playback.waits()


def test_an_undo_takes_the_asking_back_where_anything_animates_what_is_written(sheet):
    """Curves are left behind where what they animate is deleted, so that nobody can tell by them."""
    cloth = keyed_onto_the_disk()
    bpy.ops.ed.undo_push(message="theirs")
    cloth.modifiers.clear()
    bpy.ops.ed.undo_push(message="taken away")
    playback.go_on()
    assert not playback.waits()
    bpy.ops.ed.undo()
    assert playback.waits()


def test_an_own_step_that_is_undone_brings_nothing(sheet):
    disk_cloth()
    playback.go_on()
    bpy.ops.ed.undo_push(message="before")
    bpy.context.scene.frame_set(2)
    bpy.ops.ed.undo_push(message="own")
    bpy.ops.ed.undo()
    assert not playback.waits()


def test_a_library_of_overrides_alone_that_is_read_again_was_not_asked_for(sheet, library, tmp_path):
    own = str(tmp_path / "own.blend")
    bpy.ops.wm.save_as_mainfile(filepath=own)
    bpy.ops.wm.open_mainfile(filepath=str(library))
    theirs = bpy.data.objects["Prop"]
    theirs.animation_data_clear()
    theirs.modifiers["Cloth"].point_cache.use_disk_cache = False
    harmless = tmp_path / "harmless.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(harmless), copy=True)
    theirs.modifiers["Cloth"].point_cache.use_disk_cache = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "writes.blend"), copy=True)
    bpy.ops.wm.open_mainfile(filepath=own)
    (linked,) = bring(harmless, ["Prop"], link=True)
    here = linked.override_create(remap_local_usages=True)
    here.data = here.data.copy()
    playback.go_on()
    assert not playback.waits()
    harmless.write_bytes((tmp_path / "writes.blend").read_bytes())
    bpy.data.libraries[0].reload()
    bpy.data.objects["Prop", None].location.x += 1.0
    bpy.context.view_layer.update()
    assert playback.waits()


def test_what_a_timer_shows_is_of_the_view_layer_on_show(sheet):
    """It has no window, and Blender then evaluates the one that is not for renders."""
    scene = bpy.context.scene
    scene.view_layers.new("Unused").use = False
    said = in_window(lambda: bpy.context.view_layer.name)
    with bpy.context.temp_override(window=None):
        assert bpy.context.view_layer.name == "Unused" and said() == "ViewLayer"


@pytest.mark.parametrize("asked", [True, False])
def test_a_render_evaluates_beforehand_what_it_shows_alone(sheet, asked):
    scene = bpy.context.scene
    scene.view_layers.new("Unused").use = False
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    if not asked:
        keyed_onto_the_disk()
    bpy.context.view_layer.update()
    evaluated = []
    seen = lambda _scene, graph: evaluated.append(graph.view_layer.name)  # noqa: E731
    bpy.app.handlers.depsgraph_update_post.append(seen)
    scene.camera.location.x += 1.0
    handlers.on_render(scene)
    bpy.app.handlers.depsgraph_update_post.remove(seen)
    assert evaluated == (["ViewLayer"] if asked else [])


@pytest.mark.parametrize("happens", ["opened", "delivered", "waits"])
def test_what_a_job_brings_is_shown_once_and_in_the_file_that_it_was_begun_in(
    sheet, library, tmp_path, monkeypatch, happens
):
    keyed_onto_the_disk()
    folder = tmp_path / "jobs"
    monkeypatch.setitem(host._deliveries, "count", lambda *_: happens != "opened")
    said = 'import time; print(\'{"event": "result", "said": 1}\', flush=True); time.sleep(0.2)'
    words = [sys.executable, "-c", said]
    if happens == "waits":
        host.run_blocking(folder, "count", words)
        assert not playback.may_deliver(folder, "count")
        monkeypatch.setitem(host._deliveries, "count", lambda *_: False)
        host.run_blocking(folder, "count", words)
        assert playback.may_deliver(folder, "count")
        bring(library, ["Prop"])
    else:
        host.run_blocking(folder, "count", words)
        if happens == "opened":
            assert playback.may_deliver(folder, "count")
            bpy.ops.wm.save_mainfile()
            bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert not playback.may_deliver(folder, "count")
