"""What the benchmark of contact corrections measures, on a small flat jelly."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "training")]

import bench_contact_accuracy as accuracy  # noqa: E402
import bench_contact_docs  # noqa: E402
import bench_contact_times as times  # noqa: E402
import contact_scenes  # noqa: E402
from contact_scenes import Jelly  # noqa: E402
from flat_jellies import bake_flat  # noqa: E402
from flat_meshes import extruded  # noqa: E402

from ml_backend.methods.contact_scene import contact_scene  # noqa: E402
from ml_backend.spans import split  # noqa: E402
from neural_physics.methods.contact_corrections import ContactCorrections  # noqa: E402
from neural_physics.model_file import Model, read_model  # noqa: E402

pytestmark = pytest.mark.torch
ROW = accuracy.Row("SMALL", 40, 60)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A circle's jelly, with its dataset, and both parts."""
    folder = tmp_path_factory.mktemp("contact")
    around = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = 0.1 * np.column_stack([np.cos(around), np.sin(around)])
    jelly = Jelly("SMALL", "JELLY_WITH_CIRCLE", turning=False)
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patched:
        for module in (contact_scenes, accuracy, times):
            for name, value in (("MODELS", folder / "models"), ("TEST", "take_001"), ("JELLIES", (jelly,))):
                patched.setattr(module, name, value)
        patched.setattr(contact_scenes, "SCENES", folder)
        patched.setattr(contact_scenes, "TRAINING", ("take_000",))
        for module in (accuracy, times):
            patched.setattr(module, "ROWS", (ROW, accuracy.Row("GONE", 5, 60)))
        patched.setattr(accuracy, "VALIDATED", 4)
        patched.setattr(accuracy, "TRAVERSES", 6)
        patched.setattr(times, "PASSES", 1)
        other = Jelly("GONE", "JELLY_WITH_STAR", turning=True)
        patched.setattr(accuracy, "JELLIES", (jelly, other))
        patched.setattr(times, "JELLIES", (jelly, other))
        dataset = bake_flat(jelly.folder, extruded("Presser", ring), 0.1, 72, tetrahedra=90)
        found = accuracy.judge()
        yield dataset, found, times.judge(), folder / "models" / f"{ROW.name}.safetensors"


def test_both_corrections_bring_the_body_nearer_and_what_is_missing_is_told(measured):
    _, found, _, _ = measured
    (row,) = found["rows"]
    assert found["missing"] == ["GONE_5_60"]
    errors = row["errors"]
    assert errors["all"] < 1.0 and errors["touched"] < 1.0
    assert 0 < row["frames"]["touched"] < row["frames"]["all"] == 72
    assert row["shapes"]["external"] > row["shapes"]["internal"]


def test_the_handles_alone_are_what_errors_are_relative_to(measured):
    dataset, _, _, path = measured
    model = read_model(path)
    kept = {k: v for k, v in model.tensors.items() if not k.startswith(("internal.", "external."))}
    linear = ContactCorrections(Model(model.info, kept, model.path))
    scene = contact_scene(dataset, dataset.body, split(dataset)[0], accuracy.HANDLES)
    errors = accuracy.errors_on(dataset, scene, linear, "take_001")["errors"]
    assert errors == pytest.approx(dict.fromkeys(("all", "touched", "without", "dents"), 1.0), abs=1e-4)


def test_times_and_tables_have_a_line_for_each_model(measured):
    _, found, timed, _ = measured
    (row,) = timed["rows"]
    assert 0.0 < row["ms"]["linear"] < row["ms"]["full"] and row["ms"]["ours"] > 0.0
    assert row["bases"]["external"] > 0
    assert bench_contact_docs.accuracy(found).count("| circle |") == 1
    assert bench_contact_docs.times(timed).count("| circle |") == 1
