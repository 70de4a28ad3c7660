"""The Python that trains is what was chosen, or in the folder that was; what is no Python is called that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.blender

CHOOSING = """
import importlib, os, sys, time
from pathlib import Path
environment = importlib.import_module(MODULE + ".neural_physics.blender.jobs.training_environment")
host = importlib.import_module(MODULE + ".neural_physics.blender.jobs.host")
preferences = bpy.context.preferences.addons[MODULE].preferences
HERE = Path.cwd()
def program(path, text, mode=0o755):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path
def told():
    # Whatever it says once it was asked, as the preferences show it.
    end = time.monotonic() + 30
    while environment.state_of(environment.CHECK).active:
        assert time.monotonic() < end, environment.state_of(environment.CHECK)
        host._tick()
        time.sleep(0.05)
    return environment.failure_of(environment.CHECK)
def choose(path):
    told()  # while one is asked, no other is
    preferences.training_python = str(path)
    try:
        return environment.check_python()
    except Exception as problem:
        return problem.code, problem.message
try:
"""
END = """
finally:
    preferences.training_python = ""
"""


def indented(code: str) -> str:
    return CHOOSING + "".join(f"    {line}\n" for line in code.strip().splitlines()) + END


def test_a_folder_that_is_an_environment_is_taken_as_its_python(in_blender: Callable[..., str]) -> None:
    in_blender(
        indented(
            """
python = program(HERE / "venv" / "bin" / "python", "#!/bin/sh")
assert choose(HERE / "venv") == python
assert choose(f"{HERE}/venv/") == python
assert choose(HERE / "venv" / "bin") == python
assert choose(python) == python
"""
        )
    )


def test_a_folder_without_a_python_is_called_a_folder(in_blender: Callable[..., str]) -> None:
    in_blender(
        indented(
            """
(HERE / "empty").mkdir()
code, said = choose(HERE / "empty")
assert code == "training_python_folder" and "bin/python" in said and "does not exist" not in said
assert choose(HERE / "gone")[0] == "training_python_missing"
assert choose("//empty")[0] == "training_python_relative"
"""
        )
    )


def test_what_is_no_python_is_said_to_be_none(in_blender: Callable[..., str]) -> None:
    in_blender(
        indented(
            """
code, said = choose(program(HERE / "notes.txt", "a list", 0o644))
assert code == "training_python_unusable" and "is not a program" in said
for name, does in (("calculator", "echo I am a calculator >&2; exit 3"), ("mute", "exit 0")):
    path = program(HERE / name, "#!/bin/sh\\n" + does)
    assert choose(path) == path
    said = told()
    assert said.startswith(f"{path} does not work as a Python (it said: "), said
    assert ("I am a calculator" in said) == ("echo" in does) and "ended" not in said, said
    try:
        environment.working_python()
    except Exception as problem:
        assert problem.code == "training_python_unusable", problem
    else:
        raise AssertionError("a calculator trains nothing")
choose(program(HERE / "other", "#!/bin/sh\\nsleep 1"))
assert environment.failure_of(environment.CHECK) == "", "what another one said says nothing of this one"
told()
"""
        )
    )


def test_where_only_a_setting_keeps_blender_offline_a_button_leads_to_it(
    in_blender: Callable[..., str],
) -> None:
    in_blender(
        indented(
            """
system = bpy.context.preferences.system
before, system.use_online_access = system.use_online_access, False
try:
    assert environment.may_ask_for_access()
    assert not bpy.ops.neural_physics.create_environment.poll()
    system.use_online_access = True
    assert not environment.may_ask_for_access()
finally:
    system.use_online_access = before
show = bpy.ops.screen.userpref_show.get_rna_type().properties["section"]
assert "SYSTEM" in show.enum_items, "what the button opens is there in this Blender"
"""
        )
    )
