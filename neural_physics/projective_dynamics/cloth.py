"""Mass-spring cloth with bending (Oh 2018, section 3.2): one time step by ADMM, any stiffness at any time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Indices
from ..energies.air import wind_forces
from ..energies.local_steps import LocalTerm, hinges, springs
from ..energies.shells.triangle_edges import triangle_edges
from .admm import ADMM, Solve
from .round_colliders import RoundColliders

ITERATIONS = 20  # section 4.2
GRAVITY = np.array([0.0, 0.0, -9.81])
KEPT_FACTORS = 4


class MakeSolve(Protocol):
    """Prepares ADMM's global step; contacts: whether some vertices will be held by colliders as it goes."""

    def __call__(
        self, masses: Doubles, terms: list[LocalTerm], dt: float, free: Indices, *, contacts: bool
    ) -> Solve:
        """masses (n,) kg; dt: seconds; free: the vertices that are not pinned. See `admm.system_blocks`."""
        ...


@dataclass(frozen=True)
class Fabric:
    """stretch: springs' stiffness, N/m. bending: N m. Both mean the same at any resolution.

    density: kg/m^2. friction: Coulomb's coefficient against colliders. thickness: m, which colliders are
    larger by.
    """

    stretch: float = 300.0
    bending: float = 1e-4
    density: float = 0.15
    friction: float = 0.3
    thickness: float = 0.004


FABRIC_RANGES = {  # what can be simulated, in the units of `Fabric`
    "stretch": (1e-3, 1e7),
    "bending": (0.0, 1e3),
    "density": (1e-4, 1e3),
    "friction": (0.0, 10.0),
    "thickness": (0.0, 1.0),
}


@dataclass(frozen=True)
class Load:
    """What acts during one step. wind (3,): m/s. acceleration (3,): gravity and what else acts on all mass,
    m/s^2. pins (p, 3): where pinned vertices go, metres; None: they stay. colliders: as they are at its end.
    """

    wind: Doubles
    acceleration: Doubles
    pins: Doubles | None = None
    colliders: RoundColliders | None = None


class Cloth:
    """Steps of positions and velocities (n, 3) float64, metres and m/s.

    The system's factors are made when a stiffness is first asked for, and the last few are kept. The same
    step gives the same result, whatever was stepped before.
    """

    def __init__(
        self,
        rest_positions: NDArray[np.floating],
        triangles: NDArray[np.integer],
        pinned: Indices | list[int],
        dt: float,
        *,
        make_solve: MakeSolve | None = None,
    ) -> None:
        """rest_positions (n, 3); triangles (m, 3); dt: seconds. make_solve: see `ADMM`, from masses, terms,
        dt, the free vertices and whether there are contacts; dense inverses if None.
        Raises ValueError for triangles without area.
        """
        self.rest = np.asarray(rest_positions, np.float64)
        self.dt = dt
        self.pinned = np.asarray(pinned, np.intp)
        self._triangles = np.asarray(triangles, np.intp)
        found = triangle_edges(self._triangles)
        self._edges, self._hinges = found.edges, found.hinges
        # A spring stands for the cloth of its triangles: at a boundary there is half of it.
        self._shares = 0.5 * np.bincount(found.sides.ravel(), minlength=len(found.edges))
        x = self.rest[self._triangles]
        self._areas = 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
        longest = np.square(x - np.roll(x, 1, axis=1)).sum(-1).max(axis=1)
        if not (self._areas > 1e-12 * longest).all():
            raise ValueError(f"Triangle {int(np.argmin(self._areas))} has no area in rest.")
        if not np.bincount(self._triangles.ravel(), minlength=len(self.rest)).all():
            raise ValueError("A vertex has no triangle, and so no mass.")
        self._make_solve = make_solve
        self._systems: dict[tuple[float, float, float, bool], ADMM] = {}

    def masses(self, fabric: Fabric) -> Doubles:
        """(n,) kg, each triangle's shared out evenly: M^0 (Oh 2018, eq. 2)."""
        share = np.repeat(fabric.density * self._areas / 3.0, 3)
        masses: Doubles = np.bincount(self._triangles.ravel(), share, len(self.rest)).astype(np.float64)
        return masses

    def terms(self, fabric: Fabric) -> list[LocalTerm]:
        """Springs along all edges, half as stiff at the boundary, and bending across the inner ones.

        U (Oh 2018, eq. 3).
        """
        inertia = self.masses(fabric) / self.dt**2
        terms: list[LocalTerm] = [
            springs(self.rest, self._edges, self._shares * fabric.stretch).balanced(inertia)
        ]
        if fabric.bending > 0.0 and len(self._hinges):
            terms.append(hinges(self.rest, self._hinges, fabric.bending).balanced(inertia))
        return terms

    def system(self, fabric: Fabric, contacts: bool) -> ADMM:
        """Its factors, computed again where the fabric or whether there are contacts has changed.

        Made with the constraints of the pre-computation (Oh 2018, Algorithm 1).
        """
        key = (fabric.stretch, fabric.bending, fabric.density, contacts)
        found = self._systems.pop(key, None)
        if found is None:
            masses, terms = self.masses(fabric), self.terms(fabric)
            free = np.setdiff1d(np.arange(len(self.rest)), self.pinned)
            make = self._make_solve
            solve = make(masses, terms, self.dt, free, contacts=contacts) if make else None
            found = ADMM(masses, terms, self.dt, self.pinned, contacts=contacts, solve=solve)
            if len(self._systems) >= KEPT_FACTORS:
                del self._systems[next(iter(self._systems))]
        self._systems[key] = found  # the last in the order
        return found

    def step(
        self,
        positions: Doubles,
        velocities: Doubles,
        fabric: Fabric,
        load: Load,
        *,
        iterations: int = ITERATIONS,
    ) -> tuple[Doubles, Doubles]:
        """Positions and velocities one time step later (Oh 2018, eqs. 1 to 3 and Algorithm 1)."""
        colliders = load.colliders
        contacts = colliders is not None and bool(colliders)
        system = self.system(fabric, contacts)
        forces = system.masses[:, None] * load.acceleration
        forces += wind_forces(
            positions, velocities, self._triangles, fabric.density * self._areas, wind=load.wind, dt=self.dt
        )
        return system.step(
            positions,
            velocities,
            forces,
            pinned_positions=load.pins,
            iterations=iterations,
            push_out=colliders.push_out if colliders is not None and contacts else None,
            friction=fabric.friction,
        )
