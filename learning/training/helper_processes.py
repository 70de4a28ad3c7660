"""Processes that help a training: each runs a module of ours that answers on its output what it is asked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from subprocess import Popen

from neural_physics.jobs.cores import usable_cores
from neural_physics.jobs.isolated_python import clean_environment, run_module
from neural_physics.jobs.processes import start_with_pipes


def started(module: str, words: Sequence[str], count: int, **variables: str) -> list[Popen[bytes]]:
    """So many of them, or as many as can be started. variables: of their environment."""
    helpers: list[Popen[bytes]] = []
    with suppress(OSError):
        while len(helpers) < count:
            command = [*run_module(sys.executable, module), *words]
            helpers.append(start_with_pipes(command, {**clean_environment(), **variables}))
    return helpers


def cores_for(asked: int | None) -> int:
    """On how many cores to work: as many as were asked for, or all of this computer."""
    return len(usable_cores()) if asked is None else max(1, asked)
