"""How near corrections are to the full body at rest, on another interaction (Romero 2021, Table 2).

The paper has 8 points for jellies, 16 for microstructures, and the worm's bones alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contact_corrections.scenes import (
    ACCORDION,
    ACCORDION_FINE,
    AUXETIC,
    BETWEEN,
    CIRCLE,
    CIRCLE_FINE,
    COMB,
    COMB_FINE,
    COMB_STRAIGHT,
    FINGER,
    WORM,
    baked,
)
from benchmarks.contact_corrections.study import Row, Study, required
from benchmarks.records import is_recorded, recorded
from learning.training.spans import Span
from ml_backend.methods.contact_corrections.scene import ContactScene, contact_scene
from ml_backend.methods.contact_corrections.statics import Statics
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import size_channel
from neural_physics.methods.contact_corrections.contact import Placed
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.methods.contact_corrections.part import Part

Array = NDArray[np.float64]

# That more is measured on.
DENTED, LED = Row(CIRCLE, 1200, 1000, pressed=300), Row(WORM, 3730, 1000, pressed=300)
COMBED = Row(COMB_STRAIGHT, 1200, 1000, pressed=700, met=1.0)
TURNED = Row(COMB, 1200, 3000, pressed=700, met=1.0)
STRIPED, STRIPED_FINE = (Row(each, 1200, 0, handles=16) for each in (ACCORDION, ACCORDION_FINE))
# As fine as the paper's.
DENTED_FINE, COMBED_FINE = (
    Row(CIRCLE_FINE, 1200, 1000, pressed=300, traverses=8),
    Row(COMB_FINE, 1200, 1000, pressed=300, traverses=8, met=1.0),
)
ROWS = (
    Row(CIRCLE, 1200, 200, pressed=300),
    DENTED,
    Row(COMB_STRAIGHT, 1200, 200, pressed=700, met=1.0),
    COMBED,
    Row(COMB, 1200, 1000, pressed=700, met=1.0),
    TURNED,
    LED,
    STRIPED,
    Row(AUXETIC, 1200, 0, handles=16),
    Row(FINGER, 1200, 1000, handles=12, pressed=300, met=0.0),
    DENTED_FINE,
    COMBED_FINE,
    STRIPED_FINE,
)


def judge() -> dict[str, Any]:
    """The errors (see `errors_on`) of each row that is recorded or baked, and the names of the others."""
    there = [row for row in ROWS if is_there(row, row.example.tests)]
    rows = [of_row(row, take) for row in there for take in row.example.tests]
    return {"rows": rows, "missing": [row.name for row in ROWS if row not in there]}


def is_there(row: Row, takes: tuple[str, ...]) -> bool:
    """Whether errors on these takes can be told: from a record, or because the example is baked."""
    return all(is_recorded(_record(row, take)) for take in takes) or baked(row.example) is not None


def of_row(row: Row, take: str) -> dict[str, Any]:
    """A line of the table: of a row's model on a take of its example. Raises SystemExit if not baked."""
    return recorded(_record(row, take), partial(_row, row, take))


def _record(row: Row, take: str) -> str:
    return f"contact/accuracy/{row.name}_{take}"


def _row(row: Row, take: str) -> dict[str, Any]:
    found = required(row)
    scene, solved, model = found.scene, found.solved, found.model()
    return {
        "example": row.example.example,
        "turning": row.example.turning,
        "between": take == BETWEEN,
        "width": row.width,
        "handles": handles_of(scene),
        "triangles": len(scene.body.elements),
        "takes": row.example.takes,
        "shapes": {"internal": len(solved.internal), "external": len(solved.external)},
        "unsettled": solved.unsettled,
        "training": model.info.training,
        **errors_on(dataset_of(found, take), met_in(found, take), ContactCorrections(model), take),
    }


def handles_of(scene: ContactScene) -> list[int]:
    """Points, frames that are simulated, and frames that are pinned."""
    handles = scene.handles
    return [handles.points, handles.loose, handles.pinned]


def dataset_of(found: Study, take: str) -> Dataset:
    """The dataset that a take is in."""
    return found.dataset if take != BETWEEN else Dataset.open(found.row.example.folder_of(take))


def met_in(found: Study, take: str) -> ContactScene:
    """The scene with the colliders of a take, which may be of other sizes."""
    if take != BETWEEN:
        return found.scene
    dataset = dataset_of(found, take)
    of_take = dataset.take(take)
    spans = [Span(of_take, 0, len(of_take.positions))]
    there = contact_scene(dataset, found.scene.body, spans, found.row.handles)
    return replace(found.scene, colliders=there.colliders, contact=there.contact, balls=there.balls)


