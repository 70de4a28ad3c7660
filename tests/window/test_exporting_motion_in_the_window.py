"""Export Motion in Blender's own window: a file is chosen, and written while Blender stays alive."""

from __future__ import annotations

import pytest
from blender_window import Window

pytestmark = [pytest.mark.window, pytest.mark.slow]
# Some Linux distributions build Blender without Alembic.
KNOWS_ALEMBIC = "result = bpy.app.build_options.alembic"


@pytest.mark.parametrize("suffix", [".abc", ".glb"])
def test_a_file_is_chosen_and_written_or_what_is_missing_is_said_at_once(window: Window, suffix: str) -> None:
    window.ask("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    window.open_tab()
    window.press("neural_physics.try_it", across=0.25)
    window.wait(lambda: window.ask("result = bpy.context.scene.frame_current > 5"), 15)
    window.pause()
    window.ask(
        "scene = bpy.context.window_manager.windows[0].scene\nscene.frame_start, scene.frame_end = 3, 8"
    )
    folder = window.folder / f"export{suffix}"  # this Blender sees no folder of pytest's
    folder.mkdir()
    path = folder / f"sheet{suffix}"
    window.call("neural_physics.export_motion", filepath=str(path))
    window.wait(lambda: window.ask("result = len(bpy.context.window_manager.windows)") == 2, 10)
    chooser = (
        "window = bpy.context.window_manager.windows[1]\n"
        "area = next(each for each in window.screen.areas if each.type == 'FILE_BROWSER')\n"
    )
    asked = window.ask(
        chooser + "said = area.spaces.active.active_operator\nresult = said.first, said.last, said.filepath"
    )
    assert asked == [3, 8, str(path)]
    window.shot(f"export_motion_asks{suffix}")
    if suffix == ".glb":
        name_follows_format(window, chooser, str(folder / "sheet"))
    window.ask(
        chooser + "region = next(each for each in area.regions if each.type == 'WINDOW')\n"
        "with bpy.context.temp_override(window=window, area=area, region=region):\n"
        "    bpy.ops.file.execute('EXEC_DEFAULT')"
    )
    if suffix == ".abc" and not window.ask(KNOWS_ALEMBIC):
        window.wait(
            lambda: not window.ask("result = len(bpy.context.window_manager.windows[0].modal_operators)"), 10
        )
        assert not list(folder.iterdir())
        window.shot("export_motion_refused")
        return
    window.wait(path.exists, 60)
    assert window.ask("result = bpy.context.scene.objects['Sheet'].neural_physics.playing")
    assert [each.name for each in folder.iterdir()] == [path.name] and path.stat().st_size > 10_000


def name_follows_format(window: Window, chooser: str, path: str) -> None:
    """The format changes how the name ends, and a name that is typed changes the format; glTF at last."""
    asks = chooser + (
        "said = area.spaces.active.active_operator\n"
        "{change}\n"
        "said.check(bpy.context)\n"
        "result = said.ending, said.filepath"
    )

    def after(change: str) -> list[str]:
        said: list[str] = window.ask(asks.format(change=change))
        return said

    assert after("said.ending = '_vat.png'") == ["_vat.png", f"{path}_vat.png"]
    assert after(f"said.filepath = {path + '_vat.exr'!r}") == ["_vat.exr", f"{path}_vat.exr"]
    assert after(f"said.filepath = {path!r}") == ["_vat.exr", f"{path}_vat.exr"]
    window.shot("export_motion_texture")
    assert after("said.ending = '.glb'") == [".glb", f"{path}.glb"]
