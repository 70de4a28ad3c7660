"""What the extensions platform shows of the extension, in a window of the size it asks for.

NEURAL_PHYSICS_PICTURES=1: these are made for `python -m tools.screenshots` alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from blender_window import REGION, Window
from starting import another_home, folder, started

pytestmark = [
    pytest.mark.window,
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("NEURAL_PHYSICS_PICTURES"), reason="pictures of the documents alone"
    ),
]

SIZE = "1920x1080"
LOOK = """
space = area.spaces.active
space.shading.type, space.shading.light, space.shading.color_type = "SOLID", "STUDIO", "MATERIAL"
space.shading.show_shadows = space.shading.show_cavity = True
space.overlay.show_text = True
space.region_3d.view_distance *= {nearer}
"""
PLAYING = "sheet = next(o for o in bpy.context.scene.objects if o.neural_physics.playing)\n"


@pytest.fixture(scope="module")
def wide(first_window: Window) -> Iterator[Window]:
    """A window as large as the platform's pictures."""
    blender = Window(folder(), another_home("listing"), size=SIZE)
    with started(blender, "full") as blender:
        yield blender


@pytest.mark.parametrize("name", ["ball_and_sheet", "skirt"])
def test_an_example_plays(wide: Window, name: str) -> None:
    wide.ask("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    wide.open_tab()
    wide.ask(
        REGION
        + "with bpy.context.temp_override(window=window, area=area):\n"
        + f"    bpy.ops.neural_physics.try_it(name={name.upper()!r})"
    )
    wide.ask(REGION + LOOK.format(nearer=0.8))
    wide.open_step("play")
    wide.wait(lambda: wide.ask("result = bpy.context.scene.frame_current > 30"), 60)
    wide.pause()
    wide.shot(f"listing_{name}")
    wide.ask(PLAYING + "sheet.neural_physics.show_typical_error = True\n" + REGION + "area.tag_redraw()")
    wide.shot(f"listing_{name}_error")
