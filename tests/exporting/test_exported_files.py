"""What every exported file has in common, whatever the method: what engines ask for, and what it says."""

import json
import random

import numpy as np
import pytest

pytest.importorskip("torch")  # with which some of the models are made
pytest.importorskip("scipy")

import onnx
from fuzzing.model_corpus import good_models
from fuzzing.model_mutations import mutated_model
from onnx.reference import ReferenceEvaluator
from onnx_sessions import sessions

from ml_backend.exporting.exported import metadata
from ml_backend.exporting.graph import OPSET
from ml_backend.methods.exporters import exporter_of
from neural_physics.errors import Problem
from neural_physics.methods.registry import SPECIFICATIONS, load_method
from neural_physics.models.model_file import parse_model

NEWEST_OPSET = 15
SAID_OF_A_CHANNEL = ("name", "kind", "size", "unit", "parts")
TOLD = {
    "format_version", "kind", "model", "method", "object", "dt", "fps", "vertex_count", "topology",
    "reference_frame", "author", "licence", "channels", "clip", "state",
}  # fmt: skip


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return good_models(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def exported(good):
    """(model, its files) of every good model that has any."""
    models = [parse_model(data, name) for name, data in good.items()]
    return [(model, sessions(model)) for model in models if exporter_of(model.info.method)]


def all_files(exported):
    return [(model, name, session) for model, files in exported for name, session in files.items()]


def test_every_method_but_one_exports_a_model(exported):
    with_files = {model.info.method for model, files in exported if files}
    assert set(SPECIFICATIONS) - with_files == {"hierarchical_cloth"}
    assert exporter_of("hierarchical_cloth") is None


def test_engines_that_read_opset_15_read_them(exported):
    assert OPSET <= NEWEST_OPSET
    for model, name, session in all_files(exported):
        opsets = {each.domain: each.version for each in session.model.opset_import}
        assert opsets == {"": OPSET}, (model.path, name)
        assert {node.domain for node in session.model.graph.node} == {""}


def test_all_shapes_are_fixed_and_all_that_goes_in_and_out_is_float32(exported):
    for model, name, session in all_files(exported):
        graph = session.model.graph
        for value in (*graph.input, *graph.output):
            tensor = value.type.tensor_type
            assert tensor.elem_type == onnx.TensorProto.FLOAT
            shape = [dim.dim_value for dim in tensor.shape.dim]
            assert shape[0] == 1 and all(shape), (model.path, name, value.name)
            assert value.doc_string, "it says what it is"


def test_it_says_what_it_is_of(exported):
    for model, name, session in all_files(exported):
        told, info = session.metadata, model.info
        assert set(told) - {"displaced"} == TOLD, (model.path, name)
        assert (told["method"], told["topology"]) == (info.method, info.topology)
        assert (told["author"], told["licence"]) == (info.author, info.licence)
        assert int(told["vertex_count"]) == info.vertex_count
        assert float(told["dt"]) == info.dt and float(told["fps"]) * info.dt == pytest.approx(1.0)


def test_the_channels_can_be_laid_into_y_from_what_it_says(exported):
    for model, _, session in all_files(exported):
        channels, layout = json.loads(session.metadata["channels"]), model.info.channels
        as_stored = [{n: each[n] for n in SAID_OF_A_CHANNEL} for each in layout.to_json()]
        assert [{n: each[n] for n in SAID_OF_A_CHANNEL} for each in channels] == as_stored
        values = {each.name: np.arange(each.size) + 100.0 * k for k, each in enumerate(layout.channels)}
        y = np.full(layout.size, np.nan, np.float32)
        for each in channels:
            y[each["first"] : each["first"] + each["size"]] = values[each["name"]]
        assert np.array_equal(y, layout.pack(values))


def test_a_step_says_where_each_part_of_its_state_comes_from(exported):
    steps = [(s, files) for _, files in exported for n, s in files.items() if n.endswith("step")]
    assert len(steps) > 5
    for step, files in steps:
        follows = json.loads(step.metadata["state"])
        assert set(step.inputs) == {*follows, "y"} == {*files["start"].outputs, "y"}
        for name, source in follows.items():
            shape = step.outputs.get(source) or step.inputs[source]
            assert step.inputs[name] == shape == files["start"].outputs[name]


def test_the_limits_that_it_says_are_the_models(exported):
    for model, files in exported:
        for name, session in files.items():
            for symbol, ends in json.loads(session.metadata["clip"]).items():
                low, high = (np.array(ends[end], np.float32) for end in ("low", "high"))
                assert (low <= high).all(), (model.path, name, symbol)
                if symbol in ("w", "z"):
                    assert np.array_equal(low, model.tensors[f"{symbol}_low"])
                    assert np.array_equal(high, model.tensors[f"{symbol}_high"])


def test_no_faces_are_in_them(exported):
    """Whole numbers are shapes, axes, and places in vectors; none is a list of corners."""
    for model, name, session in all_files(exported):
        whole = [each for each in session.model.graph.initializer if each.data_type == onnx.TensorProto.INT64]
        allowed = 3 * model.info.channels.size + 64
        assert max((int(np.prod(each.dims)) for each in whole), default=0) <= allowed, (model.path, name)


def test_whatever_a_file_holds_a_model_that_plays_is_exported(good):
    made = 0
    for seed in range(600):
        chance = random.Random(seed)
        data = mutated_model(chance.choice(list(good.values())), chance)
        try:
            model = parse_model(data, f"seed {seed}")
            load_method(model)
        except Problem:
            continue
        export = exporter_of(model.info.method)
        for each in export(model) if export else []:
            file = each.graph.model(metadata(each, model, "digest"))
            onnx.checker.check_model(file, full_check=True)
            made += 1
    assert made > 100


def test_another_program_says_the_same(exported):
    """ONNX's own reference, in plain NumPy, of inputs among which there is what is no number."""
    chance, compared = np.random.default_rng(0), 0
    for model, name, session in all_files(exported):
        reference = ReferenceEvaluator(session.model)
        for nothing in (False, True):
            given = {n: chance.normal(size=shape).astype(np.float32) for n, shape in session.inputs.items()}
            if nothing and "y" in given:
                given["y"][0, 0] = np.nan
            said, found = session(**given), reference.run(None, given)
            for (output, one), other in zip(said.items(), found, strict=True):
                size = max(1.0, float(np.abs(one).max()))
                assert np.abs(one - other).max() < 1e-4 * size, (model.path, name, output)
                compared += 1
    assert compared > 50
