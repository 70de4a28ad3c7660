"""Shape keys and weights without end: what is too much is refused, and all others are as they were."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synthetic

from neural_physics.errors import Problem
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.methods.quasistatic_springs.skin_tensors import skin_in
from neural_physics.models.model_file import Model
from neural_physics.skinning import keyed_shape, shape_keys
from neural_physics.skinning import skin as skins
from neural_physics.skinning.keyed_shape import KeyedShape
from neural_physics.skinning.of_skin import skinning_of
from neural_physics.skinning.shape_keys import MOST_KEYS, ShapeKeys
from neural_physics.skinning.skin import Skin, check_skin

VERTICES, BONES = 40, 6


def skin_of(keys, rng, preserve_volume=False):
    """Up to three bones on a vertex, in any order, and none on some; each key moves some vertices."""
    weights = np.zeros((VERTICES, BONES), np.float32)
    order = []
    for row in weights:
        bones = rng.permutation(BONES)[: rng.integers(0, 4)]
        row[bones] = 0.9 / max(1, len(bones))
        order += bones.tolist()
    moved = [np.flatnonzero(rng.random(VERTICES) < 0.4) for _ in range(keys)]
    found = ShapeKeys(
        tuple(f"k{number}" for number in range(keys)),
        np.array([len(some) for some in moved], np.int32),
        np.concatenate(moved).astype(np.int32),
        rng.normal(size=(sum(map(len, moved)), 3)).astype(np.float32),
    )
    names = tuple(f"b{number}" for number in range(BONES))
    return Skin(names, weights, preserve_volume, order=np.array(order, np.int32), keys=found)


@pytest.mark.parametrize("kind", [np.float16, np.uint8, np.int32])
def test_weights_of_a_model_that_unpack_to_many_times_their_size_are_refused(kind):
    layout = ChannelLayout((Channel("Rig", "pose", 36, "Rig", parts=("bone",)),))
    info = synthetic.make_model_info(synthetic.sheet_mesh(), layout, method="quasistatic_springs")
    weights = np.ones((info.vertex_count, 1))
    assert skin_in(Model(info, {"weights": weights.astype(np.float32)}, "m"), ("bone",), ()).bones == (
        "bone",
    )
    with pytest.raises(Problem, match="F32") as caught:
        skin_in(Model(info, {"weights": weights.astype(kind)}, "m"), ("bone",), ())
    assert caught.value.code == "model_damaged"


def test_more_weights_than_can_be_carried_are_refused(monkeypatch):
    skin = replace(skin_of(2, np.random.default_rng(6)), keys=None)
    least = np.count_nonzero(skin.weights)
    monkeypatch.setattr(skins, "MOST_SHARES", least)
    check_skin(skin, VERTICES)
    monkeypatch.setattr(skins, "MOST_SHARES", least - 1)
    with pytest.raises(ValueError, match="differ from 0"):
        check_skin(skin, VERTICES)


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_keys_are_carried_as_their_vertices_are_whatever_order_bones_are_added_up_in(preserve_volume):
    rng = np.random.default_rng(3)
    skin = skin_of(5, rng, preserve_volume)
    check_skin(skin, VERTICES)
    moves = np.zeros((BONES + 1, 3, 4), np.float32)
    for move in moves:
        move[:, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        move[:, :3] *= np.linalg.det(move[:, :3])
    values, expected = rng.random(5), np.zeros((VERTICES, 3), np.float32)
    for (vertices, offsets), value in zip(skin.keys.each(), values, strict=True):
        whole = np.zeros((VERTICES, 3), np.float32)
        whole[vertices] = offsets
        expected += value * skinning_of(replace(skin, keys=None), whole)(moves)
    moves[:, :, 3] = rng.normal(size=(BONES + 1, 3))
    added = KeyedShape(skin).add_to(np.zeros((VERTICES, 3), np.float32), moves, values)
    assert np.abs(added - expected).max() < 1e-5


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_vertices_are_carried_once_for_all_keys_that_move_them(monkeypatch, preserve_volume):
    """A thousand keys would take minutes, and gigabytes, each by itself."""
    made = []
    own = keyed_shape.skinning_of
    monkeypatch.setattr(keyed_shape, "skinning_of", lambda *given: made.append(given) or own(*given))
    keyed = KeyedShape(skin_of(30, np.random.default_rng(4), preserve_volume))
    assert len(made) == 1 and len(made[0][1]) <= VERTICES
    moves = np.zeros((BONES + 1, 3, 4), np.float32)
    moves[:, :, :3] = np.eye(3)
    still = np.ones((VERTICES, 3), np.float32)
    assert np.array_equal(keyed.add_to(still.copy(), moves, np.zeros(30)), still)


def test_more_keys_than_can_be_carried_are_refused(monkeypatch):
    rng = np.random.default_rng(5)
    check_skin(skin_of(MOST_KEYS, rng), VERTICES)
    with pytest.raises(ValueError, match="at most 1,000 shape keys"):
        check_skin(skin_of(MOST_KEYS + 1, rng), VERTICES)
    skin = skin_of(20, rng)
    monkeypatch.setattr(shape_keys, "MOST_OFFSETS", len(skin.keys.vertices))
    check_skin(skin, VERTICES)
    monkeypatch.setattr(shape_keys, "MOST_OFFSETS", len(skin.keys.vertices) - 1)
    with pytest.raises(ValueError, match="offsets together"):
        check_skin(skin, VERTICES)
