"""The scene built from simkit's functions is ours, on a small block; what the benchmark reports of both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[2]
from pressed_blocks import bake, pressed

from benchmarks.contact_corrections import block as contact_block
from benchmarks.contact_corrections import peer, tables
from learning.training.spans import split
from ml_backend.methods.contact_corrections.scene import contact_scene
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.models.model_file import Model

pytestmark = pytest.mark.torch
HANDLES = 5
SETTINGS = (
    f"handles={HANDLES}",
    "poses=2",
    "internal=false",
    "external=false",
    "cubature=0",
    "iterations=40",
)


@pytest.fixture(scope="module")
def block(tmp_path_factory):
    """Takes of a block, its scene, and its handles without corrections and with all tetrahedra."""
    folder = tmp_path_factory.mktemp("block")
    torch.set_num_threads(1)
    asked = pressed(tetrahedra=60, friction=0.0)
    dataset = bake(folder / "dataset", asked, 72, ("training",))
    model = contact_block.train(dataset, folder / "model.safetensors", SETTINGS)
    scene = contact_scene(dataset, dataset.body, split(dataset)[0], HANDLES)
    return dataset, model, scene, dataset.take("take_000")


@pytest.fixture(scope="module")
def simkit_scene():
    pytest.importorskip("simkit")
    from benchmarks.contact_corrections import simkit_scene

    return simkit_scene


def test_without_simkit_only_that_is_reported(monkeypatch):
    monkeypatch.setattr(peer, "find_spec", lambda name: None)
    found = peer.judge()
    assert found == {"missing": ["simkit"]}
    assert tables.peer(found) == "simkit was not installed."


def test_the_errors_floor_is_the_blend_nearest_to_a_shape(block):
    """Of shapes that are blends themselves nothing is left; of others no blend that is tried is nearer."""
    _, _, scene, take = block
    rng, ys = np.random.default_rng(0), np.asarray(take.interaction[:2])
    rows = [np.concatenate([rng.normal(size=(HANDLES, 3)), scene.frames.rows(y)]) for y in ys]
    blends = np.array([scene.handles.positions(q) for q in rows])
    np.testing.assert_allclose(peer.nearest(scene, blends, ys), blends, atol=1e-10)
    others = blends + rng.normal(size=blends.shape)
    least = ((peer.nearest(scene, others, ys) - others) ** 2).sum()
    for _ in range(5):
        q = [
            each + 1e-3 * rng.normal(size=each.shape) * (np.arange(len(each)) < HANDLES)[:, None]
            for each in rows
        ]
        assert least <= ((np.array([scene.handles.positions(each) for each in q]) - others) ** 2).sum()


def test_simkits_basis_of_our_weights_gives_our_positions(block, simkit_scene):
    handles, rest = block[2].handles, block[0].body.rest
    q = np.random.default_rng(1).normal(size=handles.rest.shape)
    points = simkit_scene.basis_of(rest, handles.weights, affine=False)
    np.testing.assert_allclose((points @ q.ravel()).reshape(-1, 3), handles.positions(q), atol=1e-12)
    matrices = np.zeros((len(q), 4, 3))
    matrices[:, 3] = q
    matrices[0, :3] = np.eye(3)
    affine = simkit_scene.basis_of(rest, handles.weights, affine=True)
    expected = handles.positions(q) + handles.weights[:, :1] * rest
    np.testing.assert_allclose((affine @ matrices.ravel()).reshape(-1, 3), expected, atol=1e-12)


def test_both_play_the_same_scene_alike(block, simkit_scene):
    """Mesh, masses, material, damping, gravity, foot and ball: the same equation, solved by two programs."""
    dataset, model, scene, take = block
    ys = np.asarray(take.interaction)
    settings = {**model.info.settings, "tolerance": 1e-9, "iterations": 40}
    model = Model(replace(model.info, settings=settings), model.tensors, model.path)
    made = simkit_scene.SimkitScene(scene, dataset.info.dt, 1e-9, 40, affine=False, cubature=0)
    theirs = np.array(list(peer.simkit_bodies(made, scene, ys)))
    ours = np.array(list(peer.our_bodies(ContactCorrections(model), ys)))
    pressed_in = [
        scene.contact.least_gap(x, 0, scene.colliders.placed(y)) < scene.contact.reach
        for x, y in zip(ours, ys[1:], strict=True)
    ]
    assert sum(pressed_in) > 5
    np.testing.assert_allclose(ours, theirs, atol=5e-7)


def test_every_way_is_measured_and_written(block, simkit_scene):
    dataset, model, _, take = block
    short = {name: getattr(take, name)[:20] for name in ("positions", "interaction", "body_positions")}
    found = peer.measured(dataset, model, replace(take, **short))
    assert len(found["rows"]) == 7 and 0 < found["frames"]["touched"] < found["frames"]["all"]
    ours, theirs = (row["mm"]["all"] for row in (found["rows"][0], found["rows"][2]))
    assert ours == pytest.approx(theirs, rel=1e-3)
    assert all(row["mm"]["all"] > found["nearest_mm"] for row in found["rows"][:5])
    assert tables.peer(found).count("| simkit") == 5
