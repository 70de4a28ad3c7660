"""What each folder of the benchmarks declares, once: `BENCHMARK` in its `benchmark.py`.

Declarations load neither Blender nor torch: what measures is named, and imported where it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

# Of one part of a report: a table with the words that belong to it, in Markdown.
Written = Callable[[dict[str, Any]], str]


@dataclass(frozen=True)
class Part:
    """A part of the full benchmark.

    judge: "module:function", whose figures go into the report. kept: whether it takes `kept_only=True`, to
    measure the models that are there already and train nothing. one_thread: whether NumPy and torch get one
    thread, as where the processor's time is measured.
    """

    judge: str
    kept: bool = False
    one_thread: bool = True


@dataclass(frozen=True)
class Figure:
    """A main figure of the quick benchmark. unit: as written. better: which way is better.

    timed: whether a slower box makes it worse, other than an error or a ratio of two times.
    """

    label: str
    unit: str = ""
    better: Literal["lower", "higher"] = "lower"
    timed: bool = False


@dataclass(frozen=True)
class Quick:
    """The quick benchmark: `measure(folder, settings)` of a module gives the figures by their names.

    Where `prepares`, `prepare(folder, settings)` of the module bakes and trains what is measured, beforehand.
    settings: a dataclass of plain values, which decide what is prepared and measured. after: the benchmark
    whose preparation is needed, too.
    """

    module: str
    settings: Any
    figures: Mapping[str, Figure]
    prepares: bool = False
    after: str = ""


@dataclass(frozen=True)
class Benchmark:
    """One folder. name: the folder's; of a method's, the method's.

    parts: of the full benchmark, by their names in the report. tables: by their place in the documents, the
    part each is made of, and how.
    """

    name: str
    quick: Quick
    parts: Mapping[str, Part] = field(default_factory=dict)
    tables: Mapping[str, tuple[str, Written]] = field(default_factory=dict)
