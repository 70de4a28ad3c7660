"""Job files for what hands out work on other computers, copied beside the takes, where these see them."""

from __future__ import annotations

from pathlib import Path

from ...files.atomic import write_atomically, writing
from ...files.links import check_no_link
from ..settings.own_folders import EXTENSION_ROOT
from ..settings.paths import remove_if_empty

FARM = "farm"  # in the extension, and in a dataset's folder
FLAMENCO_JOB = "flamenco/neural_physics_bake.js"
SLURM_BAKE, SLURM_TRAIN = "slurm/bake.sh", "slurm/train.sh"
OPENJD_BAKE, OPENJD_TRAIN = "openjd/bake.yaml", "openjd/bake_and_train.yaml"
JOB_FILES = FLAMENCO_JOB, SLURM_BAKE, SLURM_TRAIN, OPENJD_BAKE, OPENJD_TRAIN


def write_job_file(dataset: Path, job: str) -> Path:
    """Copy one of the `JOB_FILES` into a dataset's folder; where it is.

    Raises Problem("place_is_link" | "folder_not_writable" | "disk_full").
    """
    path = _copied(dataset, job)
    for place in (path.parent, path):
        check_no_link(place)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (EXTENSION_ROOT / FARM / job).read_bytes())
    return path


def delete_job_files(dataset: Path) -> None:
    """Delete those that were copied there. Raises Problem("place_is_link"), and OSError."""
    check_no_link(dataset / FARM)
    for job in JOB_FILES:
        _copied(dataset, job).unlink(missing_ok=True)
    remove_if_empty(dataset / FARM)


def _copied(dataset: Path, job: str) -> Path:
    return dataset / FARM / Path(job).name
