"""A take under way: who bakes it writes in a folder of its own, and hands it in when it is done.

In the dataset's folder, for a take called NAME: `bake/NAME/holder_000003.json` of each that bakes or baked it
(see `jobs.leases`), `bake/NAME/3/takes/NAME` for what the third of them has of it, beside whatever else it
needs, and `takes/NAME` when it is handed in, complete or as far as it is. Handing in is renaming a folder,
so that takes are all or nothing for who reads them, and a holder that has been given up writes where nobody
reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..datasets.dataset_info import TakeInfo, read_take_info
from ..datasets.own_take_files import check_take_own
from ..datasets.take_folders import TAKES, holders_folder, last_holder, side_folder, together_folder
from ..datasets.takes import Dataset
from ..errors import Problem
from ..files.atomic import write_atomically, writing
from ..files.below import clear_below, remove_below, rename_below
from ..files.copying import copy_living_folder
from ..files.held_folders import held
from ..files.links import check_no_link, check_unmoved, has_own_file, links_in, look_at
from ..files.listing import entries
from ..files.looking import has_file, has_folder
from ..files.reading import NotReadable, read_bytes
from ..jobs.leases import Lease, Observer
from .failures import forget_failures
from .own_files import CACHE, MADE_BY, OF_OLD, SCENE, STATE, clear_holders
from .plan import MOST_TOGETHER, BakePlan
from .together import give_each_its_own

LARGEST = 4096  # bytes of what says who began a take


@dataclass(frozen=True)
class Workplace:
    """Where one holder bakes one take. makes: see `Programs`; "" where that is not asked about."""

    dataset: Dataset
    name: str
    lease: Lease
    makes: str = ""

    @property
    def folder(self) -> Path:
        """All that is this holder's alone."""
        return self.lease.folder / str(self.lease.number)

    @property
    def scene(self) -> Path:
        """The take's scene, with its motion; it is there from before its first frame to its last."""
        return self.folder / SCENE

    @property
    def tracks(self) -> Path:
        """The take's `simulation_request.Tracks`, there as soon as they are whole."""
        return self.folder / "tracks.npz"

    def has_tracks(self) -> bool:
        """Whether they are there. Raises Problem("place_is_link" | "place_not_readable")."""
        return has_own_file(self.folder, self.tracks.name)

    def may_write(self) -> None:
        """See `TakeWriter`. Raises what `Lease.check` does, and Problem("place_is_link")."""
        self.lease.check()
        self._check_own()

    def under_way(self) -> Dataset:
        """The dataset as its writer and reader, with this take alone and as far as it is."""
        return self.dataset.with_takes_in(self.folder)

    def take_up(self) -> bool:
        """Go on with what is there of the take: what was handed in unfinished, or what another holder left.

        False where there is nothing left to do, as it was handed in complete before this lease began.
        Raises Problem("place_is_link" | "folder_not_writable" | "disk_full" | "dataset_damaged").
        """
        self._check_given()
        if is_complete(self.dataset.path, self.name):
            clear_holders(self.dataset.path, self.lease.folder)
            return False
        with writing(self.folder):
            self._take_over()
            self._check_own()
            (self.folder / TAKES).mkdir(parents=True, exist_ok=True)
            if not self._mine.is_dir():
                # Not there, or somebody has just taken it up with the next number: then this one will notice.
                with suppress(FileNotFoundError):
                    if (self._handed_in / "take.json").is_file():
                        self._rename(self._handed_in, self._mine)
            self._check_taken_over()
            self._begin_anew_if_other()
        return True

    def hand_in(self) -> None:
        """Give the dataset the take as it is, and delete everything else of it if it is complete.

        Raises Problem("taken_over" | "file_not_ours" | "place_is_link" | "folder_not_writable" |
        "disk_full").
        """
        self.lease.check()
        self._check_given()
        self._check_own()
        complete = read_take_info(self._mine).complete
        with writing(self._handed_in):
            self._handed_in.parent.mkdir(exist_ok=True)  # somebody may have deleted it meanwhile
            try:
                self._rename(self._mine, self._handed_in)
            except OSError:
                if not self._handed_in.exists():
                    raise
                # Somebody who has been given up woke between looking and handing in.
                if is_complete(self.dataset.path, self.name):
                    raise Problem("taken_over", path=self.lease.folder) from None
                if (self._handed_in / "take.json").is_file():
                    check_take_own(self._handed_in)
                    self._rename(self._handed_in, self.folder / "superseded")
                    self._rename(self._mine, self._handed_in)
                else:  # no take, but somebody's files
                    self._give_to_others()
        if complete:
            give_each_its_own(self.dataset.path, [self.name])
            clear_holders(self.dataset.path, self.lease.folder)

    def _give_to_others(self) -> None:
        """Put the take beside files that are nobody's take. Raises Problem("file_not_ours")."""
        mine = sorted(self._mine.iterdir(), key=lambda path: path.name == "take.json")
        for path in mine:
            if look_at(self._handed_in / path.name) is not None:
                raise Problem("file_not_ours", path=self._handed_in / path.name)
        for path in mine:
            self._rename(path, self._handed_in / path.name)

    def leave(self) -> None:
        """Hand in what there is, and let the next one go on: nothing that worked here runs any more.

        Where that cannot be done, the next one finds it here.
        """
        with suppress(Problem):
            self._check_own()
            if has_file(self._mine / "take.json"):
                self.hand_in()
            self.lease.check()
            self.lease.release()

    def _check_own(self) -> None:
        """Raise Problem("place_is_link") where what this holder writes would be somewhere else by now."""
        self._check_no_links(self.folder, self._mine.parent, self._mine)

    def _check_given(self) -> None:
        """Raise Problem("place_is_link") where what is handed in would come to another place."""
        self._check_no_links(self._handed_in.parent, self._handed_in, self._handed_in / "take.json")

    def _check_taken_over(self) -> None:
        """Raise Problem("place_is_link") where what was left of the take is somebody's private file.

        What is gone on with comes into the dataset, and goes to whoever that is sent to.
        """
        held = [
            take
            for other in entries(check_no_link(together_folder(self._mine)), MOST_TOGETHER)
            for take in (other, other / TAKES, other / TAKES / self.name)
        ]
        for folder in (self.folder, self.folder / TAKES, self._mine, together_folder(self._mine), *held):
            for place in entries(check_no_link(folder)):
                check_no_link(place)

    def _check_no_links(self, *places: Path) -> None:
        check_unmoved(self.dataset.path)
        for place in (side_folder(self.dataset.path), self.lease.folder, *places):
            check_no_link(place)

    def _begin_anew_if_other(self) -> None:
        """What another kind of computer has begun would not go on as it began: it is made from the start."""
        said, before = self.folder / MADE_BY, b""
        if not self.makes:
            return
        with suppress(OSError, NotReadable):
            before = read_bytes(said, LARGEST)
        if before not in (b"", self.makes.encode()):
            for place in (self._mine, self.folder / CACHE):
                if check_no_link(place).is_dir():
                    remove_below(self.dataset.path, place)
            (self.folder / STATE).unlink(missing_ok=True)
        write_atomically(said, self.makes.encode())

    @property
    def _mine(self) -> Path:
        return self.folder / TAKES / self.name

    @property
    def _handed_in(self) -> Path:
        return self.dataset.path / TAKES / self.name

    def _take_over(self) -> None:
        """Have all that the holder before had.

        But for what has links in it, however deep: what a file names there may be found by its name only once
        the folder has another one.
        """
        left = last_holder(self.lease.folder) or self.folder
        for link in links_in(left):
            if link.parent != left / CACHE:
                raise Problem("place_is_link", path=link)
            with held(self.dataset.path, link.parent) as cache:  # in place of a frame: simulated once more
                cache.unlink(link.name)
        # A state that is ahead of its frames is useless; frames are marked before or after they are written.
        if go_on_from_last(self.lease, below=self.dataset.path, last=(TAKES, "take.json")):
            return
        for name in OF_OLD:
            with suppress(FileNotFoundError):
                self._rename(self.lease.folder / name, self.folder / name)

    def _rename(self, path: Path, target: Path) -> None:
        rename_below(self.dataset.path, path, target)


