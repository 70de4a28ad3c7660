"""What is compared: each contender, its size, and what is different about its training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from benchmarks.subspace_physics.baselines.cell_network import CellNetwork
from benchmarks.subspace_physics.baselines.cells import width_for
from benchmarks.subspace_physics.baselines.feed_forward import DropoutCell
from benchmarks.subspace_physics.baselines.linear_map import LinearNetwork
from benchmarks.subspace_physics.baselines.ours import KeptNetwork
from benchmarks.subspace_physics.baselines.radial_basis import RbfCell
from benchmarks.subspace_physics.baselines.recurrent_cells import Gru, Lstm, RecurrentCell, Rnn
from benchmarks.subspace_physics.baselines.task import PRESET, Task
from learning.methods.linear_dynamics.presets import PRESETS as LINEAR_PRESETS
from learning.methods.subspace_physics.physical_body import physical_body
from learning.methods.subspace_physics.presets import PRESETS, SubspacePreset

Network = KeptNetwork | CellNetwork | LinearNetwork
NO_NOISE = ("noise=0",)
SINGLE_FRAMES = ("window=3", "first_window=3", "carry=0", *NO_NOISE)  # "each frame independently"
BARE: SubspacePreset = replace(PRESETS[PRESET], physics=False)


@dataclass(frozen=True)
class Contender:
    """One of those that are compared.

    make: the network for a task and a seed. trained: whether Algorithm 1 trains it; else it is fitted as it
    is made. changes: of the preset that all are trained with.
    """

    name: str
    make: Callable[[Task, int], Network]
    trained: bool = True
    changes: tuple[str, ...] = ()


def bare(task: Task, seed: int) -> KeptNetwork:
    """The network of Holden 2019 on eq. 1."""
    return KeptNetwork(task.data, BARE, seed)


def ours(task: Task, seed: int) -> KeptNetwork:
    """The preset as it is: where the takes know a ball, on a guess with inertia, gravity and contact."""
    dataset, data = task.dataset, task.data
    body = physical_body(data, dataset.mesh, dataset.info) if dataset.info.colliders else None
    return KeptNetwork(data, PRESETS[PRESET], seed, body)


def _linear(preset: str, task: Task, seed: int) -> LinearNetwork:
    return LinearNetwork(task.data, LINEAR_PRESETS[preset])


def _rbf(task: Task, seed: int) -> CellNetwork:
    """As large as the bare network."""
    network = bare(task, 0)
    centres = width_for(len(network.initial), partial(RbfCell.parameters, network.sizes[-1]))
    return CellNetwork(task.data, RbfCell(task.data, centres, seed))


def _recurrent(kind: type[RecurrentCell], task: Task, seed: int) -> CellNetwork:
    """As large as the bare network, and it sees the same."""
    network = bare(task, 0)
    inputs, bases = network.sizes[0], network.sizes[-1]
    units = width_for(len(network.initial), partial(kind.step_parameters, inputs, bases))
    cell = kind(network.input_mixing, bases, units, seed, output_unit=network.output_unit)
    return CellNetwork(task.data, cell)


def _dropout(task: Task, seed: int) -> CellNetwork:
    return CellNetwork(task.data, DropoutCell(bare(task, seed)))


CONTENDERS = {
    "ours": Contender("this extension", ours),
    "bare": Contender("the network on eq. 1", bare),
    "plain": Contender("the same, no noise", bare, changes=NO_NOISE),
    "dropout": Contender("the same, dropout in place of noise", _dropout, changes=NO_NOISE),
    "single": Contender("the same, trained on single frames", bare, changes=SINGLE_FRAMES),
    "rnn": Contender("RNN on eq. 1", partial(_recurrent, Rnn)),
    "gru": Contender("GRU on eq. 1", partial(_recurrent, Gru)),
    "lstm": Contender("LSTM on eq. 1", partial(_recurrent, Lstm)),
    "rbf": Contender("RBF on eq. 1", _rbf),
    "rbf_fitted": Contender("RBF on eq. 1, fitted to single frames", _rbf, trained=False),
    "linear": Contender("linear, from w_t", partial(_linear, "paper"), trained=False),
    "linear_history": Contender("linear, from 8 frames of w", partial(_linear, "balanced"), trained=False),
}
