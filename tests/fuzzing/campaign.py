"""All kinds of files that are fuzzed, and a case of each, which its kind and its seed decide."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fuzzing.model_corpus import good_models
from fuzzing.model_mutations import mutated_model
from fuzzing.model_runner import play
from fuzzing.watching import Outcome, watched


class Campaign:
    """Makes the good files once, when they are first needed, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, kind: str, seed: int) -> Outcome:
        """One case; the same kind and seed give the same one."""
        return KINDS[kind](self, random.Random(f"{kind} {seed}"))

    @cached_property
    def models(self) -> dict[str, bytes]:
        return good_models(self.folder)

    def model(self, chance: random.Random) -> Outcome:
        data = mutated_model(self.models[chance.choice(sorted(self.models))], chance)
        return watched(lambda watch: play(data, chance, watch), len(data))


KINDS: dict[str, Callable[[Campaign, random.Random], Outcome]] = {"model": Campaign.model}
