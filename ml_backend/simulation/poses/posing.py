"""A solid at rest in each pose of a take's tracks, one by one (Jin et al. 2022, section 3.1)."""

from __future__ import annotations

import numpy as np

from ml_backend.simulation.contact_points import contact_carrier
from ml_backend.simulation.elasticity import elastic_parts
from ml_backend.simulation.motions import TrackedMotion
from ml_backend.simulation.poses.interior_skin import InteriorSkin
from ml_backend.simulation.surroundings import make_contact, make_self_contact, make_surroundings
from neural_physics.arrays import Doubles, Floats, Mask
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import SimulationRequest, Tracks
from neural_physics.skinning.skin import Skin
from neural_physics.solver.quasistatic import Scales, Settled, settle
from neural_physics.solver.system import System, gravity


class PosedBody:
    """The equilibria of a solid that bones hold: elastic forces, weight, and contact without friction.

    Nothing is kept from one pose to the next, so that each comes out the same whatever was solved before.
    """

    def __init__(
        self,
        request: SimulationRequest,
        body: Body,
        tracks: Tracks,
        skin: Skin,
        *,
        moves: Floats,
    ) -> None:
        """moves (T, K + 1, 3, 4): of the object and the skin's bones in each pose, see `Channel.parts`.

        Raises Problem("collider_unusable" | "collider_scales"), and ValueError for weights that are none.
        """
        self._name, self._body, self._moves = request.object, body, moves
        self._fps = tracks.fps
        self._parts = elastic_parts(body)
        self._motion = TrackedMotion(request, body, tracks)
        self._carrier = contact_carrier(body, request)
        self._skin = InteriorSkin(request, body, skin)
        self._judged = body.elements[~_between_bones(body)]
        sides = body.rest_positions[body.elements[:, :2]]
        edge = float(np.linalg.norm(sides[:, 1] - sides[:, 0], axis=1).mean())
        self._scales = Scales(edge, float(body.moduli[:, 0].mean()) * edge**2)

    def settle(self, index: int) -> tuple[Doubles, Settled]:
        """The body's vertices (B, 3), m, in the world, in one of the tracks' poses, and how it went."""
        time = index / self._fps
        pinned, goals, moves = self._body.pinned[:, None], self._motion.pins(time), self._moves[index]
        missing = np.where(pinned, goals - self._skin.carried(moves, 1.0), 0.0)

        def path(share: float) -> Doubles:
            """Along the skin; what is held goes to where it is held, evenly from where the skin has it."""
            return (self._skin.carried(moves, share) + share * missing).ravel()

        settled = settle(self._system(), self._judged, path, self._scales, time=time)
        return settled.q.reshape(-1, 3), settled

    def _system(self) -> System:
        """The system of a pose, with contact as in a dynamic take of the same settings."""
        body, parts = self._body, self._parts
        dt = 1.0 / (self._fps * body.settings.steps)
        contact = make_contact(body, self._motion, dt, self._carrier)
        return System(
            parts.masses,
            parts.terms,
            parts.free,
            make_surroundings(body, self._motion, contact, self._carrier),
            self_contact=make_self_contact(body, self._name, dt),
            force=gravity(parts.masses, body.gravity.tolist()),
            reach=parts.reach,
        )


def _between_bones(body: Body) -> Mask:
    """(m,) elements that two bones hold: there what these hold is pressed into each other by any bend."""
    if body.bones is None:
        return np.zeros(len(body.elements), bool)
    holding = np.sort(body.bones[body.elements], axis=1)
    different = (holding[:, 1:] != holding[:, :-1]) & (holding[:, :-1] >= 0)
    return np.asarray(different.any(axis=1))
