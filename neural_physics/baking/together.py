"""Objects that are baked together: one simulation, a dataset for each.

While a take is under way, what it holds of the others is within its own folder: handed in, taken over and
deleted with it, all or nothing. Once it is complete, each dataset gets what is its.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..datasets.dataset_info import read_take_info
from ..datasets.own_take_files import remove_take
from ..datasets.take_folders import TAKES, together_folder
from ..datasets.takes import Dataset, is_there
from ..files.atomic import writing
from ..files.below import clear_below, rename_below
from ..files.links import check_no_link
from ..files.listing import entries
from ..files.looking import has_file
from .plan import MOST_TOGETHER, AlsoBaked


def dataset_of(main: Path, also: AlsoBaked) -> Path:
    """The folder of what is baked together with the object of the dataset `main`."""
    return together_folder(main) / also.folder


def within_take(main: Path, take: Path, also: AlsoBaked) -> Dataset:
    """What a take under way, in the folder `take`, holds of another object, as a writer and a reader of that.

    Raises Problem("place_is_link") and what `Dataset.open` does, of the dataset that it will belong to.
    """
    return Dataset.open(dataset_of(main, also)).with_takes_in(check_within(take, also))


def check_within(take: Path, also: AlsoBaked) -> Path:
    """Where in the folder of a take under way another object's is. Raises Problem("place_is_link")."""
    return check_no_link(check_no_link(together_folder(take)) / also.folder)


def give_each_its_own(main: Path, takes: Iterable[str]) -> None:
    """Move out of complete takes what belongs to other datasets; harmless where that was done.

    Raises Problem("place_is_link" | "file_not_ours" | "folder_not_writable" | "disk_full" |
    "dataset_damaged").
    """
    for take in takes:
        held = together_folder(check_no_link(main / TAKES / take))
        for folder in entries(check_no_link(held), MOST_TOGETHER):
            target = check_no_link(together_folder(main)) / folder.name
            found = check_no_link(check_no_link(folder) / TAKES) / take
            if not is_there(check_no_link(target)) or not has_file(check_no_link(found) / "take.json"):
                continue  # of nothing that was ever prepared
            if not read_take_info(found).complete:
                continue  # of an object that was left out before the take had ended
            place = check_no_link(check_no_link(target / TAKES) / take)
            with writing(place):
                place.parent.mkdir(exist_ok=True)
                if place.is_dir():  # of a take of this name that was baked again
                    remove_take(main, place)
                rename_below(main, found, place)
        if held.is_dir():
            clear_below(main, held)
