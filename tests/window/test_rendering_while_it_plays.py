"""F12 and Ctrl F12 while the animation plays in the window, with other add-ons' handlers beside ours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from blender_window import Window
from test_playing_in_the_window import (
    LAST,
    WATCH,
    animated,  # noqa: F401 (a fixture)
    do,
    inputs,  # noqa: F401 (a fixture)
    play,
    played,
    render,
    stop_watching,
    watched,
)

pytestmark = [pytest.mark.window, pytest.mark.slow, pytest.mark.usefixtures("animated", "neighbours_removed")]

FIRST_RENDERED, LAST_RENDERED = 30, 33
# The animation plays from frame 1 on, whatever is rendered.
SET_UP = """
playback.attach(sheet)
scene.frame_set(1)
scene.frame_start, scene.frame_end = {first}, {last_rendered}
scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 1, {last}
scene.render.engine, scene.render.use_motion_blur = {engine!r}, False
"""
# One moves something and one raises, before and after ours and at each rendered frame.
NEIGHBOURS = """
names = watching()
other = bpy.data.objects.new("Other", None)
scene.collection.objects.link(other)
def moves(scene, *_):
    bpy.data.objects["Other"].location.x += 1.0
def raises(scene, *_):
    raise RuntimeError("another add-on's")
for kind in ("frame_change_pre", "frame_change_post", "render_pre", "render_post"):
    handlers_of_kind = getattr(bpy.app.handlers, kind)
    handlers_of_kind.insert(0, moves)
    handlers_of_kind.append(raises)
    names.setdefault("neighbours", []).extend([(kind, moves), (kind, raises)])
"""
REMOVE_THEM = """
for kind, handler in watching().pop("neighbours", []):
    getattr(bpy.app.handlers, kind).remove(handler)
"""


@pytest.fixture
def neighbours_removed(window: Window) -> Iterator[None]:
    yield
    do(window, REMOVE_THEM)


def is_playing(window: Window) -> bool:
    return bool(do(window, "result = window.screen.is_animation_playing"))


def visits(window: Window) -> int:
    return int(do(window, "result = len(watching()['visits'])"))


# Once in some ten runs Blender 5.2 itself ends here, in its own main loop and with no Python on its stack.
@pytest.mark.flaky(reruns=1, only_rerun=["BlenderEnded"])
@pytest.mark.parametrize("neighbours", [False, True], ids=["alone", "beside others"])
@pytest.mark.parametrize("engine", ["BLENDER_WORKBENCH", "CYCLES"])
def test_what_is_rendered_while_it_plays_is_what_plays(window: Window, engine: str, neighbours: bool) -> None:
    expected = played(window)
    do(window, SET_UP, engine=engine, first=FIRST_RENDERED, last_rendered=LAST_RENDERED)
    if neighbours:
        do(window, NEIGHBOURS)
    do(window, WATCH, mode="VIEWPORT")
    play(window, "play")
    window.wait(lambda: visits(window) > 5, 180)
    before, _ = watched(window)
    do(window, WATCH, mode="RENDER")
    assert is_playing(window)
    render(window, animation=True)
    rendered, on_main = watched(window)
    do(window, WATCH, mode="VIEWPORT")
    if not is_playing(window):
        play(window, "play")
    window.wait(lambda: visits(window) > 10, 180)
    play(window, "cancel", "restore_frame=False")
    after, _ = watched(window)
    stop_watching(window)
    assert not any(on_main)
    assert set(rendered) == {(frame, 0.0) for frame in range(FIRST_RENDERED, LAST_RENDERED + 1)}
    for poses in (before, rendered, after):
        for (frame, _), pose in poses.items():
            assert np.array_equal(pose, expected[frame - 1]), frame
    assert do(window, "result = playback.status_of(sheet).problem is None")


def test_f12_while_it_plays_renders_a_frame_that_plays(window: Window) -> None:
    expected = played(window)
    do(window, SET_UP, engine="BLENDER_WORKBENCH", first=1, last_rendered=LAST)
    do(window, WATCH, mode="RENDER")
    play(window, "play")
    window.wait(lambda: do(window, "result = scene.frame_current") > 3, 180)
    render(window, animation=False)
    play(window, "cancel", "restore_frame=False")
    poses, _ = watched(window)
    ((frame, _),) = poses
    assert np.array_equal(poses[frame, 0.0], expected[frame - 1])
    assert np.array_equal(played(window), expected)
