"""Which bones displace a vertex, and how many components each bone has: where a frame's time is best spent.

What plays takes as long as there are numbers in the bases, components times vertices over all bones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neural_physics.arrays import Floats, Indices
from neural_physics.skinning.skin import Shares

LED = 0.5  # of a vertex's largest weight: bones with at most that do not displace it
WORTH = 1e-6  # of the mean square displacement: a component that shows less of it is left out


def leading(shares: Shares, vertices: int) -> tuple[Indices, Floats]:
    """Places (P,), rising, of the shares that displace, and how much each counts, (P,) float32.

    What a weight is more than LED times the vertex's largest, over the sum of these: as smooth as the weights
    are, 1 together for each of the mesh's vertices.
    """
    largest = np.zeros(vertices)
    np.maximum.at(largest, shares.vertices, shares.weights)
    over = shares.weights - LED * largest[shares.vertices]
    places = np.flatnonzero(over > 0.0)
    of = shares.vertices[places]
    total = np.bincount(of, over[places], vertices)
    return places, (over[places] / total[of]).astype(np.float32)


def modes_per_bone(variances: Sequence[Floats], sizes: Sequence[int], budget: int) -> list[int]:
    """How many components each bone keeps, so that they show as much as so many vertices can.

    variances: m^2, of each bone's components, falling, summed over its vertices; sizes: how many vertices
    each component of a bone has; budget: components times vertices, over all bones, at most. Components are
    taken in the order of what they show for each vertex.
    """
    least = WORTH * sum(float(of_bone.sum()) for of_bone in variances) / max(1, sum(sizes))
    worth = [
        (float(value) / size, bone)
        for bone, (of_bone, size) in enumerate(zip(variances, sizes, strict=True))
        for value in of_bone
    ]
    counts = [0] * len(sizes)
    full = set[int]()
    for value, bone in sorted(worth, key=lambda one: -one[0]):
        if value <= least:
            break
        if bone not in full and sizes[bone] <= budget:
            counts[bone] += 1
            budget -= sizes[bone]
        else:
            full.add(bone)
    return counts
