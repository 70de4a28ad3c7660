"""Which bones displace a vertex and how many components each bone has, against all other ways to choose."""

from __future__ import annotations

from itertools import product

import numpy as np
import posing
import pytest

from neural_physics.skinning.skin import Shares, Skin

pytest.importorskip("torch")


def test_what_bones_have_to_say_adds_up_to_one_and_goes_to_nothing_smoothly():
    from ml_backend.methods.quasistatic_springs.pose_modes import leading

    place = np.linspace(0.0, 1.0, 1001)
    weights = np.stack([1.0 - place, 0.7 * place, 0.3 * place], 1).astype(np.float32)
    shares = Shares.of(Skin(("a", "b", "c"), weights))
    places, says = leading(shares, len(weights))
    some = shares.some(places)
    table = np.zeros((len(weights), 4))
    table[some.vertices, some.bones] = says
    assert table.sum(1) == pytest.approx(np.ones(len(weights)), abs=1e-6)
    assert np.abs(np.diff(table, axis=0)).max() < 0.01  # where weights change by 0.001
    assert table[0, 1] == table[200, 1] == table[-1, 2] == 1.0  # where one leads by far, it is alone
    assert len(places) < 0.5 * len(shares.bones)


def test_a_vertex_with_many_small_weights_is_displaced_all_the_same():
    from ml_backend.methods.quasistatic_springs.pose_modes import leading

    shares = Shares.of(Skin(tuple("abcdefgh"), np.full((1, 8), 0.125, np.float32)))
    places, says = leading(shares, 1)
    assert len(places) == 8 and says == pytest.approx(np.full(8, 0.125))


def test_no_other_deal_of_as_many_numbers_shows_more():
    """Held against every deal there is, where bones are of the same size."""
    from ml_backend.methods.quasistatic_springs.pose_modes import modes_per_bone

    rng = np.random.default_rng(0)
    for seed in range(20):
        variances = [np.sort(rng.exponential(size=4))[::-1] * 10.0**k for k in (0, seed % 3, 1)]
        counts = modes_per_bone(variances, [7, 7, 7], 7 * 5 + 6)
        best = max(
            sum(v[:c].sum() for v, c in zip(variances, some, strict=True))
            for some in product(range(5), repeat=3)
            if sum(some) <= 5
        )
        shown = sum(v[:c].sum() for v, c in zip(variances, counts, strict=True))
        assert sum(counts) == 5 and shown == pytest.approx(best)


def test_a_component_counts_by_what_it_shows_for_each_vertex():
    from ml_backend.methods.quasistatic_springs.pose_modes import modes_per_bone

    large, small = np.array([8.0, 4.0, 2.0]), np.array([1.0, 0.5, 0.25])
    assert modes_per_bone([large, small], [100, 5], 110) == [1, 2]
    assert modes_per_bone([large, small], [100, 5], 15) == [0, 3]


def test_components_that_show_nothing_are_left_out_however_much_there_is_to_spend():
    from ml_backend.methods.quasistatic_springs.pose_modes import modes_per_bone

    counts = modes_per_bone([np.array([1.0, 1e-3, 1e-9]), np.array([1e-8, 0.0])], [10, 10], 10_000)
    assert counts == [2, 0]
    assert modes_per_bone([np.zeros(3)], [4], 100) == [0]


def test_every_vertex_of_a_skin_is_displaced_by_some_bone():
    from ml_backend.methods.quasistatic_springs.pose_modes import leading

    mesh = posing.strip()
    shares = Shares.of(mesh.skin)
    places, _ = leading(shares, mesh.vertex_count)
    assert set(shares.vertices[places]) == set(range(mesh.vertex_count))
