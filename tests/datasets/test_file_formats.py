"""The documented formats: what the page says is enough to write a dataset that this library accepts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import SIZES, UNITS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "file_formats.md").read_text(encoding="utf-8")
PER_PART = {"joints": "3 per part", "pose": "24 and 12 per part", "shape_keys": "1 per part"}
SCRIPT = re.search(r"```python\n(.+?)```", PAGE, re.DOTALL)[1]


def test_the_script_on_the_page_writes_a_dataset_and_knows_nothing_of_this_project(tmp_path):
    assert "neural_physics" not in SCRIPT and len(SCRIPT.splitlines()) <= 18
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, check=True)
    dataset = Dataset.open(tmp_path / "triangle")
    takes = dataset.takes()
    assert [take.info.role for take in takes] == ["training", "validation", "test"]
    for take in takes:
        assert take.segments() == [(0, 200)]
        moved = take.positions - dataset.mesh.rest_positions
        assert moved == pytest.approx(np.repeat(take.interaction[:, None], 3, 1), abs=1e-6)


@pytest.mark.torch
def test_that_dataset_passes_the_check_by_command(tmp_path):
    pytest.importorskip("rich")
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, check=True)
    words = [sys.executable, "-m", "ml_backend", "check", tmp_path / "triangle", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout


def test_the_page_names_every_kind_of_channel_with_its_size():
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \| ([\w ]+) \|", PAGE, re.MULTILINE)
    sizes = {kind: size for names, size in rows for kind in re.findall(r"`(\w+)`", names)}
    for kind in UNITS:
        assert sizes[kind] == str(SIZES.get(kind, PER_PART.get(kind, "any")))
