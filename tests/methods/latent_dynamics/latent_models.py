"""A model of latent dynamics with a closed form: a sheet that goes along with a hand on a damped spring."""

from __future__ import annotations

import numpy as np
import synthetic
from numpy.typing import NDArray

from neural_physics.datasets.rest_mesh import Mesh

OMEGA, ZETA = 4.0, 0.15  # rad/s, share of critical damping
DT = 1 / synthetic.FPS
STIFFNESS = 1.0 + 2.0 * ZETA * OMEGA * DT + (OMEGA * DT) ** 2


def latent_model_file(mesh: Mesh) -> bytes:
    """x = rest + y + share z, where z lags behind the hand y as `lag` says; share: `shares`."""
    rest, one = mesh.rest_positions.astype(np.float32), np.eye(3, dtype=np.float32)
    along = np.broadcast_to(one[:, None], (3, len(rest), 3))
    inputs = 15  # z, its change, y and its first and second differences
    linear = np.zeros((3, inputs), np.float32)
    linear[:, 0:3] = one * (1.0 + 2.0 * ZETA * OMEGA * DT) / STIFFNESS
    linear[:, 3:6] = one / STIFFNESS
    linear[:, 12:15] = -one / STIFFNESS
    far, nothing = np.full(inputs, 1e3, np.float32), np.zeros(3, np.float32)
    tensors = {
        "mean": rest,
        "basis": np.concatenate([along, along * shares(mesh)[None, :, None]]),
        "start_latents": nothing,
        "y_mean": nothing,
        "boundary": one,
        "offsets": one,
        "linear": linear,
        "layers.0.weight": np.zeros((3, inputs), np.float32),
        "layers.0.bias": nothing,
        "input_mean": np.zeros(inputs, np.float32),
        "input_scale": np.ones(inputs, np.float32),
        "input_low": -far,
        "input_high": far,
        "z_low": -far[:3],
        "z_high": far[:3],
    }
    for name in ("encoder", "decoder"):
        tensors |= {f"{name}.0.weight": 0.0 * one, f"{name}.0.bias": nothing, f"{name}.around": one}
    info = synthetic.make_model_info(mesh, method="latent_dynamics")
    return synthetic.model_bytes(info, tensors)


def shares(mesh: Mesh) -> NDArray[np.float32]:
    """(V,): how much each vertex lags, 0 to 1."""
    x = mesh.rest_positions[:, 0]
    return ((x - x.min()) / np.ptp(x)).astype(np.float32)


def lag(hand: NDArray[np.float64]) -> NDArray[np.float64]:
    """z (T, 3), metres: implicit Euler of z'' + 2 zeta omega z' + omega^2 z = -hand'', from rest."""
    z = np.zeros((len(hand) + 1, 3))  # the first is the one before the start
    y = np.concatenate([hand[:1], hand])
    for t in range(1, len(hand)):
        momentum = 2.0 * z[t] - z[t - 1] + 2.0 * ZETA * OMEGA * DT * z[t]
        z[t + 1] = (momentum - (y[t + 1] - 2.0 * y[t] + y[t - 1])) / STIFFNESS
    return z[1:]
