"""The methods there are: every folder beside this file that has a specification."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module

from ..edition import FULL
from ..errors import Problem
from ..interaction.channels import Channel, ChannelLayout
from ..models.model_file import Model
from .interface import Method
from .specification import MethodSpecification


def _found() -> dict[str, MethodSpecification]:
    package = import_module(__package__ or "")
    folders = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)
    found = [import_module(f"{package.__name__}.{name}.specification").SPECIFICATION for name in folders]
    return {specification.id: specification for specification in sorted(found, key=lambda s: s.number)}


SPECIFICATIONS: Mapping[str, MethodSpecification] = _found()
DEFAULT = next(iter(SPECIFICATIONS))
# Those that this edition trains; it plays models of all.
TRAINED_HERE = {name: method for name, method in SPECIFICATIONS.items() if FULL or method.trains_in_blender}


def specification_of(method: str) -> MethodSpecification | None:
    """The specification of a method that a file names; None for one that this version does not know."""
    return SPECIFICATIONS.get(method)


def load_method(model: Model, capsules: Sequence[Channel] = ()) -> Method:
    """Make a model ready to run.

    capsules: channels of kind "capsule" that y has after those of the model, for a method that simulates.
    Raises Problem("model_method_unknown" | "model_damaged").
    """
    if capsules:
        channels = ChannelLayout((*model.info.channels.channels, *capsules))
        model = replace(model, info=replace(model.info, channels=channels))
    specification = specification_of(model.info.method)
    if specification is None:
        raise Problem("model_method_unknown", path=model.path, method=model.info.method)
    loaded: Method = specification.run_time(model)
    return loaded
