"""Runs in a Blender with the extension: much of what days of playing do, and a count of what that leaves."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from pathlib import Path
from types import FunctionType

import bpy
from inside_blender import part
from one_blender import MODULE

for place in ("", "tests", "tests/play"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / place))

import synthetic
from play_models import model_file

LAST = 100  # frame
STATUS = Path("/proc/self/status")


def playing_scene(objects: int) -> None:
    """A new scene in which so many objects play a model of a hand that moves."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    hand = bpy.data.objects.new("Hand", None)
    scene.collection.objects.link(hand)
    for frame in range(1, LAST + 1, 10):
        hand.location = (0.03 * (frame % 30), 0.02 * (frame % 50), 0.0)
        hand.keyframe_insert("location", frame=frame)
    mesh = synthetic.sheet_mesh()
    data = model_file(mesh)
    for number in range(objects):
        shape = bpy.data.meshes.new(f"Sheet {number}")
        shape.from_pydata(mesh.rest_positions.tolist(), [], mesh.corners.reshape(-1, 4).tolist())
        sheet = bpy.data.objects.new(f"Sheet {number}", shape)
        scene.collection.objects.link(sheet)
        sheet.modifiers.new("Cloth", "CLOTH")
        sheet.neural_physics.enabled = True
        item = sheet.neural_physics.interactions.add()
        item.name, item.object = "Hand", hand
        part("neural_physics.blender.playing.packing").pack(sheet, data)
        part("neural_physics.blender.playing.playback").attach(sheet)


def frames(count: int) -> None:
    """Play so many frames, from the start again after the last."""
    scene = bpy.context.scene
    for _ in range(count):
        frame = scene.frame_current
        scene.frame_set(scene.frame_start if frame >= scene.frame_end else frame + 1)


def save_load_undo(folder: Path, times: int) -> None:
    """Save, open and undo while all plays."""
    for number in range(times):
        path = folder / f"playing_{number % 5}.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        bpy.ops.wm.open_mainfile(filepath=str(path))
        frames(3)
        manager = bpy.context.window_manager
        # From a timer, as in a window, there is none after a file was opened.
        with bpy.context.temp_override(window=manager.windows[0] if manager.windows else None):
            bpy.ops.ed.undo_push(message="before")
            bpy.data.objects["Hand"].location.z += 0.1
            bpy.ops.ed.undo_push(message="moved")
            bpy.ops.ed.undo()
        frames(3)


def switch(times: int) -> None:
    """Disable and enable the extension while all plays."""
    for _ in range(times):
        bpy.ops.preferences.addon_disable(module=MODULE)
        frames(2)
        bpy.ops.preferences.addon_enable(module=MODULE)
        frames(2)


def left() -> dict[str, int]:
    """How many there are of whatever could be left over, by name."""
    handlers = Counter(
        f"handlers {name}"
        for name in dir(bpy.app.handlers)
        if isinstance(getattr(bpy.app.handlers, name), list)
        for handler in getattr(bpy.app.handlers, name)
        if handler.__module__.startswith(MODULE)
    )
    ours = [module for name, module in list(sys.modules.items()) if name.startswith(MODULE) and module]
    functions = {
        value for module in ours for value in vars(module).values() if isinstance(value, FunctionType)
    }
    caches = {
        f"{module.__name__.removeprefix(MODULE)}.{name}": len(value)
        for module in ours
        for name, value in vars(module).items()
        if name.startswith("_") and not name.startswith("__") and isinstance(value, dict | list | set)
    }
    kinds = ("node_groups", "texts", "images", "objects", "meshes")
    found = {kind: len(getattr(bpy.data, kind)) for kind in kinds}
    modifiers = sum(len(obj.modifiers) for obj in bpy.data.objects)
    sessions = len(list(part("neural_physics.blender.playing.handlers").PLAYED.sessions()))
    return {
        **handlers,
        **caches,
        **found,
        "modifiers": modifiers,
        "sessions": sessions,
        "threads": threading.active_count(),
        "timers": sum(bpy.app.timers.is_registered(function) for function in functions),
    }


def grown(before: dict[str, int]) -> dict[str, tuple[int, int]]:
    """What there is more of, or less: how many there were and are."""
    now = left()
    names = before.keys() | now.keys()
    return {
        name: (before.get(name, 0), now.get(name, 0))
        for name in sorted(names)
        if before.get(name) != now.get(name)
    }


def all_play(objects: int) -> bool:
    """Whether all of them still do, without a problem."""
    status_of = part("neural_physics.blender.playing.playback").status_of
    found = [status_of(obj) for obj in bpy.data.objects if obj.type == "MESH"]
    return len(found) == objects and all(each.playing and each.problem is None for each in found)


def memory() -> int:
    """Bytes that this process has in memory; 0 where the system does not say."""
    if not STATUS.is_file():
        return 0
    line = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) << 10
