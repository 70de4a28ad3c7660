"""The process that makes a rig: `blender -b --python worker.py -- METARIG FILE`.

FILE is the .blend that the rig is written to, alone with the shapes of its controls. Also runs in plain
Python that has the bpy module. Prints JSON lines (`neural_physics.jobs.events`).
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from pathlib import Path
from typing import NoReturn

LAUNCHER = Path(__file__).resolve().parents[3] / "jobs" / "launch.py"
STAGE = "Generating Rigify's rig"


def main() -> int:
    """Make the rig that the command line names; the process's exit status."""
    arguments = _arguments()
    runpy.run_path(str(LAUNCHER))["load_packages"]()
    from neural_physics.jobs.events import Progress, StopRequest, error_event, print_event

    stop = StopRequest(arguments.stop_file)
    stop.listen()
    stop.follow()
    Progress(print_event, STAGE, 1)
    try:
        import bpy

        from neural_physics.blender.examples.rigify.metarig import generate, remove_scripts

        bpy.ops.wm.read_factory_settings(use_empty=True)
        stop.check()
        rig = generate(arguments.metarig)
        remove_scripts(rig)
        stop.check()
        bpy.data.libraries.write(str(arguments.file), {rig}, compress=True)
    except Exception as error:  # noqa: BLE001 (reported to the Blender that asked, which informs the artist)
        print_event(error_event(error, arguments.file))
        return 1
    print_event({"event": "result", "rig": rig.name})
    return 0


def _arguments() -> argparse.Namespace:
    given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("metarig")
    parser.add_argument("file", type=Path)
    parser.add_argument("--stop-file", type=Path)
    return parser.parse_args(given)


def end_at_once() -> NoReturn:
    """Do it, and end without what Python and Blender do then: bpy 4.5 can hang in a destructor there."""
    status = 1
    try:
        status = main()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


if __name__ == "__main__":
    end_at_once()
