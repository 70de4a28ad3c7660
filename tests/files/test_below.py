"""Folders in one that is shared: what happens to them happens to no other one that a link leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from neural_physics.errors import Problem
from neural_physics.files import held_folders
from neural_physics.files.below import (
    clear_below,
    remove_below,
    remove_files_below,
    rename_below,
    write_below,
)
from neural_physics.files.held_folders import held
from neural_physics.files.links import check_unmoved, resolved


@pytest.fixture(params=[True, False], ids=["held", "asked"])
def shared(request, tmp_path, monkeypatch) -> Path:
    """A shared folder with a take under way, beside somebody's own that is called so."""
    if not request.param:  # as on Windows
        monkeypatch.setattr(held_folders, "HOLDS_FOLDERS", False)
    for folder in (tmp_path / "shared" / "bake" / "take_000", tmp_path / "mine" / "take_000"):
        folder.mkdir(parents=True)
        (folder / "frame").write_text(folder.parts[-2])
    return tmp_path / "shared"


def mine(shared: Path) -> list[str]:
    folder = shared.with_name("mine")
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def exchanged(shared: Path) -> None:
    (shared / "bake").rename(shared / "was")
    (shared / "bake").symlink_to(shared.with_name("mine"), target_is_directory=True)


@pytest.mark.skipif(not held_folders.PASSED, reason="the system passes through no folder that is held")
def test_a_root_that_was_exchanged_after_it_was_asked_about_is_not_held(shared, monkeypatch):
    monkeypatch.setattr(held_folders, "HOLDS_FOLDERS", True)
    monkeypatch.setattr(held_folders, "check_unmoved", lambda _: exchanged(shared))
    with pytest.raises(Problem) as raised:
        remove_below(shared / "bake", shared / "bake" / "take_000")
    assert raised.value.code == "place_is_link" and mine(shared) == ["take_000", "take_000/frame"]


def test_what_is_below_is_renamed_and_deleted(shared):
    rename_below(shared, shared / "bake" / "take_000", shared / "take_000")
    assert (shared / "take_000" / "frame").read_text() == "bake"
    write_below(shared, shared / "take_000" / "frame", b"new")
    assert [(each.name, each.read_text()) for each in (shared / "take_000").iterdir()] == [("frame", "new")]
    (shared / "take_000" / "other").touch()
    remove_files_below(shared, shared / "take_000", ("me", "x"))
    assert [path.name for path in (shared / "take_000").iterdir()] == ["other"]
    remove_below(shared, shared / "take_000")
    clear_below(shared, shared / "bake")
    clear_below(shared, shared / "bake")
    assert not list(shared.iterdir())
    with pytest.raises(FileNotFoundError):
        remove_below(shared, shared / "bake" / "take_000")


@pytest.mark.parametrize(
    "act",
    [
        lambda shared: remove_below(shared, shared / "bake" / "take_000"),
        lambda shared: rename_below(shared, shared / "bake" / "take_000", shared / "take_000"),
        lambda shared: rename_below(shared, shared / "was", shared / "bake" / "new"),
        lambda shared: remove_below(shared, shared / "bake"),
        lambda shared: remove_files_below(shared, shared / "bake" / "take_000", ("me",)),
        lambda shared: write_below(shared, shared / "bake" / "take_000" / "frame", b"new"),
    ],
)
def test_links_on_the_way_are_refused(shared, act):
    exchanged(shared)
    with pytest.raises((Problem, OSError)) as raised:
        act(shared)
    clear_below(shared, shared / "bake" / "take_000")
    assert mine(shared) == ["take_000", "take_000/frame"]
    assert isinstance(raised.value, OSError) or raised.value.code == "place_is_link"


@pytest.mark.parametrize("shared", [True], indirect=True)
def test_what_is_put_in_the_place_of_a_folder_that_is_held_makes_no_difference(shared):
    with held(shared, shared / "bake") as opened:
        exchanged(shared)
        opened.remove("take_000")
    assert mine(shared) == ["take_000", "take_000/frame"] and not list((shared / "was").iterdir())


def test_a_folder_that_is_written_to_for_hours_is_asked_whether_it_is_still_the_same(shared):
    folder = resolved(shared) / "bake" / "take_000"
    assert check_unmoved(folder) == folder
    exchanged(shared)
    with pytest.raises(Problem) as raised:
        check_unmoved(folder)
    assert raised.value.code == "place_is_link"


def test_what_was_named_by_way_of_a_link_is_not_refused_for_that(shared):
    (shared / "here").symlink_to(shared / "bake", target_is_directory=True)
    check_unmoved(resolved(shared / "here" / "take_000"))


@pytest.mark.parametrize(
    "act",
    [
        lambda shared: remove_below(shared, shared / "take_000"),
        lambda shared: rename_below(shared, shared / "take_000", shared / "moved"),
    ],
)
def test_the_folder_that_all_is_below_is_asked_as_well(shared, act):
    shared.rename(shared.with_name("was"))
    shared.symlink_to(shared.with_name("mine"), target_is_directory=True)
    with pytest.raises(Problem) as raised:
        act(shared)
    clear_below(shared, shared / "take_000")
    assert raised.value.code == "place_is_link" and mine(shared) == ["take_000", "take_000/frame"]
