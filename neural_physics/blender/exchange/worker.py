"""The process that writes and reads files of other programs: `blender -b --python worker.py -- PLAN`.

PLAN is a JSON file: what `writing.py`, `reading.py` or `pose_exporting.py` asks for. A file that somebody
else has made is read here, and not in the artist's Blender. Also runs in plain Python that has the bpy
module. Prints JSON lines (`neural_physics.jobs.events`).
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
from pathlib import Path
from typing import NoReturn

LAUNCHER = Path(__file__).resolve().parents[2] / "jobs" / "launch.py"


def main() -> int:
    """Do what the plan says; the process's exit status."""
    arguments = _arguments()
    runpy.run_path(str(LAUNCHER))["load_packages"]()
    from neural_physics.jobs.events import StopRequest, error_event, print_event

    stop = StopRequest(arguments.stop_file)
    stop.listen()
    stop.follow()
    try:
        from neural_physics.blender.exchange.file_reading import read_file
        from neural_physics.blender.exchange.file_writing import write_file
        from neural_physics.blender.exchange.poses.pose_writing import write_poses

        plan = json.loads(arguments.plan.read_text(encoding="utf-8"))
        tasks = {"read": read_file, "write": write_file, "poses": write_poses}
        result = tasks[plan["task"]](plan, stop)
    except Exception as error:  # noqa: BLE001 (reported to the Blender that asked, which informs the artist)
        print_event(error_event(error, arguments.plan))
        return 1
    print_event({"event": "result", **result})
    return 0


def _arguments() -> argparse.Namespace:
    given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("plan", type=Path)
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
