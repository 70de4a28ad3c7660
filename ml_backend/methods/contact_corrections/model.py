"""What a model of contact corrections holds beside its networks, and which tetrahedra it keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learning.training.tensor_files import Tensors
from ml_backend.methods.contact_corrections.placed_handles import handle_channels
from ml_backend.methods.contact_corrections.presets import ContactPreset
from ml_backend.methods.contact_corrections.samples import CorrectionData, Samples
from ml_backend.methods.contact_corrections.scene import ContactScene
from ml_backend.methods.contact_corrections.shapes_at_rest import reference_depth_of
from ml_backend.training.cubature import Chosen, fit_elements, fit_masses
from neural_physics.arrays import Doubles
from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.collider import Collider
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.energies.solids.deformation import rest_shapes
from neural_physics.interaction.channels import ChannelLayout, size_channel
from neural_physics.methods.contact_corrections.contact import Placed
from neural_physics.methods.contact_corrections.cubature import ENERGIES, Cubature
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.methods.contact_corrections.part import Part
from neural_physics.methods.contact_corrections.surroundings import Surroundings

TOLERANCE = 1e-3  # of the mean edge: how far the last Newton step of Play may go
FITTED_SHAPES = 80  # whose forces the cubature has to give


def settings_of(scene: ContactScene, preset: ContactPreset) -> dict[str, Any]:
    """See `neural_physics.methods.contact_corrections.method`."""
    body, settings = scene.body, scene.body.settings
    edges = body.rest_positions[body.elements[:, :2]]
    length = float(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).mean())
    return {
        "free": scene.handles.free,
        "loose": scene.handles.loose,
        "elasticity": settings.elasticity,
        "steps": settings.steps,
        "damping": settings.damping,
        "gravity": scene.gravity.tolist(),
        "tolerance": TOLERANCE * length,
        "iterations": preset.iterations,
        "stiffness": scene.contact.stiffness,
        "reach": scene.contact.reach,
        "reference_depth": reference_depth_of(scene),
        "colliders": [_shape(shape) for shape in scene.colliders.shapes],
        "widths": [ball.width for ball in scene.balls],
        "self_contact_stiffness": scene.self_contact.stiffness,
    }


def channels_of(layout: ChannelLayout, scene: ContactScene) -> ChannelLayout:
    """The channels of the takes, then those that only Play has: sizes of balls, and holds of handles."""
    sizes = (size_channel(ball.channel) for ball in scene.balls)
    return handle_channels(ChannelLayout((*layout.channels, *sizes)), scene.placed)


def base_tensors(scene: ContactScene, mean: Doubles) -> Tensors:
    """All but the corrections and the cubature; mean (V, 3)."""
    body, handles, frames, colliders = scene.body, scene.handles, scene.frames, scene.colliders
    assert body.embedding_weights is not None  # a solid has one
    floats: dict[str, Doubles] = {
        "mean": mean,
        "carriers.weights": body.embedding_weights,
        "handles.weights": handles.weights,
        "handles.gradients": handles.gradients,
        "handles.rest": handles.rest,
        "contact.weights": scene.contact.weights,
    }
    whole: dict[str, NDArray[Any]] = {
        "carriers.corners": np.asarray(body.embedding_corners),
        "contact.corners": scene.contact.corners,
    }
    if len(frames.offset):
        floats |= {"frames.mean": frames.mean, "frames.offset": frames.offset, "frames.matrix": frames.matrix}
    if body.flat:
        plane = scene.coordinates
        floats |= {"plane.origin": plane.origin, "plane.axes": plane.axes}
    if scene.placed:
        floats |= {"handles.aside": scene.aside}
        whole |= {"handles.held": scene.rows}
    if len(colliders.shapes):
        floats |= {"colliders.anchors": colliders.anchors, "colliders.axes": colliders.own}
        whole |= {"colliders.channels": colliders.channels, "colliders.turning": colliders.turning}
    if scene.balls:
        whole |= {"colliders.scaling": colliders.scaling}
    itself = scene.self_contact
    if len(itself.radii):
        floats |= {"self_contact.weights": itself.weights, "self_contact.radii": itself.radii}
        whole |= {"self_contact.corners": itself.corners, "self_contact.neighbours": itself.neighbours}
    tensors: Tensors = {name: np.asarray(array, np.float32) for name, array in floats.items()}
    return tensors | {name: np.asarray(array, np.int32) for name, array in whole.items()}


def cubature_tensors(scene: ContactScene, chosen: Chosen | None) -> Tensors:
    """The tensors of the cubature: of the chosen tetrahedra, or of all."""
    body = scene.body
    picked = np.arange(len(body.elements)) if chosen is None else chosen.elements
    elements = body.elements[picked].astype(np.intp)
    inverse, volumes = rest_shapes(body.rest[elements])
    if chosen is None:
        vertices, local, masses = np.arange(body.vertex_count), elements, body.masses
    else:
        volumes = volumes * chosen.weights
        vertices, local = np.unique(elements, return_inverse=True)
        masses = fit_masses(scene.handles.weights, body.masses, vertices)
    return {
        "cubature.vertices": vertices.astype(np.int32),
        "cubature.masses": masses.astype(np.float32),
        "cubature.elements": local.reshape(elements.shape).astype(np.int32),
        "cubature.inverse_rest": inverse.astype(np.float32),
        "cubature.volumes": volumes.astype(np.float32),
        "cubature.moduli": body.moduli[picked].astype(np.float32),
    }


def fit_cubature(
    whole: ContactCorrections, scene: ContactScene, solved: CorrectionData, count: int
) -> Chosen:
    """Choose the cubature of the model with all tetrahedra, from its shapes in the training's states."""
    return fit_elements(element_forces(whole, scene, solved, FITTED_SHAPES), count)


