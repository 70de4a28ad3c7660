"""What is simulated, and how it stands at a moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Doubles, Mask
from .contact.embedded import CarriedFriction, EmbeddedContact
from .contact.friction import RigidFriction
from .contact.rigid import RigidContact
from .contact.rigid_motion import RigidMotion
from .contact.self_contact import SelfContact
from .terms.term import Term

Force = Callable[[Doubles, Doubles, float], Doubles]


@dataclass(frozen=True)
class State:
    """q (n,) and its velocity (n,), per second, at a time in seconds.

    converged: whether the step to it, and all of its parts where it was halved, ended at a minimum.
    iterations: of Newton's method, in that step.
    """

    q: Doubles
    velocity: Doubles
    time: float = 0.0
    converged: bool = True
    iterations: int = 0


def no_force(q: Doubles, velocity: Doubles, time: float) -> Doubles:
    """Nothing pushes."""
    return np.zeros_like(q)


def gravity(masses: Doubles, acceleration: Sequence[float]) -> Force:
    """The weight of vertices; masses (n,) kg, 0 beyond the vertices' coordinates; acceleration (d,) m/s^2."""
    force = masses * np.resize(np.asarray(acceleration, np.float64), len(masses))
    return lambda q, velocity, time: force


@dataclass(frozen=True)
class Surroundings:
    """Rigid colliders that move by themselves.

    motions: what each does between two times, in seconds. frictions (C,): the coefficient of each; slip, m/s:
    up to where what slides is taken for sticking.
    """

    contact: RigidContact | EmbeddedContact
    motions: Callable[[float, float], Sequence[RigidMotion]]
    frictions: Doubles
    slip: float = 1e-3

    def friction(self, q: Doubles, dt: float) -> RigidFriction | CarriedFriction:
        """The friction of what is pressed at q (n,), where a step of dt seconds begins."""
        friction = RigidFriction(self.frictions, self.slip, dt)
        if isinstance(self.contact, EmbeddedContact):
            return self.contact.rubbed(friction, q)
        friction.lag(self.contact.contacts(q), q)
        return friction


@dataclass(frozen=True)
class System:
    """What moves.

    masses: (n,) kg; of angles kg m^2. free: (n,) which entries are solved for; the others go where each step
    is given. force: N, of q, velocity and time at the start of a step. mass_damping (1/s) and
    stiffness_damping (s): Rayleigh's, the stiffness that of the terms at the start of a step.
    reach: how far, in m, what hangs on an entry of q moves with a unit of it: 1 for coordinates, half of an
    edge's length for what turns at it; (n,), or one for all. solid: whether there are
    elements that fill a volume, not only shells and rods.
    """

    masses: Doubles
    terms: Sequence[Term]
    free: Mask
    surroundings: Surroundings | None = None
    self_contact: SelfContact | None = None
    force: Force = no_force
    mass_damping: float = 0.0
    stiffness_damping: float = 0.0
    reach: Doubles | float = 1.0
    solid: bool = True
