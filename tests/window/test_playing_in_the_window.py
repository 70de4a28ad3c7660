"""Playing in Blender's own window: real playback, dragging, undo, F12 on its thread, and opened files."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import synthetic
from blender_window import OUT, ROOT, Window

sys.path.insert(0, str(ROOT / "tests" / "play"))

from play_models import model_file

pytestmark = [pytest.mark.window, pytest.mark.slow]

FOLDER = OUT / "play"
LAST = 40

NAMES = """
import json
import numpy as np
from pathlib import Path
from bl_ext.user_default.neural_physics.neural_physics.blender.playing import handlers, packing, playback
from bl_ext.user_default.neural_physics.neural_physics.blender.scene.sources import read_positions
scene, window = bpy.context.scene, bpy.context.window_manager.windows[0]
sheet, hand = bpy.data.objects.get("Sheet"), bpy.data.objects.get("Hand")

def watching():
    import sys, types
    return sys.modules.setdefault("playing_watched", types.ModuleType("playing_watched")).__dict__

def shown():
    evaluated = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return read_positions(evaluated.data)
"""

BUILD = """
for obj in list(bpy.data.objects):
    bpy.data.objects.remove(obj)
shape = np.load({folder!r} + "/mesh.npz")
mesh = bpy.data.meshes.new("Sheet")
mesh.from_pydata(shape["vertices"].tolist(), [], shape["faces"].tolist())
sheet = bpy.data.objects.new("Sheet", mesh)
hand = bpy.data.objects.new("Hand", None)
camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
camera.location, camera.rotation_euler = (0.0, -5.0, 0.0), (1.57, 0.0, 0.0)
for obj in (sheet, hand, camera):
    scene.collection.objects.link(obj)
scene.camera = camera
sheet.modifiers.new("Cloth", "CLOTH")
item = sheet.neural_physics.interactions.add()
item.name, item.object = "Hand", hand
sheet.neural_physics.enabled = True
if {animated}:
    places = np.random.default_rng(0).uniform(-0.5, 0.5, (8, 3))
    for second, place in enumerate(places):
        hand.location = place
        hand.keyframe_insert("location", frame=1 + 12 * second)
else:
    hand.location = (0.3, 0.0, 0.0)
scene.frame_start, scene.frame_end = 1, {last}
scene.render.engine = "CYCLES"
scene.cycles.samples = 1
scene.render.resolution_x = scene.render.resolution_y = 16
scene.render.use_motion_blur = True
scene.render.use_lock_interface = True
scene.render.filepath = {folder!r} + "/frame_"
scene.frame_set(1)
packing.pack(sheet, Path({folder!r} + "/model.safetensors"))
playback.attach(sheet)
bpy.ops.ed.undo_push(message="plays")
"""

# What is to be shown is read where it is written: if in a handler, it is evaluated after all of them.
WATCH = """
names = watching()
names["visits"], names["poses"], names["threads"] = [], [], []
def watch(scene, depsgraph):
    import threading
    if depsgraph.mode == {mode!r}:
        mesh = bpy.data.objects["Sheet"].data
        poses = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.attributes["neural_physics_position"].data.foreach_get("vector", poses.ravel())
        names["visits"].append((scene.frame_current, scene.frame_subframe))
        names["poses"].append(poses)
        names["threads"].append(threading.current_thread() is threading.main_thread())
if "watch" in names:
    bpy.app.handlers.frame_change_post.remove(names["watch"])
names["watch"] = watch
bpy.app.handlers.frame_change_post.append(watch)
"""

WATCHED = """
names = watching()
np.save({folder!r} + "/poses.npy", np.array(names["poses"]))
result = names["visits"], names["threads"]
"""

PLAYED = """
poses = []
for frame in range(1, {last} + 1):
    scene.frame_set(frame)
    poses.append(shown())
np.save({folder!r} + "/poses.npy", np.array(poses))
"""


@pytest.fixture(scope="module")
def inputs() -> Path:
    """A mesh and a model of it, where the window's Blender can see them."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    mesh = synthetic.sheet_mesh()
    np.savez(FOLDER / "mesh.npz", vertices=mesh.rest_positions, faces=mesh.corners.reshape(-1, 4))
    (FOLDER / "model.safetensors").write_bytes(model_file(mesh))
    return FOLDER


def do(window: Window, code: str, **values: object) -> object:
    values = {"folder": str(FOLDER), "last": LAST, **values}
    return window.ask(NAMES + code.format(**values), timeout=120)


def played(window: Window) -> np.ndarray:
    """(LAST, V, 3): each frame, visited one after the other."""
    do(window, PLAYED)
    return np.load(FOLDER / "poses.npy")


def watched(window: Window) -> tuple[dict[tuple[int, float], np.ndarray], list[bool]]:
    """The poses to be shown at each visit since WATCH, and whether on the main thread."""
    visits, threads = do(window, WATCHED)
    poses = np.load(FOLDER / "poses.npy")
    return {(f, round(s, 4)): pose for (f, s), pose in zip(visits, poses, strict=True)}, threads


@pytest.fixture
def animated(window: Window, inputs: Path) -> Iterator[Window]:
    do(window, BUILD, animated=True)
    yield window
    stop_watching(window)


@pytest.fixture
def by_hand(window: Window, inputs: Path) -> Iterator[Window]:
    do(window, BUILD, animated=False)
    yield window
    stop_watching(window)


def stop_watching(window: Window) -> None:
    do(
        window,
        "watch = watching().pop('watch', None)\nif watch: bpy.app.handlers.frame_change_post.remove(watch)\n",
    )


