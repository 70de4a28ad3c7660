"""All kinds of files that are fuzzed, and the cases of each: a kind and a seed decide one."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from fuzzing.bake_cases import go_on, good_bake
from fuzzing.dataset_corpus import good_datasets
from fuzzing.dataset_runner import fitted_model, use
from fuzzing.file_mutations import mutate_folder
from fuzzing.import_cases import good_files, import_files, write_mutated
from fuzzing.job_cases import follow
from fuzzing.model_corpus import good_models
from fuzzing.model_mutations import mutated_model
from fuzzing.model_runner import play
from fuzzing.plan_cases import read_plan
from fuzzing.watching import Outcome, watched


def command(kind: str, seed: int) -> str:
    """What repeats a case."""
    return f"python -m tools.fuzz {kind} {seed}"


class Campaign:
    """Makes the good files once, when they are first needed, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, kind: str, seed: int) -> Outcome:
        """One case; the same kind and seed give the same one."""
        return KINDS[kind](self, random.Random(f"{kind} {seed}"))

    @cached_property
    def models(self) -> dict[str, bytes]:
        """Good models, by name."""
        return good_models(self.folder)

    def model(self, chance: random.Random) -> Outcome:
        """A mutated model, played."""
        data = mutated_model(self.models[chance.choice(sorted(self.models))], chance)
        return watched(lambda watch: play(data, chance, watch), len(data))

    @cached_property
    def datasets(self) -> dict[str, tuple[Path, Path]]:
        """The folder of each good dataset, and a model that was fitted to it."""
        return {
            name: (path, fitted_model(path, self.folder / f"{name}.safetensors"))
            for name, path in good_datasets(self.folder / "datasets").items()
        }

    def dataset(self, chance: random.Random) -> Outcome:
        """A mutated dataset, looked at, learned from or measured on."""
        name = chance.choice(sorted(self.datasets))
        good, model = self.datasets[name]
        folder = self._emptied()
        shutil.copytree(good, folder, dirs_exist_ok=True)
        mutate_folder(folder, chance)
        return watched(lambda watch: use(name, folder, model, chance, watch), _size(folder))

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Good files to import, by name."""
        return good_files(self.folder / "imports")

    def imported(self, chance: random.Random) -> Outcome:
        """Mutated files of another program, imported."""
        folder = self._emptied()
        words = write_mutated(self.files, folder, chance)
        return watched(lambda watch: import_files(words, watch), _size(folder))

    def job(self, chance: random.Random) -> Outcome:
        """A job whose log was written by somebody else, followed."""
        folder = self._emptied()
        return watched(lambda watch: follow(folder, chance, watch), 0)

    def plan(self, chance: random.Random) -> Outcome:
        """A mutated plan of a bake, read."""
        folder = self._emptied()
        return watched(lambda watch: read_plan(folder, chance, watch), 0)

    @cached_property
    def shared_bake(self) -> Path:
        """The folder of a good bake."""
        return good_bake(self.folder / "baked" / "good")

    def bake(self, chance: random.Random) -> Outcome:
        """A bake that several computers share, gone on with."""
        good, folder = self.shared_bake, self._emptied()
        return watched(lambda watch: go_on(good, folder, chance, watch), _size(good))

    def _emptied(self) -> Path:
        """A folder for one case."""
        folder = self.folder / "case"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


KINDS: dict[str, Callable[[Campaign, random.Random], Outcome]] = {
    "model": Campaign.model,
    "dataset": Campaign.dataset,
    "import": Campaign.imported,
    "job": Campaign.job,
    "plan": Campaign.plan,
    "bake": Campaign.bake,
}
