"""How long one step takes, from the interaction's numbers to the next coefficients."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns

import numpy as np

from benchmarks.subspace_physics.baselines.cell_network import CellNetwork, Stepper
from benchmarks.subspace_physics.baselines.contenders import Network
from benchmarks.subspace_physics.baselines.linear_map import LinearNetwork
from benchmarks.subspace_physics.baselines.ours import KeptNetwork
from benchmarks.subspace_physics.baselines.task import PRESET, Task
from learning.evaluation.timing import CALLS
from learning.methods.subspace_physics.physical_model import PhysicalModel
from learning.methods.subspace_physics.presets import PRESETS
from learning.training.tensor_files import model_info
from neural_physics.arrays import Floats
from neural_physics.methods.interaction_subspace import InteractionSubspace
from neural_physics.methods.interface import Method
from neural_physics.methods.linear_dynamics import specification as linear_dynamics
from neural_physics.methods.registry import load_method
from neural_physics.methods.subspace_physics import specification as subspace_physics
from neural_physics.models.model_file import Model

PLAY, NUMPY = "Play", "NumPy"  # what steps: the extension's run time, or the cell written down in NumPy


def step_us(task: Task, network: Network, theta: Floats) -> float:
    """The median on as many threads as NumPy has, microseconds."""
    take = task.dataset.takes("validation")[0]
    y, x = np.asarray(take.interaction), np.asarray(take.positions[:2])
    if isinstance(network, CellNetwork):
        step = _of_cell(task, network, theta, y)
    else:
        step = _of_method(played(task, network, theta), y, x)
    times = []
    for row in y[np.arange(2, 2 + CALLS) % len(y)]:
        began = perf_counter_ns()
        step(row)
        times.append(perf_counter_ns() - began)
    return float(np.median(times)) / 1e3


def stepped_by(network: Network) -> str:
    """See PLAY and NUMPY."""
    return NUMPY if isinstance(network, CellNetwork) else PLAY


def played(task: Task, network: KeptNetwork | LinearNetwork, theta: Floats) -> Method:
    """The extension's run time of a network that it has one of."""
    if isinstance(network, LinearNetwork):
        info = model_info(linear_dynamics.SPECIFICATION, task.dataset, {})
        return load_method(Model(info, network.tensors(theta), "the fitted map"))
    preset = PRESETS[PRESET]
    settings = {
        "activation": preset.activation,
        "interaction_velocity": preset.interaction_velocity,
        "physics": isinstance(network.initial_model, PhysicalModel),
    }
    info = model_info(subspace_physics.SPECIFICATION, task.dataset, {}, settings)
    tensors = task.data.model_tensors() | network.tensors(theta)
    return load_method(Model(info, tensors, "the trained network"))


def _of_method(method: Method, y: Floats, x: Floats) -> Callable[[Floats], object]:
    state = method.state_from(x[1], x[0], y[1], y[0])

    def step(row: Floats) -> None:
        nonlocal state
        state = method.step(state, row)

    return step


def _of_cell(task: Task, network: CellNetwork, theta: Floats, y: Floats) -> Callable[[Floats], object]:
    info = model_info(subspace_physics.SPECIFICATION, task.dataset, {})
    interaction = InteractionSubspace(Model(info, task.data.model_tensors(), "its subspaces"), y.shape[1])
    z0, z1 = task.data.validation.z[:2]
    stepper = Stepper(network, theta)
    stepper.begin(z0, z1, interaction(y[1])[0])
    return lambda row: stepper.step(interaction(row)[0])
