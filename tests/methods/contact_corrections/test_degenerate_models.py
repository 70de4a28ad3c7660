"""Models that weigh nothing, or are far too large: a step then has no answer, and the body stands still."""

from __future__ import annotations

import json

import contact_models
import numpy as np
import pytest
import synthetic

from neural_physics.errors import Problem
from neural_physics.files.tensor_file import format_tensors, parse_tensors
from neural_physics.methods.contact_corrections.handles import nearest_rotation
from neural_physics.methods.contact_corrections.model_reading import MOST_COLLIDERS, MOST_ITERATIONS
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import METADATA_KEY, Model, parse_model

MESH = synthetic.sheet_mesh()
DATA = contact_models.contact_model_file(MESH)


def loaded(settings=None, **tensors):
    """The model with other settings, and with tensors multiplied; dots in their names are underscores."""
    held, metadata = parse_tensors(DATA)
    about = json.loads(metadata[METADATA_KEY])
    about["settings"] |= settings or {}
    for name, factor in tensors.items():
        key = name.replace("_", ".", 1)
        held[key] = (held[key] * np.float32(factor)).astype(np.float32)
    return load_method(parse_model(format_tensors(held, {METADATA_KEY: json.dumps(about)}), "sheet"))


def played(method, steps=6):
    y = np.zeros(method.channels.size, np.float32)
    state = method.start(y)
    with np.errstate(all="ignore"):
        for k in range(steps):
            y[:3] = 0.1 * k
            state = method.step(state, y)
            assert np.isfinite(method.positions(state, y)).all()
    return state


def test_a_body_that_weighs_nothing_and_that_nothing_holds_has_a_singular_slope_and_steps_all_the_same():
    assert np.isfinite(played(loaded({"stiffness": 0.0}, cubature_masses=0.0)).q).all()


@pytest.mark.parametrize("factor", [1e9, 1e14, -1e12, 1e-30])
@pytest.mark.parametrize("name", ["handles_weights", "handles_rest", "frames_matrix", "cubature_masses"])
def test_shapes_are_numbers_however_large_what_they_are_made_of_is(name, factor):
    played(loaded(**{name: factor}))


def test_the_iterations_of_a_frame_are_limited():
    assert loaded({"steps": 64, "iterations": 1000}).dynamics._most == MOST_ITERATIONS // 64
    assert loaded({"steps": 2, "iterations": 8}).dynamics._most == 8


def test_more_colliders_than_a_frame_has_time_for_are_refused():
    walls = [{"kind": "half_space", "sizes": []}] * (MOST_COLLIDERS + 1)
    with pytest.raises(Problem, match="its settings"):
        loaded({"colliders": walls})


def small(**given):
    """The model with other tensors, which broadcasting makes large without memory."""
    held, metadata = parse_tensors(DATA)
    about = json.loads(metadata[METADATA_KEY])
    settings, tensors = given.pop("settings", {}), {name.replace("_", ".", 1): t for name, t in given.items()}
    about["settings"] |= settings
    info = parse_model(format_tensors(held, {METADATA_KEY: json.dumps(about)}), "sheet").info
    return Model(info, {**held, **tensors}, "sheet")


def test_points_and_colliders_that_take_minutes_are_refused():
    """What a file of 90 KB may ask of Blender as it is opened."""
    points = 20_000
    walls = [{"kind": "half_space", "sizes": []}] * MOST_COLLIDERS
    count = len(walls)
    model = small(
        settings={"colliders": walls, "widths": []},
        contact_corners=np.tile(np.arange(4, dtype=np.int32), (points, 1)),
        contact_weights=np.full((points, 4), 0.25, np.float32),
        colliders_channels=np.full(count, -1, np.int32),
        colliders_turning=np.full(count, -1, np.int32),
        colliders_anchors=np.zeros((count, 3), np.float32),
        colliders_axes=np.tile(np.eye(3, dtype=np.float32), (count, 1, 1)),
    )
    with pytest.raises(Problem, match="multiplications") as caught:
        load_method(model)
    assert caught.value.code == "model_damaged"


