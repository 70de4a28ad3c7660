"""The Python that trains: chosen by the artist, or made by the extension. Blender itself has no torch."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import bpy

from ...errors import Problem
from ...files.looking import is_file, is_folder
from ...jobs.events import parse_event
from ...jobs.isolated_python import clean_environment, run_module
from ...jobs.life_cycle import JobState
from ...jobs.processes import WITHOUT_CONSOLE
from ...jobs.virtual_environments import python_in
from ..settings.own_folders import EXTENSION_ROOT, PACKAGE, user_folder
from . import host

VARIABLE = "NEURAL_PHYSICS_PYTHON"
REQUIREMENTS = EXTENSION_ROOT / "requirements" / "training.txt"
OPTIONAL = [EXTENSION_ROOT / "requirements" / name for name in ("solver.txt", "search.txt", "export.txt")]
ANSWERS_WITHIN = 60.0  # seconds; a network drive may be slow
CHECK, CREATE = "check_environment", "create_environment"


def environment_folder() -> Path:
    """Where the environment is made."""
    return user_folder() / "training_environment"


def jobs_folder() -> Path:
    """Where the logs of checking and making it are kept."""
    return user_folder() / "environment_jobs"


def python_path() -> Path | None:
    """The Python that trains: of the preferences, of NEURAL_PHYSICS_PYTHON, made here, or Blender's own.

    Of a folder that was chosen, the Python in it; the folder itself where it has none.
    """
    chosen = _chosen() or os.environ.get(VARIABLE)
    if chosen:
        return _program_in(Path(chosen))
    created = python_in(environment_folder())
    if is_file(created) and state_of(CREATE).phase == "finished":
        return created
    return Path(sys.executable) if _brings_torch() else None


def check_python() -> Path:
    """The Python that is to train.

    Raises Problem("training_python_unset" | "training_python_relative" | "training_python_folder" |
    "training_python_missing" | "training_python_unusable").
    """
    python = python_path()
    if python is None:
        raise Problem("training_python_unset")
    # Else the .blend, or the folder that Blender was started in, would say which program that is.
    if _chosen().startswith("//") or not python.is_absolute():
        raise Problem("training_python_relative", path=python)
    if is_folder(python):
        raise Problem("training_python_folder", path=python, expected=python_in(Path()))
    if not is_file(python):
        raise Problem("training_python_missing", path=python)
    if not os.access(python, os.X_OK):
        raise Problem("training_python_unusable", path=python, reason="it is not a program")
    return python


def require_python() -> Path:
    """The Python that trains. Raises what `check_python` does, and Problem("training_python_lacks")."""
    python = check_python()
    lacking = checked(python).get("missing")
    if lacking:
        raise Problem("training_python_lacks", path=python, missing=", ".join(lacking))
    return python


def working_python() -> Path:
    """The Python that trains, having asked it what it has; what works is asked once.

    Raises what `require_python` does, and Problem("training_python_unusable").
    """
    python = require_python()
    # Another one may be put in its place.
    _ask(python, python.stat().st_mtime_ns)
    return python


@cache
def _ask(python: Path, _changed: int) -> None:
    """Raise the Problem that shows when a program is asked for its packages; problems are not remembered."""
    try:
        asked = subprocess.run(
            [*_check_words(python), "--packages-only"],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=clean_environment(),
            cwd=user_folder(),
            timeout=ANSWERS_WITHIN,
            creationflags=WITHOUT_CONSOLE,
        )
        said = asked.stdout.decode(errors="replace").splitlines()
    except (OSError, subprocess.TimeoutExpired) as error:
        said = [getattr(error, "strerror", None) or "it did not answer"]
    result = next((event for event in map(parse_event, said) if event and event["event"] == "result"), None)
    if result is None:
        reason = said[-1] if said else "there was no output"
        raise Problem("training_python_unusable", path=python, reason=reason)
    if result["missing"]:
        raise Problem("training_python_lacks", path=python, missing=", ".join(result["missing"]))


def checked(python: Path) -> dict[str, Any]:
    """What is known of a Python: `python`, `torch`, `device`, `missing`; empty if it was not checked.

    `missing` is a list of texts; what else there is may be anything, see `life_cycle.text_in`.
    """
    result = state_of(CHECK).result
    missing = result.get("missing")
    says = isinstance(missing, list) and all(isinstance(name, str) for name in missing)
    return result if says and result.get("asked") == str(python) else {}


def state_of(kind: str) -> JobState:
    """How checking or making the environment stands."""
    return host.state_of(jobs_folder(), kind)


def failure_of(kind: str) -> str:
    """Why checking the Python that is chosen, or making one, failed or was stopped; "" if neither."""
    state = state_of(kind)
    if state.phase not in ("failed", "stopped"):
        return ""
    if kind != CHECK:
        return state.message
    python = python_path()
    if python is None or host.begun(jobs_folder(), CHECK, _asked_of(python)) is None:
        return ""  # it was another one
    if state.code != "ended_unexpectedly":
        return state.message
    # Whatever a program that is no Python makes of its arguments, it reports no result.
    reason = next((line for line in reversed(state.log) if line.strip()), "there was no output")
    return Problem("training_python_unusable", path=python, reason=reason).message


def may_ask_for_access() -> bool:
    """Whether all that keeps Blender offline is a setting of its preferences."""
    return not bpy.app.online_access and not bpy.app.online_access_override


def check_create() -> None:
    """Raise the Problem that keeps the environment from being made.

    Problem("offline" | "offline_forced" | "environment_busy").
    """
    if may_ask_for_access():
        raise Problem("offline")
    if not bpy.app.online_access:
        raise Problem("offline_forced")
    if state_of(CREATE).active:
        raise Problem("environment_busy")


def check_command() -> list[str]:
    """The job that looks what the chosen Python has. Raises what `check_python` does."""
    return _check_words(check_python())


def create_command(pip_options: str) -> list[str]:
    """The job that makes the environment, with the Python that Blender brings."""
    job = run_module(sys.executable, "neural_physics.jobs.environment")
    job += ["--folder", str(environment_folder())]
    job += ["--requirements", str(REQUIREMENTS), *(f"--optional={path}" for path in OPTIONAL)]
    # In one word: options of pip begin with dashes, too.
    return [*job, f"--pip-options={pip_options}"]


def _check_words(python: Path) -> list[str]:
    job = run_module(python, "ml_backend.commands.environment_check")
    return [*job, "--requirements", str(REQUIREMENTS), *_asked_of(python)]


def _asked_of(python: Path) -> list[str]:
    """What such a command ends with."""
    return ["--asked", str(python)]


@cache
def _brings_torch() -> bool:
    """Whether Blender's own Python has PyTorch; looking goes through all of its folders."""
    return importlib.util.find_spec("torch") is not None


def _program_in(chosen: Path) -> Path:
    """The Python of an environment's folder, or of its folder of programs; else what was chosen."""
    usual = python_in(chosen)
    places = (usual, chosen / usual.name) if chosen.is_absolute() and is_folder(chosen) else ()
    return next((place for place in places if is_file(place)), chosen)


def _chosen() -> str:
    """What the preferences name, "" if nothing."""
    preferences = bpy.context.preferences
    extension = preferences.addons.get(PACKAGE) if preferences else None
    return getattr(extension.preferences, "training_python", "") if extension else ""
