"""What the files of a folder say, without what no two runs have alike: paths, clocks and process numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from neural_physics.datasets.pace import PACE
from neural_physics.datasets.point_caches import read_pc2
from neural_physics.files.tensor_file import DamagedTensors, parse_tensors
from neural_physics.models.model_file import METADATA_KEY
from tools.soak.blends import packed_bytes

Blends = Callable[[Path], dict[str, Any]]
# Of an evaluation, what depends on where it was made and on how busy the machine was.
BY_CHANCE = ("model", "dataset", "step_us", "decode_us")
NOT_COMPARED = "its content is another in each run"
OPTIONAL = (PACE,)  # a bake that was killed, or was too quick, does not know how long a frame takes


@dataclass(frozen=True)
class Contents:
    """digests: of what each file says, by its path in the folder. damaged: why files cannot be read."""

    digests: Mapping[str, str]
    damaged: tuple[str, ...] = ()


def read_folder(folder: Path, blends: Blends) -> Contents:
    """Read every file in a folder, by what its name says it is; empty folders count as files."""
    digests: dict[str, str] = {}
    damaged = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_dir():
            if not any(path.iterdir()):
                digests[f"{name}/"] = ""
            continue
        try:
            digests[name] = digest(path, blends)
        except Exception as error:  # noqa: BLE001 (whatever a damaged file raises, it is damaged)
            damaged.append(f"{name} cannot be read: {error}")
            digests[name] = "damaged"
    return Contents(digests, tuple(damaged))


def digest(path: Path, blends: Blends) -> str:
    """What a file says, in short. Raises what shows that it is damaged."""
    if path.name in (PACE, "report.html") or path.parent.name == "jobs":
        _check_other_in_each_run(path)
        return NOT_COMPARED
    if path.name == "report.json":
        report = json.loads(path.read_bytes())
        return _of({name: value for name, value in report.items() if name not in BY_CHANCE})
    if path.suffix == ".blend":
        return _of_a_blend(blends(path))
    data = path.read_bytes()
    if path.suffix == ".safetensors":
        return of_a_model(data)
    _check(path, data)
    return sha256(data).hexdigest()


def _check_other_in_each_run(path: Path) -> None:
    """Raise what shows that a file is damaged that shows times or names processes."""
    if path.suffix == ".json":
        json.loads(path.read_bytes())
    elif path.suffix == ".html" and not path.read_text(encoding="utf-8").rstrip().endswith("</html>"):
        raise ValueError("its end is missing")


def _check(path: Path, data: bytes) -> None:
    """Raise what shows that a file is damaged, by reading it as what its name says it is."""
    if path.suffix == ".pc2":
        if not len(read_pc2(path)):
            raise ValueError("it has no frames")
    elif path.suffix in (".npy", ".npz"):
        with BytesIO(data) as file:
            arrays = np.load(file, allow_pickle=False)
            for name in arrays if path.suffix == ".npz" else ():
                arrays[name]  # reads and checks it
    elif path.suffix == ".json":
        json.loads(data)


def of_a_model(data: bytes) -> str:
    """What a model file says, apart from how long its training took: all tensors bit for bit."""
    try:
        tensors, about = parse_tensors(data)
    except DamagedTensors as error:
        raise ValueError(str(error)) from error
    info = json.loads(about[METADATA_KEY])
    info["training"].pop("seconds")
    bits = {name: [str(t.dtype), t.shape, sha256(t.tobytes()).hexdigest()] for name, t in tensors.items()}
    return _of({"info": info, "tensors": bits})


def _of_a_blend(found: dict[str, Any]) -> str:
    model = packed_bytes(found)
    return _of({"objects": found["objects"], "model": None if model is None else of_a_model(model)})


def _of(item: object) -> str:
    return sha256(json.dumps(item, sort_keys=True).encode()).hexdigest()
