"""safetensors files, models among them, written atomically."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.files.atomic import write_atomically, writing
from neural_physics.interaction.channels import ChannelLayout
from neural_physics.methods.specification import MethodSpecification
from neural_physics.models.model_file import METADATA_KEY, ModelInfo, info_to_json

Tensors = dict[str, NDArray[Any]]


def write_tensors(path: Path, tensors: Tensors, metadata: dict[str, str]) -> None:
    """Whenever the process is killed, the old file or the new one is there.

    Raises Problem("disk_full" | "folder_not_writable").
    """
    data = save({name: np.ascontiguousarray(array) for name, array in tensors.items()}, metadata)
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)


def read_tensors(path: Path) -> tuple[Tensors, dict[str, str]] | None:
    """The tensors and metadata of a file, or None if it is not there or not whole."""
    try:
        with safe_open(path, "numpy") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (OSError, SafetensorError):
        return None


def model_info(
    method: MethodSpecification,
    dataset: DatasetInfo,
    training: dict[str, Any],
    settings: dict[str, Any] | None = None,
    *,
    channels: ChannelLayout | None = None,
) -> ModelInfo:
    """The description of a model of this method, trained on this dataset.

    training, settings: see `ModelInfo`. channels: of y, where they are not those of the dataset.
    """
    return ModelInfo(
        method=method.id,
        dt=dataset.dt,
        object=dataset.object,
        topology=dataset.topology,
        vertex_count=dataset.vertex_count,
        channels=dataset.channels if channels is None else channels,
        reference_frame=dataset.reference_frame,
        settings=settings or {},
        training=training,
    )


def write_model(path: Path, info: ModelInfo, tensors: Tensors) -> None:
    """A model as `neural_physics.models.model_file` reads it. Raises what `write_tensors` does."""
    write_tensors(path, tensors, {METADATA_KEY: info_to_json(info)})
