"""What bakes by the bundled solver need around them."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOLVER_PYTHON = ROOT / ".venv" / "blender-4.5" / "bin" / "python"


@pytest.fixture
def a_python_that_simulates(monkeypatch):
    """Jobs find the solver as they do when a button starts them."""
    if not SOLVER_PYTHON.exists():
        pytest.skip("needs the environment with the solver: make setup")
    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", str(SOLVER_PYTHON))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
