"""How much a model may ask of Play.

A file may be anybody's, its model plays as soon as it is opened, and nobody can stop a step half way.
"""

from __future__ import annotations

from ...energies.colliders.polygon import Polygon
from ...models.model_file import Model, damaged
from .dynamics import MOST_HALVINGS
from .model_reading import Settings

# Of what the body's vertices have, which is kept several times over: 400 handles of 40,000 vertices.
MOST_NUMBERS = 1 << 26
KEPT = ".basis", "handles.weights", "handles.gradients"
# Multiplications: seconds, where what was trained here takes thousandths of them.
MOST_OF_AN_ITERATION, MOST_OF_A_FRAME = 1 << 34, 1 << 36
OF_A_PAIR = 50_000  # multiplications that take as long as a point that is pressed by a collider
OF_A_CORNER = 1_000  # and each corner of a polygon for such a point


def check_size(model: Model) -> None:
    """Raise Problem("model_damaged") where its tensors are larger than of any body that can be played."""
    if sum(tensor.size for name, tensor in model.tensors.items() if name.endswith(KEPT)) > MOST_NUMBERS:
        raise damaged(model.path, "its body is too large to be played")


def check_work(
    model: Model, settings: Settings, *, d: int, vertices: int, elements: int, points: int, pairs: int
) -> None:
    """Raise Problem("model_damaged") where a frame would take minutes.

    vertices: that the cubature and contact have. elements: of the cubature. points: of contact. pairs: of
    balls by which the body touches itself.
    """
    m, colliders = d * settings.free, len(settings.shapes)
    corners = sum(len(shape.corners) for shape in settings.shapes if isinstance(shape, Polygon))
    contact = points * (colliders * (m**2 + OF_A_PAIR) + corners * OF_A_CORNER)
    contact += pairs * m**2
    networks = _multiplications(model, "internal") + colliders * _multiplications(model, "external")
    iteration = m**3 + (d**2 * elements + d * vertices) * m**2 + contact + networks
    frame = settings.steps * settings.iterations * iteration
    if iteration > MOST_OF_AN_ITERATION or frame > MOST_OF_A_FRAME:
        raise damaged(model.path, f"a frame of it takes {frame:.1g} multiplications")


def _multiplications(model: Model, name: str) -> int:
    """Of a network in an iteration: what it says in each try, and how that changes with its inputs."""
    sizes = {key: each.shape for key, each in model.tensors.items() if key.startswith(f"{name}.layers.")}
    weights = sum(shape[0] * shape[1] for shape in sizes.values() if len(shape) == 2)
    first = sizes.get(f"{name}.layers.0.weight", (0,))
    return weights * (MOST_HALVINGS + 1 + first[-1])
