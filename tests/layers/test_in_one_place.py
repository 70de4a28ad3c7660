"""Layers with thousands of vertices or faces in one place: no more memory than others, or none of it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from neural_physics import pairs
from neural_physics.layers.pushing import lift_off
from neural_physics.layers.surface import Surface
from neural_physics.layers.vertex_tree import VertexTree
from neural_physics.pairs import TooManyPairs, in_pieces

MEGABYTES = 60


def cone(faces: int) -> Surface:
    """A flat one, a metre around its tip, where all faces meet."""
    angles = np.linspace(0.0, 2.0 * np.pi, faces, endpoint=False)
    around = np.stack([np.cos(angles), np.sin(angles), np.zeros(faces)], 1)
    positions = np.concatenate([np.zeros((1, 3)), around]).astype(np.float32)
    rim = np.arange(faces)
    triangles = np.stack([np.zeros(faces, int), 1 + rim, 1 + (rim + 1) % faces], 1)
    made = Surface(positions, triangles.reshape(-1).astype(np.int32), np.full(faces, 3, np.int32))
    made.place(positions)
    return made


def heap(vertices: int) -> VertexTree:
    """All of them in one place."""
    positions = np.zeros((vertices, 3), np.float32)
    tree = VertexTree(positions)
    tree.place(positions)
    return tree


def near_it(count: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.001, 0.001, (count, 3)).astype(np.float32)


def megabytes_of(work: Callable[[], object]) -> float:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def test_around_the_tip_of_a_cone_faces_are_looked_at_a_few_at_a_time():
    below, points = cone(1000), near_it(500)
    assert megabytes_of(lambda: lift_off(points, below, 0.004, 0.05)) < MEGABYTES
    lifted = lift_off(points, below, 0.004, 0.05)
    assert lifted.positions[:, 2] == pytest.approx(0.004, abs=1e-6)


def test_where_all_vertices_are_in_one_place_they_are_looked_at_a_few_at_a_time():
    tree, points = heap(4000), near_it(2000)
    assert megabytes_of(lambda: tree.nearest(points, 0.1)) < MEGABYTES
    at, _, away = tree.nearest(points, 0.1)
    assert np.array_equal(at, np.arange(len(points)))
    assert away == pytest.approx(np.linalg.norm(points, axis=1), rel=1e-5)


@pytest.mark.parametrize(
    "look",
    [lambda: cone(3000).near(near_it(2000), 0.1), lambda: heap(20_000).nearest(near_it(5000), 0.1)],
    ids=["faces", "vertices"],
)
def test_of_more_than_any_garment_has_nothing_is_looked_at(look):
    def refused():
        with pytest.raises(TooManyPairs):
            look()

    assert megabytes_of(refused) < MEGABYTES


def test_in_pieces_all_is_bit_for_bit_what_it_is_at_once(monkeypatch):
    rng = np.random.default_rng(5)
    rest, now = rng.normal(size=(2, 3000, 3)).astype(np.float32)
    points, below = rng.normal(size=(300, 3)).astype(np.float32), cone(100)
    tree = VertexTree(rest)  # grouped by another shape than it has: a point is near many groups
    tree.place(now)

    def found():
        near = below.near(0.1 * points, 0.5)
        return [part.tobytes() for part in (*tree.nearest(points, 0.3), *near)]

    at_once = found()
    monkeypatch.setattr(pairs, "AT_ONCE", 50)
    assert found() == at_once


def test_pieces_are_all_there_is_in_order_and_no_larger_than_asked(monkeypatch):
    monkeypatch.setattr(pairs, "AT_ONCE", 10)
    counts = np.array([3, 7, 1, 25, 0, 0, 10, 4])
    pieces = list(in_pieces(counts))
    assert [piece.start for piece in pieces[1:]] == [piece.stop for piece in pieces[:-1]]
    assert [counts[piece].tolist() for piece in pieces] == [[3, 7], [1], [25], [0, 0, 10], [4]]
    assert list(in_pieces(counts[:0])) == []
