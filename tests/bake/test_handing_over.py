"""A take under way is one holder's, and the dataset's when it is handed in."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
import synthetic

from neural_physics.baking.handing_over import Workplace, gather, is_complete, scene_begun
from neural_physics.datasets.dataset_info import TakeInfo
from neural_physics.datasets.status import dataset_status, forget
from neural_physics.datasets.take_folders import holders_folder
from neural_physics.errors import Problem
from neural_physics.jobs import leases
from neural_physics.jobs.leases import PATIENCE, Observer, holder_of

FRAMES = 12


@pytest.fixture
def dataset(tmp_path):
    return synthetic.make_dataset(tmp_path / "dataset", ())


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch):
    """As if each holder were on another computer."""
    monkeypatch.setattr(leases, "_this_computer", iter(map(str, range(10_000))).__next__)


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def frame(dataset, number):
    """Positions and interaction of a frame: the same for every holder, as those of a simulation are."""
    rng = np.random.default_rng(number)
    shape = (dataset.info.vertex_count, 3)
    return rng.random(shape, np.float32), rng.random(dataset.info.channels.size, np.float32)


class Baker:
    """One that bakes the take, on a computer of its own."""

    def __init__(self, dataset, name="take_000"):
        self.clock = Clock()
        self.observer, self.dataset, self.name = Observer(self.clock), dataset, name
        self.folder = holders_folder(dataset.path, name)

    def waits(self):
        self.observer.is_free(self.folder, holder_of(self.folder))
        self.clock.now += PATIENCE

    def begin(self, makes=""):
        lease = self.observer.claim(self.folder)
        if lease is None:
            return False
        self.place = Workplace(self.dataset, self.name, lease, makes)
        if not self.place.take_up():
            return False
        info = TakeInfo(frames=FRAMES, role="training", seed=1)
        self.writer = self.place.under_way().writer(self.name, info, may_write=self.place.may_write)
        return True

    def bake(self, count):
        for number in range(self.writer.count, min(FRAMES, self.writer.count + count)):
            self.writer.append(*frame(self.dataset, number))

    def end(self):
        self.writer.close()
        self.place.hand_in()


def check_take(dataset):
    take = dataset.take("take_000")
    assert take.info.complete and len(take.positions) == FRAMES
    for number in range(FRAMES):
        positions, y = frame(dataset, number)
        assert np.array_equal(take.positions[number], positions)
        assert np.array_equal(take.interaction[number], y)


def test_a_take_is_seen_when_it_is_handed_in(dataset):
    baker = Baker(dataset)
    baker.begin()
    baker.bake(5)
    assert dataset.take_names() == []
    baker.bake(FRAMES)
    baker.end()
    check_take(dataset)
    assert is_complete(dataset.path, "take_000") and not holders_folder(dataset.path, "take_000").exists()


def test_a_take_is_handed_in_where_somebody_has_deleted_all_others(dataset):
    baker = Baker(dataset)
    baker.begin()
    baker.bake(FRAMES)
    (dataset.path / "takes").rmdir()
    baker.end()
    check_take(dataset)


def test_a_take_is_not_handed_in_over_somebodys_files(dataset):
    baker, theirs = Baker(dataset), dataset.path / "takes" / "take_000" / "positions.pc2"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine")
    baker.begin()
    baker.bake(FRAMES)
    baker.writer.close()
    with pytest.raises(Problem, match="not made by Neural Physics"):
        baker.place.hand_in()
    assert theirs.read_text() == "mine" and [*theirs.parent.iterdir()] == [theirs]
    theirs.unlink()
    baker.place.hand_in()
    check_take(dataset)


def test_nor_does_it_replace_one_that_somebodys_files_lie_in(dataset):
    first, second = Baker(dataset), Baker(dataset)
    first.begin()
    first.bake(5)
    second.waits()
    second.begin()
    second.bake(3)
    second.end()
    (dataset.path / "takes" / "take_000" / "mocap.fbx").write_text("mine")
    third = Baker(dataset)
    third.waits()
    third.begin()
    assert (third.place.folder / "takes" / "take_000" / "mocap.fbx").read_text() == "mine", "it goes along"
    third.bake(FRAMES)
    third.end()
    assert (dataset.path / "takes" / "take_000" / "mocap.fbx").read_text() == "mine"
    check_take(dataset)


def test_what_is_under_way_counts_in_the_panel(dataset):
    baker = Baker(dataset)
    baker.begin()
    baker.bake(5)
    forget()
    found = dataset_status(dataset.path)
    assert (found.takes, found.complete, found.frames, found.moving) == (1, 0, 5, 1)
    baker.bake(FRAMES)
    baker.end()
    forget()
    found = dataset_status(dataset.path)
    assert (found.takes, found.complete, found.frames) == (1, 1, FRAMES)


def test_one_that_is_handed_in_unfinished_is_gone_on_with(dataset):
    first, second = Baker(dataset), Baker(dataset)
    first.begin()
    first.bake(5)
    first.end()
    assert len(dataset.take("take_000").positions) == 5
    first.place.lease.release()
    second.begin()
    assert second.writer.count == 5 and dataset.take_names() == []
    second.bake(FRAMES)
    second.end()
    check_take(dataset)


def test_whoever_sleeps_too_long_writes_no_more_and_its_frames_are_gone_on_from(dataset):
    sleeper, other = Baker(dataset), Baker(dataset)
    sleeper.begin()
    sleeper.bake(5)
    other.waits()
    other.begin()
    assert other.writer.count == 5
    sleeper.clock.now += 3 * PATIENCE
    with pytest.raises(Problem, match="taken over"):
        sleeper.bake(1)
    with pytest.raises(Problem, match="taken over"):
        sleeper.end()
    other.bake(3)
    other.bake(FRAMES)
    other.end()
    check_take(dataset)


def test_whoever_wakes_after_the_take_was_handed_in_changes_nothing(dataset):
    sleeper, other = Baker(dataset), Baker(dataset)
    sleeper.begin()
    sleeper.bake(5)
    other.waits()
    other.begin()
    other.bake(FRAMES)
    other.end()
    with pytest.raises(Problem, match="taken over"):
        sleeper.bake(1)
    with pytest.raises(Problem, match="taken over"):
        sleeper.end()
    check_take(dataset)


def test_a_write_that_was_under_way_while_another_took_over_lands_where_nobody_reads(dataset):
    """The check, and then the computer sleeps between it and the write."""
    sleeper, other = Baker(dataset), Baker(dataset)
    sleeper.begin()
    sleeper.bake(5)
    late = sleeper.writer._may_write
    sleeper.writer._may_write = lambda: None
    other.waits()
    other.begin()
    positions, y = frame(dataset, 99)  # and of another motion
    sleeper.writer.append(positions, y)
    sleeper.writer._may_write = late
    other.bake(FRAMES)
    other.end()
    check_take(dataset)


def test_what_lies_beside_the_take_goes_along(dataset):
    first, second = Baker(dataset), Baker(dataset)
    first.begin()
    (first.place.folder / "cache").mkdir()
    (first.place.folder / "cache" / "state").write_bytes(b"1")
    second.waits()
    second.begin()
    assert (second.place.folder / "cache" / "state").read_bytes() == b"1"


def test_what_a_begun_take_holds_is_not_taken_up_with_a_link_in_it_however_deep(dataset, tmp_path):
    """What its scene names may be found by that name only once the folder is the next holder's."""
    first, second = Baker(dataset), Baker(dataset)
    first.begin()
    deep = first.place.folder / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "link").symlink_to(tmp_path / "private")
    second.waits()
    with pytest.raises(Problem) as raised:
        second.begin()
    assert raised.value.code == "place_is_link" and str(deep / "link") in raised.value.message


