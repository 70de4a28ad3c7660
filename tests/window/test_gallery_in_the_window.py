"""The gallery of examples, in Blender's own window: every example has its picture."""

from __future__ import annotations

import pytest
from blender_window import REGION, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

PACKAGE = "bl_ext.user_default.neural_physics.neural_physics.blender.examples"


def test_every_example_has_a_picture_of_its_own(window: Window) -> None:
    window.ask("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    window.open_tab()
    icons = window.ask(
        f"from {PACKAGE} import EXAMPLES\nfrom {PACKAGE}.thumbnails import icon_of, path_of\n"
        "result = [icon_of(name) for name in EXAMPLES if path_of(name).is_file()]"
    )
    assert len(set(icons)) == len(icons) == 31 and 0 not in icons
    window.ask(
        REGION
        + "with bpy.context.temp_override(window=window, area=area, region=region):\n"
        + "    bpy.ops.wm.call_panel('INVOKE_DEFAULT', name='NEURALPHYSICS_PT_gallery', keep_open=True)\n"
    )
    window.shot("gallery")
    window.launcher("x", "key", "Escape", "sleep", "0.2")
