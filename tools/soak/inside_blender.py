"""`python -m tools.soak.inside_blender SCENE.blend COMMAND ...`: one of the extension's commands.

What `blender -b SCENE.blend --command neural_physics COMMAND ...` does, in Blender as a Python module.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import bpy

from neural_physics.blender import commands
from neural_physics.blender.jobs import host
from neural_physics.blender.playing import playback
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.named_places import agree
from neural_physics.blender.settings.registration import register_parts
from tools.soak.activities import DATASET, MODEL
from tools.soak.marks import BEGINS


def main(scene: str, *words: str) -> int:
    """Open the scene and run the command; its exit status."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    preferences = bpy.context.preferences
    assert preferences is not None  # Blender always has some
    preferences.filepaths.save_version = 0  # no .blend1, which no two runs have alike
    register_parts((properties, host, playback))
    bpy.ops.wm.open_mainfile(filepath=scene)
    for name in (DATASET, MODEL):  # its scenes have them beside themselves, as somebody may choose
        agree(Path(scene).parent / name)
    print(BEGINS, flush=True)  # noqa: T201 (whoever times a fault waits for it)
    return commands.main(words)


if __name__ == "__main__":
    status = main(*sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # bpy 4.5 can hang in a destructor when Python ends
