"""How the pinned vertices follow what the body reacts to, and what of that the rest of the body follows.

Li et al. 2025 encode positions relative to the moving Dirichlet vertices (section 3.2): of rods relative to
each root, of all else relative to their mean. Here, where pins follow y linearly, as on handles that are
moved about, they are where y says, exactly, and every free vertex is seen relative to a blend of the pins
around it: the harmonic one, which is constant along a strand, and between two handles goes over from one to
the other. What is left at pins is constant: no network has to learn what a boundary condition says already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from neural_physics.arrays import Doubles, Mask
from neural_physics.datasets.body import Body
from neural_physics.interaction.channels import ChannelLayout, Kind

FOLLOWED: tuple[Kind, ...] = ("position", "joints", "value")  # what pins may hang on
PLACES: tuple[Kind, ...] = ("position", "joints")  # what is seen relative to the pins
STILL = 1e-5  # of the body's size: how little pins may move and still be taken for standing
EXACT = 1e-4  # of the body's size: up to where pins are where y says


@dataclass(frozen=True)
class BoundaryMotion:
    """Offsets of all vertices that are linear in y: sum over k of c_k offsets_k, c = basis (y - mean).

    mean (e,), basis (r, e); offsets (r, B, 3), metres for unit c, whose root mean square is 1. exact: whether
    they take the pinned vertices where the data have them. error: by how much not, root mean square, m.
    """

    mean: Doubles
    basis: Doubles
    offsets: Doubles
    exact: bool
    error: float

    def coefficients(self, y: NDArray[np.floating]) -> Doubles:
        """c (T, r) of y (T, e)."""
        c: Doubles = (y - self.mean) @ self.basis.T
        return c

    def anchor(self, pinned: Mask) -> Doubles:
        """(3, e): how the pinned vertices' mean position follows y; zeros where it does not."""
        if not pinned.any():
            return np.zeros((3, len(self.mean)))
        followed: Doubles = self.offsets[:, pinned].mean(1).T @ self.basis
        return followed


def fit_boundary_motion(
    body: Body, pins: Doubles, y: NDArray[np.floating], layout: ChannelLayout
) -> BoundaryMotion:
    """Fit the motion of pins (T, P, 3), m, in the axes that takes are stored in, and y (T, e) of the same
    frames.

    What positions are relative to (Li 2025, section 3.2).
    """
    size = float(np.linalg.norm(np.ptp(body.rest_positions, axis=0)))
    mean = y.mean(0, dtype=np.float64)
    nothing = BoundaryMotion(
        mean, np.zeros((0, len(mean))), np.zeros((0, body.vertex_count, 3)), True, error=0.0
    )
    moved = (pins - pins.mean(0)).reshape(len(pins), -1)
    if not moved.size or np.sqrt((moved**2).mean()) <= STILL * size:
        return nothing
    used = np.concatenate([np.full(c.size, c.kind in FOLLOWED) for c in layout.channels])
    centred = np.where(used, y - mean, 0.0)
    follows = np.linalg.lstsq(centred, moved, rcond=1e-6)[0]
    # The ways in which pins move together, fewer than y has numbers.
    _, sizes, right = np.linalg.svd(centred @ follows, full_matrices=False)
    kept = sizes > STILL * size * np.sqrt(moved.size)
    if not kept.any():
        return nothing
    error = float(np.sqrt(((moved - centred @ follows) ** 2).mean()))
    spread = sizes[kept] / np.sqrt(len(y))
    basis = (follows @ right[kept].T / spread).T
    at_pins = (spread[:, None] * right[kept]).reshape(int(kept.sum()), -1, 3)
    offsets = blended(body, at_pins)
    return BoundaryMotion(mean, basis, offsets, error <= EXACT * size, error=error)


def blended(body: Body, at_pins: Doubles) -> Doubles:
    """(r, B, 3): harmonic between the pins, at_pins (r, P, 3); what hangs on no pin goes with their mean.

    Section 3.2 of Li 2025 has roots, or their mean, for it.
    """
    pinned, count = body.pinned, body.vertex_count
    graph = _neighbours(body)
    _, parts = connected_components(graph, directed=False)
    held = np.isin(parts, parts[pinned])
    free = np.flatnonzero(held & ~pinned)
    offsets = np.empty((len(at_pins), count, 3))
    offsets[:] = at_pins.mean(1)[:, None]
    offsets[:, pinned] = at_pins
    if len(free):
        laplacian = csr_array(np.asarray(graph.sum(1)).ravel() * _eye(count) - graph)
        system = csc_array(laplacian[free][:, free])
        pull = -laplacian[free][:, np.flatnonzero(pinned)]
        known = np.moveaxis(at_pins, 1, 0).reshape(at_pins.shape[1], -1)
        solved = splu(system).solve(np.ascontiguousarray(pull @ known))
        offsets[:, free] = np.moveaxis(solved.reshape(len(free), len(at_pins), 3), 0, 1)
    return offsets


def relative_to(anchor: Doubles, layout: ChannelLayout) -> Doubles:
    """(e, e): takes y - mean to the same, with all places seen from the pins' mean position."""
    relative, first = np.eye(layout.size), 0
    for channel in layout.channels:
        if channel.kind in PLACES:
            for place in range(first, first + channel.size, 3):
                relative[place : place + 3] -= anchor
        first += channel.size
    return relative


def _neighbours(body: Body) -> csr_array:
    elements = body.elements.astype(np.intp)
    s = elements.shape[1]
    pairs = np.concatenate([elements[:, [a, b]] for a in range(s) for b in range(s) if a != b])
    ones = np.ones(len(pairs))
    graph = csr_array(coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(body.vertex_count,) * 2))
    graph.data[:] = 1.0
    return graph


def _eye(count: int) -> csr_array:
    numbers = np.arange(count)
    return csr_array((np.ones(count), (numbers, numbers)), shape=(count, count))
