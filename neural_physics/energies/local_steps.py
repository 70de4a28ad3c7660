"""Energies as ADMM splits them: of a linear map of positions each, with the local step that minimises it.

A term is U(D x), summed over m elements: `stencils` (s, m) says on which vertices an element depends,
`operator` (r, s, m) is its rows of D, the same for x, y and z. What D gives has the shape (3, r, m):
elements come last, so that NumPy runs along them. Everything is float64, in metres, newtons and joules.

The local step of Narain, Overby and Brown 2016, "ADMM contains projective dynamics":
z minimises U(z) + weight / 2 |z - p|^2, for which `weight` (m,) is the square of their w.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..arrays import Doubles, Indices
from .array_module import module_of

# From the corotated minimum to all digits of the Saint Venant-Kirchhoff one: measured from collapsed to
# stretched fivefold, for lam / mu from 0 to 400. Stretches of a half to twice take five.


@dataclass(frozen=True)
class LocalTerm(ABC):
    """A sum of energies U of D x. stencils (s, m), operator (r, s, m), weight (m,) in J per square of D x.

    Raises ValueError unless all weights are finite and above 0.
    """

    stencils: Indices
    operator: Doubles
    weight: Doubles

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) & (self.weight > 0.0)).all():
            raise ValueError(f"{type(self).__name__} have a weight that is too small or not finite.")

    def balanced(self, inertia: Doubles) -> Self:
        """This term with the weights by which ADMM gets furthest in few iterations.

        inertia (n,): masses over dt^2, N/m. The geometric mean of an element's stiffness and of the inertia
        of its vertices, as for the best penalty of a quadratic problem (Ghadimi, Teixeira, Shames and
        Johansson 2015), but no more than the weight that there is: for what is stiff, full
        weights let each iteration turn an element by very little.
        """
        stiffness = self.weight * np.einsum("rsm,rsm->m", self.operator, self.operator) / len(self.stencils)
        share = np.minimum(1.0, np.sqrt(inertia[self.stencils].mean(axis=0) / stiffness))
        return replace(self, weight=share * self.weight)

    def reduce(self, positions: Doubles) -> Doubles:
        """D x (3, r, m) of positions (3, n)."""
        gathered = positions.take(self.stencils, axis=1)
        return np.einsum("rsm,csm->crm", self.operator, gathered)

    def spread(self, reduced: Doubles, n: int) -> Doubles:
        """D^T W^2 z (3, n) of z (3, r, m)."""
        weighted = np.einsum("rsm,crm->csm", self.operator, reduced * self.weight)
        vertices = self.stencils.ravel()
        return np.stack([np.bincount(vertices, of_axis.ravel(), n) for of_axis in weighted])

    @abstractmethod
    def value(self, reduced: Any) -> Any:  # noqa: ANN401 (array or tensor)
        """U (m,) of D x (3, r, m), arrays or tensors."""

    @abstractmethod
    def step(self, p: Doubles) -> Doubles:
        """z (3, r, m) that minimises U(z) + weight / 2 |z - p|^2."""


@dataclass(frozen=True)
class Lengths(LocalTerm):
    """U = stiffness / 2 (|D x| - rest)^2, for r = 1, and infinite where |D x| is not in least..most.

    stiffness, rest, least, most (m,). Convex but for the direction, so that the step has a closed form;
    a p of length 0, for which all directions are as good, goes along the x axis.
    """

    stiffness: Doubles
    rest: Doubles
    least: Doubles
    most: Doubles

    def value(self, reduced: Any) -> Any:  # noqa: ANN401
        """The energy without the limits, which the steps keep to."""
        sqrt, array = module_of(reduced).sqrt, module_of(reduced).asarray
        excess = sqrt((reduced * reduced).sum(0)[0]) - array(self.rest)
        return 0.5 * array(self.stiffness) * excess**2

    def step(self, p: Doubles) -> Doubles:
        """See `LocalTerm`."""
        lengths = np.sqrt(np.einsum("crm,crm->m", p, p))
        targets = (self.stiffness * self.rest + self.weight * lengths) / (self.stiffness + self.weight)
        targets = np.clip(targets, self.least, self.most)
        nowhere = lengths < 1e-30
        z = p * (targets / np.where(nowhere, 1.0, lengths))
        z[0, 0, nowhere] = targets[nowhere]
        return z


@dataclass(frozen=True)
class CorotatedTriangles(LocalTerm):
    """U = area (mu |F - R|^2 + lam / 2 tr(R^T F - I)^2), R the polar factor of F with tr(R^T F) largest.

    D x is the deformation gradient F (3, 2) of each triangle, its columns along r. area (m,) in rest, m^2;
    mu, lam: Lame's parameters of the membrane, N/m (in plane stress, times the thickness). It is isotropic:
    the step keeps F's singular vectors and moves its singular values.
    """

    area: Doubles
    mu: float
    lam: float

    def value(self, reduced: Any) -> Any:  # noqa: ANN401
        """A tensor has no derivative where a triangle has no area."""
        sqrt, clip, array = module_of(reduced).sqrt, module_of(reduced).clip, module_of(reduced).asarray
        aa, ab, bb = _products(reduced)
        trace = sqrt(aa + bb + 2.0 * sqrt(clip(aa * bb - ab * ab, 0.0, None)))
        density = self.mu * (aa + bb - 2.0 * trace + 2.0) + 0.5 * self.lam * (trace - 2.0) ** 2
        return array(self.area) * density

    def step(self, p: Doubles) -> Doubles:
        """See `LocalTerm`."""
        # One Jacobi rotation makes the two columns orthogonal: left singular vectors times singular values.
        a, b = p[:, 0], p[:, 1]
        theta = 0.5 * np.arctan2(2.0 * _dot(a, b), _dot(a, a) - _dot(b, b))
        cosine, sine = np.cos(theta), np.sin(theta)
        first, u = _lengths_and_directions(cosine * a + sine * b)
        across = cosine * b - sine * a
        # The shorter one is orthogonal only to the digits of the longer one.
        second, v = _lengths_and_directions(across - u * _dot(u, across))
        lost = second < 1e-10 * first + 1e-30
        if lost.any():
            v[:, lost] = _orthogonal(u[:, lost])
        first, second = self._stretches(first, second)
        u, v = first * u, second * v
        return np.stack([cosine * u - sine * v, sine * u + cosine * v], 1)

    def _stretches(self, first: Doubles, second: Doubles) -> tuple[Doubles, Doubles]:
        """The singular values (m,), at or above zero, to go to from `first` >= `second` >= 0."""
        mu, lam = self.area * self.mu, self.area * self.lam
        at, both = 2.0 * mu + self.weight, 2.0 * (mu + lam)
        f, s = self.weight * first + both, self.weight * second + both
        total = (f + s) / (at + 2.0 * lam)
        new_second = (s - lam * total) / at
        collapsed = new_second < 0.0
        return (
            np.where(collapsed, f / (at + lam), (f - lam * total) / at),
            np.where(collapsed, 0.0, new_second),
        )


def springs(
    rest_positions: Doubles,
    edges: Indices,
    stiffness: float | Doubles,
    least: float | Doubles = 0.0,
    *,
    most: float | Doubles = np.inf,
) -> Lengths:
    """Springs of stiffness (N/m) along edges (m, 2), at rest in rest_positions (n, 3), metres.

    least, most: no spring gets shorter or longer than so many times its rest length.
    """
    m = len(edges)
    rest = np.linalg.norm(rest_positions[edges[:, 1]] - rest_positions[edges[:, 0]], axis=1)
    operator = np.broadcast_to(np.array([[-1.0], [1.0]]), (1, 2, m)).copy()
    stiffnesses = np.full(m, stiffness, np.float64)
    stencils = np.ascontiguousarray(edges.T, np.intp)
    return Lengths(stencils, operator, stiffnesses, stiffnesses, rest, least * rest, most * rest)


def hinges(rest_positions: Doubles, quads: Indices, stiffness: float | Doubles) -> Lengths:
    """Bending of shells of stiffness (N m) across inner edges, quadratic where the shell is flat in rest.

    quads (m, 4): the two vertices of each inner edge, then the one opposite of it in either triangle.
    rest_positions (n, 3), metres. D x is the mean curvature normal of Bergou, Wardetzky, Harmon, Zorin and
    Grinspun 2006, "A quadratic bending model for inextensible surfaces", with a third of their factor: the
    energy is then stiffness / 2 curvature^2 area of a sheet bent to a cylinder, as fabrics are measured and
    as all isometric bending is locally. With theirs it would be so of a sphere, and thrice as much of a
    cylinder, as on the lattice of Seung and Nelson 1988. Grids whose diagonals all run one way are up to
    three times as stiff across these. A shell that is bent in rest keeps the size of its curvature, as in
    Bouaziz et al. 2014, whichever way it turns.
    Raises ValueError for triangles without area in rest.
    """
    x = rest_positions[quads]
    edge = x[:, 1] - x[:, 0]
    squared = np.einsum("mc,mc->m", edge, edge)
    cotangents, areas = [], []
    for opposite in (x[:, 2], x[:, 3]):
        double = np.linalg.norm(np.cross(edge, opposite - x[:, 0]), axis=1)
        if not (double > 1e-12 * squared).all():
            worst = int(np.argmin(double))
            raise ValueError(f"A triangle at inner edge {worst} has no area in rest.")
        at_start = np.einsum("mc,mc->m", edge, opposite - x[:, 0]) / double
        at_end = -np.einsum("mc,mc->m", edge, opposite - x[:, 1]) / double
        cotangents.append((at_start, at_end))
        areas.append(0.5 * double)
    (s1, e1), (s2, e2) = cotangents
    operator = np.stack([e1 + e2, s1 + s2, -s1 - e1, -s2 - e2])[None]
    strength = np.asarray(stiffness, np.float64) / (areas[0] + areas[1])
    rest = np.linalg.norm(np.einsum("sm,msc->mc", operator[0], x), axis=1)
    # What is flat but for rounding shall be flat.
    rest[rest < 1e-9 * np.sqrt(squared)] = 0.0
    stencils = np.ascontiguousarray(quads.T, np.intp)
    return Lengths(
        stencils, operator, strength, strength, rest, np.zeros_like(rest), np.full_like(rest, np.inf)
    )


def membrane(rest_positions: Doubles, triangles: Indices, mu: float, lam: float) -> CorotatedTriangles:
    """Triangles (m, 3), at rest in rest_positions (n, 3), metres; mu and lam in N/m.

    Raises ValueError for a triangle without area in rest.
    """
    x = rest_positions[triangles]
    a, b = x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]
    normals = np.cross(a, b)
    double = np.linalg.norm(normals, axis=1)
    longest = np.maximum(np.einsum("mc,mc->m", a, a), np.einsum("mc,mc->m", b, b))
    if not (double > 1e-12 * longest).all():
        raise ValueError(f"Triangle {int(np.argmin(double / longest))} has no area in rest.")
    # In each triangle's own plane, with a along the first axis.
    length = np.linalg.norm(a, axis=1)
    along, across = np.einsum("mc,mc->m", a, b) / length, double / length
    inverse = np.zeros((2, 2, len(x)))
    inverse[0, 0], inverse[1, 1] = 1.0 / length, 1.0 / across
    inverse[0, 1] = -along / (length * across)
    # F = [x1 - x0, x2 - x0] inverse; `operator` has one row for each column of F.
    columns = inverse.transpose(1, 0, 2)
    operator = np.concatenate([-columns.sum(1, keepdims=True), columns], 1)
    area = 0.5 * double
    stencils = np.ascontiguousarray(triangles.T, np.intp)
    # The modulus of a stretch in one direction: near each of the two that ADMM has to get right.
    return CorotatedTriangles(stencils, operator, area * (2.0 * mu + lam), area, mu, lam)


def _products(gradient: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401
    """The entries of F^T F, each (m,)."""
    a, b = gradient[:, 0], gradient[:, 1]
    return (a * a).sum(0), (a * b).sum(0), (b * b).sum(0)


def _dot(a: Doubles, b: Doubles) -> Doubles:
    """(m,) of both (3, m)."""
    return np.einsum("cm,cm->m", a, b)


def _lengths_and_directions(vectors: Doubles) -> tuple[Doubles, Doubles]:
    """Lengths (m,) and unit vectors (3, m); along the x axis where there is no length."""
    lengths = np.sqrt(_dot(vectors, vectors))
    nowhere = lengths < 1e-30
    directions = vectors / np.where(nowhere, 1.0, lengths)
    directions[:, nowhere] = np.array([[1.0], [0.0], [0.0]])
    return lengths, directions


def _orthogonal(unit: Doubles) -> Doubles:
    """A unit vector (3, m) orthogonal to each of unit (3, m)."""
    x, y, z = unit
    none = np.zeros_like(x)
    vectors = np.where(np.abs(z) > 0.9, np.stack([none, -z, y]), np.stack([-y, x, none]))
    return _lengths_and_directions(vectors)[1]
