"""How long and how to learn; docs/methods/contact_corrections.md has what was measured."""

from __future__ import annotations

from dataclasses import dataclass

from learning.training.presets import Preset, choice, number
from neural_physics.methods.contact_corrections.model_reading import MOST_LAYERS
from neural_physics.methods.contact_corrections.specification import HANDLES


@dataclass(frozen=True)
class ContactPreset(Preset):
    """Everything that decides a training beside its data, its bases and its seed."""

    handles: int = number(12, "number of free handles, which are points", 1, HANDLES.most)
    internal: bool = choice(True, "learn the internal correction")
    external: bool = choice(True, "learn the external correction, around colliders")
    poses: int = number(1200, "frames of the takes at whose handles the shape at rest is solved for", 2)
    pressed: int = number(300, "of these frames, in how many colliders are pressed in as well", 1)
    traverses: int = number(8, "places, for each of those, where a collider is pressed in")
    met: float = number(
        0.5, "fraction of these places that are as in the takes; the others are spread over the body", most=1
    )
    depths: int = number(3, "steps in which a collider is pressed in", 1, 100)
    depth: float = number(
        0.6,
        "how deep at most, as a fraction of the collider's own size (a ball's radius)",
        most=1,
        above_zero=True,
    )
    cubature: int = number(150, "cubature tetrahedra of the elastic energy in Play; 0: all tetrahedra")
    iterations: int = number(8, "iterations of Newton's method in each step, at most", 1, 100)
    layers: int = number(2, "layers of both networks, the output included", 2, MOST_LAYERS)
    internal_width: int = number(200, "width of the hidden layers of the internal network", 1, 8192)
    external_width: int = number(1000, "width of the hidden layers of the external network", 1, 8192)
    epochs: float = number(1000.0, "epochs over the samples, for each network", above_zero=True)
    batch: int = number(512, "samples in each batch", 1)
    learning_rate: float = number(1e-3, "Adam's learning rate", above_zero=True)
    falling: bool = choice(True, "let the learning rate fall along a cosine")
    solved: bool = choice(
        True,
        "solve for the last layers by least squares, and begin with first layers that suit the samples",
    )
    validate_every: int = number(500, "steps from one validation to the next", 1)
    patience: int = number(20, "validations without a better one after which training ends", 1)
    minutes: float = number(4.0, "time limit for each network; 0: none")


PRESETS = {
    "preview": ContactPreset(poses=240, pressed=60, traverses=4, epochs=300.0, minutes=0.5),
    "balanced": ContactPreset(),
    "final": ContactPreset(
        poses=3000,
        pressed=1500,
        traverses=16,
        cubature=300,
        external_width=2000,
        patience=40,
        minutes=60.0,
    ),
    # Romero 2021, section 4.3 and Table 1; docs/methods/contact_corrections.md says where all differ.
    "paper": ContactPreset(
        handles=8,
        pressed=1200,
        met=0.0,
        cubature=600,
        internal_width=200,
        external_width=200,
        epochs=1500.0,
        falling=False,
        solved=False,
        validate_every=100,
        patience=10**9,
        minutes=0.0,
    ),
}
SEARCHED = (
    "handles=8..24",
    "cubature=100..300",
    "learning_rate=0.0003..0.003",
    "internal_width=100..400",
    "external_width=300..1500",
)
