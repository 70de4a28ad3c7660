"""The example of the documents plays what the run time plays, from the files alone."""

import argparse
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
import synthetic
from latent_models import latent_model_file
from onnx_sessions import wandering

from ml_backend.commands import export_onnx
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import parse_model

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
MESH = synthetic.sheet_mesh()
MODELS = {
    "subspace_physics": (
        ROOT / "neural_physics/blender/examples/models/ball_and_sheet.safetensors"
    ).read_bytes,
    "latent_dynamics": lambda: latent_model_file(MESH),
}


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("onnx_player", EXAMPLES / "onnx_player.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def exported(data, folder):
    path = folder / "model.safetensors"
    path.write_bytes(data)
    args = argparse.Namespace(model=path, out=folder / "exported", force=False)
    export_onnx.run(args, lambda event: None, StopRequest())
    return folder / "exported"


@pytest.mark.parametrize("method", MODELS)
def test_it_plays_what_the_run_time_plays(example, method, tmp_path):
    data = MODELS[method]()
    player, run_time = example.OnnxPlayer(exported(data, tmp_path)), load_method(parse_model(data, method))
    assert player.dt == run_time.dt
    (channel,) = player.channels
    ys = wandering(3, 200, scale=0.4)
    shapes = [player.start(player.y(**{channel["name"]: ys[0]}))]
    shapes += [player.step(player.y(**{channel["name"]: y})) for y in ys[1:]]
    state = run_time.start(ys[0])
    assert shapes[0] == pytest.approx(run_time.positions(state, ys[0]), abs=1e-5)
    for shape, y in zip(shapes[1:], ys[1:], strict=True):
        state = run_time.step(state, y)
        assert np.abs(shape - run_time.positions(state, y)).max() < 1e-4
    assert np.ptp(np.stack(shapes), axis=0).max() > 0.1, "it moves"


def test_files_of_two_models_are_not_mixed(example, tmp_path):
    folders = []
    for seed in (0, 1):
        (tmp_path / str(seed)).mkdir()
        tensors = synthetic.make_model_tensors(MESH, seed=seed)
        data = synthetic.model_bytes(synthetic.make_model_info(MESH), tensors)
        folders.append(exported(data, tmp_path / str(seed)))
    (folders[1] / "step.onnx").replace(folders[0] / "step.onnx")
    with pytest.raises(ValueError, match="different models"):
        example.OnnxPlayer(folders[0])


def test_what_is_no_value_of_a_channel_is_refused(example, tmp_path):
    player = example.OnnxPlayer(exported(MODELS["latent_dynamics"](), tmp_path))
    with pytest.raises(ValueError, match="numbers"):
        player.y(Hand=[0.0, 1.0])
    with pytest.raises(KeyError):
        player.y(Foot=[0.0, 1.0, 2.0])


def test_the_one_in_another_language_names_the_same_files_and_keys():
    """It is not compiled here."""
    texts = [(EXAMPLES / name).read_text(encoding="utf-8") for name in ("onnx_player.py", "OnnxPlayer.cs")]
    words = [
        set(re.findall(r'"(start|fast_step|step|decoder|model|dt|state|y|positions)', text)) for text in texts
    ]
    assert words[0] == words[1] and len(words[0]) == 9
