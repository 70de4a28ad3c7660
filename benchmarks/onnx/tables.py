"""The table of exported models in docs/benchmarks/onnx.md; see `benchmarks.documents`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.markdown_tables import Column, table

Row = dict[str, Any]


def _both(name: str) -> Callable[[Row], str]:
    """Median and mean."""
    return lambda row: f"{row[f'{name}_us']:.1f}, {row[f'{name}_mean_us']:.1f}"


STEPS = (
    Column("model", "model"),
    Column("vertices", "vertices", ","),
    Column("bases", "bases"),
    Column("steps", "steps", ","),
    Column("NumPy's step", _both("numpy_step")),
    Column("ONNX Runtime's", _both("onnx_step")),
    Column("over NumPy's", "over_numpy", ".2f"),
    Column("NumPy's shape", _both("numpy_shape")),
    Column("ONNX Runtime's", _both("onnx_shape")),
)


def steps(part: Row) -> str:
    """The table of steps and shapes by NumPy and by ONNX Runtime, microseconds."""
    return table(STEPS, part["rows"])
