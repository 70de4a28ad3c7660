"""Finds the trainers of methods, which may be in several packages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, cast

from learning.training.presets import Preset
from neural_physics.methods.registry import SPECIFICATIONS


class Trainers:
    """The trainers in some packages, each with a folder for every method; of two for one method the first.

    devices: where they can compute.
    """

    def __init__(self, *packages: str, devices: tuple[str, ...] = ("auto", "cpu")) -> None:
        self._packages, self.devices = packages, devices

    def methods(self) -> list[str]:
        """The methods that can be trained, in the order of their numbers."""
        return [method for method in SPECIFICATIONS if self._name(method, "train")]

    def presets(self, method: str) -> Mapping[str, Preset]:
        """A method's presets, by name."""
        return cast(Mapping[str, Preset], self._module(method, "presets").PRESETS)

    def searched(self, method: str) -> tuple[str, ...]:
        """What a search varies where nothing else is asked for, as NAME=A..B or NAME=A,B,C."""
        return cast(tuple[str, ...], self._module(method, "presets").SEARCHED)

    def train(self, method: str) -> Callable[..., dict[str, Any]]:
        """What trains a method. May load for seconds: check the command line before."""
        return cast(Callable[..., dict[str, Any]], self._module(method, "train").train)

    def arguments(self, method: str) -> ModuleType | None:
        """A method's own words of the command line, None where it has none."""
        name = self._name(method, "arguments")
        return import_module(name) if name else None

    def _module(self, method: str, name: str) -> ModuleType:
        found = self._name(method, name)
        assert found is not None  # `methods` lists what is there
        return import_module(found)

    def _name(self, method: str, name: str) -> str | None:
        for package in self._packages:
            module = f"{package}.{method}.{name}"
            if find_spec(f"{package}.{method}") and find_spec(module):
                return module
        return None


TRAINERS = Trainers("learning.methods")
