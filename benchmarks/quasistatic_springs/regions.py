"""The parts of the characters that errors are reported for, by rest shape; chosen before any error was known.

The soft ones have much flesh far from bones, and actions shake them: where a stout figure or a dog is seen to
jiggle. They have the paper's own examples among them, belly and thighs (section 7.1, Fig. 8), ears and tail
(Fig. 6). The stiff ones are for comparison: thin flesh on bones, where springs have next to nothing to do.

The human's are of the same kinds, where a slim figure has flesh.

A region is the vertices that some bones carry by half or more, together; where only a side of them is meant,
those of them in a box, too: around balls of flesh that the examples add to their limbs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neural_physics.datasets.rest_mesh import Mesh

EVERYWHERE = (-np.inf, np.inf)
HALF = 0.5  # of a vertex's weight
ALL = "all"


@dataclass(frozen=True)
class Region:
    """bones: a name that ends in * is that of both sides. aside, y, z: at rest, metres, from where they are
    symmetric; characters look along -Y. The human's middle is at z = 0, the others stand there.

    soft: whether it is one of those that are to jiggle.
    """

    bones: tuple[str, ...]
    aside: tuple[float, float] = EVERYWHERE
    y: tuple[float, float] = EVERYWHERE
    z: tuple[float, float] = EVERYWHERE
    soft: bool = True

    def vertices(self, mesh: Mesh) -> NDArray[np.bool_]:
        """(V,): which ones are in it. Raises ValueError where there are none."""
        assert mesh.skin is not None  # of datasets for springs
        wanted = {name for bone in self.bones for name in _both_sides(bone)}
        places = [k for k, bone in enumerate(mesh.skin.bones) if bone in wanted]
        inside = mesh.skin.weights[:, places].sum(1) >= HALF
        x, y, z = mesh.rest_positions.T
        for along, (low, high) in ((np.abs(x), self.aside), (y, self.y), (z, self.z)):
            inside &= (along >= low) & (along <= high)
        if not inside.any():
            raise ValueError(f"no vertex is in the region of {', '.join(self.bones)}")
        return np.asarray(inside)


REGIONS: Mapping[str, Mapping[str, Region]] = {
    "SOFT_CHARACTER": {
        "belly": Region(("hips", "spine", "chest"), y=(-np.inf, -0.12), z=(0.95, 1.25)),
        "chest": Region(("spine", "chest", "shoulder*"), y=(-np.inf, -0.05), z=(1.25, 1.45)),
        "buttocks": Region(("hips", "spine", "thigh*"), y=(0.08, np.inf), z=(0.80, 1.05)),
        "thighs": Region(("thigh*",)),
        "upper arms": Region(("upper_arm*",)),
        "head, hands and feet": Region(("head", "hand*", "foot*"), soft=False),
    },
    "SOFT_ANIMAL": {
        "belly": Region(("pelvis", "loin", "ribs"), z=(-np.inf, 0.52)),
        "haunches": Region(("leg*",)),
        "neck": Region(("nape", "ribs", "skull"), aside=(0.0, 0.2), y=(-0.62, -0.40), z=(0.62, 0.90)),
        "ears": Region(("ear*", "skull", "nape"), aside=(0.2, np.inf)),
        "tail": Region(("tail", "tail_tip")),
        "muzzle and paws": Region(("muzzle", "paw*", "hind_paw*"), soft=False),
    },
    "HUMAN": {
        "belly": Region(("pelvis", "spine_01", "spine_02"), y=(-np.inf, -0.09), z=(0.0, 0.28)),
        "breast": Region(("spine_03",), y=(-np.inf, -0.10), z=(0.30, 0.48)),
        "buttocks": Region(("pelvis", "spine_01", "thigh_*"), y=(0.03, np.inf), z=(-0.12, 0.10)),
        "thighs": Region(("thigh_*",)),
        "calves": Region(("calf_*",)),
        "upper arms": Region(("upperarm_*",)),
        "head, hands and feet": Region(("head", "hand_*", "foot_*"), soft=False),
    },
}


def regions_of(example: str, mesh: Mesh) -> dict[str, NDArray[np.bool_]]:
    """All vertices, then those of each region, (V,) each."""
    found = {name: region.vertices(mesh) for name, region in REGIONS[example].items()}
    return {ALL: np.ones(mesh.vertex_count, bool), **found}


def _both_sides(bone: str) -> tuple[str, ...]:
    if not bone.endswith("*"):
        return (bone,)
    sides = ("l", "r") if bone.endswith("_*") else (".L", ".R")  # as the rig's own names have them
    return tuple(bone[:-1] + side for side in sides)
