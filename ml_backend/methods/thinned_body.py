"""Some elements of a body that stand for all, where its energy is asked for many thousand times.

In a space of a few shapes an elastic energy has no more independent forces than there are shapes: some
hundred weighted elements tell them as well as ten thousand do (cubature: An et al. 2008; weights above 0:
von Tycowicz et al. 2013). Inertia, weight and air are not thinned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from ml_backend.cubature_fitting import fit_elements
from ml_backend.methods.body_energy import BodyEnergy
from ml_backend.methods.latent_data import LatentData
from ml_backend.simulation.strands import strands_of_edges
from neural_physics.body import Body

SHAPES = 40  # in which the forces are compared
NOISE = 0.3  # of every second one: of the difference of two other frames
CANDIDATES = 4000  # groups that are considered, at most: the forces of more would fill the memory

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class ThinnedBody:
    """vertices (S,): those of the whole body that it has; error: of its forces where fitted, relative.

    The moduli of its elements are multiplied by what each stands for: elastic energies are in proportion to
    them. Its masses are those of the vertices, and not what they stand for.
    """

    body: Body
    vertices: Indices
    error: float


def thinned(body: Body, basis: Array, shapes: Array, most: int, seed: int) -> ThinnedBody | None:
    """A body of at most so many elements, with nearly the elastic forces along the basis that all have.

    None where that would save less than a half, and of shells, whose triangles bend together.
    basis (K, B, 3); shapes (T, B, 3): to be fitted in, m, in the same axes. Elements of rods are taken by
    whole strands.
    """
    group_of = _groups(body)
    if group_of is None or 2 * most > len(group_of):
        return None
    groups = int(group_of.max()) + 1
    count = max(1, most * groups // len(group_of))
    candidates = np.arange(groups)
    if groups > CANDIDATES:
        candidates = np.sort(np.random.default_rng(seed).choice(groups, CANDIDATES, replace=False))
    forces, every = _forces(body, group_of, candidates, basis, shapes)
    chosen = fit_elements(forces, count, every)
    weights = np.zeros(groups)
    weights[candidates[chosen.elements]] = chosen.weights
    kept = weights[group_of] > 0.0
    if not kept.any():
        return None
    vertices = np.unique(body.elements[kept])
    thin = _part(body, vertices, np.searchsorted(vertices, body.elements[kept]))
    moduli = body.moduli[kept] * weights[group_of[kept], None]
    return ThinnedBody(replace(thin, moduli=moduli), vertices, chosen.error)


def telling_shapes(data: LatentData, seed: int) -> Array:
    """(SHAPES, B, 3), m, in the frame's axes: half of them true ones, half with noise."""
    frames, rng = data.training, np.random.default_rng(seed)
    at, one, other = rng.integers(len(frames.c), size=(3, SHAPES))
    c = frames.c[at]
    c[::2] += NOISE * (frames.c[one] - frames.c[other])[::2]
    carried = np.tensordot(frames.offsets[at], data.motion.offsets.reshape(-1, *data.mean.shape), 1)
    shapes: Array = data.mean + np.tensordot(c, data.basis, 1) + carried
    return shapes


def _groups(body: Body) -> Indices | None:
    """(m,): to which group each element belongs; no element has energies with one of another group."""
    if body.settings.kind == "solid":
        return np.arange(len(body.elements))
    if body.settings.kind == "rod":
        found: Indices = np.cumsum(strands_of_edges(body.elements).places == 0) - 1
        return found
    return None


def _forces(
    body: Body, group_of: Indices, candidates: Indices, basis: Array, shapes: Array
) -> tuple[Array, Array]:
    """(T, g, K): what each candidate does along each basis vector in each shape, J/m; (T, K): what all do."""
    apart, sources = _apart(body, group_of)
    group_of_vertex = np.empty(len(sources), np.intp)
    group_of_vertex[apart.elements] = group_of[:, None]
    order = np.argsort(group_of_vertex, kind="stable")
    starts = np.flatnonzero(np.diff(group_of_vertex[order], prepend=-1))
    energy, directions = BodyEnergy(apart, torch.device("cpu")), basis[:, sources[order]]
    found, every = [], []
    for shape in shapes:
        x = torch.from_numpy(shape[sources][None]).requires_grad_()
        (slope,) = torch.autograd.grad(energy(x).sum(), x)
        along = np.einsum("sd,ksd->sk", slope[0].numpy()[order], directions)
        by_group = np.add.reduceat(along, starts)
        found.append(by_group[candidates])
        every.append(by_group.sum(0))
    return np.stack(found), np.stack(every)


def _apart(body: Body, group_of: Indices) -> tuple[Body, Indices]:
    """The body with vertices of its own for each group, and of which vertex (S,) each is a copy."""
    pairs = np.stack([np.repeat(group_of, body.elements.shape[1]), body.elements.ravel()], 1)
    unique, numbers = np.unique(pairs, axis=0, return_inverse=True)
    sources = unique[:, 1].astype(np.intp)
    return _part(body, sources, numbers.reshape(body.elements.shape)), sources


def _part(body: Body, vertices: Indices, elements: Indices) -> Body:
    """Of these vertices (S,), which may be there more than once, and these elements (m, c) of them."""
    return replace(
        body,
        rest_positions=body.rest_positions[vertices],
        elements=elements.astype(np.int32),
        pinned=body.pinned[vertices],
        masses=body.masses[vertices],
        embedding_corners=None,
        embedding_weights=None,
        bones=None,
    )
