"""Make It Play: from an example to a model that plays, by one button."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = [pytest.mark.blender, pytest.mark.once]

WAY = """
import math
import time
from inside_blender import add_example, few_vertices, ours, part, saved_scene, shape, train_briefly
HERE = saved_scene()
train_briefly()
few_vertices()
sheet = add_example(take_count=3, take_frames=60, basis_count=8)
settings = sheet.neural_physics
making = part("neural_physics.blender.tasks.making")
steps = part("neural_physics.blender.tasks.steps")
host = part("neural_physics.blender.jobs.host")
paths = part("neural_physics.blender.settings.paths")
# Nothing is installed beside Blender, as is usual; the tests' own has torch.
part("neural_physics.blender.jobs.training_environment")._brings_torch = lambda: False

def click():
    # As the button does; where there is no window, Blender runs all of an operator at once.
    kind, argv = making.first_task(bpy.context.scene, sheet)
    host.start(paths.jobs_folder(sheet), kind, argv, sheet.name)
    making.begin(sheet)
"""


@pytest.mark.slow
def test_it_is_baked_trained_and_played_and_can_be_evaluated(in_blender: Callable[..., str]) -> None:
    in_blender(
        WAY
        + """
settings.preset = "final"
assert steps.next_step(sheet) == "bake" and steps.is_done(sheet, "set_up")
assert ours.make_it_play() == {"FINISHED"}
assert settings.preset == "preview" and settings.model is not None and settings.playing
assert steps.is_done(sheet, "bake") and steps.is_done(sheet, "train") and steps.next_step(sheet) == "play"
shown = shape(sheet, 20)
assert max(math.dist(a, b.co) for a, b in zip(shown, sheet.data.vertices)) > 1e-3

assert ours.evaluate.poll() and ours.evaluate() == {"FINISHED"}
page = (HERE / "neural_physics" / "scene" / "Sheet" / "report.html").read_text(encoding="utf-8")
assert "<polyline" in page and "data:image/png" in page
"""
    )


def test_clicked_it_goes_on_by_itself_with_one_time_left(in_blender: Callable[..., str]) -> None:
    in_blender(
        WAY
        + """
click()
shares, lefts, end = [], [], time.monotonic() + 100
while making.is_making(sheet) and time.monotonic() < end:
    host._tick()  # as Blender's timer does
    if making.is_making(sheet):
        seen = making.progress(sheet)
        shares.append(seen.share), lefts.append(seen.left)
        step, training = steps.next_step(sheet), host.state_of(paths.jobs_folder(sheet), "train")
        # The training may have ended since the tick.
        assert step in ("bake", "train") or training.phase == "finished", step
    time.sleep(0.05)
assert settings.playing and making.problem_of(sheet) is None
assert all(0.0 <= share <= 1.0 for share in shares)
assert any(left is not None for left in lefts[: len(lefts) // 4]), "the time left is known early"
"""
    )


def test_stopped_it_does_not_go_on(in_blender: Callable[..., str]) -> None:
    in_blender(
        WAY
        + """
settings.take_frames = 2000
click()
assert making.is_making(sheet)
assert ours.stop_job(kind="bake") == {"FINISHED"}
assert not making.is_making(sheet)
end = time.monotonic() + 60
while host.state_of(paths.jobs_folder(sheet), "bake").active and time.monotonic() < end:
    host._tick()
    time.sleep(0.05)
host._tick()
assert not host.state_of(paths.jobs_folder(sheet), "train").active
assert not settings.playing
"""
    )


SHORT = (
    WAY
    + """
from drawn_panels import drawn
from inside_blender import refused
host_run = host.run_blocking
ran = []
def run_blocking(folder, kind, argv, *given, **named):
    ran.append(kind)
    return host_run(folder, kind, argv, *given, **named)
host.run_blocking = run_blocking
"""
)


def test_takes_that_no_training_could_use_are_not_baked(in_blender: Callable[..., str]) -> None:
    in_blender(
        SHORT
        + """
settings.take_frames = 30
said = "The takes of Sheet would be too short to train on"
refused(said, ours.make_it_play)
assert not ran and said in drawn("bake", sheet).words
assert "set Frames per Take to 32 or more" in drawn("bake", sheet).words
settings.take_count = 1  # whose end is for validation
settings.take_frames = 64
refused("set Frames per Take to 71 or more", ours.make_it_play)
settings.take_frames = 71
assert ours.make_it_play.poll()
settings.take_count, settings.take_frames = 3, 30

assert ours.bake() == {"FINISHED"}  # alone: more of them may come
refused("has 0 usable frames in runs of at least 32", ours.train)
refused("has 0 usable frames in runs of at least 32", ours.make_it_play)
assert ran == ["bake"]
"""
    )


def test_baked_takes_keep_their_length_and_the_panel_says_so(in_blender: Callable[..., str]) -> None:
    in_blender(
        SHORT
        + """
settings.take_frames = 30
estimates = part("neural_physics.blender.tasks.estimates")
assert ours.bake() == {"FINISHED"}
assert "keep their length" not in drawn("bake", sheet).words
settings.take_frames = 70
said = "Baked takes keep their length, 30 frames: Frames per Take is for new ones."
assert said in drawn("bake", sheet).words
assert "neural_physics.bake_anew" in drawn("bake", sheet).operators
assert estimates.bake_seconds(sheet) == 0.0, "none is left to bake"
settings.take_count = 4
assert 0 < estimates.bake_seconds(sheet)
assert ours.bake_anew() == {"FINISHED"}
assert "keep their length" not in drawn("bake", sheet).words
"""
    )


def test_missing_takes_are_baked_before_it_is_trained(in_blender: Callable[..., str]) -> None:
    in_blender(
        SHORT
        + """
steps = part("neural_physics.blender.tasks.steps")
settings.take_count, settings.take_frames = 2, 30
assert ours.bake() == {"FINISHED"}
settings.take_count, settings.take_frames = 5, 70
assert not steps.is_done(sheet, "bake") and steps.next_step(sheet) == "bake"
assert ours.make_it_play() == {"FINISHED"}
assert ran == ["bake", "bake", "train"] and settings.playing
"""
    )


def test_what_a_training_said_of_takes_is_not_said_after_a_later_bake(in_blender: Callable[..., str]) -> None:
    in_blender(
        SHORT
        + """
import json
settings.take_count, settings.take_frames = 2, 70
assert ours.bake() == {"FINISHED"}
said = {"event": "error", "code": "training_still", "message": "Nothing moves in these takes."}
host.run_blocking(paths.jobs_folder(sheet), "train", [sys.executable, "-c", f"print({json.dumps(said)!r})"])
assert said["message"] in drawn("train", sheet).words
time.sleep(1.1)  # what is in the folder is looked at once a second
settings.take_count = 3
assert ours.bake() == {"FINISHED"}
assert said["message"] not in drawn("train", sheet).words
"""
    )
