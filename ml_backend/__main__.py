"""`python -m ml_backend COMMAND ...`: the jobs that need more than Blender's own Python.

With --json they report to Blender in JSON lines (see `neural_physics.jobs.events`), else to a person.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from importlib import import_module
from pathlib import Path

from ml_backend.commands.environment_check import missing
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit, StopRequest, error_event, print_event

# Each module has add_arguments(parser) and run(args, emit, stop), and is imported only when it is called.
COMMANDS = {
    "train": ("ml_backend.commands.train", "train a model on a dataset"),
    "evaluate": ("ml_backend.commands.evaluate", "measure a model on takes it was not trained on"),
    "import": ("ml_backend.commands.importing", "make a dataset from another program's point caches"),
    "simulate": ("ml_backend.commands.simulate", "bake one take with the bundled solver"),
    "check": (
        "ml_backend.commands.check",
        "show what a dataset holds, and whether a model can be trained on it",
    ),
}
REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements" / "training.txt"
MOST_FILES = 10240  # more than macOS allows cannot be asked for


def main(words: list[str]) -> int:
    """One command; its exit status: 0, 1 after a problem, 2 for a wrong command line."""
    _open_many_files()
    meant = words[0] if words and words[0] in COMMANDS else None
    try:
        parser = _parser(meant)
        from ml_backend.commands.terminal import Terminal
    except ImportError as error:
        return _report_lacking(error, as_json="--json" in words)
    args = parser.parse_args(words)
    stop = StopRequest(args.stop_file)
    stop.listen()
    if args.json:
        return _run(args, print_event, stop)
    with Terminal() as terminal:
        return _run(args, terminal.emit, stop)


def _lacking(error: ImportError) -> Problem:
    """What this Python needs and has not."""
    lacking = missing(REQUIREMENTS) if REQUIREMENTS.is_file() else []
    return Problem(
        "training_python_lacks", path=sys.executable, missing=", ".join(lacking) or error.name or error
    )


def _report_lacking(error: ImportError, *, as_json: bool) -> int:
    """Report what is lacking without `Terminal`, which may be lacking itself."""
    problem = _lacking(error)
    if as_json:
        print_event(error_event(problem))
    else:
        sys.stderr.write(problem.message + "\n")
    return 1


def _open_many_files() -> None:
    """Let this process have as many open as it may: each take that is mapped holds two or three."""
    if sys.platform != "win32":
        import resource

        limit, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_FILES if most == resource.RLIM_INFINITY else min(MOST_FILES, most)
        if limit != resource.RLIM_INFINITY and limit < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _run(args: argparse.Namespace, emit: Emit, stop: StopRequest) -> int:
    try:
        result = import_module(COMMANDS[args.command][0]).run(args, emit, stop)
    except ModuleNotFoundError as error:
        emit(error_event(_lacking(error)))
        return 1
    except Exception as error:  # noqa: BLE001 (a job reports whatever ends it)
        if not isinstance(error, Problem):
            traceback.print_exc()  # so that there is something to report
        emit(error_event(error, "its output"))
        return 1
    emit({"event": "result", **result})
    return 0


def _parser(meant: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ml_backend", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module, purpose) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=f"{purpose.capitalize()}.")
        command.add_argument("--json", action="store_true", help="print events as JSON lines")
        command.add_argument(
            "--stop-file", type=Path, help="stop at the next checkpoint once this file exists"
        )
        if name == meant:
            import_module(module).add_arguments(command)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
