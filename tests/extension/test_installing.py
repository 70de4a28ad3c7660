"""The zip in a real Blender: it installs, enables, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender

TRACES = """
import sys, threading

def traces():
    '''Everything an extension can leave in Blender.'''
    lists = {name: len(getattr(bpy.app.handlers, name)) for name in dir(bpy.app.handlers)
             if isinstance(getattr(bpy.app.handlers, name), list)}
    kinds = "Operator Panel UIList Menu PropertyGroup AddonPreferences GizmoGroup".split()
    ours = [cls.__name__ for kind in kinds for cls in getattr(bpy.types, kind).__subclasses__()
            if cls.__name__.startswith("NEURALPHYSICS") and "bl_rna" in vars(cls)]
    properties = [name for kind in (bpy.types.Object, bpy.types.Scene, bpy.types.WindowManager)
                  for name in dir(kind) if name.startswith("neural_physics")]
    operators = [name for name in dir(bpy.ops.neural_physics)]
    menus = len(getattr(bpy.types.VIEW3D_MT_mesh_add, "_dyn_ui_initialize", lambda: [])())
    timers = [f for f in our_timers() if bpy.app.timers.is_registered(f)]
    return lists, sorted(ours), properties, operators, menus, timers, threading.active_count()

def our_timers():
    for name, module in list(sys.modules.items()):
        if name.startswith(MODULE):
            for value in vars(module).values():
                if callable(value):
                    yield value

def toggle(on):
    (bpy.ops.preferences.addon_enable if on else bpy.ops.preferences.addon_disable)(module=MODULE)
"""


def test_registering_again_and_again_leaves_nothing_behind(installed: Callable[..., str]) -> None:
    installed(
        TRACES
        + """
on = traces()
assert on[1] and on[2] and on[3], on
toggle(False); off = traces()
assert off[1] == [] and off[2] == [] and off[3] == [], off
toggle(True); assert traces() == on
toggle(False); assert traces() == off
"""
    )


def test_a_failed_register_rolls_back_and_raises(installed: Callable[..., str]) -> None:
    installed(
        TRACES
        + """
import importlib
extension = importlib.import_module(MODULE)
toggle(False); off = traces()

class Broken:
    def register(self): raise RuntimeError("on purpose")
    def unregister(self): raise AssertionError("was never registered")

parts = extension.PARTS
extension.PARTS = (*parts, Broken())
try:
    extension.register()
except RuntimeError as error:
    assert "on purpose" in str(error)
else:
    raise AssertionError("the failure was swallowed")
assert traces() == off, traces()
"""
    )


def test_nothing_is_written_into_the_extensions_folder(installed: Callable[..., str]) -> None:
    installed(
        """
import importlib
from pathlib import Path
folders = importlib.import_module(MODULE + ".neural_physics.blender.settings.own_folders")
assert not folders.user_folder().is_relative_to(folders.EXTENSION_ROOT)
assert folders.EXTENSION_ROOT == Path(importlib.import_module(MODULE).__file__).parent
"""
    )
