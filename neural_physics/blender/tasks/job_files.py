"""Job files for what hands out work on other computers, copied beside the takes, where these see them."""

from __future__ import annotations

from pathlib import Path

from ...errors import Problem
from ...files.atomic import write_atomically, writing
from ...files.links import check_no_link
from ...files.reading import NotReadable, read_bytes
from ..settings.own_folders import EXTENSION_ROOT
from ..settings.paths import remove_if_empty

FARM = "farm"  # in the extension, and in a dataset's folder
FLAMENCO_JOB = "flamenco/neural_physics_bake.js"
SLURM_BAKE, SLURM_TRAIN = "slurm/bake.sh", "slurm/train.sh"
OPENJD_BAKE, OPENJD_TRAIN = "openjd/bake.yaml", "openjd/bake_and_train.yaml"
LARGEST_JOB = 1 << 20  # bytes
MARKS = b"Neural Physics", b"neural-physics", b"neural_physics"  # each of them has one
JOB_FILES = FLAMENCO_JOB, SLURM_BAKE, SLURM_TRAIN, OPENJD_BAKE, OPENJD_TRAIN


def write_job_file(dataset: Path, job: str) -> Path:
    """Copy one of the `JOB_FILES` into a dataset's folder; where it is.

    Raises Problem("place_is_link" | "file_not_ours" | "folder_not_writable" | "disk_full").
    """
    path = _copied(dataset, job)
    for place in (path.parent, path):
        check_no_link(place)
    if path.exists() and not _is_ours(path):
        raise Problem("file_not_ours", path=path)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (EXTENSION_ROOT / FARM / job).read_bytes())
    return path


def delete_job_files(dataset: Path) -> None:
    """Delete those that were copied there. Raises Problem("place_is_link"), and OSError."""
    check_no_link(dataset / FARM)
    for job in JOB_FILES:
        path = _copied(dataset, job)
        if _is_ours(path):
            path.unlink()
    remove_if_empty(dataset / FARM)


def _is_ours(path: Path) -> bool:
    """Whether a file says that it is of this extension, of whatever version."""
    try:
        return any(mark in read_bytes(path, LARGEST_JOB) for mark in MARKS)
    except (OSError, NotReadable):
        return False


def _copied(dataset: Path, job: str) -> Path:
    return dataset / FARM / Path(job).name
