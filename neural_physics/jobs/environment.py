"""A job: make a Python environment that can train.

`python -I launch.py neural_physics.jobs.environment --folder F --requirements FILE [--optional FILE]
[--pip-options "..."]`: a virtual environment in F, filled by pip. Started again after a stop, it continues
with what pip has already fetched.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from ..errors import Problem
from .events import StopRequest, error_event, print_event
from .processes import WITHOUT_CONSOLE
from .virtual_environments import python_in, words_of

ROOM_NEEDED = 8 << 30  # bytes; PyTorch with its CUDA libraries, unpacked, is the largest part
UTF_8 = ("-I", "-X", "utf8")  # what is said has paths in it, which may be written in any script
QUIETLY = ("--no-input", "--disable-pip-version-check", "--progress-bar", "off")
STAGES = {
    "Collecting": "Resolving",
    "Downloading": "Downloading",
    "Using cached": "Using cached",
    "Installing collected": "Installing",
}


def create(
    folder: Path,
    requirements: Path,
    pip_options: list[str],
    stop: StopRequest,
    *,
    optional: Sequence[Path] = (),
) -> Path:
    """Make the environment; returns its Python.

    requirements: the list of what it must have. optional: lists of what it gets where that can be had.
    Raises Problem("environment_no_room" | "folder_not_writable" | "environment_failed" | "stopped").
    """
    _check_room(folder)
    _print_stage("Creating the environment")
    _run([sys.executable, *UTF_8, "-m", "venv", str(folder)], stop)
    python = python_in(folder)
    install = [str(python), *UTF_8, "-m", "pip", "install", *QUIETLY]
    _run([*install, "-r", str(requirements), *pip_options], stop)
    for package in (package for path in optional for package in _packages(path)):
        # Each on its own: some have no wheel for some systems, and few people have a compiler.
        words = [*install, package, "--only-binary", ":all:", "-c", str(requirements), *pip_options]
        _try(words, package, stop)
    return python


def _packages(requirements: Path) -> list[str]:
    """What a list asks for, one line each, as pip takes it."""
    lines = (line.partition("#")[0].strip() for line in requirements.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


def _try(argv: list[str], package: str, stop: StopRequest) -> None:
    """Run one step that may fail; a failure is only reported."""
    try:
        _run(argv, stop)
    except Problem as problem:
        if problem.code != "environment_failed":
            raise
        reason = problem.names["reason"]
        print_event(
            {"event": "log", "text": f"Continued without {package}, which is not available here: {reason}"}
        )


def _check_room(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise Problem("folder_not_writable", path=folder, reason=error.strerror or error) from error
    if free < ROOM_NEEDED:
        raise Problem("environment_no_room", path=folder, free=_size(free), needed=_size(ROOM_NEEDED))


def _size(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB"


def _run(argv: list[str], stop: StopRequest) -> None:
    """Run one step, passing on what it says; ends it when asked to stop."""
    process = subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        creationflags=WITHOUT_CONSOLE,
    )
    said: list[str] = []
    reader = threading.Thread(target=_pass_on, args=(process, said), daemon=True)
    reader.start()
    while reader.is_alive():
        reader.join(timeout=0.2)
        if stop.asked():
            process.terminate()
            process.wait()
            raise Problem("stopped")
    if process.wait():
        raise Problem("environment_failed", step=" ".join(argv[5:7]), reason=_last_error(said))


def _pass_on(process: subprocess.Popen[str], said: list[str]) -> None:
    assert process.stdout is not None  # it was asked for
    for line in process.stdout:
        text = line.strip()
        said.append(text)
        print_event({"event": "log", "text": text})
        for beginning, stage in STAGES.items():
            if text.startswith(beginning):
                _print_stage(f"{stage} {_subject(text)}")


def _subject(line: str) -> str:
    """The package that a line of pip is about: the word after its verb, without versions."""
    words = (
        line.replace("Using cached", "Cached").replace("Installing collected packages:", "Installing").split()
    )
    return words[1].split(">")[0].split("-")[0].strip(",") if len(words) > 1 else ""


def _last_error(said: list[str]) -> str:
    errors = [line for line in said if line.startswith("ERROR")]
    return (errors or said or ["there was no output"])[-1].removeprefix("ERROR: ")


def _print_stage(stage: str) -> None:
    print_event({"event": "progress", "stage": stage, "done": 0, "total": 0, "seconds_left": None})


def main() -> int:
    """Create the environment that the arguments describe; returns the exit status, 1 after an error event."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--requirements", type=Path, required=True)
    parser.add_argument("--optional", type=Path, action="append", default=[])
    parser.add_argument("--pip-options", default="")
    parser.add_argument("--stop-file", type=Path)
    args = parser.parse_args()
    stop = StopRequest(args.stop_file)
    stop.listen()
    try:
        python = create(
            args.folder, args.requirements, words_of(args.pip_options), stop, optional=args.optional
        )
    except (Problem, OSError) as error:
        print_event(error_event(error, args.folder))
        return 1
    print_event({"event": "result", "python": str(python)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
