"""Fig. 10 of Oh 2018: networks of each depth and width, of the paper's form and of ours."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.hierarchical_cloth.curves import linear_subdivision_error
from benchmarks.hierarchical_cloth.times import FRAMES, fine_cloth, processor_ms, random_networks
from benchmarks.hierarchical_cloth.training_table import FORMS, LEVELS, PAIRS, as_lists, both, network

EPOCHS = 100.0
DEPTHS = [(layers, 32) for layers in (2, 3, 4, 5)]  # Fig. 10 (a)
WIDTHS = [(3, width) for width in (16, 32, 64, 128)]  # Fig. 10 (b)


def judge() -> dict[str, Any]:
    """Each structure's curve for each form and level, in metres, and the milliseconds of the processor that
    its networks take of a frame of Table 2's flag.
    """
    rows = []
    _, hierarchy, rest = fine_cloth("Flag", 49, 73)
    for layers, width in sorted({*DEPTHS, *WIDTHS}):
        curves, ms = {}, {}
        for form, usual in FORMS.items():
            preset = replace(usual, layers=layers, width=width, epochs=EPOCHS)
            curves[form] = [as_lists(network(level, form, preset)[0]) for level in LEVELS]
            run = random_networks(hierarchy, rest, form, layers, width=width)
            ms[form] = processor_ms(partial(run, rest[: hierarchy.levels[0].vertex_count]), FRAMES)
        rows.append({"layers": layers, "width": width, "curves": curves, "ms": ms})
    linear = [linear_subdivision_error(both(level, "local")[1]) for level in LEVELS]
    return {"pairs": PAIRS, "epochs": EPOCHS, "linear": linear, "rows": rows}
