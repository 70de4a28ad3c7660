"""The graphics card is tested in Blender, on whatever it can be given: Mesa's llvmpipe is enough."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("bpy") is None:
    collect_ignore_glob = ["test_*.py"]


ROOT = Path(__file__).resolve().parents[2]
TRY = (
    "import os, sys; sys.path.insert(0, sys.argv[1]); "
    "from neural_physics.blender.gpu.context import make_context; make_context(); os._exit(0)"
)


@pytest.fixture(scope="session")
def context_can_be_made() -> bool:
    """Tried in another process: without a driver, trying ends Blender."""
    return subprocess.run([sys.executable, "-c", TRY, ROOT], capture_output=True, check=False).returncode == 0


@pytest.fixture
def graphics(context_can_be_made: bool) -> None:
    """A context; tests are skipped where there is none to be had."""
    if not context_can_be_made:
        pytest.skip("Blender finds no graphics card here, nor Mesa's llvmpipe in its place")
    from neural_physics.blender.gpu.context import make_context

    make_context()
