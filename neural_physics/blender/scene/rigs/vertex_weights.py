"""What an armature's bones weigh on the vertices of a mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import bpy
import numpy as np

from ....arrays import Doubles, Indices
from ..sources import mesh_data

LEAST_SUM = 1e-4  # Blender's own limit


@dataclass(frozen=True)
class BoneWeights:
    """One row per vertex and bone that weighs on it: vertices, bones, weights (n,); a vertex's sum to 1.

    Vertex by vertex, in the order of its groups.
    """

    vertices: Indices
    bones: Indices
    weights: Doubles

    def __len__(self) -> int:
        return len(self.weights)


def bone_weights(body: bpy.types.Object, bones: Mapping[str, int]) -> BoneWeights:
    """The weights of a body's vertices; bones: the numbers of those that count, by name.

    Blender's Armature modifier shares a vertex out among them just so, whatever its weights sum to, unless
    that is next to nothing: then the vertex stays.
    """
    numbers = {group.index: bones[group.name] for group in body.vertex_groups if group.name in bones}
    rows = [
        (vertex.index, numbers[membership.group], membership.weight)
        for vertex in mesh_data(body).vertices
        for membership in vertex.groups
        if membership.group in numbers and membership.weight > 0.0
    ]
    table = np.array(rows, np.float64).reshape(-1, 3)
    vertices, weights = table[:, 0].astype(np.intp), table[:, 2]
    sums = np.bincount(vertices, weights, len(mesh_data(body).vertices))
    some = sums[vertices] > LEAST_SUM
    vertices, bones_of_rows, weights = vertices[some], table[some, 1].astype(np.intp), weights[some]
    return BoneWeights(vertices, bones_of_rows, weights / sums[vertices])
