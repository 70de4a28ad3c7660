"""Model files: read as the safetensors library does; what is hostile gets no further than a sentence."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import synthetic
from hypothesis import given, settings
from hypothesis import strategies as st

from neural_physics.errors import Problem
from neural_physics.files.tensor_file import format_tensors
from neural_physics.methods.registry import load_method
from neural_physics.models import model_file
from neural_physics.models.model_file import METADATA_KEY, info_to_json, parse_model, read_model

MESH = synthetic.sheet_mesh(3)
INFO = synthetic.make_model_info(MESH)
TENSORS = synthetic.make_model_tensors(MESH)
WHOLE = synthetic.model_bytes(INFO, TENSORS)
LENGTH = int.from_bytes(WHOLE[:8], "little")


def with_header(header: object, body: bytes = WHOLE[8 + LENGTH :]) -> bytes:
    """A file with another header, the raw text of it where bytes are given."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def header() -> dict:
    return json.loads(WHOLE[8 : 8 + LENGTH])


def assert_refused(data: bytes, code: str = "model_damaged") -> None:
    with pytest.raises(Problem) as raised:
        load_method(parse_model(data, "sheet.safetensors"))
    assert raised.value.code == code
    raised.value.message.encode()  # can be printed anywhere


def test_the_library_reads_what_is_read_here(tmp_path):
    numpy = pytest.importorskip("safetensors.numpy")
    theirs, ours = numpy.load(WHOLE), parse_model(WHOLE, "m")
    assert theirs.keys() == ours.tensors.keys()
    assert all(np.array_equal(theirs[name], ours.tensors[name]) for name in theirs)


def test_what_the_library_writes_is_read_here_in_every_dtype(tmp_path):
    numpy = pytest.importorskip("safetensors.numpy")
    rng = np.random.default_rng(0)
    tensors = {
        "f32": rng.normal(size=(2, 3, 4)).astype(np.float32),
        "f16": rng.normal(size=7).astype(np.float16),
        "i32": rng.integers(-9, 9, (3, 3)).astype(np.int32),
        "one": np.array(3, np.float32),
        "none": np.empty((0, 4), np.float32),
    }
    path = tmp_path / "m.safetensors"
    path.write_bytes(numpy.save(tensors, {METADATA_KEY: info_to_json(INFO)}))
    model = read_model(path)
    assert model.info == INFO
    for name, tensor in tensors.items():
        assert model.tensors[name].dtype == tensor.dtype
        assert np.array_equal(model.tensors[name], tensor)


def test_bytes_are_refused_which_take_many_times_their_size_once_they_are_calculated_with():
    tensors = {**TENSORS, "mean": np.zeros(TENSORS["mean"].shape, np.uint8)}
    with pytest.raises(Problem) as caught:
        parse_model(format_tensors(tensors, {METADATA_KEY: info_to_json(INFO)}), "m")
    assert caught.value.code == "model_damaged"


def test_a_model_comes_back_as_it_was():
    model = parse_model(WHOLE, "m")
    assert model.info == INFO
    assert all(np.array_equal(model.tensors[name], TENSORS[name]) for name in TENSORS)
    assert load_method(model).basis_count == 5


def test_a_file_cut_short_anywhere_is_refused():
    for length in [*range(8 + LENGTH), *range(8 + LENGTH, len(WHOLE), 97)]:
        with pytest.raises(Problem) as raised:
            parse_model(WHOLE[:length], "m")
        assert raised.value.code == "model_damaged"


def test_something_after_the_last_tensor_is_refused():
    assert_refused(WHOLE + b"\0")


@pytest.mark.parametrize(
    "length", [0, 1, 7, LENGTH - 1, LENGTH + 1, 1 << 20, (1 << 20) + 1, 1 << 40, (1 << 64) - 1]
)
def test_a_header_of_another_length_is_refused(length):
    assert_refused(length.to_bytes(8, "little") + WHOLE[8:])


@pytest.mark.parametrize("shape", [[0, *[1 << 30] * 3], [0, *[1 << 30] * 7], [0, 1 << 62], [0, 1 << 40]])
def test_shapes_that_hold_nothing_and_are_too_large_are_refused(shape):
    lying = header()
    lying["nothing"] = {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]}
    assert_refused(with_header(lying))


