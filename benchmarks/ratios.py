"""A run beside the last release's, as a table of ratios."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from benchmarks.declaration import Benchmark, Figure
from benchmarks.history import Run
from benchmarks.markdown_tables import Column, table

STEADY = 0.85  # a box that is slower than this, as its quicker self has it, was busy while times were taken
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
    """A line for every figure there is, in the order in which benchmarks declare them."""
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
            pace = then.calibration_ms[name] / now.calibration_ms[name]
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
        Column("ratio", "ratio", _or_nothing),
        Column("ratio, were boxes alike", "equal_box", _or_nothing),
    ]
    rows = [
        {**vars(line), "label": ", ".join(filter(None, (line.figure.label, line.figure.unit)))}
        for line in lines(benchmarks, now, then)
    ]
    return "\n".join([table(columns, rows), "", *(f"- {said}" for said in _words(now, then))])


def _words(now: Run, then: Run | None) -> Iterable[str]:
    yield f"{NOW}: version {now.version}, {_origin(now)}. Errors are of one seed each, times medians."
    yield from _unsteady(now)
    if then is None:
        yield "There is no release in the history to compare with."
        return
    yield f"{then.version}: {_origin(then)}."
    yield from _unsteady(then)
    yield (
        f"A ratio says how well the worse side does, in shares of the better one: “{NOW}: 0.80” is a step at "
        "0.80 of the release's speed, or an error of 1 / 0.80 of the release's."
    )
    mine, theirs = (median(run.calibration_ms.values()) for run in (now, then))
    pace = ratio_of(Figure("the fixed work"), mine, theirs, then_name=then.version)
    yield (
        f"A fixed piece of NumPy's work, which no change of the program touches, takes {_short(mine)} ms, "
        f"and took {_short(theirs)} ms: {pace}. So much of what times differ by is the boxes' doing; the "
        "last column has it taken out, as it was just before and after each benchmark."
    )
    others = [name for name in now.settings if then.settings.get(name) != now.settings[name]]
    if others:
        yield f"Of other sizes than the release's, and so not compared: {', '.join(others)}."


def _unsteady(run: Run) -> Iterable[str]:
    paces = run.calibration_ms.values()
    if min(paces) < STEADY * max(paces):
        yield "Its box's pace changed while times were taken, as if something else ran: do not trust them."


def _origin(run: Run) -> str:
    box, changed = run.box, ", with changes" if run.dirty else ""
    paces = run.calibration_ms.values()
    pace = f"{_short(min(paces))} to {_short(max(paces))}"
    return (
        f"commit {run.commit}{changed}, {run.date}, on {box.get('cores')} cores of {box.get('processor')}, "
        f"Python {box.get('python')}, NumPy {box.get('numpy')} (fixed work {pace} ms)"
    )


def _short(value: float | None) -> str:
    """Three digits."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _or_nothing(ratio: Ratio | None) -> str:
    return "" if ratio is None else str(ratio)
