"""How the shapes of one object that plays are made and shown: as its mesh, or as a preview.

Vertices are decoded and pushed out of capsules by the processor, or by the graphics card and read back; a
preview is left on the card.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import isfinite
from threading import current_thread, main_thread

import bpy
import numpy as np
from mathutils import Matrix

from ....arrays import Doubles, Floats
from ....capsules.projection import Bodies
from ....errors import Problem
from ....methods.interface import Method
from ....models.model_file import Model
from ....timeline.timeline import Timeline
from ...gpu.decoder import GpuDecoder
from ...gpu.uploaded_models import decoder_on_card
from ...settings.properties import settings_of
from ..timings import Timings
from .geometry_nodes import write_positions
from .layering import Layering
from .position_places import positions_mesh
from .previewing import CardShape, PreviewSwitch
from .projecting import Projection


@dataclass(frozen=True)
class Moment:
    """What there is to show.

    depsgraph: the evaluated scene. frame, subframe: of it. bases: how many are decoded; 0: all. bodies: what
    the shape is pushed out of, in the model's axes. object_from_model (4, 4): to the object's, None where
    they are the same. rendering: it is for a render, and not for the artist's window.
    """

    depsgraph: bpy.types.Depsgraph
    frame: int
    subframe: float
    bases: int
    bodies: Bodies | None
    object_from_model: Doubles | None
    rendering: bool


class ShapeOutput:
    """projection, layering: what shapes are pushed out of. preview: whether they are left on the card.

    card_problem: why the card does not decode for the mesh, although it is asked to. timings: see `Timings`.
    """

    def __init__(self, model_identity: Hashable, model: Model, method: Method) -> None:
        self.projection, self.layering = Projection(), Layering()
        self.preview = PreviewSwitch()
        self.card_problem: Problem | None = None
        self.timings = Timings()
        self._identity, self._model, self._method = model_identity, model, method
        self._on_card: dict[bool, GpuDecoder] = {}  # by whether it is for display

    def follow(self, obj: bpy.types.Object) -> bool:
        """Notice that settings were edited; whether that may show."""
        edited = self.projection.follow(obj)
        edited |= self.layering.follow(obj)
        if edited:
            self.card_problem = None  # it may be able to, now
        return edited

    def needs_evaluation(self, obj: bpy.types.Object) -> bool:
        """Whether what is written cannot be made, or need not be, before the scene is evaluated.

        Capsules and layers are known only then, and so is what models say of a shape. A preview writes
        nothing, and the card decodes so fast that nothing is gained by preparing frames for it.
        """
        settings = settings_of(obj)
        asked = settings.decode_with == "CARD" or settings.write_numbers
        return self._pushes or self.preview.on or asked

    @property
    def _pushes(self) -> bool:
        return self.projection.active or self.layering.active

    @property
    def frame_ms(self) -> float:
        """Milliseconds that the model takes for a frame."""
        return 1e-3 * (self.timings.step_us + self.timings.decode_us + self.push_us)

    @property
    def push_us(self) -> float:
        """Microseconds that pushing a shape out takes; 0 where there is nothing to push out of."""
        return self.timings.push_us if self._pushes else 0.0

    def show(
        self,
        obj: bpy.types.Object,
        timeline: Timeline,
        moment: Moment,
        decoded: Floats | None = None,
        *,
        patient: bool = True,
    ) -> float:
        """Write the mesh's positions, or hand the shape to the preview.

        decoded (V, 3): the shape where it was decoded with those of others, see `decodes_here`. patient: see
        `Layering.push`.
        Returns the share of the numbers that was clipped to what was trained. Raises
        Problem("play_not_numbers").
        """
        if not self._previews(moment) or not self._put(obj, timeline, moment):
            self._write(obj, timeline, moment, decoded, patient=patient)
        return timeline.outside(moment.frame)

    def decodes_here(self, obj: bpy.types.Object, moment: Moment) -> bool:
        """Whether the shape of a whole frame is decoded by the processor."""
        return moment.subframe == 0.0 and not self._previews(moment) and not self._on_card_wanted(obj)

    def decoder_on_card(self, name: str, for_display: bool) -> GpuDecoder:
        """See `uploaded_models.decoder_on_card`. Main thread only. Raises NoGPU, Problem("model_damaged")."""
        held = self._on_card.get(for_display)
        if held is None:
            assert self._method.decoder is not None  # only what decodes linearly has coefficients
            held = self._on_card[for_display] = decoder_on_card(
                self._identity, name, self._model, self._method.decoder, for_display=for_display
            )
        return held

    def _put(self, obj: bpy.types.Object, timeline: Timeline, moment: Moment) -> bool:
        """Whether there are coefficients for the preview. Raises Problem("play_not_numbers")."""
        z = timeline.coefficients(moment.frame, moment.subframe)
        if z is None:
            return False
        _check_numbers(z, obj, moment)
        placed = moment.object_from_model
        matrix = None if placed is None else Matrix(placed.tolist())
        self.preview.put(obj, CardShape(z, moment.bases, moment.bodies, matrix))
        return True

    def _previews(self, moment: Moment) -> bool:
        return self.preview.on and not moment.rendering

    def _on_card_wanted(self, obj: bpy.types.Object) -> bool:
        """Whether the graphics card is asked to decode for the mesh, and was able to so far."""
        return settings_of(obj).decode_with == "CARD" and self.card_problem is None

    def _write(
        self,
        obj: bpy.types.Object,
        timeline: Timeline,
        moment: Moment,
        decoded: Floats | None,
        *,
        patient: bool,
    ) -> None:
        """Raises Problem("play_not_numbers")."""
        positions = self._read_back(obj, timeline, moment) if decoded is None else None
        pushed = positions is not None
        if positions is None:
            positions = decoded
        if positions is None:
            with self.timings.decoding():
                positions = timeline.positions(moment.frame, moment.subframe, moment.bases or None)
        with self.timings.pushing():
            if not pushed:
                positions = self.projection.push(positions, moment.bodies)
            _check_numbers(positions, obj, moment)
            shown = moved(positions, moment.object_from_model)
            shown = self.layering.push(obj, moment.depsgraph, shown, patient=patient)
        write_positions(positions_mesh(obj), shown)

    def _read_back(self, obj: bpy.types.Object, timeline: Timeline, moment: Moment) -> Floats | None:
        """(V, 3) from the graphics card; None where that is not asked for, or cannot be."""
        if not self._on_card_wanted(obj):
            return None
        # A render beside the window has a thread of its own, which must not touch the card.
        if current_thread() is not main_thread():
            return None
        z = timeline.coefficients(moment.frame, moment.subframe)
        if z is None:
            return None
        try:
            with self.timings.decoding():
                decoder = self.decoder_on_card(obj.name, for_display=False)
                decoded = decoder.decode(z[None], [moment.bodies], moment.bases or None)
                positions, left_inside = decoded.read_pushed()
        except Problem as problem:
            self.card_problem = problem
            return None
        self.projection.pushed_elsewhere(moment.bodies, *left_inside[:, 0])
        return positions[0]


def moved(positions: Floats, matrix: Doubles | None) -> Floats:
    """(V, 3) float32, metres: in other axes; None: in the same."""
    if matrix is None:
        return np.ascontiguousarray(positions)
    return (positions @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)


def _check_numbers(numbers: Floats, obj: bpy.types.Object, moment: Moment) -> None:
    if not isfinite(float(numbers.sum())):
        raise Problem("play_not_numbers", object=obj.name, frame=moment.frame)
