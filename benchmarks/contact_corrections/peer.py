"""Contact corrections beside a reduced scene made of simkit's functions, `pip install simkit`: one block.

All play a take that was not learned from, from its start on, seeing only where the foot and the ball are, in
one process, on one thread. The handles, their weights, mesh, material, damping, masses, springs of contact,
steps and Newton's tolerance are the same. What differs: simkit has no corrections; its steps begin at the
inertial guess, go downhill in energy and with the elastic Hessian always projected, ours begin where the
body is and project where they must; and its cubature takes of each cluster of tetrahedra (by the handles'
weights) one with the volume of all, where ours is fitted to forces of shapes that were solved for the
training, and so is its mass. It is measured with all tetrahedra, with as many clusters as ours has
tetrahedra, with one Newton step, simkit's default, and in the wider subspace that is usual there: a matrix
and a shift for each handle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contact_corrections import block
from benchmarks.contact_corrections.study import uncorrected
from benchmarks.solver.solver_times import solver_ms
from learning.training.spans import split
from ml_backend.methods.contact_corrections.scene import ContactScene, contact_scene
from ml_backend.methods.contact_corrections.train import solid_body
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.methods.contact_corrections.method import ContactCorrections
from neural_physics.models.model_file import Model

if TYPE_CHECKING:
    from benchmarks.contact_corrections.simkit_scene import SimkitScene

Array = NDArray[np.float64]
Play = Callable[[NDArray[np.float32]], Iterator[Array]]  # y (T, e) -> shapes (B, 3), but for the first


def judge() -> dict[str, Any]:
    """Errors and milliseconds; where simkit is not installed, only that it is missing."""
    if find_spec("simkit") is None:
        return {"missing": ["simkit"]}
    dataset = block.baked()
    return measured(dataset, block.trained(dataset), dataset.takes("test")[0])


def measured(dataset: Dataset, model: Model, take: Take) -> dict[str, Any]:
    """Errors in mm and milliseconds a step of all ways to play a take."""
    from benchmarks.contact_corrections.simkit_scene import SimkitScene

    body, settings = solid_body(dataset), model.info.settings
    scene = contact_scene(dataset, body, split(dataset)[0], settings["free"])
    ours, linear = ContactCorrections(model), ContactCorrections(uncorrected(model))
    count = len(model.tensors["cubature.elements"])

    def peer(*, affine: bool = False, cubature: int = 0, iterations: int = settings["iterations"]) -> Play:
        dt, tolerance = dataset.info.dt, settings["tolerance"]  # one step a frame
        made = SimkitScene(scene, dt, tolerance, iterations, affine=affine, cubature=cubature)
        return lambda ys: simkit_bodies(made, scene, ys)

    ways: list[tuple[str, int, int, Play]] = [
        ("our handles alone", 3, count, lambda ys: our_bodies(linear, ys)),
        ("ours, with corrections", 3, count, lambda ys: our_bodies(ours, ys)),
        ("simkit, all tetrahedra", 3, len(body.elements), peer()),
        ("simkit, its cubature", 3, count, peer(cubature=count)),
        ("simkit, and one Newton step", 3, count, peer(cubature=count, iterations=1)),
        ("simkit, a matrix for each handle, all tetrahedra", 12, len(body.elements), peer(affine=True)),
        ("simkit, the same, its cubature", 12, count, peer(affine=True, cubature=count)),
    ]
    truth, ys = _truth(take), np.asarray(take.interaction)
    touched = _touched(scene, truth, ys)[1:]
    carried = np.array([scene.handles.positions(_at_rest(scene, y)) for y in ys])
    played = _played([play(ys) for *_, play in ways], len(ys) - 1)
    rows = []
    for (name, numbers, elements, _), (shapes, ms) in zip(ways, played, strict=True):
        off = shapes - truth[1:]
        rows.append(
            {
                "name": name,
                "coordinates": numbers * scene.handles.free,
                "elements": elements,
                "mm": {"all": _rms(off), "touched": _rms(off[touched])},
                "ms": {"all": float(np.median(ms)), "touched": float(np.median(ms[touched]))},
            }
        )
    return {
        "rows": rows,
        "tetrahedra": len(body.elements),
        "free": int((~body.pinned).sum()),
        "handles": scene.handles.free,
        "frames": {"all": len(ys) - 1, "touched": int(touched.sum())},
        "moved_mm": _rms(truth[1:] - truth[0]),
        "bent_mm": _rms((truth - carried)[1:]),
        "nearest_mm": _rms((truth - nearest(scene, truth, ys))[1:]),
        "full_ms": solver_ms(dataset, take.name, len(ys)),
        "training": model.info.training,
    }


def our_bodies(method: ContactCorrections, ys: NDArray[np.float32]) -> Iterator[Array]:
    """The positions (B, 3) m at each frame after the first, one after the other."""
    state = method.start(ys[0])
    for y in ys[1:]:
        state = method.step(state, y)
        yield method.body_positions(state, y)


def simkit_bodies(made: SimkitScene, scene: ContactScene, ys: NDArray[np.float32]) -> Iterator[Array]:
    """The same of simkit's."""
    made.start(scene.frames.rows(ys[0]))
    for y in ys[1:]:
        made.step(scene.frames.rows(y), scene.colliders.placed(y).centres[0])
        yield made.positions()


def _played(ways: Sequence[Iterator[Array]], frames: int) -> list[tuple[Array, Array]]:
    """Each way's shapes (T, B, 3), and how long each frame took, (T,), ms of the processor.

    In turns, frame by frame, as other work on the machine comes and goes.
    """
    shapes: list[list[Array]] = [[] for _ in ways]
    ms = np.zeros((len(ways), frames))
    for frame in range(frames):
        for number, way in enumerate(ways):
            began = process_time()
            shapes[number].append(next(way))
            ms[number, frame] = 1e3 * (process_time() - began)
    return [(np.array(each), taken) for each, taken in zip(shapes, ms, strict=True)]


def _truth(take: Take) -> Array:
    assert take.body_positions is not None  # the bundled solver's
    return np.asarray(take.body_positions, np.float64)


def _touched(scene: ContactScene, truth: Array, ys: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(T,): in which frames the ball presses."""
    gaps = [scene.contact.least_gap(x, 0, scene.colliders.placed(y)) for x, y in zip(truth, ys, strict=True)]
    return np.array(gaps) < scene.contact.reach


def _at_rest(scene: ContactScene, y: NDArray[np.float32]) -> Array:
    """Q (h, d), m, of the body at rest where y has its foot."""
    rows, n = scene.frames.rows(y), scene.handles.free
    return np.concatenate([scene.handles.rest[:n] + rows.mean(0) - scene.handles.rest[n:].mean(0), rows])


def nearest(scene: ContactScene, truth: Array, ys: NDArray[np.float32]) -> Array:
    """(T, B, 3): the handles' blends that are nearest to shapes."""
    weights, n = scene.handles.weights, scene.handles.free
    carried = np.array([weights[:, n:] @ scene.frames.rows(y) for y in ys])
    onto = weights[:, :n] @ np.linalg.pinv(weights[:, :n])
    found: Array = carried + onto @ (truth - carried)
    return found


def _rms(away: Array) -> float:
    """mm, of (T, B, 3), m, over vertices and frames."""
    return 1e3 * float(np.sqrt((away**2).sum(-1).mean()))
