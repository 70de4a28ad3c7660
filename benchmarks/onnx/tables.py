"""The table of exported models in docs/benchmarks/onnx.md; see `benchmarks.documents`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.markdown_tables import Column, table
from neural_physics.methods.registry import SPECIFICATIONS

Row = dict[str, Any]


def _both(name: str) -> Callable[[Row], str | None]:
    """Median and mean; None where it was not measured."""

    def cell(row: Row) -> str | None:
        median, mean = row[f"{name}_us"], row[f"{name}_mean_us"]
        return None if median is None else f"{median:.1f}, {mean:.1f}"

    return cell


STEPS = (
    Column("method", lambda row: SPECIFICATIONS[row["method"]].label),
    Column("model of", "example"),
    Column("what", "what"),
    Column("vertices", "vertices", ","),
    Column("numbers found", "found", ","),
    Column("NumPy's step", _both("numpy_step")),
    Column("ONNX Runtime's", _both("onnx_step")),
    Column("over NumPy's", "over_numpy", ".2f"),
    Column("NumPy's shape", _both("numpy_shape")),
    Column("ONNX Runtime's", _both("onnx_shape")),
)


def steps(part: Row) -> str:
    """The table of steps and shapes by NumPy and by ONNX Runtime, microseconds."""
    return table(STEPS, part["rows"])
