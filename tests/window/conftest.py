"""The window that the tests share."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator

import pytest
from blender_window import HOME, Window
from starting import another_home, folder, start, started


@pytest.fixture(scope="session")
def alone() -> Iterator[None]:
    """There is one such Blender on a machine: another run of these tests is waited for."""
    HOME.parent.mkdir(parents=True, exist_ok=True)
    with HOME.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def first_window(alone: None) -> Iterator[Window]:
    """Blender's window, with the extension installed from its zip, and an empty scene."""
    with started(Window(folder()), "full") as blender:
        yield blender


@pytest.fixture
def window(first_window: Window) -> Window:
    """The same for all tests; a new one where it has ended in the test before."""
    if first_window.has_ended():
        start(first_window)
    return first_window


@pytest.fixture(scope="module")
def newcomer(first_window: Window) -> Iterator[Window]:
    """A second window, of somebody who has Blender and nothing else: no other Python, and no network.

    The edition for the extensions platform is installed.
    """
    home = another_home("newcomer")
    blender = Window(folder(), home, newcomer=True)
    blender.launcher("stop")
    shutil.rmtree(home / "home" / "blender", ignore_errors=True)
    (home / "home" / "blender").mkdir()
    with started(blender, "platform") as blender:
        yield blender
