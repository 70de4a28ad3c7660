"""What of a dataset's body can be solved for: elements that lie together, not vertices joined at random."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

spatial = pytest.importorskip("scipy.spatial")

from ml_backend.simulation.body_checks import FEW, checked_body
from neural_physics.errors import Problem

DATASET = SimpleNamespace(path=Path("takes"))
RANDOM = np.random.default_rng(7)


def body(elements, count):
    return SimpleNamespace(elements=elements.astype(np.int32), vertex_count=count)


@pytest.mark.parametrize("size", [(1.0, 1.0, 1.0), (1.0, 1.0, 0.1), (4.0, 0.5, 0.5), (1.0, 1.0)])
def test_what_fills_some_space_can_be_solved_for(size):
    """In whatever order its vertices are numbered: here in none."""
    count = FEW + 500
    elements = spatial.Delaunay(RANDOM.uniform(0.0, size, (count, len(size)))).simplices
    there = body(elements, count)
    assert checked_body(DATASET, there) is there


@pytest.mark.parametrize(("share", "corners"), [(0.5, 4), (1.0, 4), (5.0, 4), (1.0, 3)])
def test_vertices_joined_at_random_are_refused(share, corners):
    count = FEW + 500
    elements = RANDOM.integers(0, count, (int(share * count), corners))
    with pytest.raises(Problem, match="joins vertices at random"):
        checked_body(DATASET, body(elements, count))


def test_strands_can_be_solved_for():
    along = np.arange(FEW + 500).reshape(-1, 50)
    ends = np.stack([along[:, :-1], along[:, 1:]], -1).reshape(-1, 2)
    assert checked_body(DATASET, body(ends, along.size)).elements is not None


def test_of_few_vertices_they_may_be_joined_in_any_way():
    there = body(RANDOM.integers(0, FEW, (FEW, 4)), FEW)
    assert checked_body(DATASET, there) is there
