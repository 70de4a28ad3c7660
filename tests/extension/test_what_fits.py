"""Nothing that a panel says is cut off at the width that Blender's sidebar has at first.

Measured in the interface's font. The room there is was seen in the real window of 5.2, in pixels at a
resolution scale of 1: a sidebar of 280 has 228 for what is drawn.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

MEASURED = """
import blf
from drawn_panels import drawn
from inside_blender import add_example, ours, part

SIDEBAR, LINE, ICON, PADDING = 280, 228, 24, 16
NAME, CHECKBOX = 87, 116  # of a setting's name beside its field, and beside its checkbox

def wide(text):
    blf.size(0, 11)
    return blf.dimensions(0, text)[0]

def name_of(call):
    data, setting = call.given[:2]
    return call.named.get("text") or data.bl_rna.properties[setting].name

def room_taken(call):
    '''Pixels of the line.'''
    text, picture = call.named.get("text") or "", ICON if "icon" in call.named else 0
    if call.name == "operator" and not text and call.named.get("text") is None:
        text = getattr(bpy.types, call.given[0].replace("neural_physics.", "NEURAL_PHYSICS_OT_")).bl_label
    if call.name == "operator" and not picture:
        return wide(text) + PADDING
    return wide(text) + picture

def setting_fits(call):
    data, setting = call.given[:2]
    if not call.within.use_property_split:
        return wide(name_of(call)) + 40 <= LINE
    kind = data.bl_rna.properties[setting]
    if kind.type == "BOOLEAN":
        return wide(name_of(call)) <= CHECKBOX
    axis = " X" if getattr(kind, "is_array", False) else ""
    return wide(name_of(call) + axis) <= NAME

def is_split(layout):
    return layout is not None and (layout.kind == "split" or is_split(layout.outside))

def cut_in(panel):
    lines = [call for call in panel.of("label", "operator", "progress") if not is_split(call.within)]
    seen = []
    for call in lines:
        beside = [c for c in lines if c.within is call.within] if call.within.kind == "row" else [call]
        if sum(map(room_taken, beside)) > LINE:
            seen.append(call.named.get("text") or call.given[0])
    return seen + [name_of(call) for call in panel.of("prop", "prop_search") if not setting_fits(call)]

def bodies():
    for module in part("panels").PARTS:
        for kind in getattr(module, "CLASSES", ()):
            if hasattr(kind, "draw_for"):
                yield kind.__name__.removeprefix("NEURALPHYSICS_PT_")

def assert_all_fits(obj):
    looked = 0
    for body in bodies():
        panel = drawn(body, obj, SIDEBAR)
        assert not cut_in(panel), (body, cut_in(panel))
        looked += len(panel.calls)
    assert looked > 50
"""


def test_of_every_kind_of_object_learned_by_every_method(in_blender: Callable[..., str]) -> None:
    in_blender(
        MEASURED
        + """
examples = "BALL_AND_SHEET", "SKIRT", "FLAG", "JELLY", "CLOTH_SHELL", "HAIR_TUFT", "CLOTH_OVER_OBJECTS"
for name in (*examples, "SOFT_CHARACTER"):
    obj = add_example(name)
    settings = obj.neural_physics
    obj.vertex_groups.new(name="soft")
    settings.simulation.softer = "soft"
    settings.pose_source = "BOTH"
    item = settings.capsules.add()
    item.name, item.source = "shoulder", next(o for o in bpy.context.scene.objects if o.type == "CAMERA")
    assert_all_fits(obj)
    for item in settings.interactions:
        item.turning = True
    for method in part("neural_physics.methods.registry").SPECIFICATIONS:
        settings.method = method
        assert_all_fits(obj)
"""
    )


def test_of_a_large_dataset_and_of_a_job_with_hours_left(in_blender: Callable[..., str]) -> None:
    in_blender(
        MEASURED
        + """
sheet = add_example()
bake, train, support = part("panels.bake"), part("panels.train"), part("panels.support")
state = part("neural_physics.jobs.life_cycle").JobState
status = part("neural_physics.datasets.status").DatasetStatus(takes=1000, frames=1000000, size=1.2e12)
bake.dataset_status = lambda folder: status
train.chart_icon = lambda *_: 1
history = ((1.0, 1e-3, 0.5), (123456.0, 1.234e-5, 0.0123))
ended = state(phase="finished", history=history, best=0.0123, best_step=123456, metres=0.876,
              result=dict(rollout_error=10.0, ridge_error=10.0, mean_error=10.0, basis_error=10.0))
support.host.state_of = lambda folder, kind: ended
words = drawn("bake", sheet, SIDEBAR).words
assert "1,000 takes" in words, words
assert "Kept: the best" in drawn("train", sheet, SIDEBAR).words
assert_all_fits(sheet)
for stage in ("Baked 123 of 1000 takes", "Training external network", "Solving validation shapes"):
    for phase in ("running", "stopping"):
        going = state(phase=phase, stage=stage, done=1.0, total=2.0, seconds_left=7800.0, history=history)
        support.host.state_of = lambda folder, kind: going
        assert drawn("bake", sheet, SIDEBAR).of("progress")
        assert_all_fits(sheet)
"""
    )


def test_of_what_plays_outside_its_range(in_blender: Callable[..., str]) -> None:
    in_blender(
        MEASURED
        + """
sheet = add_example()
settings, panel = sheet.neural_physics, part("panels.play")
PlayStatus = part("neural_physics.blender.playing.playback").PlayStatus
settings.playing = True
for method in part("neural_physics.methods.registry").SPECIFICATIONS:
    status = PlayStatus(playing=True, method=method, outside=0.25, deep=1234, wedged=1234, has_places=True,
                        step_us=1e5, decode_us=1e5, push_us=1e5, live=("stretch", "bending"),
                        can_look_ahead=True, frame_ms=0.0123, simulation_ms=1234.0)
    panel.status_of = lambda obj: status
    assert "25% of the motion is outside" in drawn("play", sheet, SIDEBAR).words
    assert_all_fits(sheet)
settings.playing = False
panel.shown_file = lambda obj: "//a_long_name_of_a_file_of_the_playback.pc2"
assert "Showing a_long_name" in drawn("play", sheet, SIDEBAR).words
assert_all_fits(sheet)
"""
    )
