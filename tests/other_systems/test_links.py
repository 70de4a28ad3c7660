"""Links as Windows has them, where no file can be opened “unless it is a link”."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from neural_physics.errors import Problem
from neural_physics.files.links import check_no_link, open_own

JUNCTION, CLOUD_FILE = 0xA000_0003, 0x9000_001A


def tagged(monkeypatch: pytest.MonkeyPatch, tag: int) -> None:
    """Let everything that is looked at be of this kind, which Windows alone knows."""
    lstat = os.lstat

    def looked_at(path: Path, **how: int | None) -> SimpleNamespace:
        return SimpleNamespace(st_mode=lstat(path, **how).st_mode, st_reparse_tag=tag)

    monkeypatch.setattr(os, "lstat", looked_at)


def test_a_junction_is_a_link_in_every_python(tmp_path, monkeypatch):
    """Python knows them by a name of their own from 3.12 on; Blender 4.5 brings 3.11."""
    tagged(monkeypatch, JUNCTION)
    with pytest.raises(Problem) as raised:
        check_no_link(tmp_path)
    assert raised.value.code == "place_is_link"


def test_a_file_that_a_cloud_keeps_is_none(tmp_path, monkeypatch):
    tagged(monkeypatch, CLOUD_FILE)
    assert check_no_link(tmp_path) == tmp_path


def test_a_link_in_the_place_of_a_log_is_not_written_through_on_windows(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_NOFOLLOW")
    (tmp_path / "theirs").write_text("kept")
    (tmp_path / "log").symlink_to(tmp_path / "theirs")
    with pytest.raises(Problem, match="link"), open(tmp_path / "log", "wb", opener=open_own):
        pass
    assert (tmp_path / "theirs").read_text() == "kept"
    with open(tmp_path / "new", "wb", opener=open_own) as log:
        log.write(b"written")
    assert (tmp_path / "new").read_bytes() == b"written"
