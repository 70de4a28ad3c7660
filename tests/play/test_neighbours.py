"""Other add-ons' handlers, before and after ours, on other threads: what plays is the same, or says why."""

from __future__ import annotations

import threading
from collections.abc import Callable

import bpy
import numpy as np
import play_scenes
import pytest

from neural_physics.blender.assets import drops
from neural_physics.blender.playing import handlers, playback

pytestmark = pytest.mark.blender

FRAMES = range(1, 31)
POST, PRE, EDITS = "frame_change_post", "frame_change_pre", "depsgraph_update_post"


@pytest.fixture
def sheet():
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    playback.attach(sheet)
    return sheet


@pytest.fixture(scope="module")
def undisturbed():
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    playback.attach(sheet)
    return play_scenes.played(sheet, FRAMES)


def visits_another_frame(scene, *_):
    """Once for each frame: visits one far ahead, and comes back."""
    frame = scene.frame_current
    if visits_another_frame.busy:
        return
    visits_another_frame.busy = True
    try:
        scene.frame_set(frame + 40)
        scene.frame_set(frame)
    finally:
        visits_another_frame.busy = False


visits_another_frame.busy = False


def visits_a_frame_of_another_scene(*_):
    other = bpy.data.scenes.get("Other") or bpy.data.scenes.new("Other")
    if other.frame_current < 1000:
        other.frame_set(other.frame_current + 1)


def changes_meshes(*_):
    """The artist's coordinates of all of them, which nothing that plays shows."""
    for mesh in bpy.data.meshes:
        if mesh.name == "Sheet":
            mesh.vertices[0].co.x += 0.01
            mesh.update()


def makes_a_mesh(*_):
    mesh = bpy.data.meshes.new("Neighbour's")
    mesh.from_pydata([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], [], [(0, 1, 2)])


def raises(*_):
    raise RuntimeError("a mistake of another add-on")


def with_handler(name: str, handler: Callable[..., None], first: bool, do: Callable[[], object]):
    handlers = getattr(bpy.app.handlers, name)
    handlers.insert(0 if first else len(handlers), handler)
    try:
        return do()
    finally:
        handlers.remove(handler)


@pytest.mark.parametrize("first", [True, False], ids=["before ours", "after ours"])
@pytest.mark.parametrize("name", [PRE, POST])
@pytest.mark.parametrize(
    "handler",
    [visits_another_frame, visits_a_frame_of_another_scene, changes_meshes, makes_a_mesh, raises],
    ids=lambda handler: handler.__name__,
)
def test_what_plays_is_the_same_beside_another_handler(sheet, undisturbed, handler, name, first):
    found = with_handler(name, handler, first, lambda: play_scenes.played(sheet, FRAMES))
    for frame in FRAMES:
        assert np.array_equal(found[frame], undisturbed[frame]), frame
    assert playback.status_of(sheet).problem is None


@pytest.mark.parametrize("first", [True, False], ids=["before ours", "after ours"])
def test_another_handler_that_raises_at_every_edit_changes_nothing(sheet, undisturbed, first):
    found = with_handler(EDITS, raises, first, lambda: play_scenes.played(sheet, FRAMES))
    assert all(np.array_equal(found[frame], undisturbed[frame]) for frame in FRAMES)


def test_frames_that_another_thread_visits_show_the_same(sheet, undisturbed):
    found: dict[int, np.ndarray] = {}
    thread = threading.Thread(target=lambda: found.update(play_scenes.played(sheet, FRAMES)))
    thread.start()
    thread.join()
    assert all(np.array_equal(found[frame], undisturbed[frame]) for frame in FRAMES)
    assert playback.status_of(sheet).problem is None


def moves_the_hand():
    """A handler that moves the hand as its keys did, which are gone, and lets the scene follow."""
    hand = bpy.data.objects["Hand"]
    places = {}
    for frame in range(1, 60):
        bpy.context.scene.frame_set(frame)
        places[frame] = tuple(hand.location)
    hand.animation_data_clear()

    def move(scene, *_):
        if tuple(hand.location) != places[scene.frame_current]:
            hand.location = places[scene.frame_current]
            if move.in_post:  # the frame has been evaluated already
                bpy.context.view_layer.update()

    move.in_post = False
    bpy.context.scene.frame_set(1)
    return move


@pytest.mark.parametrize("first", [True, False], ids=["before ours", "after ours"])
@pytest.mark.parametrize(
    ("name", "frames"),
    # Where one is jumped to, a handler that comes after the evaluation was not asked about those between.
    [(PRE, FRAMES), (PRE, (1, 12, 30)), (PRE, (1, 30, 12, 20)), (POST, FRAMES)],
    ids=["frame by frame", "jumping", "back and forth", "after the evaluation"],
)
def test_what_another_handler_moves_plays_as_if_it_were_keyed(undisturbed, name, frames, first):
    """While the animation does not play, what has no keys is moved by a hand, or by somebody's handler."""
    play_scenes.open_scene()
    sheet = play_scenes.add_sheet(play_scenes.add_hand())
    move = moves_the_hand()
    move.in_post = name == POST
    playback.attach(sheet)
    found = with_handler(name, move, first, lambda: play_scenes.played(sheet, frames))
    off = {frame: float(np.abs(found[frame] - undisturbed[frame]).max()) for frame in frames}
    assert max(off.values()) == 0.0, off


def test_a_mesh_that_another_handler_replaces_is_told(sheet):
    def replaces(*_):
        if len(sheet.data.vertices) != 3:
            mesh = bpy.data.meshes.new("Neighbour's")
            mesh.from_pydata([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], [], [(0, 1, 2)])
            sheet.data = mesh

    with_handler(POST, replaces, True, lambda: play_scenes.played(sheet, range(1, 4)))
    problem = playback.status_of(sheet).problem
    assert problem is not None and problem.code == "model_other_object"


def test_edits_that_blender_reports_from_another_thread_are_left_to_the_main_one(sheet):
    """It makes previews of assets there, of copies that refer to the artist's own objects."""
    play_scenes.played(sheet, range(1, 5))
    failed = []

    class Gone:
        """As what an object's modifiers are once the main thread has taken them away."""

        def __getattr__(self, name):
            failed.append(name)
            raise ReferenceError(name)

    thread = threading.Thread(
        target=lambda: [handler(bpy.context.scene, Gone()) for handler in (handlers.on_edit, drops.notice)]
    )
    thread.start()
    thread.join()
    assert not failed
    with pytest.raises(ReferenceError):
        handlers.on_edit(bpy.context.scene, Gone())
