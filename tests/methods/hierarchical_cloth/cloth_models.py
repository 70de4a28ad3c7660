"""Models of hierarchical cloth whose networks are random: a sheet that hangs by two corners from a hand."""

from __future__ import annotations

import numpy as np
import synthetic

from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.methods.hierarchical_cloth.triangle_forms import OUTPUTS, LocalForm
from neural_physics.subdivision.usual_levels import usual_hierarchy

MESH = synthetic.sheet_mesh(9)
LAYOUT = ChannelLayout(
    (
        Channel("Hand", "position", 3, source="Hand"),
        Channel("stretch", "value", 1),
        Channel("bending", "value", 1),
    )
)
FABRIC = {"stretch": 60.0, "bending": 3e-4, "density": 0.15, "friction": 0.3, "thickness": 0.004}


def cloth_model_file(
    mesh: Mesh = MESH, layout: ChannelLayout = LAYOUT, weights: float = 0.05, **settings: object
) -> bytes:
    """9 x 9 vertices, 3 x 3 at level 0; see `HierarchicalCloth` for its tensors and settings.

    weights: standard deviation of the networks'; at 0 new vertices turn along with their triangles.
    """
    hierarchy, rng = usual_hierarchy(mesh, "Sheet"), np.random.default_rng(2)
    pinned = np.flatnonzero(mesh.pins > 0).astype(np.int32)
    tensors = {
        "rest": mesh.rest_positions,
        "mean": mesh.rest_positions,
        "order": hierarchy.order.astype(np.int32),
        "triangles": hierarchy.levels[0].triangles.astype(np.int32),
    }
    if len(pinned):
        tensors["pins.vertices"], tensors["pins.channels"] = pinned, np.zeros(len(pinned), np.int32)
        tensors["pins.anchors"] = mesh.rest_positions[pinned]
    for level in range(1, len(hierarchy.levels)):
        weight = weights * rng.normal(size=(OUTPUTS, LocalForm.inputs))
        tensors[f"levels.{level}.0.weight"] = weight.astype(np.float32)
        tensors[f"levels.{level}.0.bias"] = np.zeros(OUTPUTS, np.float32)
    usual = {
        "levels": len(hierarchy.levels) - 1,
        "form": "local",
        "fabric": FABRIC,
        "live": {"stretch": "stretch", "bending": "bending"},
    }
    info = synthetic.make_model_info(mesh, layout, method="hierarchical_cloth", settings=usual | settings)
    return synthetic.model_bytes(info, tensors)
