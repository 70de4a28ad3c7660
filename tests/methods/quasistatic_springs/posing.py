"""Held poses and motion of a strip on a chain of bones, whose shape is a known function of the pose.

Independent of the library: bones by rotation matrices, skinning by sums, bulges by formulas, springs by an
integrator.
"""

from __future__ import annotations

from dataclasses import replace

import jiggling
import numpy as np

from neural_physics.datasets.dataset_info import DatasetInfo, Exclusion, TakeInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.skinning.skin import Skin

BONES, LENGTH, POINTS = 6, 0.4, 25  # metres of each bone
JOINTS = LENGTH * np.arange(1, BONES)
NAMES = tuple(f"bone{i}" for i in range(BONES))
LAYOUT = ChannelLayout((Channel("Rig", "pose", 12 * (BONES + 2), "Rig", parts=NAMES),))
SAG = 0.01  # metres


def strip(preserve_volume=False):
    """2 x POINTS vertices along x, each on the two bones next to it at most."""
    along, across = np.meshgrid(np.linspace(0.0, BONES * LENGTH, POINTS), [0.0, 0.2])
    rest = np.stack([along, across, 0.0 * along], -1).reshape(-1, 3).astype(np.float32)
    corner = np.arange(POINTS - 1)
    faces = np.stack([corner, corner + 1, corner + POINTS + 1, corner + POINTS], 1).astype(np.int32)
    shares = np.maximum(0.0, 1.0 - np.abs(rest[:, :1] / LENGTH - 0.5 - np.arange(BONES)))
    weights = (shares / shares.sum(1, keepdims=True)).astype(np.float32)
    sizes = np.full(len(faces), 4, np.int32)
    skin = Skin(NAMES, weights)
    if preserve_volume:
        vertices, bones = np.nonzero(weights)
        backwards = bones[np.lexsort((-bones, vertices))].astype(np.int32)
        axes = np.tile(jiggling.turned(2, -0.5 * np.pi)[:3, :3].astype(np.float32), (BONES, 1, 1))
        skin = replace(skin, preserve_volume=True, axes=axes, order=backwards)
    return Mesh(rest, faces.ravel(), sizes, np.zeros(len(rest), np.float32), skin=skin)


def placed(turn, shift, angles):
    """(BONES + 2, 4, 4): frame_from_world, the object and its bones; angles (BONES - 1, 2), radians."""
    obj = jiggling.shifted(*shift) @ jiggling.turned(0, turn[0]) @ jiggling.turned(1, turn[1])
    chain = [obj]
    for joint, (about_y, about_z) in zip(JOINTS, angles, strict=True):
        turned = jiggling.turned(1, about_y) @ jiggling.turned(2, about_z)
        chain.append(chain[-1] @ jiggling.shifted(joint, 0, 0) @ turned @ jiggling.shifted(-joint, 0, 0))
    return np.array([np.linalg.inv(obj), obj, *chain])


def random_angles(count, seed, reach=0.9):
    return np.random.default_rng(seed).uniform(-reach, reach, (count, BONES - 1, 2))


def poses(count, seed):
    """matrices (count, BONES + 2, 4, 4) and the angles that made them."""
    rng, angles = np.random.default_rng(seed + 1000), random_angles(count, seed)
    turns, shifts = rng.uniform(-1.0, 1.0, (count, 2)), rng.uniform(-1.0, 1.0, (count, 3))
    return np.array([placed(*each) for each in zip(turns, shifts, angles, strict=True)]), angles


def motion(frames, seed):
    """As `poses`, one after the other along smooth curves."""
    rng = np.random.default_rng(seed + 2000)
    t = np.arange(frames) / jiggling.FPS

    def curves(count, size):
        phases, speeds = rng.uniform(0.0, 6.0, count), rng.uniform(0.4, 1.2, count)
        return size * np.sin(np.outer(t, 2.0 * np.pi * speeds) + phases)

    angles = curves(2 * BONES - 2, 0.8).reshape(frames, BONES - 1, 2)
    turns, shifts = curves(2, 0.2), curves(3, 0.08)
    return np.array([placed(*each) for each in zip(turns, shifts, angles, strict=True)]), angles


def shapes(mesh, matrices, angles):
    """(frames, V, 3), world space: skinning, a bulge beside each joint, and what hangs."""
    rest = mesh.rest_positions
    near = np.exp(-np.square((rest[:, :1] - JOINTS) / 0.15))  # (V, joints)
    swell = 0.08 * (1.0 - np.cos(angles[..., 0])) + 0.05 * np.sin(angles[..., 0]) * np.sin(angles[..., 1])
    sizes = swell @ near.T
    carrier = np.minimum((rest[:, 0] / LENGTH).astype(int), BONES - 1)
    normals = matrices[:, 2 + carrier][..., :3, 2]
    x = jiggling.skinned(mesh, matrices) + sizes[..., None] * normals
    x[..., 2] -= SAG
    return x


def make_dataset(path, counts=(240, 40), frames=(100, 60), preserve_volume=False, bad=()):
    """Held poses and motion, each for training and for validation; bad: poses that failed.

    In motion vertices swing about the same shapes.
    """
    mesh = strip(preserve_volume)
    info = DatasetInfo("Strip", mesh.topology(), mesh.vertex_count, jiggling.FPS, channels=LAYOUT)
    dataset = Dataset.create(path, info, mesh)
    for role, held, moving in zip(("training", "validation"), counts, frames, strict=True):
        seed = int(role == "validation")
        matrices, angles = poses(held, seed)
        x = shapes(mesh, matrices, angles)
        failed = tuple(frame for frame in bad if frame < held)
        x[list(failed)] += 1.0
        excluded = tuple(Exclusion(frame, frame, "no equilibrium") for frame in failed)
        about = TakeInfo(held, kind="quasistatic", role=role, seed=seed, excluded=excluded)
        write(dataset, f"poses_{role}", about, x, matrices=matrices)
        matrices, angles = motion(moving, seed)
        targets = shapes(mesh, matrices, angles)
        x = jiggling.swung(targets, jiggling.central_slopes(targets), *jiggling.springs(mesh))
        write(dataset, f"motion_{role}", TakeInfo(moving, role=role, seed=seed), x, matrices=matrices)
    return dataset


def write(dataset, name, info, x, matrices):
    """A take of world-space points x (frames, V, 3)."""
    seen = jiggling.seen(matrices, x)
    with dataset.writer(name, info) as writer:
        for positions, y in zip(seen, jiggling.interaction(matrices), strict=True):
            writer.append(positions, y)
