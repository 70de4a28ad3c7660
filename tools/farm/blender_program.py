"""A program in place of `blender`: `blender -b [SCENE.blend] --command neural_physics COMMAND ...`.

It does what Blender does with these words and the extension installed, by Blender as a Python module.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from shlex import quote

import bpy

from neural_physics.blender import commands
from neural_physics.blender.jobs import host
from neural_physics.blender.playing import playback
from neural_physics.blender.settings import properties
from neural_physics.blender.settings.registration import register_parts
from neural_physics.jobs import leases

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = "FARM_PATIENCE"


def main(words: list[str]) -> int:
    """Open the scene, if one is named, and run the command; its exit status."""
    at = words.index("--command")
    leases.PATIENCE = float(os.environ[PATIENCE])
    leases.RENEW_EVERY = leases.PATIENCE / 6
    scenes = [word for word in words[:at] if word != "-b"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    preferences = bpy.context.preferences
    assert preferences is not None  # Blender always has some
    preferences.filepaths.save_version = 0  # no .blend1
    register_parts((properties, host, playback))
    for scene in scenes:
        bpy.ops.wm.open_mainfile(filepath=str(Path(scene).absolute()))
    return commands.main(words[at + 2 :])


def write_program(folder: Path, patience: float = leases.PATIENCE) -> Path:
    """A file that can be started in place of `blender`, in this folder.

    patience: seconds without word until it takes another computer for gone, for tests that would only wait.
    """
    program = folder / "blender"
    variables = f"PYTHONPATH={quote(str(ROOT))} {PATIENCE}={patience}"
    program.write_text(f'#!/bin/sh\n{variables} exec {quote(sys.executable)} -m {__name__} "$@"\n')
    program.chmod(0o755)
    return program


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # bpy 4.5 can hang in a destructor when Python ends
