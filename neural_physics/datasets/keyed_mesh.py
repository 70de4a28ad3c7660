"""What shape keys add to the mesh of takes that are simulated by the bundled solver, which knows no keys."""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Floats
from ..interaction.channels import ChannelLayout
from ..interaction.poses import PosePlaces
from ..skinning.keyed_shape import KeyedShape
from .rest_mesh import Mesh


class KeyedMesh:
    """Of a mesh without shape keys, or without bones to carry what they add, nothing is changed."""

    def __init__(self, mesh: Mesh, channels: ChannelLayout) -> None:
        self._count, self._places = mesh.vertex_count, PosePlaces.of(channels)
        self._keyed = None if mesh.skin is None or mesh.skin.keys is None else KeyedShape(mesh.skin)

    def added(self, y: Floats) -> Floats | None:
        """(V, 3) metres, along the world's axes: as it is keyed and posed in y (e,); None for nothing."""
        if self._keyed is None or self._places is None:
            return None
        pose = self._places.pose(y)
        return self._keyed.add_to(np.zeros((self._count, 3), np.float32), pose.moves, pose.keys)

    def add_to(self, stored: Floats, y: Floats, frame_from_world: Doubles) -> None:
        """Change positions (V, 3), metres, in the reference frame that y (e,) was sampled in."""
        added = self.added(y)
        if added is not None:
            stored += added @ frame_from_world[:3, :3].T.astype(np.float32)
