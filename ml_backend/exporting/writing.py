"""Exported files on disk: all checked before the first is written, each written whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ml_backend.exporting.exported import Exported, metadata
from neural_physics.errors import Problem
from neural_physics.files.atomic import write_atomically, writing
from neural_physics.files.looking import has_folder
from neural_physics.jobs.events import Emit, Progress, StopRequest
from neural_physics.models.model_file import Model

LARGEST_GRAPH = 2_000_000_000  # bytes: protobuf, which ONNX files are, holds no more than 2 GiB


def check_writable(folder: Path, exported: Sequence[Exported], *, force: bool) -> None:
    """Make the folder, and raise the Problem of what cannot be written there.

    force: files of the same names may be there, and are replaced. Raises Problem("export_in_the_way" |
    "export_too_large" | "file_is_folder" | "folder_not_writable" | "place_not_readable" | "disk_full").
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for each in exported:
        path = folder / each.file
        if has_folder(path):
            raise Problem("file_is_folder", path=path)
        if os.path.lexists(path) and not force:  # a link to nothing, too
            raise Problem("export_in_the_way", path=path)
        if each.graph.bytes > LARGEST_GRAPH:
            raise Problem("export_too_large", path=path, limit=f"{LARGEST_GRAPH // 10**9} GB")


def write_all(
    folder: Path, exported: Sequence[Exported], model: Model, digest: str, *, emit: Emit, stop: StopRequest
) -> None:
    """Write the files into a folder that has been checked; digest: of the model's file.

    Raises Problem("disk_full" | "folder_not_writable" | "stopped").
    """
    progress = Progress(emit, "Exporting", len(exported))
    for done, each in enumerate(exported):
        stop.check()
        data = each.graph.model(metadata(each, model, digest)).SerializeToString(deterministic=True)
        with writing(folder):
            write_atomically(folder / each.file, data)
        progress.at(done + 1)
