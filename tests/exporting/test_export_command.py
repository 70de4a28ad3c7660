"""`export-onnx`: what it writes, what it says, and one sentence for each thing that stands in the way."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
import synthetic
from cloth_models import LAYOUT, cloth_model_file
from cloth_models import MESH as CLOTH

from ml_backend.commands import export_onnx
from ml_backend.exporting import writing
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest

ROOT = Path(__file__).resolve().parents[2]
FILES = {"start.onnx", "step.onnx", "decoder.onnx"}


def export(model, out, *words, emit=lambda event: None, stop=None):
    parser = argparse.ArgumentParser()
    export_onnx.add_arguments(parser)
    args = parser.parse_args(["--model", str(model), "--out", str(out), *words])
    return export_onnx.run(args, emit, stop or StopRequest())


def refused(*arguments, **named):
    """The code and the sentence."""
    with pytest.raises(Problem) as found:
        export(*arguments, **named)
    return found.value.code, found.value.message


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_it_writes_the_files_into_a_folder_that_it_makes(model_path, tmp_path):
    events = []
    result = export(model_path, tmp_path / "deep" / "folder", emit=events.append)
    folder = tmp_path / "deep" / "folder"
    assert names(folder) == FILES
    assert result["folder"] == str(folder) and set(result["files"].split(", ")) == FILES
    assert result["method"] == "subspace_physics"
    assert [event["event"] for event in events] == ["progress"] * len(events)
    assert events[-1]["done"] == events[-1]["total"] == len(FILES)
    for path in folder.iterdir():
        onnx.checker.check_model(onnx.load(path), full_check=True)


def test_files_of_one_model_belong_together_and_those_of_another_do_not(model_path, tmp_path):
    other = tmp_path / "other.safetensors"
    mesh = synthetic.sheet_mesh()
    tensors = synthetic.make_model_tensors(mesh, seed=1)
    other.write_bytes(synthetic.model_bytes(synthetic.make_model_info(mesh), tensors))
    digests = []
    for model in (model_path, other):
        out = tmp_path / f"{model.stem}_files"
        export(model, out)
        files = [onnx.load(path) for path in out.iterdir()]
        (digest,) = {each.value for file in files for each in file.metadata_props if each.key == "model"}
        digests.append(digest)
    assert digests[0] != digests[1]


def test_the_same_model_makes_the_same_bytes(model_path, tmp_path):
    for folder in ("one", "other"):
        export(model_path, tmp_path / folder)
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


def test_what_is_there_is_replaced_only_where_that_is_asked_for(model_path, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "decoder.onnx").write_bytes(b"somebody else's")
    code, message = refused(model_path, out)
    assert code == "export_in_the_way" and "decoder.onnx" in message and "--force" in message
    assert names(out) == {"decoder.onnx"} and (out / "decoder.onnx").read_bytes() == b"somebody else's"
    export(model_path, out, "--force")
    assert names(out) == FILES
    onnx.checker.check_model(onnx.load(out / "decoder.onnx"))


def test_a_link_is_replaced_and_not_followed(model_path, tmp_path):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.write_bytes(b"not ours")
    (out / "step.onnx").symlink_to(elsewhere)
    assert refused(model_path, out)[0] == "export_in_the_way"
    export(model_path, out, "--force")
    assert elsewhere.read_bytes() == b"not ours" and not (out / "step.onnx").is_symlink()


def test_a_link_to_nothing_is_in_the_way(model_path, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "step.onnx").symlink_to(tmp_path / "nothing")
    assert refused(model_path, out)[0] == "export_in_the_way"


def test_a_folder_of_that_name_is_in_the_way_even_then(model_path, tmp_path):
    (tmp_path / "out" / "step.onnx").mkdir(parents=True)
    assert refused(model_path, tmp_path / "out", "--force")[0] == "file_is_folder"
    assert names(tmp_path / "out") == {"step.onnx"}


def test_a_folder_that_cannot_be_written(model_path, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        assert refused(model_path, place)[0] == "folder_not_writable"


def test_models_that_cannot_be_read(model_path, tmp_path):
    assert refused(tmp_path / "none.safetensors", tmp_path / "out")[0] == "file_missing"
    data = model_path.read_bytes()
    model_path.write_bytes(data[:-100])
    assert refused(model_path, tmp_path / "out")[0] == "model_damaged"
    model_path.write_bytes(data.replace(b"subspace_physics", b"subspace_physicz"))
    assert refused(model_path, tmp_path / "out")[0] == "model_method_unknown"
    assert not (tmp_path / "out").exists()


def test_a_model_whose_tensors_do_not_fit(tmp_path):
    mesh = synthetic.sheet_mesh()
    tensors = synthetic.make_model_tensors(mesh)
    tensors["w_low"] = tensors["w_low"][:1]
    path = tmp_path / "model.safetensors"
    path.write_bytes(synthetic.model_bytes(synthetic.make_model_info(mesh), tensors))
    code, message = refused(path, tmp_path / "out")
    assert code == "model_damaged" and "w_low" in message


@pytest.mark.parametrize("what", ["hierarchical_cloth", "quasistatic_springs", "contact_corrections"])
def test_models_without_networks_that_are_of_use_by_themselves(what, tmp_path):
    path = tmp_path / "model.safetensors"
    old = ROOT / "tests" / "fixtures" / "version_0_1_0" / "models" / f"{what}.safetensors"
    path.write_bytes(cloth_model_file(CLOTH, LAYOUT) if what == "hierarchical_cloth" else old.read_bytes())
    code, message = refused(path, tmp_path / "out")
    assert code == "export_nothing" and "Bake Playback" in message
    assert not (tmp_path / "out").exists()


def test_a_python_without_the_package(model_path, tmp_path, monkeypatch):
    wanted = tmp_path / "export.txt"
    wanted.write_text("no-such-package>=1.2\n")
    monkeypatch.setattr(export_onnx, "REQUIREMENTS", wanted)
    code, message = refused(model_path, tmp_path / "out")
    assert code == "exporting_python_lacks" and "no-such-package 1.2" in message and sys.executable in message


def test_what_no_file_can_hold(model_path, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "LARGEST_GRAPH", 1000)
    assert refused(model_path, tmp_path / "out")[0] == "export_too_large"
    assert names(tmp_path / "out") == set()


def test_it_stops_where_it_is_asked_to(model_path, tmp_path):
    stop_file = tmp_path / "stop"
    stop_file.touch()
    assert refused(model_path, tmp_path / "out", stop=StopRequest(stop_file))[0] == "stopped"
    assert names(tmp_path / "out") == set()


def command(*words):
    done = subprocess.run(
        [sys.executable, "-m", "ml_backend", "export-onnx", *map(str, words), "--json"],
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        check=False,
        capture_output=True,
        text=True,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_the_command_says_one_event_a_line_and_ends_with_0_or_1(model_path, tmp_path):
    pytest.importorskip("rich")
    status, events = command("--model", model_path, "--out", tmp_path / "out")
    assert status == 0 and events[-1]["event"] == "result" and events[-1]["files"]
    status, events = command("--model", model_path, "--out", tmp_path / "out")
    assert status == 1 and events[-1]["code"] == "export_in_the_way"
