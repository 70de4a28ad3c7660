"""How deep colliders reach into the body that Play has, which is what dents grow with there (`pressing`).

Shapes are solved with the true body; that of Play is r_int's, which is learned in between.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ml_backend.methods.contact_corrections.model import situation
from ml_backend.methods.contact_corrections.samples import Samples
from ml_backend.methods.contact_corrections.scene import ContactScene
from ml_backend.methods.contact_corrections.shapes_at_rest import reference_depth_of
from neural_physics.methods.contact_corrections.corrections import depth_of, pressing
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.methods.contact_corrections.part import Part


def as_played(samples: Samples, scene: ContactScene, without: ContactCorrections) -> Samples:
    """Samples of r_ext with the shares that Play multiplies it by. without: the model without r_ext."""
    corrections, contact = without.dynamics.corrections, scene.contact.only(0)
    carrying, local = np.unique(contact.corners, return_inverse=True)
    surface = Part(scene.handles, corrections.basis, carrying)
    contact = replace(contact, corners=local.reshape(contact.corners.shape))
    reference_depth = reference_depth_of(scene)
    shares, state, positions = np.empty(len(samples), np.float32), None, np.zeros((0, 0))
    for number, q in enumerate(samples.states):
        free, around = situation(scene, samples, number, touched=True)
        if state is None or not np.array_equal(q, state):
            state = q
            positions = surface.positions(without.dynamics.pose(free, around.without_colliders()))
        depth = contact.reach - contact.least_gap(positions, 0, around.placed)
        shares[number] = pressing(depth, reference_depth)[0]
    return replace(samples, shares=shares)


def deepest_of(samples: Samples, scene: ContactScene) -> float:
    """How deep the deepest of them is, m."""
    return depth_of(float(samples.shares.max(initial=0.0)), reference_depth_of(scene))
