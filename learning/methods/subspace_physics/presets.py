"""How long and how to train; docs/benchmarks/subspace_physics_settings.md has what was measured of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from learning.training.presets import Preset, choice, number
from neural_physics.methods.perceptron import MOST_LAYERS
from neural_physics.methods.subspace_physics.physical_model import MOST_STEPS

Loss = Literal["paper", "metres", "distances"]
Activation = Literal["relu", "silu"]
Optimiser = Literal["muon", "amsgrad"]


@dataclass(frozen=True)
class SubspacePreset(Preset):
    """Everything that decides a training beside its data, its bases and its seed.

    Where `minutes` end a training before all of its steps are done, what follows its course (window, carry,
    cosine) follows the clock.
    """

    layers: int = number(4, "layers of the network, the output included", 2, MOST_LAYERS)
    width: float = number(1.5, "hidden units for each basis", above_zero=True)
    activation: Activation = choice("silu", "activation function of the hidden layers")
    interaction_velocity: bool = choice(True, "let the network also see w_t - w_{t-1}")
    unit_changes: bool = choice(
        True,
        "the network learns from z_bar - z and w_t - w_{t-1} as large as z and w are, in place of z_bar and "
        "of changes some twenty times smaller",
    )
    shortcut: bool = choice(True, "the network also adds what follows from its inputs by one matrix")
    initial_model: bool = choice(True, "use the initial model; false: an ablation of section 7.2")
    residual: bool = choice(
        True, "let the network add to the initial model; false: an ablation of section 7.2"
    )
    mirror: bool = choice(
        True,
        "where shape and motion are their own mirror image, learn from mirrored takes, too",
    )
    physics: bool = choice(
        True,
        "where the takes know the radii of colliders, the initial model has inertia, gravity and contact, "
        "and is not eq. 1",
    )
    physics_steps: int = number(
        2,
        "implicit steps in each frame by which a physical initial model solves for springs and contact, so "
        "that the network sees what they would change; 0: it sees where colliders push, and does the rest",
        0,
        MOST_STEPS,
    )
    second: bool = choice(
        True,
        "train a second, smaller model in a quarter of the minutes, or of as many steps: where the two are "
        "apart, Play expects a larger error",
    )
    loss: Loss = choice(
        "distances",
        "paper: mean absolute error of unit z, and of its velocity per second (Algorithm 1); metres: mean "
        "square distance of the vertices over their mean square distance from the mean shape; distances: the "
        "same where a frame is near, but only its distance where it is far off",
    )
    relative_scale: bool = choice(
        True,
        "coefficients keep their relative scale, as the paper's orthogonal U leaves it; false: each has unit "
        "deviation",
    )
    steps: int = number(4000, "steps of the optimiser", 1)
    window: int = number(16, "frames in each window", 3)  # a state and the two before it
    first_window: int = number(16, "frames in each window at first", 3)
    growth: float = number(0.1, "fraction of the training over which windows grow from that", most=1)
    batch: int = number(96, "windows in each step", 1)
    first_weight: float = number(
        40.0,
        "how much more the first frame after a true state counts, and e times less with each after it: only "
        "there is little enough wrong for the last few hundredths to be learned",
    )
    noise: float = number(0.003, "noise of a window's first two states, in unit z")
    emphasis: float = number(
        1.0,
        "the network sees each coefficient times how far its basis moves the mesh to this power; with 1 "
        "large shapes lead, with 0 (the paper) all count alike",
    )
    optimiser: Optimiser = choice("muon", "amsgrad is the paper's; muon gets farther in as many steps")
    weight_decay: float = number(0.1, "weight decay in each step, times the learning rate")
    carry: float = number(
        0.4,
        "chance that a window starts where the model's prediction of the window before it ended, and not "
        "at two true states; it rises to that between a fifth and a half of the training",
        most=1,
    )
    carry_within: float = number(
        0.25,
        "only predictions that are not farther off than that are carried on, where 1 is as far as the mean "
        "shape: what has fallen off the other side of a ball is not taught to jump back through it",
    )
    learning_rate: float = number(2e-3, "learning rate", above_zero=True)
    decay: float | None = number(
        None, "factor of the learning rate per epoch; none: a cosine to zero", most=1, above_zero=True
    )
    average: int = number(100, "steps over which weights are averaged, about; 0: none")
    validate_every: int = number(100, "steps from one validation to the next", 1)
    patience: int = number(20, "validations without a better one after which training ends", 1)
    minutes: float = number(0.0, "time limit; 0: none")


PRESETS = {
    "preview": SubspacePreset(steps=3000, minutes=2.0),
    "balanced": SubspacePreset(steps=24000, validate_every=200, patience=60, minutes=9.0),
    "final": SubspacePreset(steps=120_000, validate_every=500, patience=60, minutes=120.0, width=3.0),
    # Holden 2019, sections 5.3 and 5.4; docs/methods/subspace_physics.md says where all presets differ.
    "paper": SubspacePreset(
        layers=10,
        activation="relu",
        mirror=False,
        physics=False,
        second=False,
        interaction_velocity=False,
        unit_changes=False,
        shortcut=False,
        loss="paper",
        steps=500_000,
        window=32,
        first_window=32,
        batch=16,
        first_weight=0.0,
        noise=0.01,
        emphasis=0.0,
        optimiser="amsgrad",
        weight_decay=0.0,
        carry=0.0,
        learning_rate=1e-4,
        decay=0.999,
        average=0,
        validate_every=500,
        patience=100,
    ),
}
SEARCHED = (
    "bases=32,64,128",
    "learning_rate=0.0005..0.008",
    "width=1..3",
    "noise=0.001..0.02",
    "weight_decay=0.01..0.5",
    "carry=0.1..0.7",
    "physics=true,false",  # without it where no take knows the radii of colliders
)
