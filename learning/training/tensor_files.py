"""Files of tensors, models among them, written atomically."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from neural_physics.datasets.takes import Dataset
from neural_physics.files.atomic import write_atomically, writing
from neural_physics.files.links import check_unmoved
from neural_physics.files.reading import is_mostly_holes, open_plain
from neural_physics.files.tensor_file import format_tensors, parse_tensors, read_metadata
from neural_physics.interaction.channels import ChannelLayout
from neural_physics.methods.specification import MethodSpecification
from neural_physics.models.model_file import METADATA_KEY, ModelInfo, info_to_json

IDENTITY = "identity"  # in the metadata of what a training leaves for itself

Tensors = dict[str, NDArray[Any]]


def write_tensors(path: Path, tensors: Tensors, metadata: dict[str, str]) -> None:
    """Whenever the process is killed, the old file or the new one is there.

    path: in a folder that was resolved when the training began, as others may have exchanged it since.

    Raises Problem("place_is_link" | "disk_full" | "folder_not_writable").
    """
    data = format_tensors(tensors, metadata)
    check_unmoved(path.parent)
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)


def read_tensors(path: Path, identity: str | None = None) -> tuple[Tensors, dict[str, str]] | None:
    """The tensors and metadata of a file, or None if it is not there or not whole.

    identity: what its metadata must say; nothing else of another file is read, however large it is.
    """
    try:
        with open_plain(path) as file:
            if identity is not None and read_metadata(file).get(IDENTITY) != identity:
                return None
            if is_mostly_holes(file):
                return None
            return parse_tensors(bytearray(file.read()))  # a bytearray, so that arrays can be written to
    except (OSError, ValueError):
        return None


def model_info(
    method: MethodSpecification,
    dataset: Dataset,
    training: dict[str, Any],
    settings: dict[str, Any] | None = None,
    *,
    channels: ChannelLayout | None = None,
) -> ModelInfo:
    """The description of a model of this method, trained on this dataset.

    training, settings: see `ModelInfo`. channels: of y, where they are not those of the dataset.
    """
    info = dataset.info
    return ModelInfo(
        method=method.id,
        dt=info.dt,
        object=info.object,
        topology=info.topology,
        vertex_count=info.vertex_count,
        channels=info.channels if channels is None else channels,
        reference_frame=info.reference_frame,
        settings=settings or {},
        training=training,
    )


def write_model(path: Path, info: ModelInfo, tensors: Tensors) -> None:
    """A model as `neural_physics.models.model_file` reads it. Raises what `write_tensors` does."""
    write_tensors(path, tensors, {METADATA_KEY: info_to_json(info)})
