"""Pushing what a model shows out of the capsules around it, while it plays (Holden 2019, section 6.4)."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ....arrays import Floats
from ....capsules.projection import Bodies, push_out
from ....errors import Problem
from ....pairs import TooManyPairs
from ...scene.capsule_sampling import CapsuleSampler
from ...settings.edits import edits


class Projection:
    """The capsules of one object that plays.

    problem: why nothing is pushed although there are capsules. deep, wedged: how many vertices of the shape
    on show are left inside, as deeper than allowed and as caught between capsules.
    """

    def __init__(self) -> None:
        self.problem: Problem | None = None
        self.deep = self.wedged = 0
        self._name, self._edits = "", -1
        self._sampler: CapsuleSampler | None = None
        self._seen: dict[int, Bodies] = {}  # by whole frame
        self._shown: Bodies | None = None  # what the shape on show was pushed out of

    @property
    def sampler(self) -> CapsuleSampler | None:
        """The sampler of the capsules; None without any."""
        return self._sampler

    @property
    def active(self) -> bool:
        """Whether there is anything to push out of."""
        return self._sampler is not None

    @property
    def out_of_date(self) -> bool:
        """Whether settings were edited since `follow`."""
        return self._edits != edits()

    def follow(self, obj: bpy.types.Object) -> bool:
        """Read the capsules of an object again if they may have been edited; whether that was so."""
        if not self.out_of_date:
            return False
        self._edits, self._name = edits(), obj.name
        self._sampler, self.problem = None, None
        self._seen.clear()
        try:
            sampler = CapsuleSampler(obj)
        except Problem as problem:
            self.problem = problem
        else:
            self._sampler = sampler if len(sampler) else None
        return True

    def check_carriers(self, scene: bpy.types.Scene) -> None:
        """Cease to push, and say why, if an edit has deleted something that carries capsules."""
        lost = self._sampler.lost_from(scene) if self._sampler is not None else None
        if lost is not None:
            self.problem, self._sampler = lost, None

    def at(
        self, depsgraph: bpy.types.Depsgraph, frame: int, subframe: float, world_from_model: Matrix
    ) -> Bodies | None:
        """What to push out of at the frame that is evaluated, in the model's axes; None: nothing.

        What is hidden in a render is where it was when the whole frame was last evaluated for the artist.
        """
        if self._sampler is None:
            return None
        if not self._sampler.present(depsgraph):
            return self._seen.get(frame)
        try:
            bodies = self._sampler.sample(depsgraph, world_from_model)
        except Problem as problem:
            self.problem, self._sampler = problem, None
            return None
        if subframe == 0.0 and depsgraph.mode == "VIEWPORT":
            self._seen[frame] = bodies
        return bodies

    def push(self, positions: Floats, bodies: Bodies | None) -> Floats:
        """Positions (V, 3) of the shape to be shown, in the model's axes, after `bodies`."""
        self._shown = bodies
        self.deep = self.wedged = 0
        if bodies is None:
            return positions
        try:
            pushed = push_out(positions, *bodies)
        except TooManyPairs:
            self.problem, self._sampler = Problem("capsules_in_one_place", object=self._name), None
            return positions
        self.deep, self.wedged = int(np.count_nonzero(pushed.deep)), int(np.count_nonzero(pushed.wedged))
        return pushed.positions

    def pushed_elsewhere(self, bodies: Bodies | None, deep: int, wedged: int) -> None:
        """The shape to be shown has been pushed out of `bodies` already, and this is what was left inside."""
        self._shown = bodies
        self.deep, self.wedged = int(deep), int(wedged)

    def moved(self, bodies: Bodies | None) -> bool:
        """Whether these are others than those of the shape on show."""
        return _bytes(bodies) != _bytes(self._shown)

    def forget_from(self, frame: int) -> None:
        """Forget where capsules were at `frame` and after."""
        for late in [f for f in self._seen if f >= frame]:
            del self._seen[late]


def _bytes(bodies: Bodies | None) -> bytes:
    """All that matters, quick to compare."""
    if bodies is None:
        return b""
    capsules = bodies.capsules
    limit = np.float64(bodies.depth_limit)
    parts = (capsules.starts, capsules.axes, capsules.lengths, capsules.radii, capsules.slopes, limit)
    return b"".join(part.tobytes() for part in parts)
