"""How far y is beyond the range of it that a model was trained on, channel by channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Doubles, Floats
from ..interaction.channels import POSE_ROWS, Channel, ChannelLayout
from .model_file import Model, damaged

LOW, HIGH = "interaction_low", "interaction_high"  # the tensors' names
NOTICEABLE, FAR = 0.02, 0.25  # shares of the range's width
NEAR = 0.12  # of the box's width along an axis: what is near a face of it
LEAST_WIDTH = 0.1  # metres: of what was trained where it never moved
LEAST_SHARE = 0.1  # the same of other numbers, of the largest one trained

Unit = Literal["m", ""]


@dataclass(frozen=True)
class Beyond:
    """How far one thing is beyond the trained range.

    distance: metres where `unit` says so, else a share of the width of the range. share: that share in
    either case.
    """

    distance: float
    unit: Unit
    share: float

    @property
    def noticeable(self) -> bool:
        """Whether it is worth a word."""
        return self.share > NOTICEABLE

    @property
    def far(self) -> bool:
        """Whether the motion can hardly be trusted any more."""
        return self.share > FAR


class TrainedRange:
    """low, high (e,) float32: the least and the largest value of each number of y in training."""

    def __init__(self, channels: ChannelLayout, low: Floats, high: Floats) -> None:
        self.channels, self.low, self.high = channels, low, high

    def beyond(self, y: Floats, world_from_frame: Doubles) -> dict[str, Beyond]:
        """How far each channel of y (e,) is outside, by its name; of several places or matrices the worst.

        world_from_frame: (4, 4), for distances in metres of the world.
        """
        excess = y.astype(np.float64) - np.clip(y, self.low, self.high)
        width = self.high.astype(np.float64) - self.low
        largest = np.maximum(np.abs(self.low), np.abs(self.high))
        result, slices = {}, self.channels.slices()
        for channel in self.channels.channels:
            parts = []
            for part, unit in _parts(channel, slices[channel.name]):
                least = LEAST_WIDTH if unit else LEAST_SHARE * float(largest[part].max())
                across, outside = width[part], excess[part]
                if unit and len(outside) == 3:  # a place
                    across, outside = world_from_frame[:3, :3] @ across, world_from_frame[:3, :3] @ outside
                far = float(np.linalg.norm(outside))
                share = far / max(float(np.linalg.norm(across)), least, 1e-9)
                parts.append(Beyond(far if unit else share, unit, share))
            result[channel.name] = max(parts, key=lambda beyond: beyond.share)
        return result

    def places(self) -> list[str]:
        """The names of the channels of kind "position"."""
        return [channel.name for channel in self.channels.channels if channel.kind == "position"]

    def place(self, name: str) -> tuple[Floats, Floats]:
        """The lowest and the highest corner (3,) of the box of a channel of kind "position"."""
        where = self.channels.slices()[name]
        return self.low[where], self.high[where]


def face_levels(low: Floats, high: Floats, at: Floats) -> Doubles:
    """(3, 2): how a place (3,) leaves a box by the lower and the higher face along each axis.

    0: well inside of that face. From 0 to 1: near it. 1 at it, then up to 2 where it is far outside.
    """
    width = high.astype(np.float64) - low
    across = max(float(np.linalg.norm(width)), LEAST_WIDTH)
    past = np.stack([low - at.astype(np.float64), at.astype(np.float64) - high], 1)
    margin = np.maximum(NEAR * width, 1e-9)[:, None]
    levels = np.where(past > 0.0, 1.0 + past / (FAR * across), 1.0 + past / margin)
    # Along an axis that nothing moved on in training, both faces are always near.
    flat = (width < NOTICEABLE * across)[:, None] & (past < NOTICEABLE * across)
    levels[flat] = 0.0
    return np.clip(levels, 0.0, 2.0)


def trained_range(model: Model) -> TrainedRange | None:
    """None where a model does not say: one of earlier versions, or of a method that takes whatever comes.

    Raises Problem("model_damaged").
    """
    if LOW not in model.tensors:
        return None
    size = model.info.channels.size
    low, high = model.tensor(LOW, size), model.tensor(HIGH, size)
    if (low > high).any():
        raise damaged(model.path, f"the tensor “{LOW}” is above “{HIGH}”")
    return TrainedRange(model.info.channels, low, high)


def _parts(channel: Channel, where: slice) -> list[tuple[slice, Unit]]:
    """The pieces of a channel that are compared with a width of their own, and the unit of each distance."""
    first, last = where.start, where.stop
    match channel.kind:
        case "position" | "joints":
            return [(slice(at, at + 3), "m") for at in range(first, last, 3)]
        case "ground":
            return [(slice(first, first + 3), ""), (slice(first + 3, last), "m")]
        case "pose":
            return [(slice(at, at + POSE_ROWS), "") for at in range(first, last, POSE_ROWS)]
        case _:
            return [(where, "")]