@pytest.mark.parametrize(
    "offsets",
    [
        [0, 0], [0, 1 << 62], [-4, 0], [4, 0], [0.0, 4.0], ["0", "4"], [0], [0, 4, 8], None, [True, 4],
        [float("inf"), 4], [float("nan"), 4], {"begin": 0}, [1e400, 1],
    ],
)  # fmt: skip
def test_lying_places_of_a_tensor_are_refused(offsets):
    lying = header()
    lying["mean"]["data_offsets"] = offsets
    assert_refused(with_header(lying))


def test_tensors_that_share_bytes_are_refused():
    lying = header()
    lying["beta"]["data_offsets"] = lying["alpha"]["data_offsets"]
    assert_refused(with_header(lying))


@pytest.mark.parametrize(
    "shape",
    [
        [9], [9, 3, 1 << 62], [-9, -3], [0, 1 << 70], [9.0, 3.0], ["9", "3"], "93", None, {"9": 3},
        [1] * 65 + [9, 3], [3, 9], [27], [True, 27], [[9, 3]],
    ],
)  # fmt: skip
def test_lying_shapes_are_refused(shape):
    lying = header()
    lying["mean"]["shape"] = shape
    assert_refused(with_header(lying))


@pytest.mark.parametrize("dtype", ["F64", "I64", "BF16", "O", "object", "", None, 3, ["F32"], {"F32": 1}])
def test_dtypes_that_no_model_has_are_refused(dtype):
    lying = header()
    lying["mean"]["dtype"] = dtype
    assert_refused(with_header(lying))


@pytest.mark.parametrize(
    "text",
    [
        b"", b"null", b"[]", b"3", b'"x"', b"{", b"\xff\xfe", b'{"a": 1}', b'{"__metadata__": {}}',
        b'{"__metadata__": 5}', b'{"mean": 5, "__metadata__": {"neural_physics": "{}"}}',
        b"[" * 500_000, b'{"a":' * 150_000,
        b'{"__metadata__": {"neural_physics": "' + b"[" * 300_000 + b'"}}',
        b'{"a": ' + b"9" * 5000 + b"}", b'{"\\ud800": 1}', b'{"__metadata__": {"neural_physics": "\\ud800"}}',
    ],
)  # fmt: skip
def test_headers_that_are_none_are_refused(text):
    assert_refused(with_header(text, b""))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"schema": 3}, "model_newer"),
        ({"schema": "1"}, "model_damaged"),
        ({"method": "magic"}, "model_method_unknown"),
        ({"method": 5}, "model_damaged"),
        ({"dt": 0}, "model_damaged"),
        ({"dt": float("nan")}, "model_damaged"),
        ({"dt": "0.04"}, "model_damaged"),
        ({"vertex_count": -1}, "model_damaged"),
        ({"vertex_count": 1 << 60}, "model_damaged"),
        ({"vertex_count": 8}, "model_damaged"),
        ({"channels": {}}, "model_damaged"),
        ({"channels": []}, "model_damaged"),
        ({"channels": [{"name": "H", "kind": "wind", "size": 1 << 40}]}, "model_damaged"),
        ({"channels": [{"name": "H", "kind": "joints", "size": 3, "parts": ["a", "b"]}]}, "model_damaged"),
        ({"settings": []}, "model_damaged"),
        ({"settings": {"activation": "exec"}}, "model_damaged"),
        ({"surprise": 1}, "model_damaged"),
        ({"object": "\ud800"}, "model_damaged"),
    ],
)
def test_descriptions_that_make_no_sense_are_refused(change, code):
    changed = header()
    item = json.loads(changed["__metadata__"][METADATA_KEY]) | change
    changed["__metadata__"][METADATA_KEY] = json.dumps(item)
    assert_refused(with_header(changed), code)


