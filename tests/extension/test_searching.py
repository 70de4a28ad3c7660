"""The command that searches, in Blender as it is installed, by the Python that trains."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from motion_data import make_dataset
from test_commands import COMMANDS
from whole_ways import TRAINING_PYTHON

HAS_OPTUNA = any(TRAINING_PYTHON.parents[1].glob("lib/*/site-packages/optuna"))
pytestmark = [
    pytest.mark.blender,
    pytest.mark.skipif(not HAS_OPTUNA, reason="needs an environment with Optuna: make setup"),
]


def test_it_leaves_the_best_model_beside_the_dataset_and_says_what_is_wrong_in_a_sentence(
    in_blender: Callable[..., str], tmp_path: Path
) -> None:
    dataset = make_dataset(tmp_path / "dataset", 200).path
    said = in_blender(
        COMMANDS
        + f"""
words = ("search", {str(dataset)!r}, "--method=linear_dynamics", "--over=history=1,2")
assert run(*words, "--over=bases=2,3") == (0, "")
refused(1, "holds a search with other settings", *words, "--over=bases=2,4")
refused(1, "is not a training setting", *words, "--over=bias=2,4")
refused(1, "unrecognized arguments", *words, "--tirals=3")
refused(1, "There is no dataset in", "search", {str(tmp_path / "nothing")!r})
""",
        NEURAL_PHYSICS_PYTHON=str(TRAINING_PYTHON),
    )
    assert "Trial 4 " in said and f"model: {tmp_path / 'best.safetensors'}" in said
    assert (tmp_path / "best.safetensors").is_file()