def with_sizes(
    method: ContactCorrections, scene: ContactScene, y: NDArray[np.float32]
) -> NDArray[np.float32]:
    """y of a take, followed by the size of each of its balls relative to those that were learned from."""
    sizes = [ball.width / method.widths[size_channel(ball.channel).name] for ball in scene.balls]
    return np.append(y, np.asarray(sizes, np.float32))


def errors_on(dataset: Dataset, scene: ContactScene, method: ContactCorrections, take: str) -> dict[str, Any]:
    """Root mean squares over all vertices and frames of a take, over that of what the blend lacks.

    `all` and `touched`, of the frames in contact, of what both corrections leave; `without` what r_int alone
    leaves in these; `dents`: what is left of what contact adds to the shape at rest without it. floors: what
    the nearest shapes that there are in the model's bases would leave.
    """
    names = ("all", "touched", "without", "dents", "nearest", "nearest touched")
    sums: dict[str, list[float]] = {name: [0.0, 0.0] for name in names}
    frames, unsettled = {"all": 0, "touched": 0}, 0
    for shapes in compared(dataset, scene, method, take):
        if shapes is None:
            unsettled += 1
            continue
        full, lacking = shapes.full, shapes.linear - shapes.full
        frames["all"] += 1
        frames["touched"] += int(shapes.touched)
        left: Mapping[str, tuple[Array, Array]] = {
            "all": (shapes.ours - full, lacking),
            "nearest": (shapes.nearest - full, lacking),
        }
        if shapes.touched:
            dents = full - shapes.alone
            left = {
                **left,
                "touched": (shapes.ours - full, lacking),
                "without": (shapes.inner - full, lacking),
                "dents": (shapes.ours - shapes.inner - dents, dents),
                "nearest touched": (shapes.nearest - full, lacking),
            }
        for name, both in left.items():
            for k, each in enumerate(both):
                sums[name][k] += float((each**2).sum())
    errors = {name: float(np.sqrt(wrong / max(whole, 1e-30))) for name, (wrong, whole) in sums.items()}
    floors = {"all": errors.pop("nearest"), "touched": errors.pop("nearest touched")}
    return {"errors": errors, "floors": floors, "frames": frames, "test_unsettled": unsettled}


@dataclass(frozen=True)
class Compared:
    """One frame: the body (B, d), m, by the handles, by r_int, by both corrections, and in full.

    alone: in full, without colliders. nearest: what of r's bases is nearest to the full body. placed: where
    colliders are; touched: whether one presses.
    """

    placed: Placed
    touched: bool
    linear: Array
    inner: Array
    ours: Array
    nearest: Array
    alone: Array
    full: Array


def compared(
    dataset: Dataset, scene: ContactScene, method: ContactCorrections, take: str
) -> Iterator[Compared | None]:
    """Each usable frame of a take; None where the full body did not come to rest.

    The frame's state is held, and the full body solved for at rest with the collider where it is.
    """
    statics, of_take = Statics(scene.body, scene.handles, scene.gravity), dataset.take(take)
    part = Part(method.handles, method.dynamics.corrections.basis, np.arange(scene.body.vertex_count))
    assert of_take.body_positions is not None  # the bundled solver's
    for t in (t for start, stop in of_take.segments() for t in range(start, stop)):
        y = np.asarray(of_take.interaction[t])
        positions = scene.coordinates.of(np.asarray(of_take.body_positions[t], np.float64))
        rows = scene.frames.rows(y)
        q = np.concatenate([statics.project(positions, rows), rows])
        linear, placed = scene.handles.positions(q), scene.colliders.placed(y)
        start = positions.copy()
        start[statics.fixed] = linear[statics.fixed]
        full, settled = statics.rest(start, scene.contact, placed)
        alone, at_rest = statics.rest(linear, scene.contact.only(), placed.only())
        if not settled or not at_rest:
            yield None
            continue
        n, around = scene.handles.free, method.surroundings(with_sizes(method, scene, y))
        ours = part.positions(method.dynamics.pose(q[:n], around))
        inner = part.positions(method.dynamics.pose(q[:n], around.without_colliders()))
        touched = len(scene.contact.pressed(full, placed)[0]) > 0
        near = linear + nearest(method, q, full - linear)
        yield Compared(placed, touched, linear, inner, ours=ours, nearest=near, alone=alone, full=full)


def nearest(method: ContactCorrections, q: Array, lacking: Array) -> Array:
    """(B, d) m: F r with the r of the model's bases that brings it nearest to what handles at Q lack."""
    basis = method.dynamics.corrections.basis
    if not len(basis):
        return np.zeros_like(lacking)
    turned = np.einsum("bij,mbj->bim", method.handles.deformation(q), basis).reshape(lacking.size, -1)
    left, sizes, _ = np.linalg.svd(turned, full_matrices=False)
    left = left[:, sizes > 1e-10 * sizes[0]]
    return np.asarray((left @ (left.T @ lacking.ravel())).reshape(lacking.shape))
