"""The graphics card is tested in Blender, on whatever it can be given: Mesa's llvmpipe is enough."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if find_spec("bpy") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def graphics() -> None:
    """A context; tests are skipped where there is none to be had."""
    from neural_physics.blender.gpu.context import NoGPU, make_context

    try:
        make_context()
    except NoGPU as problem:
        pytest.skip(problem.message)
