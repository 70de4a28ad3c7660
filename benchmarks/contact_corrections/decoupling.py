"""What it is worth to learn corrections apart, and in the body's own axes (Romero 2021, Figs. 2, 3 and 6).

Errors are root mean squares of what is left of the full body at rest, over what the handles alone lack, in
states of an interaction that was not learned from. What is compared has as many units and as many bases in
sum, and is trained in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contact_corrections.accuracy import DENTED
from benchmarks.contact_corrections.scenes import MODELS, SWUNG_WORM
from benchmarks.contact_corrections.study import BASES, CPU, Row, Study, silent, study
from learning.training.loop import Schedule, Training
from ml_backend.methods.contact_corrections.learner import CorrectionLearner
from ml_backend.methods.contact_corrections.samples import Samples
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.contact_corrections.model_reading import correction_of
from neural_physics.models.model_file import Model

Array = NDArray[np.float64]

ALONE = Row(SWUNG_WORM, 1000, 0)
TESTED = 250  # states of the take to test on


@dataclass(frozen=True)
class Sets:
    """The same of all shapes to learn from, to choose by, and to test on."""

    training: Samples
    validation: Samples
    tested: Samples


def judge() -> dict[str, Any]:
    """The errors of the worm in different axes and of the circle's jelly in contact; None without takes."""
    worm, circle = study(ALONE), study(DENTED)
    return {
        "worm": None if worm is None else in_axes(worm),
        "circle": None if circle is None else in_contact(circle),
    }


def in_axes(found: Study) -> dict[str, Any]:
    """Figs. 2 and 3, without contact: what is learned in the body's own axes, in all's, and as a whole."""
    every = Sets(found.solved.internal, found.validation.internal, found.tested(TESTED).internal)
    width = found.training.preset.internal_width
    placed = [_placed(found, samples) for samples in (every.training, every.validation, every.tested)]
    linear, f = placed[-1]
    full = linear + _turned(f, every.tested.r)
    shown = {"own": linear + _turned(f, _predicted(found, every, width, BASES, name=f"{found.row.name}_own"))}
    for name, share in (("world", 0.0), ("whole", 1.0)):
        # The whole shape, or what the handles lack of it, in the world's axes, from the handles there.
        sets = Sets(
            *(
                replace(
                    samples,
                    features=samples.states.reshape(len(samples), -1),
                    r=(share * at + _turned(axes, samples.r)).astype(np.float32),
                )
                for samples, (at, axes) in zip(
                    (every.training, every.validation, every.tested), placed, strict=True
                )
            )
        )
        r = _predicted(found, sets, width, BASES, name=f"{found.row.name}_{name}")
        shown[name] = (1.0 - share) * linear + r
    return {
        "shapes": len(every.training),
        "tested": len(full),
        "errors": {name: _left(shape, full, linear) for name, shape in shown.items()},
    }


def in_contact(found: Study) -> dict[str, Any]:
    """Fig. 6, where something touches: both corrections by two networks, and by one with both inputs.

    With what r_ext is multiplied by (see `pressing`), which one network for both is multiplied by, too, and
    without it for either.
    """
    sets = (found.solved, found.validation, found.tested(TESTED))
    internal, external = Sets(*(each.internal for each in sets)), Sets(*(each.external for each in sets))
    preset, name = found.training.preset, found.row.name
    # Of the states that something touches, as often as it does.
    inner = Sets(*(_within(a, b) for a, b in zip(_each(internal), _each(external), strict=True)))
    touched = replace(internal, tested=inner.tested)
    alone = _predicted(found, touched, preset.internal_width, BASES, name=f"{name}_in")
    linear, f = _placed(found, external.tested)
    full = linear + _turned(f, inner.tested.r + external.tested.r)
    errors = {}
    for way, dents in (("", external), (", plain", _unscaled(external))):
        both = Sets(
            *(
                replace(b, features=np.concatenate([a.features, b.features], 1), r=a.r + b.r)
                for a, b in zip(_each(inner), _each(dents), strict=True)
            )
        )
        width, called = preset.internal_width + preset.external_width, way.replace(", ", "_")
        apart = alone + _predicted(found, dents, preset.external_width, BASES, name=f"{name}_ex{called}")
        together = _predicted(found, both, width, 2 * BASES, name=f"{name}_both{called}")
        for how, r in (("apart", apart), ("together", together)):
            errors[how + way] = _left(linear + _turned(f, r), full, linear)
    return {"shapes": len(external.training), "tested": len(full), "errors": errors}


def _unscaled(sets: Sets) -> Sets:
    """The same, to be learned as they are."""
    return Sets(*(replace(each, shares=np.ones_like(each.shares)) for each in _each(sets)))


def _each(sets: Sets) -> tuple[Samples, Samples, Samples]:
    return sets.training, sets.validation, sets.tested


def _within(internal: Samples, external: Samples) -> Samples:
    """The shape without a collider of each one with one, (N,): of the same state."""
    known = {state.tobytes(): number for number, state in enumerate(internal.states)}
    at = [known[state.tobytes()] for state in external.states]
    return replace(
        internal,
        features=internal.features[at],
        r=internal.r[at],
        shares=internal.shares[at],
        states=internal.states[at],
        centres=internal.centres[at],
        turns=internal.turns[at],
        recorded=internal.recorded[at],
    )


def _placed(found: Study, samples: Samples) -> tuple[Array, Array]:
    """(N, B, d), m, where handles have the body, and F (N, B, d, d)."""
    handles = found.training.scene.handles
    states = samples.states.astype(np.float64)
    axes = np.stack([handles.deformation(q) for q in states])
    return np.stack([handles.positions(q) for q in states]), axes


def _turned(f: Array, r: NDArray[Any]) -> Array:
    """(N, B, d): F r."""
    return np.asarray((f @ r[..., None])[..., 0])


def _predicted(found: Study, sets: Sets, width: int, bases: int, *, name: str) -> Array:
    """(N, B, d): what a network that learns from the first set says of the last one."""
    preset = found.training.preset
    learner = CorrectionLearner(
        sets.training, sets.validation, bases, preset, width=width, seed=0, device=CPU
    )
    every = min(preset.validate_every, learner.steps)
    schedule = Schedule(learner.steps, every, preset.patience, preset.minutes)
    training = Training(learner, schedule, MODELS / f"{name}.training", name, stage=name)
    training.run(silent, StopRequest())
    best, _ = learner.finished("one", training.best)
    tensors = {key: np.asarray(each, np.float32) for key, each in best.items()}
    model = Model(found.training.info(found.solved, {}), tensors, name)
    count = sets.training.features.shape[1]
    _, vertices, axes = sets.training.r.shape
    correction = correction_of(model, "one", count, (vertices, axes))
    assert correction is not None  # it was just made
    c = np.stack([correction.network(x) for x in sets.tested.features.astype(np.float64)])
    return np.einsum("n,nm,mbd->nbd", sets.tested.shares, c, correction.basis, optimize=True)


def _left(shown: Array, full: Array, linear: Array) -> float:
    return float(np.sqrt(np.square(shown - full).sum() / np.square(linear - full).sum()))
