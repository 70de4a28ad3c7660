"""What the gallery of examples says before anything is set up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender


def test_what_needs_a_python_of_its_own_is_marked_until_there_is_one(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
from drawn_panels import Drawn, Layout, Window, stand_in
from inside_blender import part
programs = part("neural_physics.blender.jobs.programs")

def marked(chosen):
    programs.training_environment.python_path = lambda: chosen
    layout = Layout([])
    stand_in(bpy.types.NEURALPHYSICS_PT_gallery, layout).draw(Window(4000))
    drawn = Drawn(layout.calls)
    buttons = [call.named for call in drawn.of("operator")]
    return drawn.words, {button["text"] for button in buttons if button["icon"] == "PACKAGE"}

words, names = marked(None)
assert "These need a Python of their own" in words
assert {"Jelly", "Hierarchical Flag", "Hair Tuft"} <= names, names
assert not {"Ball & Sheet", "Skirt", "Three Garments", "Soft Body Ball"} & names, names
words, names = marked(sys.executable)
assert "These need" not in words and not names
"""
    )
