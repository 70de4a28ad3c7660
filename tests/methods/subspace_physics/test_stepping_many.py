"""Many objects stepped at once are, bit for bit, where each would be alone, whatever the others do."""

import numpy as np
import pytest
import synthetic

from neural_physics.methods.interface import StepsMany
from neural_physics.methods.registry import load_method
from neural_physics.methods.subspace_physics.method import FEW
from neural_physics.models.model_file import Model

BASES, HIDDEN, POINTS, BALLS = 24, 36, 40, 2
FRAMES = 25
MESH = synthetic.sheet_mesh(12)


def tensors_of(model, seed=0):
    """Random ones of a model whose second opinion is as large as itself. model: "plain" | "contact" |
    "springs".
    """
    values = 3 * BALLS
    tensors = synthetic.make_model_tensors(MESH, BASES, values, HIDDEN, seed)
    names = [name for name in tensors if name.startswith(("layers.", "alpha", "beta"))]
    tensors |= {f"second.{name}": tensors[name][::-1].copy() for name in ("alpha", "beta")}
    tensors |= {f"second.{name}": tensors[name].copy() for name in names}
    tensors["second.error"] = np.array([0.01, 1.0], np.float32)
    if model == "plain":
        return tensors
    rng = np.random.default_rng(seed)
    steps = 2 if model == "springs" else 0
    inputs = (4 if steps else 3) * BASES + values
    if steps:
        tensors["layers.shortcut"] = (0.1 * rng.normal(size=(BASES, inputs))).astype(np.float32)
    tensors["layers.0.weight"] = (rng.normal(size=(HIDDEN, inputs)) / np.sqrt(inputs)).astype(np.float32)
    tensors |= {
        "physics.alpha": np.full(BASES, 0.95),
        "physics.beta": np.full(BASES, 0.8),
        "physics.gravity": 0.01 * rng.normal(size=BASES),
        "physics.contact": 0.02 * rng.normal(size=(steps + 1, BASES, BASES)),
        "physics.points": np.sort(rng.choice(MESH.vertex_count, POINTS, replace=False)).astype(np.int32),
        "physics.push": np.ones(1),
        "physics.centres": np.arange(0, values, 3, dtype=np.int32),
        "physics.radii": np.array([0.35, 0.2]),
    }
    if steps:
        across = np.arange(MESH.vertex_count - 1)
        springs = np.stack([across, across + 1], 1).astype(np.int32)
        rest = MESH.rest_positions
        tensors |= {
            "physics.masses": np.ones(BASES),
            "physics.elastic": 0.02 * rng.normal(size=(steps, BASES, BASES)),
            "physics.springs": springs,
            "physics.lengths": np.linalg.norm(rest[springs[:, 0]] - rest[springs[:, 1]], axis=1),
            "physics.stretch": np.full(len(springs), 0.02),
            "physics.compression": np.full(len(springs), 0.01),
        }
    whole = ("physics.points", "physics.centres", "physics.springs")
    return {n: t if n in whole else np.ascontiguousarray(t, np.float32) for n, t in tensors.items()}


def model_of(model="plain", activation="silu", velocity=False, second=True):
    tensors = tensors_of(model)
    if velocity:
        values = 3 * BALLS
        wider = np.random.default_rng(5).normal(size=(HIDDEN, values)).astype(np.float32) * 0.2
        for name in ("layers.0.weight", "second.layers.0.weight"):
            tensors[name] = np.concatenate([tensors[name], wider], 1)
        if "layers.shortcut" in tensors:
            tensors["layers.shortcut"] = np.concatenate([tensors["layers.shortcut"], wider[:BASES]], 1)
    if not second:
        tensors = {name: each for name, each in tensors.items() if not name.startswith("second.")}
    channels = [synthetic.Channel(f"Ball {k}", "position", 3, source=f"Ball {k}") for k in range(BALLS)]
    settings = {"activation": activation, "physics": model != "plain", "interaction_velocity": velocity}
    layout = synthetic.ChannelLayout(tuple(channels))
    return Model(synthetic.make_model_info(MESH, layout, settings=settings), tensors, "Test model")


def loaded(*model, **settings):
    return load_method(model_of(*model, **settings))


def balls(count, seed=3):
    """(frames, objects, e) metres: through the sheet, away from it, and out of the trained range."""
    rng = np.random.default_rng(seed)
    centre = MESH.rest_positions.mean(0)
    y = rng.normal(size=(FRAMES, count, BALLS, 3)) * 0.4 + centre
    y[:, ::3] += 5.0
    return y.reshape(FRAMES, count, -1).astype(np.float32)