def test_handles_whose_equations_take_minutes_are_refused():
    held, _ = parse_tensors(DATA)
    frames, more = held["handles.rest"][-4:], 2600
    bodies = len(held["handles.weights"])
    handles = {
        "handles_weights": np.broadcast_to(np.float32(1.0 / (more + 4)), (bodies, more + 4)),
        "handles_gradients": np.broadcast_to(np.float32(0.0), (bodies, 3, more + 4)),
        "handles_rest": np.concatenate([np.random.default_rng(0).random((more, 3), np.float32), frames]),
    }
    with pytest.raises(Problem, match="multiplications") as caught:
        load_method(small(settings={"free": more, "iterations": 2, "loose": 0}, **handles))
    assert caught.value.code == "model_damaged"


def test_a_body_that_takes_gigabytes_once_it_is_read_is_refused():
    held, _ = parse_tensors(DATA)
    rows = (1 << 26) // len(held["handles.rest"]) + 1
    weights = np.broadcast_to(np.float32(0.1), (rows, len(held["handles.rest"])))
    with pytest.raises(Problem, match="too large to be played") as caught:
        load_method(small(handles_weights=weights))
    assert caught.value.code == "model_damaged"


@pytest.mark.parametrize("ball", ["sized", ""])
def test_sizes_of_what_is_no_collider_are_refused(ball):
    held, metadata = parse_tensors(contact_models.contact_model_file(MESH, ball=ball))
    about = json.loads(metadata[METADATA_KEY])
    about["channels"] += [{"name": f"s{k}", "kind": "size", "size": 1, "source": "Ball"} for k in range(2)]
    about["settings"]["widths"] = [1.0] * (3 if ball else 2)
    if not ball:
        about["settings"]["colliders"] = []
    with pytest.raises(Problem, match="sizes of") as caught:
        load_method(parse_model(format_tensors(held, {METADATA_KEY: json.dumps(about)}), "sheet"))
    assert caught.value.code == "model_damaged"


def balls(count=4, **changes):
    """The model with balls by which it touches itself."""
    held, metadata = parse_tensors(DATA)
    held |= {
        "self_contact.corners": np.tile(np.arange(4, dtype=np.int32), (count, 1)),
        "self_contact.weights": np.full((count, 4), 0.25, np.float32),
        "self_contact.radii": np.full(count, 0.1, np.float32),
        "self_contact.neighbours": np.array([[0, 1]], np.int32),
    }
    held |= {f"self_contact.{name}": tensor for name, tensor in changes.items()}
    about = json.loads(metadata[METADATA_KEY])
    about["settings"]["self_contact_stiffness"] = 100.0
    return load_method(parse_model(format_tensors(held, {METADATA_KEY: json.dumps(about)}), "sheet"))


def test_balls_in_one_place_push_each_other_nowhere_or_out_of_reach_but_are_played():
    played(balls())
    played(balls(radii=np.full(4, 1e30, np.float32)))


@pytest.mark.parametrize(
    "changes",
    [
        {"count": 1000},
        {"corners": np.full((4, 4), 10**6, np.int32)},
        {"radii": np.full(4, -0.1, np.float32)},
        {"radii": np.full(4, np.nan, np.float32)},
        {"radii": np.full(3, 0.1, np.float32)},
        {"weights": np.full((4, 3), 0.25, np.float32)},
        {"neighbours": np.array([[0, 4]], np.int32)},
        {"neighbours": np.array([[0, 1, 2]], np.int32)},
    ],
)
def test_balls_that_do_not_fit_are_refused(changes):
    with pytest.raises(Problem) as refused:
        balls(**changes)
    assert refused.value.code == "model_damaged"


def test_the_rotation_nearest_to_what_is_no_matrix_is_none():
    for value in (np.nan, np.inf):
        assert np.array_equal(nearest_rotation(np.full((3, 3), value)), np.eye(3))
