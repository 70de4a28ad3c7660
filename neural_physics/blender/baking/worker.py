"""The process that bakes one take: `blender -b --python worker.py -- PLAN TAKE`.

Where the bundled solver simulates it only records how all that the body reacts to moves. In place of a take
it may be given a share of the motions that new takes are chosen from.
Also runs in plain Python that has the bpy module. Prints JSON lines (`neural_physics.jobs.events`).
Works without the extension being enabled.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

LAUNCHER = Path(__file__).resolve().parents[2] / "jobs" / "launch.py"


def main() -> int:
    """Bake, or record, the take named on the command line; the process's exit status."""
    arguments = _arguments()
    runpy.run_path(str(LAUNCHER))["load_packages"]()
    from neural_physics.jobs.cores import keep_to_cores
    from neural_physics.jobs.events import StopRequest, error_event, print_event
    from neural_physics.jobs.overdue import end_when_overdue

    stop = StopRequest(arguments.stop_file)
    stop.listen()
    stop.follow(arguments.coordinator)
    end_when_overdue(stop)
    if arguments.core is not None:
        # Before bpy starts its threads: Blender's cloth is only repeatable on one of them.
        keep_to_cores([arguments.core])
    import bpy

    from neural_physics.baking.choice import TASK
    from neural_physics.baking.handing_over import workplace
    from neural_physics.baking.plan import BakePlan
    from neural_physics.blender.baking.scoring_motion import score_motion
    from neural_physics.blender.baking.seals import Trust
    from neural_physics.blender.baking.take_baking import bake_take
    from neural_physics.blender.baking.track_recording import record_tracks
    from neural_physics.blender.settings import properties

    try:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        properties.register()
        plan = BakePlan.read(arguments.plan)
        trust = Trust(arguments.key, scripts=arguments.trusted, all_scenes=arguments.all_trusted)
        if arguments.take.startswith(TASK):
            result = score_motion(plan, arguments.take, trust, arguments.holder, emit=print_event, stop=stop)
        else:
            place = workplace(plan, arguments.take, arguments.holder)
            work = record_tracks if plan.by_solver else bake_take
            result = work(plan, place, trust, emit=print_event, stop=stop)
    except Exception as error:  # noqa: BLE001 (reported to the bake, which informs the artist)
        print_event(error_event(error, arguments.plan.parent / f"{arguments.take}.jsonl"))
        return 1
    print_event({"event": "result", **result})
    return 0


def _arguments() -> argparse.Namespace:
    given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("plan", type=Path)
    parser.add_argument("take")
    parser.add_argument("--holder", type=int, default=0, help="whose take it is, by number")
    parser.add_argument("--key", type=Path, help="the file of the user's key")
    parser.add_argument("--trusted", action="store_true", help="scripts of scenes sealed with it may run")
    parser.add_argument("--all-trusted", action="store_true", help="scripts of all scenes may run")
    parser.add_argument("--core", type=int)
    parser.add_argument("--coordinator", type=int, default=0, help="id of the process to exit with")
    parser.add_argument("--stop-file", type=Path)
    return parser.parse_args(given)


def end_at_once() -> NoReturn:
    """Do it, and end without what Python and Blender do at their end: bpy 4.5 can hang in a destructor there.

    Also where not even an error could be reported, as on a full disk, where the log is: a bake would wait for
    this process for ever.
    """
    status = 1
    try:
        status = main()
        sys.stdout.flush()
        sys.stderr.flush()
    except SystemExit as ended:  # a wrong command line
        status = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 (see above)
        with suppress(OSError):
            traceback.print_exc()
    finally:
        os._exit(status)


if __name__ == "__main__":
    end_at_once()
