"""Functions of the benchmarks, each in a process of its own.

So each has as many threads as it asks for, which NumPy counts once, when it is imported, and all the memory;
and no Blender is left that hangs in a destructor.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.folders import ROOT
from learning.evaluation.timing import ONE_THREAD
from neural_physics.jobs.cores import keep_to_cores


def run(
    function: str,
    arguments: Mapping[str, Any],
    *,
    one_thread: bool,
    core: int | None = None,
    log: Path | None = None,
) -> Any:  # noqa: ANN401 (whatever the function returns)
    """What a function, "module:name", returns: JSON, as its keyword arguments are.

    core: the only one that it, and what it starts, may use. log: where what it prints goes, added to what is
    there. Raises SystemExit where it fails.
    """
    threads = ONE_THREAD if one_thread else {}
    with TemporaryDirectory() as scratch:
        answer = Path(scratch) / "answer.json"
        task = json.dumps([function, dict(arguments), core])
        argv = [sys.executable, "-m", "benchmarks.runner", task, str(answer)]
        with log.open("ab") if log else nullcontext() as out:
            done = subprocess.run(
                argv, cwd=ROOT, env={**os.environ, **threads}, stdout=out, stderr=out, check=False
            )
        if done.returncode or not answer.is_file():
            raise SystemExit(f"{function} failed{f': see {log}' if log else ''}")
        return json.loads(answer.read_text(encoding="utf-8"))


def _run_here(task: str, answer: Path) -> None:
    function, arguments, core = json.loads(task)
    if core is not None:
        keep_to_cores([core])
    module, _, name = function.partition(":")
    found = getattr(import_module(module), name)(**arguments)
    answer.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    status = 1
    try:
        _run_here(sys.argv[1], Path(sys.argv[2]))
        status = 0
    except SystemExit as ended:
        sys.stderr.write(f"{ended.code}\n")
    except BaseException:  # noqa: BLE001 (whatever it is, it is shown)
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # bpy 4.5 can hang when Python ends
