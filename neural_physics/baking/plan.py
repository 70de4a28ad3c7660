"""What a bake will do: its takes, their seeds and roles, and where it keeps what it needs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import count as count_from
from pathlib import Path
from typing import get_args

import numpy as np

from ..datasets.dataset_info import MOST_FRAMES, Role, TakeInfo, TakeKind
from ..datasets.take_folders import side_folder, together_folder
from ..datasets.take_names import check_take_name
from ..datasets.takes import MOST_TAKES
from ..errors import Problem
from ..files.atomic import write_atomically, writing
from ..files.blenders_places import BELOW_DATASET, check_blenders
from ..files.links import check_no_link, check_unmoved, resolved
from ..files.listing import entries
from ..files.looking import has_file
from ..files.names import is_portable, same_key
from ..files.reading import read_json
from .own_files import PLAN

MOST_SEED = 2**64 - 1
MOST_AT_ONCE, MOST_MOTIONS = 10_000, 100
MOST_TOGETHER = 50  # objects
PLAIN = re.compile(r"[A-Za-z0-9_-]+")  # names of takes; files that a bake has beside their folders have a dot
NOT_TAKES = ("body", "choice")  # what other folders are called that a bake has
FEWEST_FRAMES = 3  # a state and two before it
FEWEST_FOR_TEST = 8  # takes, of which one can be spared for testing


@dataclass(frozen=True)
class PlannedTake:
    """One take to bake. seed: decides its training motion, or its poses where its kind is "quasistatic"."""

    name: str
    frames: int
    seed: int
    role: Role
    kind: TakeKind = "dynamic"


@dataclass(frozen=True)
class AlsoBaked:
    """An object that is recorded with each take. folder: of its own dataset, see `together`."""

    object: str
    folder: str


@dataclass(frozen=True)
class BakePlan:
    """Everything a bake needs that is not in the copy of the scene, and is the same on every computer.

    dataset: its folder, wherever that lies here; not in the file. by_solver: whether the bundled solver
    simulates, and Blender only records what moves. parallel: takes at the same time on one computer, 0 for
    one per core. notes: sentences for the artist. motions: how many are drawn for each new take, of which a
    model chooses; 1 for no choice. makes: of the computer that planned it, see `Programs`. together: what is
    recorded besides the object, where Blender simulates.
    """

    dataset: Path
    object: str
    scene: str
    view_layer: str
    takes: tuple[PlannedTake, ...]
    by_solver: bool = False
    parallel: int = 0
    notes: tuple[str, ...] = ()
    motions: int = 1
    makes: str = ""
    together: tuple[AlsoBaked, ...] = ()

    @property
    def folder(self) -> Path:
        """Where the bake keeps its own files while it is under way."""
        return side_folder(self.dataset)

    @property
    def path(self) -> Path:
        """The file that holds this plan."""
        return plan_file(self.dataset)

    @property
    def scene_copy(self) -> Path:
        """The copy of the scene that takes are baked from."""
        return scene_copy(self.dataset)

    def take(self, name: str) -> PlannedTake:
        """The take of this name."""
        return next(take for take in self.takes if take.name == name)

    @property
    def guide(self) -> Path:
        """The model that chooses the motion of new takes."""
        return self.folder / "guide.safetensors"

    @property
    def request(self) -> Path:
        """What the bundled solver is asked for: a `simulation_request.SimulationRequest`."""
        return self.folder / "request.npz"

    @property
    def places(self) -> Path:
        """Where the artist's mesh cannot be filled: a `surface_places.Places`, there after such a bake."""
        return places_file(self.dataset)

    def write(self) -> None:
        """Raises Problem("place_is_link" | "folder_not_writable" | "disk_full")."""
        check_no_link(check_unmoved(self.dataset) / self.folder.name)
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            said = {name: value for name, value in asdict(self).items() if name != "dataset"}
            write_atomically(self.path, (json.dumps(said, indent=1) + "\n").encode())

    @staticmethod
    def of_dataset(dataset: Path) -> BakePlan:
        """Of the bake that is under way there.

        Raises Problem("not_prepared" | "place_is_link" | "place_not_readable") and what `read` does.
        """
        check_own_folders(dataset)
        path = plan_file(dataset)
        if not has_file(path):
            raise Problem("not_prepared", path=dataset)
        return BakePlan.read(path)

    @staticmethod
    def read(path: Path) -> BakePlan:
        """Raises Problem("dataset_damaged" | "place_not_blenders")."""
        dataset = check_blenders(resolved(path.parent.parent), BELOW_DATASET)
        try:
            item = read_json(path)
            if not isinstance(item, dict):
                raise TypeError("it is not a JSON object")
            json.dumps(item, ensure_ascii=False).encode()  # refuses half characters, which nothing could show
            takes = tuple(PlannedTake(**take) for take in item.pop("takes"))
            notes = tuple(item.pop("notes"))
            also = tuple(AlsoBaked(**each) for each in item.pop("together", ()))
            plan = BakePlan(dataset, **item, takes=takes, notes=notes, together=also)
            _check(plan)
            return plan
        except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise Problem("dataset_damaged", path=path, reason=f"{path.name}: {error}") from error


