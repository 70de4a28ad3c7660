"""What a search is of: the same for all computers that take part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ml_backend.search.varied import Values, Varied


@dataclass(frozen=True)
class Asked:
    """A search. about: what must be the same for all who take part.

    out: where the best model is, in a folder that was resolved as the search began.
    words: the settings of each training that are not varied, as `train` takes them, its dataset first.
    usual: the values of the first trial. every: whether all combinations are trained, each to its end.
    """

    out: Path
    words: tuple[str, ...]
    space: tuple[Varied, ...]
    trials: int
    every: bool
    usual: Values
    about: dict[str, Any]
    seed: int

    @property
    def folder(self) -> Path:
        """Where the trials are."""
        return self.out.with_name(self.out.name + ".search")
