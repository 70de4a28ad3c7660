"""The tab in each of its states, at interface scales 1 and 2, to see what is cut off and what comes next.

NEURAL_PHYSICS_PICTURES=1: these are made to be looked at, build/window/states/*.png.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from blender_window import DRAW, OUT, Window
from starting import another_home, folder, started
from three_buttons import IN_VIEW, STATE, Example

Image = pytest.importorskip("PIL.Image")

pytestmark = [
    pytest.mark.window,
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("NEURAL_PHYSICS_PICTURES"), reason="pictures to look at alone"),
]

SIZE = "2400x2600"
STATES = OUT / "states"
# The panels inside the sections are open: all that an artist may come across is in the picture.
OPEN_DETAILS = """
from bl_ext.user_default.neural_physics import panels
from bl_ext.user_default.neural_physics.panels.support import Details
panels.unregister()
for details in Details.__subclasses__():
    details.bl_options = getattr(details, "bl_options", set()) - {"DEFAULT_CLOSED"}
panels.register()
"""
# One of each method, and of each kind of body.
OF_EACH_KIND = "JELLY", "HAIR_TUFT", "CLOTH_SHELL", "EARS", "FLAG_LEVELS", "SOFT_CHARACTER", "SKIRT"


@pytest.fixture(scope="module")
def tall(first_window: Window) -> Iterator[Window]:
    """A window in which the whole tab is seen at both scales."""
    shutil.rmtree(STATES, ignore_errors=True)
    STATES.mkdir(parents=True)
    blender = Window(folder(), another_home("states"), size=SIZE)
    with started(blender, "full") as blender:
        blender.ask(OPEN_DETAILS)
        yield blender


def picture(window: Window, name: str) -> None:
    """The tab as it is, at both scales."""
    for scale in (1, 2):
        window.ask(f"bpy.context.preferences.view.ui_scale = {scale}")
        for _ in range(3):  # Blender lays a region out once it knows how wide it is
            window.ask(DRAW)
        window.open_tab()
        shot = window.shot("state")
        left, top, width, height, _ = window.tab()
        shown = Image.open(shot).convert("RGB").crop((left, top, left + width, top + height))
        shown.save(STATES / f"{name}_{scale}x.png")
    window.ask("bpy.context.preferences.view.ui_scale = 1")


def open_alone(window: Window, *steps: str) -> None:
    """Open these sections and close the others."""
    for step in ("set_up", "bake", "train", "play", "share"):
        window.ask(f"bpy.context.window_manager.neural_physics_steps.{step} = {step in steps}")


def test_before_anything_is_set_up(tall: Window) -> None:
    tall.ask("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    tall.open_tab()
    picture(tall, "01_default_cube")
    tall.ask("bpy.data.objects.remove(bpy.data.objects['Cube'])")
    picture(tall, "02_nothing_selected")


def test_from_an_example_to_its_model(tall: Window) -> None:
    quick = "settings.take_count, settings.take_frames, settings.basis_count = 8, 600, 16\n"
    example = Example(tall, "BALL_AND_SHEET", "Sheet", quick + "settings.preset = 'preview'")
    picture(tall, "03_ready_to_bake")
    open_alone(tall, "set_up")
    picture(tall, "04_set_up")
    open_alone(tall, "bake")

    tall.call("neural_physics.bake")
    tall.wait(lambda: _state(example, "bake")[1] > 0.05, 300)
    picture(tall, "05_baking")
    tall.call("neural_physics.stop_job", kind="bake")
    tall.wait(lambda: _state(example, "bake")[0] != "running", 300)
    picture(tall, "06_bake_stopped")
    if _state(example, "bake")[0] != "finished":
        tall.call("neural_physics.bake")
        tall.wait(lambda: _state(example, "bake")[0] == "finished", 600)
    open_alone(tall, "train")
    picture(tall, "07_ready_to_train")

    tall.train_quickly("steps=800", "validate_every=16")
    tall.call("neural_physics.train")
    tall.wait(lambda: _state(example, "train")[1] > 0.3, 300)
    picture(tall, "08_training")
    tall.wait(lambda: _state(example, "train")[0] == "finished", 900)
    tall.wait(lambda: example.ask("result = settings.model is not None"), 20)
    open_alone(tall, "train")
    picture(tall, "09_trained")
    tall.call("neural_physics.evaluate")
    tall.wait(lambda: _state(example, "evaluate")[0] == "finished", 300)
    picture(tall, "10_evaluated")
    open_alone(tall, "play")
    picture(tall, "11_ready_to_play")
    example.play()
    example.ask("scene.frame_set(40)")
    picture(tall, "12_playing")
    example.ask("settings.projection.enabled = True")
    tall.call("neural_physics.fit_capsules")
    tall.call("neural_physics.grab", mover="Ball")
    example.ask("bpy.data.objects['Ball'].location.x = 2.0\nscene.frame_set(41)")
    picture(tall, "13_playing_outside")
    open_alone(tall, "share")
    picture(tall, "14_share")
    example.ask("next(m for m in body.modifiers if m.type == 'CLOTH').settings.mass *= 2")
    open_alone(tall, "bake")
    picture(tall, "15_changed_since_the_bake")


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_each_method_before_its_bake(tall: Window, name: str) -> None:
    tall.ask("bpy.ops.wm.read_homefile(use_empty=True)")
    tall.open_tab()
    tall.ask(IN_VIEW + f"bpy.ops.neural_physics.add_example(name={name!r})")
    open_alone(tall, "set_up", "bake", "train")
    picture(tall, f"20_{name.lower()}")


def _state(example: Example, kind: str) -> tuple[str, float, str]:
    return tuple(example.ask(STATE.format(kind=kind)))
