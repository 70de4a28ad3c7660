"""The zip, installed in a Blender with scratch user folders: one for each test that asks, or one for many."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fresh_blender import ENABLE, INSTALL, ROOT, run
from one_blender import OneBlender
from whole_ways import TRAINING_PYTHON


@pytest.fixture(scope="session")
def extension_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("zip") / "neural_physics.zip"
    subprocess.run([sys.executable, ROOT / "tools" / "build_zip.py", target], check=True)
    return target


@pytest.fixture(scope="session")
def platform_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The edition for the extensions platform."""
    target = tmp_path_factory.mktemp("platform") / "neural_physics.zip"
    words = [sys.executable, ROOT / "tools" / "build_zip.py", target, "--edition", "platform"]
    subprocess.run(words, check=True)
    return target


@pytest.fixture(scope="session")
def user_folder(extension_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder in which the zip was installed. To be copied, not used."""
    folder = tmp_path_factory.mktemp("installed")
    user = folder / "user"
    run(INSTALL, folder, BLENDER_USER_RESOURCES=str(user), NEURAL_PHYSICS_ZIP=str(extension_zip))
    # Jobs write no bytecode (`isolated_python`): else each of hundreds would compile what it imports.
    for python in {sys.executable, str(TRAINING_PYTHON)}:
        if Path(python).exists():
            subprocess.run([python, "-m", "compileall", "-q", user], check=True)
    return user


@pytest.fixture
def installed(user_folder: Path, tmp_path: Path) -> Callable[..., str]:
    """Run a script in a fresh process with the extension installed and enabled; returns what it printed."""

    def in_own_blender(script: str, timeout: float = 120, **env: str) -> str:
        user = Path(env.pop("BLENDER_USER_RESOURCES", tmp_path / "user"))
        if not user.exists():
            shutil.copytree(user_folder, user)
        return run(ENABLE + script, tmp_path, timeout, BLENDER_USER_RESOURCES=str(user), **env)

    return in_own_blender


@pytest.fixture(scope="session")
def _one_blender(user_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneBlender]:
    user = tmp_path_factory.mktemp("shared") / "user"
    shutil.copytree(user_folder, user)
    blender = OneBlender(user)
    yield blender
    blender.end()


@pytest.fixture
def in_blender(_one_blender: OneBlender, tmp_path: Path) -> Callable[..., str]:
    """Run a script in a process that others have used: with an empty scene and the extension loaded anew.

    For what a click or a command does, in a fraction of the time that `installed` takes.
    """

    def in_used_blender(script: str, timeout: float = 120, **env: str) -> str:
        return _one_blender.run(script, tmp_path, timeout, env)

    return in_used_blender