def render(window: Window, animation: bool) -> None:
    """As F12 or Ctrl F12 does: in a job of its own."""
    window.ask(
        "with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):\n"
        f"    bpy.ops.render.render('INVOKE_DEFAULT', animation={animation})"
    )
    window.wait(lambda: not window.ask("result = bpy.app.is_job_running('RENDER')"), 120)


def play(window: Window, action: str, options: str = "") -> None:
    window.ask(
        "with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):\n"
        f"    bpy.ops.screen.animation_{action}({options})"
    )


def test_real_playback_shows_what_visiting_frame_after_frame_does(animated: Window) -> None:
    expected = played(animated)
    do(animated, "playback.attach(sheet)\nscene.frame_set(1)\n")
    do(animated, WATCH, mode="VIEWPORT")
    play(animated, "play")
    animated.wait(lambda: len(do(animated, "result = watching()['visits']")) > LAST, 180)
    play(animated, "cancel", "restore_frame=False")
    poses, _ = watched(animated)
    assert len(poses) >= LAST - 2
    for (frame, _), pose in poses.items():
        assert np.array_equal(pose, expected[frame - 1]), frame


def test_f12_renders_what_is_played_on_its_own_thread(animated: Window) -> None:
    expected = played(animated)
    do(animated, "playback.attach(sheet)\nscene.frame_set(30)\n")
    do(animated, WATCH, mode="RENDER")
    render(animated, animation=False)
    poses, on_main = watched(animated)
    assert not any(on_main)
    assert np.array_equal(poses[30, 0.0], expected[29])
    for (frame, subframe), pose in poses.items():
        between = expected[frame - 1] + np.float32(subframe) * (expected[frame] - expected[frame - 1])
        assert np.allclose(pose, between, atol=1e-6)
    assert do(animated, "result = playback.status_of(sheet).problem is None")


def test_an_animation_that_was_never_played_renders_the_same(animated: Window) -> None:
    expected = played(animated)
    do(animated, "scene.frame_set(1)\nplayback.attach(sheet)\nscene.frame_start, scene.frame_end = 30, 33\n")
    do(animated, WATCH, mode="RENDER")
    render(animated, animation=True)
    poses, _ = watched(animated)
    for frame in (30, 31, 32, 33):
        assert np.array_equal(poses[frame, 0.0], expected[frame - 1])


def test_without_lock_interface_the_artist_is_warned(animated: Window) -> None:
    code = "warning = playback.status_of(sheet).warning\nresult = warning and warning.code"
    assert do(animated, code) is None
    do(animated, "scene.render.use_lock_interface = False")
    assert do(animated, code) == "lock_interface_off"


def test_dragging_while_playing_is_kept_for_scrubbing(by_hand: Window) -> None:
    do(by_hand, WATCH, mode="VIEWPORT")
    play(by_hand, "play")
    for step in range(8):
        do(by_hand, "hand.location = (0.05 * {step}, 0.1, -0.05 * {step})", step=step)
    play(by_hand, "cancel", "restore_frame=False")
    poses, _ = watched(by_hand)
    stop_watching(by_hand)
    recorded = "result = len(handlers.PLAYED.session_of(sheet).timeline.missing(10**6))"
    before = do(by_hand, recorded)
    last = max(frame for frame, _ in poses)
    for frame in (last, 2, last // 2):
        do(by_hand, "scene.frame_set({frame})\nnp.save({folder!r} + '/pose.npy', shown())", frame=frame)
        assert np.array_equal(np.load(FOLDER / "pose.npy"), poses[frame, 0.0]), frame
    assert do(by_hand, recorded) == before


def test_dragging_while_paused_shows_at_once_and_undo_takes_it_back(by_hand: Window) -> None:
    do(by_hand, "scene.frame_set(20)\nbpy.ops.ed.undo_push(message='at 20')")
    pose = "np.save({folder!r} + '/{name}.npy', shown())"
    do(by_hand, pose, name="before")
    do(by_hand, "hand.location = (-0.5, 0.5, 0.5)\nbpy.ops.ed.undo_push(message='drag')")
    by_hand.shot("play_dragged")
    do(by_hand, pose, name="dragged")
    with_undo = "with bpy.context.temp_override(window=window):\n    bpy.ops.ed.undo()"
    do(by_hand, with_undo)
    by_hand.shot("play_undone")
    do(by_hand, pose, name="undone")
    before, dragged, undone = (np.load(FOLDER / f"{name}.npy") for name in ("before", "dragged", "undone"))
    assert not np.array_equal(before, dragged)
    assert np.array_equal(before, undone)


def test_keys_edited_while_paused_are_caught_up_with_by_themselves(animated: Window) -> None:
    do(animated, "scene.frame_set(39)")
    do(animated, "hand.location = (-0.5, 0.5, 0.5)\nhand.keyframe_insert('location', frame=10)")
    animated.shot("play_keyed")
    do(animated, "np.save({folder!r} + '/keyed.npy', shown())")
    keyed = np.load(FOLDER / "keyed.npy")
    assert np.array_equal(keyed, played(animated)[38])


def test_an_opened_file_plays_with_no_further_step(animated: Window) -> None:
    expected = played(animated)
    path = str(FOLDER / "packed.blend")
    do(animated, "scene.frame_set(25)\nbpy.ops.wm.save_as_mainfile(filepath={path!r})", path=path)
    do(animated, "bpy.ops.wm.read_homefile(use_empty=True)")
    animated.ask(f"bpy.ops.wm.open_mainfile(filepath={path!r})")
    assert do(
        animated, "result = playback.status_of(sheet).playing and playback.status_of(sheet).problem is None"
    )
    assert np.array_equal(played(animated), expected)
    assert json.dumps(do(animated, "result = [m.type for m in sheet.modifiers]")) == '["NODES", "CLOTH"]'
