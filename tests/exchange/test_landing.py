"""Files that have been written take their places, all or none, whatever others put there meanwhile."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from neural_physics.blender.exchange.landing import Landing
from neural_physics.errors import Problem
from neural_physics.files import held_folders
from neural_physics.files.held_folders import HeldFolder

pytestmark = [pytest.mark.blender, pytest.mark.once]


@pytest.fixture(params=[True, False], ids=["held", "asked"])
def place(request, tmp_path, monkeypatch) -> Path:
    """Where two files are for, of which one is there, beside a folder with files that are called so, too."""
    if not request.param:  # as on Windows
        monkeypatch.setattr(held_folders, "HOLDS_FOLDERS", False)
    for name in ("shared", "ours", "mine"):
        (tmp_path / name).mkdir()
    (tmp_path / "shared" / "walk.png").write_text("before")
    for name in ("walk.png", "walk.json"):
        (tmp_path / "mine" / name).write_text("mine")
    return tmp_path / "shared"


def landing_in(place: Path) -> Landing:
    landing = Landing([place / "walk.json", place / "walk.png"], place.with_name("ours"), known=True)
    landing.begin()
    landing.scratch.write_text("new")
    landing.scratch.with_name("walk.json").write_text("new")
    return landing


def said_in(folder: Path) -> dict[str, str]:
    return {each.name: each.read_text() for each in folder.iterdir()}


MINE = {"walk.png": "mine", "walk.json": "mine"}


def test_they_take_their_places_and_may_be_read_as_what_is_made_there(place):
    landing = landing_in(place)
    landing.scratch.chmod(0o600)
    landing.land()
    made = place / "made"
    made.touch()
    assert (place / "walk.png").stat().st_mode == made.stat().st_mode
    made.unlink()
    assert said_in(place) == {"walk.png": "new", "walk.json": "new"}
    assert not said_in(place.with_name("ours") / "written")


def test_what_cannot_land_leaves_all_that_was_there(place):
    landing = landing_in(place)
    (place / "walk.png").unlink()
    (place / "walk.png").mkdir()
    with pytest.raises(Problem) as raised:
        landing.land()
    assert raised.value.code == "folder_not_writable"
    assert [each.name for each in place.iterdir()] == ["walk.png"] and (place / "walk.png").is_dir()


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_the_artist_calls_new_stays(place, kind):
    own = place / "walk.new"
    if kind == "file":
        own.write_text("mine")
    else:
        own.mkdir()
        (own / "walk.png").write_text("mine")
    landing_in(place).land()
    assert (own.read_text() if kind == "file" else (own / "walk.png").read_text()) == "mine"
    assert {each.name for each in place.iterdir()} == {"walk.new", "walk.png", "walk.json"}


def test_links_in_their_places_are_replaced_and_not_written_through(place):
    landing, mine = landing_in(place), place.with_name("mine")
    (place / "walk.png").unlink()
    for name in ("walk.png", "walk.json"):
        (place / name).symlink_to(mine / name)
    landing.land()
    assert said_in(mine) == MINE
    assert said_in(place) == {"walk.png": "new", "walk.json": "new"}
    assert not any(each.is_symlink() for each in place.iterdir())


def test_a_folder_that_was_exchanged_meanwhile_gets_nothing(place):
    landing, mine = landing_in(place), place.with_name("mine")
    place.rename(place.with_name("was"))
    place.symlink_to(mine, target_is_directory=True)
    with pytest.raises(Problem) as raised:
        landing.land()
    assert raised.value.code == "place_is_link" and said_in(mine) == MINE


def test_a_folder_that_was_named_by_way_of_a_link_gets_the_files(place):
    named = place.with_name("by_way_of")
    named.symlink_to(place, target_is_directory=True)
    landing_in(named).land()
    assert said_in(place) == {"walk.png": "new", "walk.json": "new"}


def test_a_landing_that_fails_takes_nothing_back_elsewhere(place, monkeypatch):
    """Others may exchange the folder for a link meanwhile, and let the landing fail."""
    landing, mine = landing_in(place), place.with_name("mine")
    really = HeldFolder.replace

    def exchange_and_fail(folder, name, into, to):
        if name == "walk.png" and into.path == place:
            place.rename(place.with_name("was"))
            place.symlink_to(mine, target_is_directory=True)
            raise OSError(errno.EIO, "Input/output error")
        really(folder, name, into, to)

    monkeypatch.setattr(HeldFolder, "replace", exchange_and_fail)
    with pytest.raises(Problem):
        landing.land()
    assert said_in(mine) == MINE
