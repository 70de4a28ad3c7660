"""Job files for farms in a dataset's folder: ours are replaced and deleted, nobody else's."""

from __future__ import annotations

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from neural_physics.blender.tasks.job_files import JOB_FILES, delete_job_files, write_job_file
from neural_physics.errors import Problem


@pytest.mark.parametrize("job", JOB_FILES)
def test_a_file_of_another_version_is_replaced_and_all_are_deleted(job, tmp_path):
    path = write_job_file(tmp_path, job)
    whole = path.read_bytes()
    path.write_bytes(whole + b"\n")
    assert write_job_file(tmp_path, job).read_bytes() == whole
    delete_job_files(tmp_path)
    assert not (tmp_path / "farm").exists()


@pytest.mark.parametrize("job", JOB_FILES)
def test_a_studios_own_file_of_that_name_is_neither_replaced_nor_deleted(job, tmp_path):
    path = write_job_file(tmp_path, job)
    path.write_text("#!/bin/sh\n# the studio's own\n")
    with pytest.raises(Problem) as refused:
        write_job_file(tmp_path, job)
    assert refused.value.code == "file_not_ours"
    delete_job_files(tmp_path)
    assert path.read_text().endswith("own\n")