def element_forces(
    whole: ContactCorrections, scene: ContactScene, solved: CorrectionData, shapes: int
) -> Doubles:
    """(T, m, d n): what each tetrahedron does to the free handles, in up to `shapes` shapes of each sort."""
    body = scene.body
    inverse, volumes = rest_shapes(body.rest[body.elements])
    every = Cubature(
        body.elements.astype(np.intp),
        inverse,
        volumes,
        body.moduli,
        masses=body.masses,
        energy=ENERGIES[body.settings.elasticity],
    )
    part = Part(scene.handles, whole.dynamics.corrections.basis, np.arange(body.vertex_count))
    found = []
    for samples, touched in ((solved.internal, False), (solved.external, True)):
        for number in (
            np.unique(np.linspace(0, len(samples) - 1, shapes).round().astype(int)) if len(samples) else ()
        ):
            pose = whole.dynamics.pose(*situation(scene, samples, int(number), touched=touched))
            forces = every.element_forces(part.positions(pose))
            jacobian = part.jacobian(pose, pose.slopes)[every.elements].reshape(*forces.shape, -1)
            found.append((forces[:, None] @ jacobian)[:, 0])
    return np.array(found)


def situation(
    scene: ContactScene, samples: Samples, number: int, *, touched: bool
) -> tuple[Doubles, Surroundings]:
    """The free handles' q (n, d), m, and what was around one of the samples: a ball as large as it was.

    touched: whether the samples are those with a collider.
    """
    handles = scene.handles
    q = samples.states[number].astype(np.float64)
    n, features = handles.free, samples.features[number].astype(np.float64)
    centres, turns = (each[number, None].astype(np.float64) for each in (samples.centres, samples.turns))
    placed, radius = Placed(centres, turns), features[-1:]
    if not touched:
        return q[:n], Surroundings(q[n:], placed.only(), radius[:0])
    # The first of the colliders stands for any: of balls scaled, others are all alike.
    usual = scene.colliders.sizes[0]
    return q[:n], Surroundings(q[n:], replace(placed, scales=radius / usual if usual else None), radius)


def _shape(shape: Collider) -> dict[str, Any]:
    if isinstance(shape, Sphere):
        return {"kind": "sphere", "sizes": [shape.radius]}
    if isinstance(shape, Polygon):
        return {"kind": "polygon", "sizes": shape.corners.ravel().tolist()}
    if isinstance(shape, Box):
        return {"kind": "box", "sizes": list(shape.half_extents)}
    return {"kind": "half_space", "sizes": []}
