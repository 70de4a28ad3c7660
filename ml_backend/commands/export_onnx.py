"""`export-onnx --model MODEL --out FOLDER`: a model as ONNX files, for game engines and other programs."""

from __future__ import annotations

import argparse
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ml_backend.commands.environment_check import missing
from ml_backend.methods.exporters import exporter_of
from neural_physics.errors import Problem
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.methods.registry import SPECIFICATIONS, load_method
from neural_physics.models.model_file import parse_model, read_model_bytes

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements" / "export.txt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `export-onnx`."""
    parser.add_argument("--model", type=Path, required=True, help="the model file")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write into, made if need be")
    parser.add_argument("--force", action="store_true", help="replace files of the same names in it")


def run(args: argparse.Namespace, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Export; returns what the "result" event says.

    Raises Problem("exporting_python_lacks" | "export_nothing"), what `read_model` and `load_method` do, and
    what `check_writable` and `write_all` do.
    """
    lacking = missing(REQUIREMENTS)
    if lacking:
        raise Problem("exporting_python_lacks", path=sys.executable, missing=", ".join(lacking))
    from ml_backend.exporting.writing import check_writable, write_all

    data = read_model_bytes(args.model)
    model = parse_model(data, str(args.model))
    load_method(model)  # which says what is damaged: exporters read what it has checked
    method = model.info.method
    export = exporter_of(method)
    exported = export(model) if export else []
    if not exported:
        raise Problem("export_nothing", path=args.model, method=SPECIFICATIONS[method].label)
    folder = args.out.absolute()
    check_writable(folder, exported, force=args.force)
    digest = blake2b(data, digest_size=16).hexdigest()
    write_all(folder, exported, model, digest, emit=emit, stop=stop)
    return {
        "folder": str(folder),
        "method": method,
        "files": ", ".join(each.file for each in exported),
    }
