"""In which units a network learns: its inputs so mixed that none is too small to be seen, and its output."""

from __future__ import annotations

import numpy as np

from learning.methods.subspace_physics.initial_model import InitialModel
from learning.training.subspace_data import Sequences, SubspaceData
from neural_physics.arrays import Floats

CHANGE_OF_W = 0.5  # root mean square of w_t - w_{t-1} as it is learned from, where that of w is 1
# Of the output with unit changes, and of the shortcut's part of it: what a network adds in a frame is a few
# hundredths of z. With larger units each step moves it so far that trainings were seen to diverge.
OUTPUT_UNIT, SHORTCUT_UNIT = 0.2, 0.04


def input_mixing(
    data: SubspaceData, emphasis: float, initial_model: InitialModel, *, w: int, unit_changes: bool
) -> Floats:
    """(inputs, inputs) float32: the first layer is learned for x M, and its weight times M^T is for x.

    x is z_bar (u,), z (u,), what else the network sees of its guess (f,), and w numbers of the interaction. M
    multiplies coefficients by how far their basis moves the mesh to the power of `emphasis`, with a root mean
    square of 1 over z. With `unit_changes` x M has z_bar - z in place of z_bar, and what changes is in it as
    large as z and w are: from frame to frame they change by a twentieth of themselves, and an optimiser that
    moves all weights alike learns of small inputs late.
    """
    z = data.training.z
    u, v = z.shape[1], data.training.w.shape[1]
    states = 2 * u + initial_model.features
    of_z = data.deviations**emphasis
    of_z /= np.sqrt((of_z**2).mean())
    mixing = np.eye(states + w)
    mixing[:u, :u], mixing[u : 2 * u, u : 2 * u] = np.diag(of_z), np.diag(of_z)
    if unit_changes:
        changes = of_z * _changes(data.training, z)
        of_changes = of_z * _larger(np.sqrt((changes**2).mean()), float(np.sqrt(((of_z * z) ** 2).mean())))
        mixing[:u, :u], mixing[u : 2 * u, :u] = np.diag(of_changes), np.diag(-of_changes)
        if initial_model.changes:
            mixing[states - u : states, states - u : states] = np.diag(of_changes)
        if w == 2 * v:
            size = float(np.sqrt((_changes(data.training, data.training.w) ** 2).mean()))
            mixing[states + v :, states + v :] *= _larger(size, CHANGE_OF_W)
    return mixing.astype(np.float32)


def _changes(sequences: Sequences, values: Floats) -> Floats:
    """(n,): the root mean square of how much each of the values (N, n) changes from frame to frame."""
    steps = np.concatenate([np.diff(values[run], axis=0) for run in sequences.runs()])
    changes: Floats = np.sqrt((steps.astype(np.float64) ** 2).mean(0)).astype(np.float32)
    return changes


def _larger(size: float, wanted: float) -> float:
    """What makes values of a size as large as is wanted; 1 where nothing changes."""
    return wanted / size if size > 0.0 else 1.0
