"""A run beside the last release's, as a table of ratios."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from benchmarks.declaration import Benchmark, Figure
from benchmarks.history import Run
from benchmarks.markdown_tables import Column, table

STEADY = 0.9  # a box that is slower than this, as its quicker self has it, was busy while times were taken
NOW = "now"


@dataclass(frozen=True)
class Ratio:
    """How good the worse of two is, in shares of the better one: for times, how fast the slower side is.

    worse: whose name it is, "" where both are the same.
    """

    share: float
    worse: str

    def __str__(self) -> str:
        return f"{self.worse}: {self.share:.2f}" if f"{self.share:.2f}" != "1.00" else "same"


@dataclass(frozen=True)
class Line:
    """then: None where there is nothing to compare with. equal_box: `ratio`, were both boxes as quick."""

    benchmark: str
    figure: Figure
    now: float
    then: float | None
    ratio: Ratio | None
    equal_box: Ratio | None


def ratio_of(figure: Figure, now: float, then: float, *, then_name: str) -> Ratio | None:
    """None where one of both is 0: then there is nothing to divide by."""
    if not now or not then:
        return None
    better = now / then if figure.better == "higher" else then / now
    return Ratio(better, NOW) if better < 1.0 else Ratio(1.0 / better, then_name if better > 1.0 else "")


def lines(benchmarks: Mapping[str, Benchmark], now: Run, then: Run | None) -> Iterable[Line]:
    """Of every figure there is, in the order in which benchmarks declare them."""
    pace = 1.0 if then is None else median(then.calibration_ms) / median(now.calibration_ms)
    for name, found in now.figures.items():
        same_sizes = then is not None and then.settings.get(name) == now.settings[name]
        for key, figure in benchmarks[name].quick.figures.items():
            if key not in found:
                continue
            before = then.figures.get(name, {}).get(key) if then is not None and same_sizes else None
            if then is None or before is None:
                yield Line(name, figure, found[key], None, None, None)
                continue
            ratio = ratio_of(figure, found[key], before, then_name=then.version)
            equal = ratio_of(figure, found[key] * pace, before, then_name=then.version)
            yield Line(name, figure, found[key], before, ratio, equal if figure.timed else None)


def written(benchmarks: Mapping[str, Benchmark], now: Run, then: Run | None) -> str:
    """The table, and what is to be known of both boxes."""
    name = "no release" if then is None else then.version
    columns = [
        Column("", "benchmark"),
        Column("figure", "label"),
        Column("now", "now", _short),
        Column(name, "then", _short),
        Column("how the worse side does", "ratio", _or_nothing),
        Column("if boxes were alike", "equal_box", _or_nothing),
    ]
    rows = [
        {**vars(line), "label": ", ".join(filter(None, (line.figure.label, line.figure.unit)))}
        for line in lines(benchmarks, now, then)
    ]
    return f"{table(columns, rows)}\n\n{' '.join(_words(now, then))}"


def _words(now: Run, then: Run | None) -> Iterable[str]:
    yield f"Version {now.version}, commit {now.commit}{', with changes' if now.dirty else ''}, {now.date}."
    yield "Errors are of one seed each; times are medians."
    yield f"This box: {_box(now)}."
    if min(now.calibration_ms) < STEADY * max(now.calibration_ms):
        yield "Its pace changed while times were taken, as where something else runs: do not trust them."
    if then is None:
        yield "There is no release in the history to compare with."
        return
    yield f"Release {then.version}, commit {then.commit}, {then.date}: {_box(then)}."
    pace = ratio_of(
        Figure("the fixed work"),
        median(now.calibration_ms),
        median(then.calibration_ms),
        then_name=then.version,
    )
    yield (
        "A ratio says how fast, or how exact, the worse side is, in shares of the better one. The fixed work "
        f"in NumPy, which no change of the program touches, has {pace}: what times differ by as well is the "
        "box's, and what is left in the last column the program's."
    )
    others = [name for name in now.settings if then.settings.get(name) != now.settings[name]]
    if others:
        yield f"Of other sizes than the release's, and so not compared: {', '.join(others)}."


def _box(run: Run) -> str:
    box = run.box
    about = f"{box.get('cores')} cores, {box.get('processor')}, Python {box.get('python')}"
    return f"{about}, fixed work {' and '.join(f'{ms:.1f}' for ms in run.calibration_ms)} ms"


def _short(value: float | None) -> str:
    """Three digits."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _or_nothing(ratio: Ratio | None) -> str:
    return "" if ratio is None else str(ratio)
