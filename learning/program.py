"""A program of several commands: what `python -m learning` and `python -m ml_backend` have in common.

With --json they report to Blender in JSON lines (see `neural_physics.jobs.events`), else to a person.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from neural_physics.errors import Problem
from neural_physics.files.open_files import open_many_files
from neural_physics.jobs.events import Emit, StopRequest, error_event, print_event

THREADS = ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")  # of NumPy's products


@dataclass(frozen=True)
class Command:
    """module: has add_arguments(parser) and run(args, emit, stop); it is imported only when it is called.

    one_thread: NumPy's products are not shared among cores. Those of a training are too small for that: on a
    busy machine, where one core waits for another, it costs tenfold.
    """

    module: str
    purpose: str
    one_thread: bool = False


@dataclass(frozen=True)
class Program:
    """name: as in `python -m NAME`. purpose: one sentence. display: shows events to a person.

    lacking: what this Python needs and has not, where something cannot be imported.
    """

    name: str
    purpose: str
    commands: Mapping[str, Command]
    display: Callable[[], AbstractContextManager[Emit]]
    lacking: Callable[[ImportError], Problem]

    def run(self, words: list[str]) -> int:
        """One command; its exit status: 0, 1 after a problem, 2 for a wrong command line."""
        open_many_files()
        meant = words[0] if words and words[0] in self.commands else None
        if meant and self.commands[meant].one_thread:
            for variable in THREADS:
                os.environ.setdefault(variable, "1")  # read when NumPy is loaded, which it is not yet
        try:
            parser = self._parser(meant)
            display = None if "--json" in words else self.display()
        except ImportError as error:
            return self._report_lacking(error, as_json="--json" in words)
        args = parser.parse_args(words)
        stop = StopRequest(args.stop_file)
        stop.listen()
        if display is None:
            return self._run(args, print_event, stop)
        with display as emit:
            return self._run(args, emit, stop)

    def _run(self, args: argparse.Namespace, emit: Emit, stop: StopRequest) -> int:
        try:
            result = import_module(self.commands[args.command].module).run(args, emit, stop)
        except ModuleNotFoundError as error:
            emit(error_event(self.lacking(error)))
            return 1
        except Exception as error:  # noqa: BLE001 (a job reports whatever ends it)
            if not isinstance(error, Problem):
                traceback.print_exc()  # so that there is something to report
            emit(error_event(error, "its output"))
            return 1
        emit({"event": "result", **result})
        return 0

    def _report_lacking(self, error: ImportError, *, as_json: bool) -> int:
        """Report what is lacking without a display, for which it may be lacking itself."""
        problem = self.lacking(error)
        if as_json:
            print_event(error_event(problem))
        else:
            sys.stderr.write(problem.message + "\n")
        return 1

    def _parser(self, meant: str | None) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(prog=f"python -m {self.name}", description=self.purpose)
        commands = parser.add_subparsers(dest="command", required=True)
        for name, known in self.commands.items():
            command = commands.add_parser(
                name, help=known.purpose, description=f"{known.purpose.capitalize()}."
            )
            command.add_argument("--json", action="store_true", help="print events as JSON lines")
            command.add_argument(
                "--stop-file", type=Path, help="stop at the next checkpoint once this file exists"
            )
            if name == meant:
                import_module(known.module).add_arguments(command)
        return parser
