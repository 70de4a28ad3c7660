"""One trainer per paper, in a folder of the same name as its run time's.

Each folder has `presets.py` with PRESETS, and `train.py` with train(dataset, options, emit, stop), which
returns what the "result" event says; `arguments.py`, where there is one, adds to the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, cast

from ml_backend.training.presets import Preset


def presets_of(method: str) -> Mapping[str, Preset]:
    """A method's presets, by name."""
    return cast(Mapping[str, Preset], _module(method, "presets").PRESETS)


def trainer_of(method: str) -> Callable[..., dict[str, Any]]:
    """What trains a method. Loads torch, which takes seconds: check the command line before."""
    return cast(Callable[..., dict[str, Any]], _module(method, "train").train)


def arguments_of(method: str) -> ModuleType | None:
    """A method's own words of the command line, None where it has none."""
    name = f"{__name__}.{method}.arguments"
    return import_module(name) if find_spec(name) else None


def _module(method: str, name: str) -> ModuleType:
    return import_module(f"{__name__}.{method}.{name}")
