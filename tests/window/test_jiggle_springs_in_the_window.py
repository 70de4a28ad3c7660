"""Jiggle springs in the window: a figure of flesh on bones is baked, trained and played (Jin 2022)."""

from __future__ import annotations

import numpy as np
import pytest
from blender_window import Window
from lengths import AT_FULL_LENGTH
from three_buttons import Example

pytestmark = [pytest.mark.window, pytest.mark.slow, AT_FULL_LENGTH]

QUICK = """
settings.simulation.filling, settings.simulation.tetrahedra, settings.simulation.steps = "cage", 1500, 1
settings.take_count, settings.take_frames, settings.pose_count = 1, 90, 10
settings.preset, settings.interactions[0].test_action = "preview", ""
"""


def test_a_figure_is_baked_trained_and_played(window: Window) -> None:
    figure = Example(window, "SOFT_CHARACTER", "Soft Body", QUICK)
    assert figure.ask("result = settings.method") == "quasistatic_springs"
    bones = [figure.shown(frame) for frame in (1, 10, 20, 30)]
    figure.bake_and_train("steps=600")
    window.shot("springs_1_trained")
    figure.play()
    for frame in range(1, 31):
        figure.window.ask(f"bpy.context.scene.frame_set({frame})")
        if frame == 20:
            window.shot("springs_2_play")
            there = figure.shown()
    played = [figure.shown(frame) for frame in (1, 10, 20, 30)]
    assert np.array_equal(played[2], there), "scrubbed as played"
    off = [np.linalg.norm(a - b, axis=1) for a, b in zip(played, bones, strict=True)]
    assert 0.01 < max(each.max() for each in off) < 0.3, "flesh swings about its bones, and stays there"
    assert max(np.median(each) for each in off) < 0.1, "most of it is near them"
