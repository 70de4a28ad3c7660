"""The process that writes Alembic and USD: `blender -b --python worker.py -- PLAN`.

PLAN is a JSON file: what `writing.py` asks for. Also runs in plain Python that has the bpy module. Prints
JSON lines (`neural_physics.jobs.events`).
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any, NoReturn, cast

LAUNCHER = Path(__file__).resolve().parents[2] / "jobs" / "launch.py"


def main() -> int:
    """Write the file that the plan names; the process's exit status."""
    arguments = _arguments()
    runpy.run_path(str(LAUNCHER))["load_packages"]()
    from neural_physics.jobs.events import StopRequest, error_event, print_event

    stop = StopRequest(arguments.stop_file)
    stop.listen()
    stop.follow()
    try:
        plan = json.loads(arguments.plan.read_text(encoding="utf-8"))
        print_event({"event": "result", "paths": _written(plan)})
    except Exception as error:  # noqa: BLE001 (reported to the Blender that asked, which informs the artist)
        print_event(error_event(error, arguments.plan))
        return 1
    return 0


def _written(plan: dict[str, Any]) -> list[str]:
    """Export, and read it again: of each object, where it is in the file; "" for what does not move."""
    import bpy

    from neural_physics.blender.exchange.exporters import export_scene, import_scene
    from neural_physics.blender.exchange.recorded_file import NUMBER
    from neural_physics.jobs.events import Progress, print_event

    path, first, last = Path(plan["path"]), plan["first"], plan["last"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = cast(bpy.types.Scene, bpy.context.scene)
    scene.frame_start, scene.frame_end = first, last
    scene.render.fps, scene.render.fps_base = plan["fps"], plan["fps_base"]
    loading: Any = bpy.data.libraries.load(plan["recorded"], link=False)
    with loading as (there, wanted):
        wanted.objects = list(there.objects)
    objects = sorted(wanted.objects, key=lambda obj: obj[NUMBER])
    for obj, names in zip(objects, plan["names"], strict=True):
        del obj[NUMBER]
        obj.name, obj.data.name = names
        scene.collection.objects.link(obj)
    progress = Progress(print_event, f"Writing {plan['shown']}", last - first + 1)
    bpy.app.handlers.frame_change_post.append(
        lambda scene, *_: progress.at(min(scene.frame_current, last) - first + 1)
    )
    named = [(obj.name, obj.data.name) for obj in objects]
    export_scene(path, first, last)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(path)
    found = {
        modifier.object_path.split("/")[-2]: modifier.object_path
        for obj in bpy.data.objects
        for modifier in obj.modifiers
        if isinstance(modifier, bpy.types.MeshSequenceCacheModifier)
    }
    return [found.get(_in_file(name), "") for name, _ in named]


def _in_file(name: str) -> str:
    """As both formats write names: letters, digits and underscores."""
    return "".join(each if each.isalnum() or each == "_" else "_" for each in name)


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