@pytest.mark.parametrize("name", sorted(TENSORS))
@pytest.mark.parametrize("damage", ["nan", "inf", "missing", "shape", "empty"])
def test_tensors_a_method_cannot_use_are_refused(name, damage):
    tensor = TENSORS[name].copy()
    tensors = dict(TENSORS)
    if damage == "missing":
        del tensors[name]
    elif damage == "shape":
        tensors[name] = tensor[None]
    elif damage == "empty":
        tensors[name] = tensor[:0]
    else:
        tensor.flat[-1] = float(damage)
        tensors[name] = tensor
    assert_refused(synthetic.model_bytes(INFO, tensors))


def test_a_tensor_of_another_shape_is_refused_with_the_file_and_both_shapes(tmp_path):
    path = tmp_path / "m.safetensors"
    path.write_bytes(synthetic.model_bytes(INFO, {**TENSORS, "basis": TENSORS["basis"][:, :-1]}))
    with pytest.raises(Problem) as raised:
        load_method(read_model(path))
    u, vertices, _ = TENSORS["basis"].shape
    reason = f"“basis” holds {u} by {vertices - 1} by 3 values, and not any number by {vertices} by 3 values"
    assert str(path) in raised.value.message and reason in raised.value.message


def test_a_file_too_large_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "m.safetensors"
    with path.open("wb") as file:
        file.truncate((1 << 30) + 1)  # sparse: takes no room
    with pytest.raises(Problem) as raised:
        read_model(path)
    assert raised.value.code == "model_too_large"
    with pytest.raises(Problem) as raised:
        read_model(tmp_path / "other")
    assert raised.value.code == "file_missing"


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
def test_folders_pipes_and_devices_are_refused_and_not_read_for_ever(tmp_path, kind):
    path = Path("/dev/zero") if kind == "device" else tmp_path / "model"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(Problem, match="not a file") as raised:
        read_model(path)
    assert raised.value.code == "model_damaged"


def test_a_file_that_grew_while_it_was_looked_at_is_read_no_further_than_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "LARGEST_FILE", 1000)
    monkeypatch.setattr(Path, "stat", lambda *_, **__: os.stat_result([stat.S_IFREG, *[0] * 9]))
    (tmp_path / "model").write_bytes(bytes(5000))
    with pytest.raises(Problem) as raised:
        read_model(tmp_path / "model")
    assert raised.value.code == "model_too_large"


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_a_model_with_changed_bytes_runs_or_is_refused(data):
    damaged = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, 8 + LENGTH + 40))
        damaged[at] = data.draw(st.integers(0, 255))
    try:
        method = load_method(parse_model(bytes(damaged), "m"))
    except Problem as problem:
        problem.message.encode()
        return
    y = np.zeros(method.channels.size, np.float32)
    state = method.step(method.start(y), y)
    assert method.positions(state, y).shape == (method.vertex_count, 3)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(header())), st.sampled_from(["dtype", "shape", "data_offsets", ""]), JSON)
@settings(max_examples=400, deadline=None)
def test_any_json_in_any_place_of_the_header_is_survived(name, key, value):
    changed = header()
    if key and name != "__metadata__":
        changed[name][key] = value
    else:
        changed[name] = value
    try:
        parse_model(with_header(changed), "m")
    except Problem as problem:
        problem.message.encode()


@given(st.sampled_from(sorted(json.loads(info_to_json(INFO)))), JSON)
@settings(max_examples=400, deadline=None)
def test_any_json_in_any_place_of_the_description_is_survived(key, value):
    changed = header()
    item = json.loads(changed["__metadata__"][METADATA_KEY])
    item[key] = value
    changed["__metadata__"][METADATA_KEY] = json.dumps(item)
    try:
        load_method(parse_model(with_header(changed), "m"))
    except Problem as problem:
        problem.message.encode()


def test_author_and_licence_travel_with_the_model():
    info = replace(INFO, author="Ada", licence="CC BY 4.0", training={"frames": 9})
    assert parse_model(synthetic.model_bytes(info, TENSORS), "m").info == info


@pytest.mark.parametrize("name", ["mean", "basis", "start", "z_low", "z_high"])
@pytest.mark.parametrize("value", [3e38, -1e16])
def test_what_shapes_are_made_of_is_never_so_large_that_its_products_are_no_numbers(name, value):
    tensors = {key: array.copy() for key, array in TENSORS.items()}
    tensors[name].flat[-1] = value
    assert_refused(synthetic.model_bytes(INFO, tensors))