def go_on_from_last(lease: Lease, *, below: Path, last: tuple[str, ...] = ()) -> bool:
    """Make a new holder's numbered folder: with all that the holder before left in its own, if there was one.

    Copied, where that one may still be writing there. below: see `held`; last: see `copy_living_folder`.
    Returns whether there was one. Raises Problem("place_is_link") and OSError.
    """
    mine = lease.folder / str(lease.number)
    scratch = mine.with_suffix(".new")
    for place in (mine, scratch):  # of nobody: this number is new
        if check_no_link(place).is_dir():
            remove_below(below, place)
    left = last_holder(lease.folder)
    if left is None:
        mine.mkdir(parents=True, exist_ok=True)
        return False
    check_no_link(left)
    if lease.undisturbed:
        rename_below(below, left, mine)
    else:
        try:
            copy_living_folder(left, scratch, folder_below=below, target_below=below, last=last)
        except BaseException:
            clear_below(below, scratch)  # it may have filled the disk
            raise
        rename_below(below, scratch, mine)
    return True


def workplace(plan: BakePlan, name: str, holder: int) -> Workplace:
    """That of a holder of this number, for a process that works for it. Raises what `Dataset.open` does."""
    return Workplace(Dataset.open(plan.dataset), name, Lease(holders_folder(plan.dataset, name), holder))


def is_complete(dataset: Path, name: str) -> bool:
    """Whether the dataset has all of a take."""
    return has_own_file(dataset, TAKES, name, "take.json") and read_take_info(dataset / TAKES / name).complete


def gather(dataset: Dataset, names: Iterable[str]) -> dict[str, TakeInfo]:
    """Hand in what is under way of these takes and nobody bakes any more; those that others bake now.

    Raises what `Workplace.take_up` does.
    """
    observer, elsewhere = Observer(), {}
    for name in names:
        folder = holders_folder(dataset.path, name)
        if not has_folder(folder):
            continue
        lease = observer.claim(folder)
        if lease is not None:
            place = Workplace(dataset, name, lease)
            if place.take_up():
                place.leave()
                forget_failures(dataset.path, folder)
            continue
        there = last_holder(folder)
        if there is not None and has_own_file(folder, there.name, TAKES, name, "take.json"):
            elsewhere[name] = read_take_info(there / TAKES / name)
    return elsewhere


def frames_there(dataset: Dataset, name: str) -> int:
    """How many frames there are of a take, handed in or under way."""
    folder = last_holder(holders_folder(dataset.path, name))
    for found in (dataset, *([] if folder is None else [dataset.with_takes_in(folder)])):
        look_at(found.path)
        if has_own_file(found.path, TAKES, name, "take.json"):
            with suppress(Problem):  # half written, or gone since
                return found.outline(name).frame_count
    return 0


def scene_begun(dataset: Path, name: str) -> Path | None:
    """The scene with which a take that is not complete can be gone on with."""
    last = last_holder(holders_folder(dataset, name))  # whose folder the next holder takes over
    scene = None if last is None else last / SCENE
    return scene if scene is not None and has_file(scene) else None
