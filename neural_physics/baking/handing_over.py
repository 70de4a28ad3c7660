"""A take under way: who bakes it writes in a folder of its own, and hands it in when it is done.

In the dataset's folder, for a take called NAME: `bake/NAME/holder_000003.json` of each that bakes or baked it
(see `files.leases`), `bake/NAME/3/takes/NAME` for what the third of them has of it, beside whatever else it
needs, and `takes/NAME` when it is handed in, complete or as far as it is. Handing in is renaming a folder,
so that takes are all or nothing for who reads them, and a holder that has been given up writes where nobody
reads.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..datasets.dataset_info import read_take_info
from ..datasets.takes import Dataset
from ..errors import Problem
from ..files.atomic import writing
from ..files.leases import Lease
from ..files.links import check_no_link
from .plan import side_folder

TAKES = "takes"


@dataclass(frozen=True)
class Workplace:
    """Where one holder bakes one take."""

    dataset: Dataset
    name: str
    lease: Lease

    @property
    def folder(self) -> Path:
        """All that is this holder's alone."""
        return self.lease.folder / str(self.lease.number)

    @property
    def may_write(self) -> Callable[[], None]:
        """See `TakeWriter`."""
        return self.lease.check

    def under_way(self) -> Dataset:
        """The dataset as its writer and reader, with this take alone and as far as it is."""
        return self.dataset.with_takes_in(self.folder)

    def take_up(self) -> bool:
        """Go on with what is there of the take: what was handed in unfinished, or what another holder left.

        False where there is nothing left to do, as it was handed in complete before this lease began.
        Raises Problem("place_is_link" | "folder_not_writable" | "disk_full" | "dataset_damaged").
        """
        mine = self.folder / TAKES / self.name
        check_no_link(self.lease.folder)
        if is_complete(self.dataset.path, self.name):
            shutil.rmtree(self.lease.folder, ignore_errors=True)
            return False
        with writing(self.folder):
            mine.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                # Not there, or another one has just taken it up: then the next number is its, and not this.
                self._handed_in.rename(mine)
                return True
            for number in range(self.lease.number - 1, 0, -1):
                left = self.lease.folder / str(number)
                if (left / TAKES / self.name / "take.json").is_file():
                    self._copy(left)
                    break
        return True

    def hand_in(self) -> None:
        """Give the dataset the take as it is, and delete everything else of it if it is complete.

        Raises Problem("taken_over" | "folder_not_writable" | "disk_full").
        """
        self.lease.check()
        mine = self.folder / TAKES / self.name
        complete = read_take_info(mine).complete
        with writing(self._handed_in):
            try:
                mine.rename(self._handed_in)
            except FileExistsError:
                raise Problem("taken_over", path=self.lease.folder) from None
            except OSError as error:
                if self._handed_in.exists():
                    raise Problem("taken_over", path=self.lease.folder) from error
                raise
        if complete:
            shutil.rmtree(self.lease.folder, ignore_errors=True)

    @property
    def _handed_in(self) -> Path:
        return self.dataset.path / TAKES / self.name

    def _copy(self, left: Path) -> None:
        """All that another holder had, which may still be writing there; its take last, and in one piece."""
        for path in left.iterdir():
            check_no_link(path)
            if path.is_dir() and path.name != TAKES:
                shutil.copytree(path, self.folder / path.name, symlinks=True)
        scratch = self.folder / "take.new"
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(left / TAKES / self.name, scratch, symlinks=True)
        scratch.rename(self.folder / TAKES / self.name)


def lease_folder(dataset: Path, name: str) -> Path:
    """Where the holders of a take leave word."""
    return side_folder(dataset) / name


def is_complete(dataset: Path, name: str) -> bool:
    """Whether the dataset has all of a take."""
    folder = dataset / TAKES / name
    return (folder / "take.json").is_file() and read_take_info(folder).complete
