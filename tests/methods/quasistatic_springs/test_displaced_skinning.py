"""Shapes that bones displace, and their way back: held against sums of matrices, and against any shape."""

from __future__ import annotations

from dataclasses import replace

import jiggling
import numpy as np
import posing
import pytest

from neural_physics.methods.quasistatic_springs.displaced_skinning import DisplacedSkinning, undisplaced
from neural_physics.methods.quasistatic_springs.pose_turns import SeenTurns, turns_of
from neural_physics.skinning.of_skin import skinning_of
from neural_physics.skinning.skin import Shares


def moves_of(matrices):
    return matrices[:, 1:, :3].astype(np.float32)


def displaced(mesh, found, moves):
    """What is shown where each share is displaced by what was found for it, (n, 3) of each part."""
    shares = Shares.of(mesh.skin)
    mean = np.concatenate(found) * shares.weights[:, None]
    bases = [np.zeros((0, len(of_bone), 3), np.float32) for of_bone in found]
    every = np.arange(len(mean))
    skinning = DisplacedSkinning(
        mesh.skin, mesh.rest_positions, every, mean.astype(np.float32), bases=bases, modes=1
    )
    return skinning(moves, np.ones((len(found), 1), np.float32))


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_some_shares_are_displaced_by_coefficients_of_bases_of_any_length(preserve_volume):
    """Against the sum in the module's own words, bone by bone and vertex by vertex."""
    mesh = posing.strip(preserve_volume)
    moves = moves_of(posing.poses(1, 8)[0])[0]
    shares, rng = Shares.of(mesh.skin), np.random.default_rng(2)
    places = np.flatnonzero((shares.bones != 3) & (rng.random(len(shares.bones)) < 0.6))
    some = shares.some(places)
    counts = [2, 0, 5, 1, 3]
    assert [bone for bone, _ in some.parts] == [1, 2, 4, 5, 6]
    mean = rng.normal(0.0, 0.1, (len(places), 3)).astype(np.float32)
    bases = [
        rng.normal(0.0, 0.1, (count, part.stop - part.start, 3)).astype(np.float32)
        for count, (_, part) in zip(counts, some.parts, strict=True)
    ]
    z = rng.normal(size=(len(counts), 6)).astype(np.float32)
    wanted = skinning_of(mesh.skin, mesh.rest_positions)(moves)
    for of_bone, basis, (bone, part) in zip(z, bases, some.parts, strict=True):
        for n, vertex in enumerate(some.vertices[part]):
            d = mean[part][n] + sum(of_bone[k] * basis[k, n] for k in range(len(basis)))
            wanted[vertex] += moves[bone, :, :3] @ d
    skinning = DisplacedSkinning(mesh.skin, mesh.rest_positions, places, mean, bases=bases, modes=6)
    assert np.abs(skinning(moves, z) - wanted).max() < 2e-6
    assert np.array_equal(skinning(moves, z), skinning(moves, z))


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_whatever_is_off_skinning_is_found_at_rest_and_brought_back(preserve_volume):
    """Also where two bones of a vertex are turned against each other, and their blend has no inverse."""
    mesh = posing.strip(preserve_volume)
    matrices, _ = posing.poses(4, 3)
    folded = np.zeros((posing.BONES - 1, 2))
    folded[2, 0] = np.pi - 1e-4
    moves = moves_of(np.concatenate([matrices, [posing.placed((0.3, 0.1), (0.0, 0.0, 0.0), folded)]]))
    skinning = skinning_of(mesh.skin, mesh.rest_positions)
    offsets = np.random.default_rng(0).normal(0.0, 0.05, (len(moves), mesh.vertex_count, 3))
    found = undisplaced(Shares.of(mesh.skin), moves, offsets)
    for n, move in enumerate(moves):
        shown = displaced(mesh, [of_bone[n] for of_bone in found], move)
        assert np.abs(shown - skinning(move) - offsets[n]).max() < 2e-6
    assert max(np.abs(of_bone).max() for of_bone in found) < 2.0 * np.abs(offsets).max()


def test_one_displacement_for_all_bones_is_skinning_of_another_rest_shape():
    mesh = posing.strip()
    matrices, _ = posing.poses(3, 4)
    d = np.random.default_rng(1).normal(0.0, 0.1, (mesh.vertex_count, 3))
    other = replace(mesh, rest_positions=mesh.rest_positions + d)
    shares = Shares.of(mesh.skin)
    same = [d[shares.vertices[part]] for _, part in shares.parts]
    shown = [displaced(mesh, same, move) for move in moves_of(matrices)]
    assert np.abs(np.array(shown) - jiggling.skinned(other, matrices)).max() < 2e-6


def test_a_bone_that_is_scaled_flat_makes_no_displacement_endless():
    mesh = posing.strip()
    moves = moves_of(posing.poses(1, 5)[0])
    moves[0, 2, :, 2] *= 1e-9
    moves[0, 3, :, :3] = 0.0
    offsets = np.full((1, mesh.vertex_count, 3), 0.05)
    found = undisplaced(Shares.of(mesh.skin), moves, offsets)
    assert max(np.abs(of_bone).max() for of_bone in found) < 0.1
    assert np.isfinite(turns_of(moves)).all()


def test_turns_are_seen_the_same_wherever_the_object_stands_and_whatever_its_scale():
    owners, seen = np.array([1, 2, 4]), np.array([[2, 3], [1, 3], [5, 4]])
    angles = posing.random_angles(1, 6)[0]
    shear = np.diag([2.0, 0.5, -1.0, 1.0])
    shear[0, 1] = 0.3
    one, other = (
        posing.placed(turn, shift, angles) for turn, shift in [((0, 0), (0, 0, 0)), ((1, 2), (3, 4, 5))]
    )
    found = [SeenTurns(owners, seen)(turns_of(m[1:, :3].astype(np.float32))) for m in (one, other)]
    columns = [values.reshape(3, 3, 5) for values in found]
    assert np.abs(columns[0][..., :4] - columns[1][..., :4]).max() < 1e-5
    for region, (owner, others) in enumerate(zip(owners, seen, strict=True)):
        for k, bone in enumerate(others):
            turn = np.linalg.inv(one[1 + owner, :3, :3]) @ one[1 + bone, :3, :3]
            assert np.abs(columns[0][region][:, 2 * k : 2 * k + 2] - turn[:, :2]).max() < 1e-5
        up = np.linalg.inv(other[1 + owner, :3, :3]) @ [0.0, 0.0, 1.0]
        assert np.abs(columns[1][region][:, 4] - up).max() < 1e-5
    mirrored = turns_of((one[1:] @ shear)[:, :3].astype(np.float32))
    assert np.linalg.det(mirrored) == pytest.approx(np.ones(len(mirrored)), abs=1e-5)
    angle = np.trace(mirrored[1].T @ mirrored[3]), np.trace(one[2, :3, :3].T @ one[4, :3, :3])
    assert angle[0] == pytest.approx(angle[1], abs=1e-4)
