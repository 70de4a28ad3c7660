"""What an exporter hands out: a graph, and what its file says of itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ml_backend.exporting.graph import Graph, Numbers
from neural_physics.models.model_file import Model

FORMAT_VERSION = 1  # of what the files mean; another number where a program that reads them has to change
Range = tuple[Numbers, Numbers]  # the lowest and the highest values, of one shape
Kind = Literal["start", "step", "decoder", "network"]


@dataclass(frozen=True)
class Exported:
    """One file, called as its graph is.

    kind: what it is; a "network" is a part of a step, the rest of which is not exported. ranges: what is
    clipped, by the symbol. state: of a step, where each input comes from at the next one: from an output, or
    from an input of this step. more: of one file, texts or plain JSON values.
    """

    graph: Graph
    kind: Kind
    ranges: Mapping[str, Range] = field(default_factory=dict)
    state: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The file's name."""
        return f"{self.graph.name}.onnx"


def metadata(exported: Exported, model: Model, digest: str) -> dict[str, str]:
    """What the file says of itself; all but plain texts and numbers as JSON.

    digest: of the model's file, the same in all files that belong together. The mesh's faces are not in it:
    `topology` is a digest of them.
    """
    info = model.info
    told = {
        "format_version": FORMAT_VERSION,
        "kind": exported.kind,
        "model": digest,
        "method": info.method,
        "object": info.object,
        "dt": info.dt,
        "fps": 1.0 / info.dt,
        "vertex_count": info.vertex_count,
        "topology": info.topology,
        "reference_frame": info.reference_frame,
        "author": info.author,
        "licence": info.licence,
        "channels": channels(model),
        "clip": {name: _listed(each) for name, each in exported.ranges.items()},
        "state": dict(exported.state),
        **exported.more,
    }
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in told.items()}


def channels(model: Model) -> Sequence[Mapping[str, Any]]:
    """The channels in the order in which y has them; first: where the numbers of each begin."""
    layout = model.info.channels
    return [
        {
            "name": channel.name,
            "kind": channel.kind,
            "first": where.start,
            "size": channel.size,
            "unit": channel.unit,
            "parts": list(channel.parts),
        }
        for channel, where in zip(layout.channels, layout.slices().values(), strict=True)
    ]


def _listed(ends: Range) -> dict[str, Any]:
    low, high = (_shortest(np.asarray(end, np.float32)) for end in ends)
    return {"low": low, "high": high}


def _shortest(values: Numbers) -> list[Any]:
    """Numbers with as many digits as float32 has, and not those of what it is in double precision."""
    if values.ndim > 1:
        return [_shortest(each) for each in values]
    return [float(str(each)) for each in values]
