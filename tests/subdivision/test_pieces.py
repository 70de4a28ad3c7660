"""The pieces of a mesh: the same in any order of its faces, of ribbons without end, too."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.subdivision.coarsening import coarsened
from neural_physics.subdivision.half_edges import half_edges_of
from neural_physics.subdivision.pieces import pieces_of


def quads(columns, rows, first=0):
    """(F, 4): a grid of so many vertices, which are numbered from `first` on."""
    corner = first + (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    return np.stack([corner, corner + 1, corner + columns + 1, corner + columns], 1)


def half_edges(faces):
    return half_edges_of(faces.ravel(), np.full(len(faces), 4), "Sheet")


def filled(mesh):
    """The pieces, each filled from its first half-edge on."""
    left, found = set(range(len(mesh.start))), []
    while left:
        piece, waiting = set(), [min(left)]
        while waiting:
            edge = waiting.pop()
            if edge >= 0 and edge not in piece:
                piece.add(edge)
                waiting += [int(mesh.following[edge]), int(mesh.twin[edge])]
        left -= piece
        found.append(sorted(piece))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_pieces_are_those_that_filling_finds_in_its_order(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 8, (6, 2))
    firsts = np.cumsum(sizes.prod(1)) - sizes.prod(1)
    grids = [quads(*size, first) for size, first in zip(sizes, firsts, strict=True)]
    faces = np.concatenate(grids)
    mesh = half_edges(rng.permutation(faces[rng.random(len(faces)) < rng.choice([0.4, 0.7, 1.1])]))
    assert [piece.tolist() for piece in pieces_of(mesh)] == filled(mesh)


def test_a_long_ribbon_whose_faces_are_in_any_order_has_its_coarser_level(rng):
    """12,000 rows took 43 s at each redraw of the Bake panel."""
    rows = 60_001
    coarser = coarsened(half_edges(rng.permutation(quads(3, rows))))
    assert len(coarser.sizes) == rows // 2