def bits(state):
    """All of a state, to compare."""
    arrays = [getattr(state, name) for name in ("z", "z_before", "w", "second", "second_before")]
    return [None if each is None else (each.shape, each.tobytes()) for each in arrays], state.outside


def alone(method, y):
    states = [method.start(y[0])]
    for row in y[1:]:
        states.append(method.step(states[-1], row))
    return states


def together(method, y):
    """The states of each object, frame by frame."""
    states = [[method.start(row) for row in y[0]]]
    for rows in y[1:]:
        states.append(method.step_many(states[-1], rows))
    return list(zip(*states, strict=True))


MODELS = [
    ("plain", {}),
    ("plain", {"activation": "relu", "velocity": True}),
    ("plain", {"second": False}),
    ("contact", {"velocity": True}),
    ("springs", {}),
]


@pytest.mark.parametrize("fast", [0.0, 1.0])
@pytest.mark.parametrize("count", [1, 2, FEW, 7, 33])
@pytest.mark.parametrize(("model", "settings"), MODELS)
def test_each_goes_where_it_would_go_alone(model, settings, count, fast):
    method, y = loaded(model, **settings), balls(count)
    method.adjust({"fast": fast})
    found = together(method, y)
    for its_y, its_states in zip(y.swapaxes(0, 1), found, strict=True):
        for one, other in zip(alone(method, its_y), its_states, strict=True):
            assert bits(one) == bits(other)
    if count > 1:
        assert bits(found[0][-1]) != bits(found[1][-1]), "they are in different places"


@pytest.mark.parametrize("model", ["plain", "contact", "springs"])
def test_balls_and_limits_make_a_difference(model):
    """Else the tests above would say nothing of them."""
    method, y = loaded(model), balls(6)
    far = y + np.float32(50.0)
    assert {state.outside > 0.0 for one in together(method, y) for state in one} == {True, False}
    if model != "plain":
        guess = method._step._initial
        z = np.zeros(BASES, np.float32)
        pushed = [bool(guess(z, z, row)[1][:BASES].any()) for row in y.reshape(-1, 3 * BALLS)]
        assert 0.2 < np.mean(pushed) < 0.8
        assert not any(guess(z, z, row)[1][:BASES].any() for row in far[1])


def test_neither_the_others_nor_its_place_among_them_make_a_difference():
    method, y = loaded("contact"), balls(9)
    states = [method.step(method.start(row), row) for row in y[0]]
    first = bits(method.step(states[0], y[1, 0]))
    for place in range(9):
        order = np.roll(np.arange(9), place)
        found = method.step_many([states[k] for k in order], y[1, order])
        assert bits(found[place]) == first
    lost = np.full_like(y[1], np.nan)
    lost[0] = y[1, 0]
    assert bits(method.step_many(states, lost)[0]) == first


def test_those_with_and_without_a_second_opinion_go_together():
    method, y = loaded(), balls(4)
    method.adjust({"fast": 1.0})
    begun = [method.start(row) for row in y[0, :2]]
    method.adjust({"fast": 0.0})
    begun += [method.start(row) for row in y[0, 2:]]
    found = method.step_many(begun, y[1])
    for state, row, after in zip(begun, y[1], found, strict=True):
        assert bits(method.step(state, row)) == bits(after)
    assert [state.second is None for state in found] == [True, True, False, False]


def test_another_objects_settings_are_its_own():
    method = loaded("contact")
    other = method.another()
    assert isinstance(method, StepsMany) and method.steps_with == other.steps_with
    assert other.decoder is method.decoder, "what is learned is there once"
    y = balls(1)[:, 0]
    slow = [bits(state) for state in alone(method, y)]
    other.adjust({"fast": 1.0})
    assert method.steps_with != other.steps_with
    assert [bits(state) for state in alone(method, y)] == slow
    assert bits(alone(other, y)[-1]) != slow[-1]
    assert other.another().steps_with == method.steps_with, "a new one begins with nothing adjusted"
    method.adjust({"fast": 1.0})
    assert method.steps_with == other.steps_with
    assert loaded("contact").steps_with != loaded("contact").steps_with, "loaded twice, they share nothing"


def test_their_shapes_together_are_those_of_each():
    method, y = loaded(), balls(5)
    states = method.step_many([method.start(row) for row in y[0]], y[1])
    for bases in (None, 7):
        shapes = method.shapes(states, list(y[1]), bases)
        for shape, state, row in zip(shapes, states, y[1], strict=True):
            assert shape.tobytes() == method.positions(state, row, bases).tobytes()
