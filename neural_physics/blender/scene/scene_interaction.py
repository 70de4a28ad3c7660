"""What an object reacts to, read from the scene for a simulation that another program made of it."""

from __future__ import annotations

from collections.abc import Generator

import bpy
import numpy as np

from ...arrays import Doubles
from ...datasets.importing import Sampled
from ..settings.frame_rate import frame_rate_of
from ..settings.properties import settings_of
from .rigs.skins import check_skin
from .sampling import ChannelSampler, layout_of, reference_frame_of
from .simulation_caches import check_visits

Sampling = Generator[tuple[int, int], None, Sampled]


def sample_steps(scene: bpy.types.Scene, obj: bpy.types.Object, count: int) -> Sampling:
    """Visit so many frames from the object's Start on; closing it leaves the scene where it was.

    Raises what `check_skin`, `layout_of`, `ChannelSampler` and `frame_rate_of` do.
    """
    check_skin(obj)
    check_visits()
    layout, frame_name = layout_of(obj), reference_frame_of(obj)
    sampler = ChannelSampler(obj, layout, frame_name, {}, fps=frame_rate_of(scene))
    first = settings_of(obj).start_frame
    rows, frames = np.empty((count, layout.size), np.float32), list[Doubles]()
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        for index in range(count):
            scene.frame_set(first + index)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            rows[index] = sampler.sample(depsgraph, first + index)
            object_from_frame = sampler.object_from_frame(depsgraph)
            if object_from_frame is not None:
                frames.append(object_from_frame)
            yield index + 1, count
    finally:
        scene.frame_set(frame, subframe=subframe)
    return Sampled(layout, rows, frame_name, np.array(frames) if frames else None)
