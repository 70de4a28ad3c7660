"""Sorting the edges of a mesh into strands, each a chain or a ring of edges."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from neural_physics.energies.rods.frames import Strands


def strands_of_edges(edges: NDArray[np.integer]) -> Strands:
    """The strands that edges (e, 2) form, in the order of their lowest end, rings last.

    A chain begins at the end whose vertex has the lower number, a ring at its lowest vertex. The edges that
    come out, given again, come out the same. Raises ValueError where more than two edges meet.
    """
    pairs = np.unique(np.sort(np.asarray(edges, np.intp), axis=1), axis=0)
    neighbours: dict[int, list[int]] = {}
    for a, b in pairs.tolist():
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    branching = sum(len(around) > 2 for around in neighbours.values())
    if branching:
        raise ValueError(f"its strands branch at {branching} of its vertices: separate them there.")
    ends = sorted(vertex for vertex, around in neighbours.items() if len(around) == 1)
    found: list[tuple[int, int]] = []
    joints: list[tuple[int, int]] = []
    places: list[int] = []
    seen = set[int]()
    for start in [*ends, *sorted(neighbours)]:
        if start in seen:
            continue
        chain = _walk(start, neighbours)
        seen.update(chain)
        first = len(found)
        found += list(pairwise(chain))
        joints += [(k, k + 1) for k in range(first, len(found) - 1)]
        if chain[0] == chain[-1]:
            joints.append((len(found) - 1, first))
        places += range(len(found) - first)
    return Strands(
        np.array(found, np.intp).reshape(-1, 2),
        np.array(joints, np.intp).reshape(-1, 2),
        np.array(places, np.intp),
    )


def _walk(start: int, neighbours: dict[int, list[int]]) -> list[int]:
    """The vertices from one on, to the chain's other end or round to the first again."""
    chain, before, here = [start], -1, start
    while True:
        onward = [vertex for vertex in neighbours[here] if vertex != before]
        if not onward:
            return chain
        before, here = here, min(onward)
        chain.append(here)
        if here == start:
            return chain
