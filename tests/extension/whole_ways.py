"""What the tests have in common that bake, train and play by buttons alone, in a Blender of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

TRAINING_PYTHON = Path(__file__).resolve().parents[2] / ".venv" / "blender-4.5" / "bin" / "python"
NEEDS_TORCH = pytest.mark.skipif(
    not TRAINING_PYTHON.exists(), reason="needs the environment with torch: make setup"
)
MARKS = [pytest.mark.blender, pytest.mark.slow, NEEDS_TORCH]
