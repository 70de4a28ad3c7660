"""A model of hierarchical cloth whose networks are random: a sheet that hangs by two corners from a hand."""

from __future__ import annotations

import numpy as np
import synthetic

from neural_physics.channels import Channel, ChannelLayout
from neural_physics.hierarchy.usual_levels import usual_hierarchy
from neural_physics.methods.triangle_forms import OUTPUTS, LocalForm

MESH = synthetic.sheet_mesh(9)
LAYOUT = ChannelLayout(
    (
        Channel("Hand", "position", 3, source="Hand"),
        Channel("stretch", "value", 1),
        Channel("bending", "value", 1),
    )
)
FABRIC = {"stretch": 60.0, "bending": 3e-4, "density": 0.15, "friction": 0.3, "thickness": 0.004}


def cloth_model_file() -> bytes:
    """9 x 9 vertices, 3 x 3 at level 0; see `HierarchicalCloth` for its tensors."""
    hierarchy, rng = usual_hierarchy(MESH, "Sheet"), np.random.default_rng(2)
    pinned = np.flatnonzero(MESH.pins > 0).astype(np.int32)
    tensors = {
        "rest": MESH.rest_positions,
        "mean": MESH.rest_positions,
        "order": hierarchy.order.astype(np.int32),
        "triangles": hierarchy.levels[0].triangles.astype(np.int32),
        "pins.vertices": pinned,
        "pins.channels": np.zeros(len(pinned), np.int32),
        "pins.anchors": MESH.rest_positions[pinned],
    }
    for level in range(1, len(hierarchy.levels)):
        weight = 0.05 * rng.normal(size=(OUTPUTS, LocalForm.inputs))
        tensors[f"levels.{level}.0.weight"] = weight.astype(np.float32)
        tensors[f"levels.{level}.0.bias"] = np.zeros(OUTPUTS, np.float32)
    settings = {
        "levels": len(hierarchy.levels) - 1,
        "form": "local",
        "fabric": FABRIC,
        "live": {"stretch": "stretch", "bending": "bending"},
    }
    info = synthetic.make_model_info(MESH, LAYOUT, method="hierarchical_cloth", settings=settings)
    return synthetic.model_bytes(info, tensors)
