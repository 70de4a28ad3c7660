"""Some elements of a body that represent all, where its energy is evaluated many thousand times.

In a space of a few shapes an elastic energy has no more independent forces than there are shapes: some
hundred weighted elements give them as well as ten thousand do (cubature: An et al. 2008; weights above 0:
von Tycowicz et al. 2013). Inertia, weight and air are exact.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from ml_backend.methods.latent_dynamics.data import LatentData
from ml_backend.methods.latent_dynamics.potential.body_energy import BodyEnergy, Elements
from ml_backend.training.cubature import fit_elements
from neural_physics.arrays import Doubles, Indices

SHAPES, HELD_OUT = 48, 12  # in which the forces are compared, and of these not to fit but to judge
NOISE = 0.3  # of every second one: of the difference of two other frames
DIRECTIONS = 64  # along which forces are compared, at most
CANDIDATES = 4000  # elements that are considered, at most: the forces of more would fill the memory
CHUNK = 2000  # elements whose forces are looked at together


class CubatureEnergy:
    """The energy of some elements of each part of a body, each with a weight.

    vertices (S,): those of the whole body that it is asked for by. errors: of each part's forces, relative,
    the median over shapes that were held out.
    """

    def __init__(
        self, parts: list[Elements], numbers: list[Indices], weights: list[Doubles], errors: list[float]
    ) -> None:
        kept = [part.vertices[torch.from_numpy(some)] for part, some in zip(parts, numbers, strict=True)]
        self.vertices = np.unique(torch.cat([each.ravel() for each in kept]).cpu().numpy())
        self.errors = errors
        places = torch.from_numpy(self.vertices).to(kept[0].device)
        self._parts = [
            (
                part.some(torch.from_numpy(some).to(places.device), torch.searchsorted(places, own)),
                torch.from_numpy(weight).to(places.device),
            )
            for part, some, own, weight in zip(parts, numbers, kept, weights, strict=True)
        ]

    def __call__(self, x: Tensor) -> Tensor:
        """(n,) J of positions (n, S, 3)."""
        return torch.stack([part(x) @ weights for part, weights in self._parts]).sum(0)

    @property
    def element_count(self) -> int:
        """The number of elements of all parts."""
        return sum(len(weights) for _, weights in self._parts)


def fit_cubature_energy(
    energy: BodyEnergy, basis: Doubles, shapes: Doubles, most: int, *, seed: int
) -> CubatureEnergy | None:
    """An energy of at most `most` elements of each part, with nearly the forces of all along the basis.

    None where that would save less than a half, or elements share more than vertices, as joints of curved
    strands do. basis (K, B, 3); shapes (SHAPES, B, 3), m, in the same axes.
    """
    parts = [part for part in energy.parts if isinstance(part, Elements)]
    sizes = [len(part.vertices) for part in parts]
    if len(parts) < len(energy.parts) or 2 * sum(min(most, size) for size in sizes) > sum(sizes):
        return None
    rng = np.random.default_rng(seed)
    if len(basis) > DIRECTIONS:  # random sums of them give the lengths of forces as well
        basis = np.tensordot(rng.normal(size=(DIRECTIONS, len(basis))) / np.sqrt(DIRECTIONS), basis, 1)
    chosen, weights, errors = [], [], []
    for part, size in zip(parts, sizes, strict=True):
        candidates = np.arange(size)
        if size > CANDIDATES:
            candidates = np.sort(rng.choice(size, CANDIDATES, replace=False))
        forces, every = _forces(part, candidates, basis, shapes)
        found = fit_elements(forces[HELD_OUT:], most, every[HELD_OUT:])
        chosen.append(candidates[found.elements])
        weights.append(found.weights)
        seen_by_all, by_some = every[:HELD_OUT], forces[:HELD_OUT, found.elements]
        wrong = np.einsum("tgk,g->tk", by_some, found.weights) - seen_by_all
        sizes_of_all = np.maximum(np.linalg.norm(seen_by_all, axis=1), 1e-300)
        errors.append(float(np.median(np.linalg.norm(wrong, axis=1) / sizes_of_all)))
    return CubatureEnergy(parts, chosen, weights, errors)


def sample_shapes(data: LatentData, seed: int) -> Doubles:
    """(SHAPES, B, 3), m, in the frame's axes: half of them true ones, half with noise."""
    frames, rng = data.training, np.random.default_rng(seed)
    at, one, other = rng.integers(len(frames.c), size=(3, SHAPES))
    c = frames.c[at]
    c[::2] += NOISE * (frames.c[one] - frames.c[other])[::2]
    carried = np.tensordot(frames.offsets[at], data.motion.offsets.reshape(-1, *data.mean.shape), 1)
    shapes: Doubles = data.mean + np.tensordot(c, data.basis, 1) + carried
    return shapes


def whitened(basis: Doubles, metric: Doubles) -> Doubles:
    """(K, B, 3): directions along which a step's energy rises alike, of a basis whose metric (K, K) is known.

    Forces along them show how far they move the body: what is soft is pushed far by little.
    """
    values, vectors = np.linalg.eigh(metric)
    directions: Doubles = np.tensordot((vectors / np.sqrt(values)) @ vectors.T, basis, 1)
    return directions


def _forces(part: Elements, candidates: Indices, basis: Doubles, shapes: Doubles) -> tuple[Doubles, Doubles]:
    """(T, g, K): what each candidate does along each basis vector in each shape, J/m; (T, K): what all do."""
    every = np.zeros((len(shapes), len(basis)))
    found = np.empty((len(shapes), len(candidates), len(basis)))
    for numbers in _pieces(len(part.vertices)):
        vertices = part.vertices[numbers]
        piece, along = part.some(numbers, vertices), basis[:, vertices.cpu().numpy()]
        here = (candidates >= numbers.start) & (candidates < numbers.stop)
        for t, shape in enumerate(shapes):
            corners = torch.from_numpy(shape).to(vertices.device)[vertices][None].requires_grad_()
            (slope,) = torch.autograd.grad(piece.apart(corners).sum(), corners)
            forces = np.einsum("msd,kmsd->mk", slope[0].cpu().numpy(), along)
            every[t] += forces.sum(0)
            found[t, here] = forces[candidates[here] - numbers.start]
    return found, every


def _pieces(count: int) -> Iterator[slice]:
    for start in range(0, count, CHUNK):
        yield slice(start, min(start + CHUNK, count))
