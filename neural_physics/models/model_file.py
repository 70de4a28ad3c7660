"""Models on disk and in a .blend: files of tensors whose metadata describes the model."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Indices
from ..errors import Problem
from ..files.looking import look
from ..files.reading import NotReadable, open_plain
from ..files.tensor_file import DTYPES, DamagedTensors, parse_object, parse_tensors
from ..interaction.channels import ChannelLayout

SCHEMA = 2  # 1: up to version 0.1.1
LARGEST_FILE = 1 << 30
LARGEST_NUMBER = 1e15  # in a tensor that shapes are made of: products of two, summed up, are still float32
# No bytes: calculated with, they take many times their size.
DTYPES_OF_MODELS = {name: DTYPES[name] for name in ("F32", "F16", "I32")}
METADATA_KEY = "neural_physics"


@dataclass(frozen=True)
class ModelInfo:
    """The description of a model.

    method: a name in `neural_physics.methods`. dt: seconds per step. topology, vertex_count: of the
    mesh it was trained on. settings: what the method needs beside its tensors (plain JSON values).
    training: a summary for people and the report (plain JSON values). schema: the least one whose versions
    can play it.
    """

    method: str
    dt: float
    object: str
    topology: str
    vertex_count: int
    channels: ChannelLayout
    reference_frame: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    author: str = ""
    licence: str = ""
    schema: int = 1


@dataclass(frozen=True)
class Model:
    """A trained model: its description, and its tensors by name (read-only)."""

    info: ModelInfo
    tensors: dict[str, NDArray[Any]]
    path: str

    def tensor(self, name: str, *shape: int) -> Floats:
        """One finite tensor as float32, of exactly this shape (-1 for any length but 0).

        Raises Problem("model_damaged").
        """
        array = self.tensors.get(name)
        if array is None:
            raise damaged(self.path, f"the tensor “{name}” is missing")
        fits = len(shape) == array.ndim and all(
            have == want or (want == -1 and have > 0) for want, have in zip(shape, array.shape, strict=True)
        )
        if not fits:
            found, expected = _size_in_words(array.shape), _size_in_words(shape)
            raise damaged(self.path, f"the tensor “{name}” holds {found}, and not {expected}")
        if not np.isfinite(array).all():
            raise damaged(self.path, f"the tensor “{name}” holds a value that is not a number")
        return np.ascontiguousarray(array, np.float32)

    def limited_tensor(self, name: str, *shape: int, largest: float = LARGEST_NUMBER) -> Floats:
        """The same of a tensor that shapes are made of, unclipped: none of its numbers is beyond `largest`.

        Raises Problem("model_damaged").
        """
        array = self.tensor(name, *shape)
        if max(-float(array.min(initial=0.0)), float(array.max(initial=0.0))) > largest:
            raise damaged(self.path, f"the tensor “{name}” holds a value above {largest:g}")
        return array

    def indices(self, name: str, *shape: int, below: int, least: int = 0) -> Indices:
        """One tensor of whole numbers from `least` to less than `below`, of this shape; see `tensor`.

        Raises Problem("model_damaged").
        """
        array = self.tensors.get(name)
        if array is None or not np.issubdtype(array.dtype, np.integer):
            raise damaged(self.path, f"the tensor “{name}” is missing or does not hold whole numbers")
        self.tensor(name, *shape)
        if array.min() < least or array.max() >= below:
            raise damaged(self.path, f"the tensor “{name}” has numbers outside of {least} to {below - 1}")
        return array.astype(np.intp)


def _size_in_words(shape: Sequence[int]) -> str:
    """Such as “any number by 81 by 3 values”."""
    return f"{' by '.join('any number' if n == -1 else str(n) for n in shape) or 'a single one of'} values"


def simulation_ms(model: Model) -> float:
    """Milliseconds that a frame took in the simulations it learned from; 0 where the model does not say."""
    said = model.info.training.get("simulation_ms", 0.0)
    return float(said) if isinstance(said, float | int) and 0.0 < said < 1e9 else 0.0


def damaged(path: object, reason: str) -> Problem:
    """The Problem for a model that cannot be used."""
    return Problem("model_damaged", path=path, reason=reason)


def info_to_json(info: ModelInfo) -> str:
    """What is stored under `METADATA_KEY` in the safetensors metadata."""
    item = {**info.__dict__, "channels": info.channels.to_json()}
    return json.dumps(item)


def read_model(path: Path) -> Model:
    """Raises Problem("file_missing" | "model_damaged" | "model_too_large" | "model_newer")."""
    return parse_model(read_model_bytes(path), str(path))


def check_replaceable(path: Path) -> None:
    """Raise Problem("file_not_ours") for a file that is there and no model: a new model would replace it.

    Others call theirs `model.safetensors`, too. Raises Problem("place_not_readable"), too.
    """
    if look(path) is None:
        return
    try:
        read_model(path)
    except Problem as problem:
        if problem.code != "model_newer":
            raise Problem("file_not_ours", path=path) from problem


def read_model_bytes(path: Path) -> bytes:
    """A model file's bytes, unless they are too many; `parse_model` says whether they are a model.

    Raises Problem("file_missing" | "model_damaged" | "model_too_large").
    """
    try:
        with open_plain(path) as file:
            _check_size(os.fstat(file.fileno()).st_size, path)
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError as error:
        raise Problem("file_missing", path=path) from error
    except OSError as error:
        raise damaged(path, error.strerror or str(error)) from error
    except NotReadable as error:
        raise damaged(path, str(error)) from error
    _check_size(len(data), path)
    return data


def parse_model(data: bytes, path: str) -> Model:
    """Read a model from the bytes of its file; `path` is what the sentences call it.

    Raises Problem("model_damaged" | "model_too_large" | "model_newer").
    """
    _check_size(len(data), path)
    try:
        tensors, metadata = parse_tensors(data, DTYPES_OF_MODELS)
    except DamagedTensors as error:
        raise damaged(path, str(error)) from error
    if METADATA_KEY not in metadata:
        raise damaged(path, "it is not a Neural Physics model")
    return Model(_info(metadata[METADATA_KEY], path), tensors, path)


def _check_size(size: int, path: object) -> None:
    if size > LARGEST_FILE:
        raise Problem("model_too_large", path=path, limit=f"{LARGEST_FILE >> 20} MiB")


def _info(text: object, path: str) -> ModelInfo:
    try:
        item = parse_object(str(text).encode(errors="surrogatepass"))
        if item["schema"] > SCHEMA:
            raise Problem("model_newer", path=path)
        channels = ChannelLayout.from_json(item.pop("channels"))
        info = ModelInfo(**item, channels=channels)
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, f"its description: {error}") from error
    _check(info, path)
    return info


def _check(info: ModelInfo, path: str) -> None:
    texts = (info.method, info.object, info.topology, info.reference_frame, info.author, info.licence)
    numbers_fit = (
        isinstance(info.dt, float | int)
        and 1e-4 <= info.dt <= 10.0
        and isinstance(info.vertex_count, int)
        and 0 < info.vertex_count <= 10_000_000
    )
    if not numbers_fit or not all(isinstance(text, str) for text in texts):
        raise damaged(path, "its description has invalid values")
    if not isinstance(info.settings, dict) or not isinstance(info.training, dict):
        raise damaged(path, "its description has invalid values")