def _check(plan: BakePlan) -> None:
    """Raises ValueError for what no bake is planned like."""
    texts = (plan.object, plan.scene, plan.view_layer, plan.makes, *plan.notes)
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a name or a note is not text")
    numbers_fit = _is_number(plan.parallel, 0, MOST_AT_ONCE) and _is_number(plan.motions, 1, MOST_MOTIONS)
    if not numbers_fit or not isinstance(plan.by_solver, bool):
        raise ValueError("parallel, motions or by_solver cannot be what it is")
    _check_together(plan)
    if len(plan.takes) > MOST_TAKES:
        raise ValueError(f"it has more than {MOST_TAKES:,} takes")
    for take in plan.takes:
        check_take_name(take.name)
        if not PLAIN.fullmatch(take.name) or same_key(take.name).startswith(NOT_TAKES):
            raise ValueError(f"the name of a take, “{take.name:.40}”, is none that bakes give")
        if not _is_number(take.frames, 1, MOST_FRAMES) or not _is_number(take.seed, 0, MOST_SEED):
            raise ValueError(f"the frames or the seed of the take “{take.name}” cannot be what it is")
        if take.role not in get_args(Role) or take.kind not in get_args(TakeKind):
            raise ValueError(f"the role or the kind of the take “{take.name}” is unknown")
    if len({take.name for take in plan.takes}) < len(plan.takes):
        raise ValueError("two takes have the same name")


def _check_together(plan: BakePlan) -> None:
    if len(plan.together) > MOST_TOGETHER or (plan.together and plan.by_solver):
        raise ValueError("so many, or such, objects are not baked together")
    for also in plan.together:
        texts = isinstance(also.object, str) and isinstance(also.folder, str)
        if not texts or not PLAIN.fullmatch(also.folder) or not is_portable(also.folder):
            raise ValueError(f"the folder of an object, “{also.folder!s:.40}”, is none that bakes give")
    if len({same_key(also.folder) for also in plan.together}) < len(plan.together):
        raise ValueError("two objects have the same folder")


def _is_number(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def check_own_folders(dataset: Path) -> None:
    """Raise Problem("place_is_link") where writing and deleting takes would act on another place.

    Raises what `entries` does, too.
    """
    kept = (side_folder(dataset), together_folder(dataset))
    for place in (dataset / "takes", *kept):
        check_no_link(place)
    for place in (each for folder in kept for each in entries(folder)):
        check_no_link(place)


def plan_file(dataset: Path) -> Path:
    """Where the plan of a dataset's bake is, while that is under way."""
    return side_folder(dataset) / PLAN


def scene_copy(dataset: Path) -> Path:
    """The copy of the artist's scene that new takes are made from."""
    return side_folder(dataset) / "scene.blend"


def places_file(dataset: Path) -> Path:
    """See `BakePlan.places`."""
    return side_folder(dataset) / "places.json"


def take_names(count: int) -> list[str]:
    """What the first `count` takes are called."""
    return [f"take_{number:03d}" for number in range(count)]


def plan_takes(
    existing: Mapping[str, TakeInfo], count: int, frames: int, seed: int
) -> tuple[PlannedTake, ...]:
    """The first `count` takes of a dataset; those that were begun stay as they were planned then.

    Each take's seed follows from `seed` and its number, so more takes can be added later.
    """
    names = take_names(count)
    begun = {name: existing[name] for name in names if name in existing}
    fresh = [name for name in names if name not in begun]
    roles = dict(zip(fresh, new_roles(count, [info.role for info in begun.values()]), strict=True))
    used = {info.seed for info in begun.values()}
    takes = []
    for number, name in enumerate(names):
        if name in begun:
            takes.append(going_on(name, begun[name]))
        else:
            # A seed may be in use where the motion of a take was chosen from those drawn for another.
            own = next(each for each in _take_seeds(seed, number) if each not in used)
            takes.append(PlannedTake(name, frames, own, roles[name]))
    return tuple(takes)


def going_on(name: str, info: TakeInfo) -> PlannedTake:
    """A take that was begun, as it was planned then."""
    return PlannedTake(name, info.frames, info.seed, info.role, kind=info.kind)


def new_roles(count: int, taken: list[Role]) -> list[Role]:
    """The roles of the takes, of `count`, after those that are taken.

    Of `count` takes a tenth, at least one, is for validation from 2 on, for testing from FEWEST_FOR_TEST on.
    """
    tenth = max(1, round(count / 10))
    validation = max(0, (tenth if count >= 2 else 0) - taken.count("validation"))
    test = max(0, (tenth if count >= FEWEST_FOR_TEST else 0) - taken.count("test"))
    fresh = count - len(taken)
    held_out: list[Role] = ["validation"] * validation
    held_out += ["test"] * test
    training: list[Role] = ["training"] * (fresh - len(held_out))
    return [*training, *held_out][:fresh]


def _take_seeds(seed: int, number: int) -> Iterator[int]:
    """The seed of a take, and others for where it is in use."""
    for more in count_from(0):
        numbers = [seed, number, more] if more else [seed, number]
        yield int(np.random.SeedSequence(numbers).generate_state(1)[0])