@pytest.mark.parametrize(
    "link", ["", "/Other", "/Other/takes", "/Other/takes/take_000", "/Other/takes/take_000/take.json"]
)
def test_what_a_begun_take_holds_of_others_is_not_taken_up_through_a_link(dataset, tmp_path, link):
    """What it says of a dataset of the artist's own would come into the one that is baked."""
    first, second = Baker(dataset), Baker(dataset)
    first.begin()
    held = first.place.folder / "takes" / "take_000" / "together" / "Other" / "takes" / "take_000"
    held.mkdir(parents=True)
    (held / "take.json").write_text("{}")
    place = Path(f"{held.parents[2]}{link}")
    place.rename(tmp_path / "private")
    place.symlink_to(tmp_path / "private")
    second.waits()
    with pytest.raises(Problem) as raised:
        second.begin()
    assert raised.value.code == "place_is_link"


def test_what_is_complete_is_not_baked_again(dataset):
    first, second = Baker(dataset), Baker(dataset)
    first.begin()
    first.bake(FRAMES)
    first.end()
    assert not second.begin() and not second.folder.exists()
    check_take(dataset)


def test_what_version_0_1_had_begun_is_gone_on_with(dataset):
    with dataset.writer("take_000", TakeInfo(frames=FRAMES, role="training", seed=1)) as writer:
        for number in range(5):
            writer.append(*frame(dataset, number))
    folder = holders_folder(dataset.path, "take_000")
    (folder / "blendcache_take").mkdir(parents=True)
    (folder / "take.blend").write_bytes(b"a scene")
    assert (
        gather(dataset, ["take_000"]) == {}
        and scene_begun(dataset.path, "take_000").read_bytes() == b"a scene"
    )
    baker = Baker(dataset)
    baker.begin()
    assert baker.writer.count == 5 and (baker.place.folder / "blendcache_take").is_dir()
    baker.bake(FRAMES)
    baker.end()
    check_take(dataset)


