"""Simulated cloth scenes as a dataset, so that they are trained from and evaluated as baked takes are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ml_backend.methods.hierarchical_cloth.scenes import ClothScene, Motions, motions_of, simulated
from neural_physics.baking.fabric_ranges import LIVE, to_provenance
from neural_physics.datasets.dataset_info import DatasetInfo, Role, TakeInfo
from neural_physics.datasets.takes import Dataset
from neural_physics.energies.air import AIR_DENSITY, BLENDER_PRESSURE, FLAT_PLATE_DRAG
from neural_physics.interaction.channels import Channel, ChannelLayout

FABRIC_CHANNELS = tuple(Channel(name, "value", 1) for name in LIVE)


def write_cloth_dataset(path: Path, scenes: dict[str, tuple[ClothScene, Role]]) -> Dataset:
    """Simulate scenes of one kind and resolution, without capsules, into takes of these names.

    Channels: Wind for flags; Left and Right hand for curtains; Ball for what has a collider; and the
    fabric's stretch and bending, which Play may change. Raises ValueError for scenes that differ.
    """
    first = next(iter(scenes.values()))[0]
    if any(
        (s.kind, s.columns, s.rows, s.spacing, s.dt, s.capsules, s.radius)
        != (first.kind, first.columns, first.rows, first.spacing, first.dt, False, first.radius)
        for s, _ in scenes.values()
    ):
        raise ValueError("the scenes of one dataset must have one kind, one mesh and one ball")
    mesh, layout = first.mesh(), _layout(first)
    # What the cloth is pushed out of is larger by its thickness.
    colliders = {} if first.kind == "flag" else {"Ball": first.radius}
    fabric = to_provenance(first.fabric)
    info = DatasetInfo(
        "Cloth",
        mesh.topology(),
        mesh.vertex_count,
        1.0 / first.dt,
        channels=layout,
        reference_frame="",
        provenance=fabric,
        colliders=colliders,
    )
    dataset = Dataset.create(path, info, mesh)
    for name, (scene, role) in scenes.items():
        motions = motions_of(scene)
        with dataset.writer(name, TakeInfo(scene.frames, role=role, seed=scene.seed)) as writer:
            for t, positions in enumerate(simulated(scene, motions=motions)):
                writer.append(positions.astype(np.float32), interaction(scene, motions, layout, t))
    return dataset


def _layout(scene: ClothScene) -> ChannelLayout:
    hands = (Channel("Left", "position", 3, "Left"), Channel("Right", "position", 3, "Right"))
    ball = (Channel("Ball", "position", 3, "Ball"),)
    by_kind = {"flag": (Channel("Wind", "wind", 3, "Wind"),), "curtain": (*hands, *ball), "drape": ball}
    return ChannelLayout((*by_kind[scene.kind], *FABRIC_CHANNELS))


def interaction(scene: ClothScene, motions: Motions, layout: ChannelLayout, t: int) -> NDArray[np.float32]:
    """y (e,) of a frame: what acts in the step that ends with it."""
    before = max(t - 1, 0)
    values: dict[str, NDArray[np.float64]] = {
        "stretch": np.array([scene.fabric.stretch]),
        "bending": np.array([scene.fabric.bending]),
    }
    if scene.kind == "flag":
        values["Wind"] = wind_strength(motions.wind[before])
    else:
        values["Ball"] = motions.colliders[before].starts[0]
    if scene.kind == "curtain":
        values["Left"], values["Right"] = motions.pins[before]
    return layout.pack(values)


def wind_strength(velocity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Blender's strength times direction (3,) of a wind of m/s: what `air.wind_velocity` turns back."""
    per_square = AIR_DENSITY * FLAT_PLATE_DRAG / (2.0 * BLENDER_PRESSURE)
    strength: NDArray[np.float64] = per_square * float(np.linalg.norm(velocity)) * velocity
    return strength
