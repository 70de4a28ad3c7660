"""Takes of a strip whose vertices swing on known springs about where two bones take them.

Independent of the library: bones by rotation matrices, skinning by sums, springs by an integrator.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.skinning.skin import Skin

FPS = 24.0
DT = 1.0 / FPS
LAYOUT = ChannelLayout((Channel("Rig", "pose", 48, "Rig", parts=("root", "tip")),))
POINTS = 6
STEPS = 16  # of the integrator, in each frame


def strip(points=POINTS):
    """2 x points vertices along x; the root bone's share falls from 1 to 0, one vertex follows no bone."""
    along, across = np.meshgrid(np.linspace(0.0, 1.0, points), [0.0, 0.2])
    rest = np.stack([along, across, 0.3 * along], -1).reshape(-1, 3).astype(np.float32)
    corner = np.arange(points - 1)
    faces = np.stack([corner, corner + 1, corner + points + 1, corner + points], 1).astype(np.int32)
    share = 1.0 - along.ravel()
    weights = np.stack([share, 1.0 - share], 1).astype(np.float32)
    weights[-1] = 0.0
    count = len(rest)
    sizes = np.full(len(faces), 4, np.int32)
    return Mesh(rest, faces.ravel(), sizes, np.zeros(count, np.float32), skin=Skin(("root", "tip"), weights))


def springs(mesh):
    """k_s and k_d (V,): from a slow swing to a stiff one."""
    k_s = np.linspace(60.0, 900.0, mesh.vertex_count)
    return k_s, 2.0 * np.sqrt(k_s) * np.linspace(0.08, 0.4, mesh.vertex_count)


def moves(frames, seed, fps=FPS):
    """frame_from_world and the object's and bones' world matrices, (frames, 4, 4, 4)."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames) / fps
    phases, speeds = rng.uniform(0.0, 6.0, 4), rng.uniform(0.5, 1.3, 4)
    sway = 0.5 * np.sin(np.outer(t, 2 * np.pi * speeds) + phases)
    found = np.empty((frames, 4, 4, 4))
    for n, (a, b, c, d) in enumerate(sway):
        obj = shifted(0.3 * a, 0.2 * d, 1.0) @ turned(2, 0.4 * b)
        root = obj @ turned(0, c)
        tip = root @ shifted(0.4, 0.0, 0.1) @ turned(1, 1.5 * a) @ shifted(-0.4, 0.0, -0.1)
        found[n] = np.linalg.inv(root @ shifted(0.1, 0.2, 0.3)), obj, root, tip
    return found


def turned(axis, angle):
    matrix = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix[i, i] = matrix[j, j] = np.cos(angle)
    matrix[j, i] = np.sin(angle)
    matrix[i, j] = -matrix[j, i]
    return matrix


def shifted(x, y, z):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def skinned(mesh, matrices):
    """Targets (frames, V, 3), world space."""
    weights = np.column_stack([1.0 - mesh.skin.weights.sum(1, dtype=float), mesh.skin.weights])
    rest = np.column_stack([mesh.rest_positions, np.ones(mesh.vertex_count)])
    return np.einsum("vb,nbij,vj->nvi", weights, matrices[:, 1:], rest)[..., :3]


def causal_slopes(targets):
    """The targets' velocities as what plays sees them: backward differences."""
    return np.concatenate([np.zeros_like(targets[:1]), np.diff(targets, axis=0)]) / DT


def central_slopes(targets):
    """As the paper has them (equation 3)."""
    return np.gradient(targets, DT, axis=0)


def swung(targets, slopes, k_s, k_d):
    """(frames, V, 3): x'' = k_s (x_hat - x) + k_d (x_hat' - x') from rest on the target, by Runge and Kutta.

    x_hat: a cubic between two frames.
    """
    h, k_s, k_d = DT / STEPS, k_s[:, None], k_d[:, None]
    x, v, path = targets[0], slopes[0], [targets[0]]
    for a, b, m_a, m_b in zip(targets[:-1], targets[1:], slopes[:-1] * DT, slopes[1:] * DT, strict=True):

        def pull(s, x, v, a=a, b=b, m_a=m_a, m_b=m_b):
            bend, twist = 3.0 * (b - a) - 2.0 * m_a - m_b, 2.0 * (a - b) + m_a + m_b
            wanted, rate = a + s * (m_a + s * (bend + s * twist)), m_a + s * (2.0 * bend + 3.0 * s * twist)
            return k_s * (wanted - x) + k_d * (rate / DT - v)

        for step in range(STEPS):
            s, half, whole = step / STEPS, (step + 0.5) / STEPS, (step + 1.0) / STEPS
            a_1 = pull(s, x, v)
            a_2 = pull(half, x + 0.5 * h * v, v + 0.5 * h * a_1)
            a_3 = pull(half, x + 0.5 * h * v + 0.25 * h * h * a_1, v + 0.5 * h * a_2)
            a_4 = pull(whole, x + h * v + 0.5 * h * h * a_2, v + h * a_3)
            x = x + h * v + h * h / 6.0 * (a_1 + a_2 + a_3)
            v = v + h / 6.0 * (a_1 + 2.0 * a_2 + 2.0 * a_3 + a_4)
        path.append(x)
    return np.stack(path)


def interaction(matrices):
    """(frames, 48)."""
    return matrices[:, :, :3].reshape(len(matrices), -1)


def seen(matrices, points):
    """World-space points (frames, V, 3) from the reference frame."""
    return np.einsum("nij,nvj->nvi", matrices[:, 0, :3, :3], points) + matrices[:, 0, None, :3, 3]


def make_dataset(path, roles=("training", "validation"), frames=100, bones=True, sag=0.0):
    """Takes of the strip, each with motion of its own; bones: whether the dataset says which ones there
    are. sag: how far below its place at rest each vertex is carried, metres.
    """
    mesh = strip()
    info = DatasetInfo(
        "Strip", mesh.topology(), mesh.vertex_count, FPS, channels=LAYOUT, reference_frame="Rig/tip"
    )
    dataset = Dataset.create(path, info, mesh if bones else replace(mesh, skin=None))
    for number, role in enumerate(roles):
        matrices = moves(frames, number)
        targets = skinned(replace(mesh, rest_positions=mesh.rest_positions - [0.0, 0.0, sag]), matrices)
        x = seen(matrices, swung(targets, central_slopes(targets), *springs(mesh)))
        with dataset.writer(f"take_{number:03d}", TakeInfo(frames, role=role, seed=number)) as writer:
            for positions, y, matrix in zip(x, interaction(matrices), matrices, strict=True):
                writer.append(positions, y, np.linalg.inv(matrix[0]))
    return dataset
