"""A model is used for all that Play uses one for."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from fuzzing.extreme_values import extreme_number
from fuzzing.interactions import ordinary, sequence
from fuzzing.watching import Watch, finite
from neural_physics.arrays import Floats
from neural_physics.interaction.channels import Channel
from neural_physics.methods.interface import Interpolates, KnowsItsError, LearnsSizes, Method, StepsMany
from neural_physics.methods.loaded_models import LoadedModels
from neural_physics.methods.registry import SPECIFICATIONS, load_method
from neural_physics.models.model_file import Model, simulation_ms
from neural_physics.models.normals import learned_normals, regress_normals
from neural_physics.models.trained_range import trained_range
from neural_physics.models.vertex_error import vertex_error

STEPS = 20
OBJECTS = 5
CAPSULE = Channel("Capsule of the scene", "capsule", 8)


def play(data: bytes, chance: random.Random, watch: Watch) -> None:
    """Load, step and show it, and ask it all that a panel or an overlay asks."""
    loaded = watch(LoadedModels().of, data, "fuzzed.safetensors")
    model, method = loaded.model, watch(loaded.method)
    _read_beside(model, method)
    if SPECIFICATIONS[model.info.method].simulates and chance.random() < 0.5:
        method = watch(load_method, model, (CAPSULE,))
    if chance.random() < 0.3:
        _adjust(model.info.method, method, chance, watch)
    ys = sequence(method.channels, STEPS, chance)
    state = watch(method.start, ys[0])
    _show(model, method, state, ys[0], watch)
    if chance.random() < 0.4:
        other = method.mean_shape + np.float32(0.01)
        state = watch(method.state_from, method.mean_shape, other, ys[0], ordinary(method.channels, 1))
        _show(model, method, state, ys[0], watch)
    for number, y in enumerate(ys[1:]):
        ahead = ys[number + 2 : number + 2 + method.look_ahead]
        before, state = state, watch(method.step, state, y, ahead if chance.random() < 0.5 else ())
        _show(model, method, state, y, watch)
        if isinstance(method, Interpolates):
            _show(model, method, watch(method.between, before, state, 0.3), y, watch)
    _in_a_crowd(method, chance, watch)


def _read_beside(model: Model, method: Method) -> None:
    trained = trained_range(model)
    if trained is not None:
        trained.beyond(ordinary(model.info.channels, 0), np.eye(4))
    normals, usual = learned_normals(model, method.basis_count), vertex_error(model)
    finite("normals and errors", [0.0] if normals is None else np.abs(normals[0]))
    finite("errors", [0.0] if usual is None else usual)
    finite("simulation times", simulation_ms(model))


def _adjust(name: str, method: Any, chance: random.Random, watch: Watch) -> None:
    settings: dict[str, float | Floats | None] = {}
    for live in SPECIFICATIONS[name].live_settings:
        value: float | Floats | None = chance.choice((live.default, live.least, live.most))
        if live.kind == "vertex_group":
            value = None if chance.random() < 0.5 else np.full(method.vertex_count, 0.5, np.float32)
        if chance.random() < 0.4:
            wild = float(extreme_number(chance))
            value = wild if live.kind != "vertex_group" else np.full(method.vertex_count, wild, np.float32)
        settings[live.property] = value
    if settings:
        watch(method.adjust, settings)


def _show(model: Model, method: Any, state: Any, y: Floats, watch: Watch) -> None:
    finite("positions", watch(method.positions, state, y))
    finite("shapes", watch(method.shapes, [state, state], [y, y]))
    if method.decoder is not None and method.basis_count > 1:
        finite("positions of few bases", watch(method.positions, state, y, method.basis_count // 2))
    coefficients = watch(method.coefficients, state, y)
    if coefficients is not None:
        finite("coefficients", coefficients)
        normals = learned_normals(model, method.basis_count)
        if normals is not None:
            finite("normals", watch(regress_normals, coefficients, *normals))
    finite("shares outside of training", state.outside)
    if isinstance(method, KnowsItsError):
        error, errors = method.expected_error(state), method.expected_errors(state)
        finite("expected errors", [0.0] if error is None or errors is None else [error, *errors])
    if isinstance(method, LearnsSizes):
        method.unlearned_sizes(y)


def _in_a_crowd(method: Any, chance: random.Random, watch: Watch) -> None:
    if not isinstance(method, StepsMany):
        return
    other = method.another()
    rows = [sequence(other.channels, 3, chance) for _ in range(OBJECTS)]
    states = [other.start(row[0]) for row in rows]
    for frame in (1, 2):
        ys = [row[frame] for row in rows]
        states = watch(other.step_many, states, ys)
        finite("shapes of many", watch(other.shapes, states, ys))
