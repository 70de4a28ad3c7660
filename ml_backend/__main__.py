"""`python -m ml_backend COMMAND ...`: the jobs that need more than Blender's own Python.

With --json they talk to Blender in JSON lines (see `neural_physics.reporting`), else to a person.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from ml_backend.terminal import Terminal
from neural_physics.reporting import Emit, StopRequest, error_event, print_event

# Each module has add_arguments(parser) and run(args, emit, stop), and is imported only when it is meant.
COMMANDS = {
    "train": ("ml_backend.train", "learn a model from a dataset"),
    "evaluate": ("ml_backend.evaluate", "measure a model on takes it has not seen"),
    "import": ("ml_backend.importing", "make a dataset from another program's point caches"),
    "check": ("ml_backend.check", "say what a dataset holds, and whether it can be trained from"),
}
MOST_FILES = 10240  # more than macOS allows cannot be asked for


def main(words: list[str]) -> int:
    """One command; its exit status: 0, 1 after a problem, 2 for a wrong command line."""
    _open_many_files()
    meant = words[0] if words and words[0] in COMMANDS else None
    args = _parser(meant).parse_args(words)
    stop = StopRequest(args.stop_file)
    stop.listen()
    if args.json:
        return _run(args, print_event, stop)
    with Terminal() as terminal:
        return _run(args, terminal.emit, stop)


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
    except Exception as error:  # noqa: BLE001 (a job tells whatever ends it)
        emit(error_event(error, "its output"))
        return 1
    emit({"event": "result", **result})
    return 0


def _parser(meant: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ml_backend", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module, purpose) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=f"{purpose.capitalize()}.")
        command.add_argument("--json", action="store_true", help="report in JSON lines")
        command.add_argument("--stop-file", type=Path, help="stop at the next checkpoint once this is there")
        if name == meant:
            import_module(module).add_arguments(command)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
