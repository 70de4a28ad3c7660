"""Finds what exports the models of a method: the module `export` in its folder, where it has one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

from neural_physics.models.model_file import Model

if TYPE_CHECKING:
    from ml_backend.exporting.exported import Exported

Export = Callable[[Model], "Sequence[Exported]"]


def exporter_of(method: str) -> Export | None:
    """What makes files of a model that has been loaded once; none for a model without networks to export.

    None for a method whose networks are of no use without the simulation around them. Raises ImportError
    where the package `onnx` is missing.
    """
    package = f"{__package__}.{method}"
    if find_spec(package) is None or find_spec(f"{package}.export") is None:
        return None
    return cast(Export, import_module(f"{package}.export").export)
