"""What several tests share: a small dataset and a small model of the same sheet."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
# The library is not installed: it is the folder above. Helpers lie beside the tests that they were made for.
sys.path[:0] = [str(ROOT), *sorted({str(path.parent) for path in (ROOT / "tests").rglob("*.py")})]

import synthetic

from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.models.model_file import Model, parse_model

EXIT_STATUS = pytest.StashKey[int]()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[EXIT_STATUS] = int(exitstatus)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> Generator[None, None, None]:
    """End at once where Blender was loaded: its destructors may hang after much work (bpy 4.5)."""
    yield
    if "bpy" in sys.modules and EXIT_STATUS in config.stash:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[EXIT_STATUS])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def sheet_mesh() -> Mesh:
    return synthetic.sheet_mesh()


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Three training takes, one for validation, one for testing, 120 frames each. Read only."""
    roles = ("training", "training", "training", "validation", "test")
    return synthetic.make_dataset(tmp_path_factory.mktemp("shared") / "dataset", roles)


@pytest.fixture(scope="session")
def model_bytes(sheet_mesh: Mesh) -> bytes:
    """A small valid model file of the sheet; its network is random."""
    tensors = synthetic.make_model_tensors(sheet_mesh)
    return synthetic.model_bytes(synthetic.make_model_info(sheet_mesh), tensors)


@pytest.fixture
def model(model_bytes: bytes) -> Model:
    return parse_model(model_bytes, "sheet.safetensors")


@pytest.fixture
def model_path(model_bytes: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "sheet.safetensors"
    path.write_bytes(model_bytes)
    return path
