"""What the tests have in common that bake, train and play by buttons alone, in a Blender of their own."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import pytest

TRAINING_PYTHON = Path(__file__).resolve().parents[1] / ".venv" / "blender-4.5" / "bin" / "python"
NEEDS_TORCH = pytest.mark.skipif(
    not TRAINING_PYTHON.exists(), reason="needs the environment with torch: make setup"
)
MARKS = [pytest.mark.blender, pytest.mark.slow, NEEDS_TORCH]


def python_that_trains(folder: Path, *settings: str) -> str:
    """The Python that trains, with settings of the preset changed, such as `steps=300`.

    Presets end by the clock. So that a busy machine trains as well as an idle one, and nobody waits for
    quality that no test looks at, tests count steps.
    """
    changes = " ".join(f"--set {quote(setting)}" for setting in ("minutes=0", *settings))
    script = folder / "python"
    script.write_text(
        f'#!/bin/sh\ncase " $* " in\n*" train "*) exec {TRAINING_PYTHON} "$@" {changes} ;;\n'
        f'*) exec {TRAINING_PYTHON} "$@" ;;\nesac\n'
    )
    script.chmod(0o755)
    return str(script)