def test_what_is_complete_is_not_counted_as_begun_elsewhere(dataset):
    baker = Baker(dataset)
    baker.begin()
    baker.bake(5)
    assert gather(dataset, ["take_000"])["take_000"].frames == FRAMES  # another computer has it
    baker.place.lease.release()
    assert gather(dataset, ["take_000"]) == {} and len(dataset.take("take_000").positions) == 5


@pytest.mark.parametrize("handed_in", [False, True])
@pytest.mark.parametrize(("makes", "kept"), [("Blender 4.5, Linux", 5), ("Blender 5.2, Linux", 0)])
def test_another_kind_of_computer_begins_a_take_anew(dataset, makes, kept, handed_in):
    """No take is made by two, of which each would have made another one."""
    first, second = Baker(dataset), Baker(dataset)
    first.begin("Blender 4.5, Linux")
    (first.place.folder / "blendcache_take").mkdir()
    (first.place.folder / "take.blend").touch()
    first.bake(5)
    if handed_in:
        first.writer.close(finished=False)
        first.place.leave()
    else:
        second.waits()
    second.begin(makes)
    assert second.writer.count == kept
    assert (second.place.folder / "blendcache_take").exists() == (kept > 0)
    assert (second.place.folder / "take.blend").exists()  # its motion is the same everywhere
    second.bake(FRAMES)
    second.end()
    check_take(dataset)


def test_a_torn_frame_of_another_is_baked_again(dataset):
    first, second = Baker(dataset), Baker(dataset)
    first.begin()
    first.bake(5)
    with (first.place.folder / "takes" / "take_000" / "positions.pc2").open("ab") as file:
        file.write(b"1234567")
    second.waits()
    second.begin()
    assert second.writer.count == 5
    second.bake(FRAMES)
    second.end()
    check_take(dataset)


def test_a_holder_without_a_frame_is_followed_by_one_that_begins(dataset):
    first, second = Baker(dataset), Baker(dataset)
    first.observer.claim(first.folder)
    second.waits()
    second.begin()
    second.bake(FRAMES)
    second.end()
    check_take(dataset)


def test_many_that_come_at_once_bake_it_once(dataset):
    bakers, done = [Baker(dataset) for _ in range(8)], []

    def run(baker):
        if baker.begin():
            baker.bake(FRAMES)
            baker.end()
            done.append(baker)

    threads = [threading.Thread(target=run, args=(baker,)) for baker in bakers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 1
    check_take(dataset)
