"""A model asset, marked by a click and dragged out of the asset browser, in Blender's own window."""

from __future__ import annotations

import shutil
import time

import pytest
from blender_window import OUT, REGION, Window

pytestmark = [pytest.mark.window, pytest.mark.slow]

LIBRARY = OUT / "asset_library"
VIEWPORT = REGION + "main = next(r for r in area.regions if r.type == 'WINDOW')\n"
BROWSER = """
window = bpy.context.window_manager.windows[0]
browser = next(a for a in window.screen.areas if a.ui_type == "ASSETS")
params = browser.spaces.active.params
"""
TILE = 60  # pixels from the browser's corner to the middle of its first asset
# Kept outside the scene: a model that is refused is gone again before anybody can ask for it.
WATCH = """
dropped = bpy.app.driver_namespace["dropped"] = set()
def watch(_scene, depsgraph):
    for update in depsgraph.updates:
        modifiers = getattr(update.id.original, "modifiers", [])
        groups = filter(None, (getattr(modifier, "node_group", None) for modifier in modifiers))
        if any(group.name.startswith("Sheet Model") for group in groups):
            dropped.add(update.id.name)
bpy.app.handlers.depsgraph_update_post.append(watch)
"""
# None where the object is not there.
MODIFIERS = "[m.name for m in bpy.data.objects[{name!r}].modifiers] if {name!r} in bpy.data.objects else None"


@pytest.fixture
def library(window: Window) -> None:
    """An asset library with the model of Ball & Sheet, marked as an artist does; then a file with both."""
    shutil.rmtree(LIBRARY, ignore_errors=True)
    LIBRARY.mkdir(parents=True)
    window.ask("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    window.open_tab()
    window.call("neural_physics.try_it")
    window.pause()
    window.open_step("share")
    window.press("neural_physics.mark_as_asset")
    assert window.ask("result = any(bpy.data.node_groups['Sheet Model'].preview.image_pixels_float)")
    window.shot("model_asset_marked")
    window.ask(f"bpy.ops.wm.save_as_mainfile(filepath={str(LIBRARY / 'sheet.blend')!r})")

    window.ask("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    window.open_tab()
    window.ask(
        VIEWPORT
        + "with bpy.context.temp_override(window=window, area=area, region=main):\n"
        + "    bpy.ops.neural_physics.add_example(name='BALL_AND_SHEET')\n"
        + "    bpy.ops.ed.undo_push(message='Example')\n"  # as Blender does after a click, and not here
        + "libraries = bpy.context.preferences.filepaths.asset_libraries\n"
        + f"libraries.new(name='Models', directory={str(LIBRARY)!r})\n"
        + "next(a for a in window.screen.areas if a.type == 'PROPERTIES').ui_type = 'ASSETS'"
    )
    window.wait(lambda: window.ask(BROWSER + "result = params is not None"), 30)
    window.ask(
        BROWSER
        + "params.asset_library_reference = 'Models'\n"
        + "space = browser.spaces.active\n"
        + "space.show_region_toolbar = space.show_region_tool_props = space.show_region_ui = False"
    )
    window.ask(WATCH)
    time.sleep(2)  # until Blender has read the library


def place_of(window: Window, name: str, vertex: int) -> list[int]:
    """Where one vertex of an object is on the screen."""
    return window.ask(
        VIEWPORT
        + "from bpy_extras.view3d_utils import location_3d_to_region_2d\n"
        + f"obj = bpy.data.objects[{name!r}]\n"
        + f"corner = obj.matrix_world @ obj.data.vertices[{vertex}].co\n"
        + "at = location_3d_to_region_2d(main, area.spaces.active.region_3d, corner)\n"
        + "result = int(main.x + at.x), int(window.height - main.y - at.y)"
    )


def drop_asset_on(window: Window, name: str, vertex: int) -> None:
    """Drag the browser's first asset to a vertex of an object, again where a busy one missed the press."""
    for _ in range(3):
        drag_asset_to(window, name, vertex)
        for _ in range(10):
            if window.ask(f"result = {name!r} in bpy.app.driver_namespace['dropped']"):
                return
            time.sleep(0.5)
    raise AssertionError(f"nothing was dropped on {name}")


def drag_asset_to(window: Window, name: str, vertex: int) -> None:
    """Drag the browser's first asset to a vertex of an object."""
    left, top = window.ask(
        BROWSER
        + "main = next(r for r in browser.regions if r.type == 'WINDOW')\n"
        + "result = main.x, window.height - main.y - main.height"
    )
    x, y = left + TILE, top + TILE
    right, down = place_of(window, name, vertex)
    # A drag begins where the button is that is pressed: small steps first.
    path = [(x - 4 * step, y + step) for step in range(1, 10)]
    path += [
        (x - 40 + (right - x + 40) * step // 12, y + 10 + (down - y - 10) * step // 12) for step in range(13)
    ]
    moves = [word for each in path for word in ("mousemove", *each, "sleep", "0.08")]
    window.launcher("x", "mousemove", x + 3, y + 3, "sleep", "0.5", "mousemove", x, y, "sleep", "0.5")
    window.launcher("x", "mousedown", "1", "sleep", "0.2", *moves, "sleep", "0.5", "mouseup", "1")


def test_a_model_is_dragged_from_the_asset_browser_onto_its_mesh(window: Window, library: None) -> None:
    drop_asset_on(window, "Sheet", 200)
    window.wait(lambda: window.ask("result = bpy.data.objects['Sheet'].neural_physics.playing"), 30)
    window.wait(lambda: window.ask("result = bpy.context.scene.frame_current > 5"), 30)
    window.shot("model_asset_dropped")
    window.pause()
    assert window.ask(f"result = {MODIFIERS.format(name='Sheet')}") == ["Neural Physics", "Cloth"]
    groups = "result = [group.name for group in bpy.data.node_groups]"
    assert window.ask(groups) == ["Neural Physics Play 1"]

    # Another mesh is said not to fit; the way the asset is brought in is another, too.
    window.ask(BROWSER + "params.import_method = 'APPEND'")
    drop_asset_on(window, "Ball", 0)
    time.sleep(3)
    window.shot("model_asset_refused")
    assert window.ask(f"result = {MODIFIERS.format(name='Ball')}") == ["Collision"]
    assert window.ask(groups) == ["Neural Physics Play 1"]
    assert window.ask("result = bpy.data.objects['Ball'].neural_physics.enabled") is False

    # Undone are the drop on the Ball, the playing, and the drop on the Sheet; none comes back by itself.
    window.launcher("x", "key", "Escape", "sleep", "1")  # the popup, which takes all keys
    x, y = place_of(window, "Sheet", 0)
    states = []
    for _ in range(3):
        window.launcher("x", "mousemove", x - 100, y, "sleep", "0.5", "key", "ctrl+z", "sleep", "2")
        states.append(window.ask(f"result = {MODIFIERS.format(name='Sheet')}"))
    assert states == [["Neural Physics", "Cloth"], ["Cloth", "Sheet Model"], ["Cloth"]]
