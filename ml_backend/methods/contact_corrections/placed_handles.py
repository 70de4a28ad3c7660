"""Handles where the artist has put them (Romero 2021, section 3.1): Empties and bones, named and placed."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neural_physics.arrays import Indices
from neural_physics.datasets.body import Body
from neural_physics.energies.solids.deformation import rest_shapes
from neural_physics.errors import Problem
from neural_physics.interaction.channels import ChannelLayout, handle_channel

BEYOND = 0.1  # of a tetrahedron's height: how far outside of the filling a place still counts as inside
PINNED = 0.9  # the share of the pins in where a place goes from which on nothing is left to hold


@dataclass(frozen=True)
class PlacedHandle:
    """place: m, in the axes of the body at rest. name: of the Empty, or "Rig/bone".

    core: whether it is one of the request's cores, which gives its place.
    """

    name: str
    place: tuple[float, float, float]
    core: bool = False

    @property
    def word(self) -> str:
        """As `placed_handle` reads it."""
        return f"{self.name}=" + ("core" if self.core else ",".join(map(repr, self.place)))


def placed_handle(word: str) -> PlacedHandle:
    """Read NAME=X,Y,Z, or NAME=core. Raises argparse.ArgumentTypeError."""
    name, _, numbers = word.rpartition("=")
    if name and numbers == "core":
        return PlacedHandle(name, (0.0, 0.0, 0.0), core=True)
    try:
        x, y, z = (float(number) for number in numbers.split(","))
    except ValueError:
        x = y = z = math.nan
    if not name or not all(map(math.isfinite, (x, y, z))):
        raise argparse.ArgumentTypeError(f"“{word}” is not a name and a position, as in Ear=0.1,0,0.35")
    return PlacedHandle(name, (x, y, z))


def handle_channels(layout: ChannelLayout, placed: Sequence[PlacedHandle]) -> ChannelLayout:
    """The channels of a layout, and after them how each handle is held."""
    return ChannelLayout((*layout.channels, *(handle_channel(handle.name) for handle in placed)))


def vertices_at(body: Body, obj: str, placed: Sequence[PlacedHandle]) -> Indices:
    """The vertex of the body (n,) that each handle is: the nearest free one. obj: the object's name.

    In the paper, too, point handles are vertices. Raises Problem("contact_handle_outside" |
    "contact_handle_pinned" | "contact_handles_together" | "contact_handles_named_alike").
    """
    rest = body.rest
    inverse, _ = rest_shapes(rest[body.elements])
    first = rest[body.elements[:, 0]]
    held = body.pinned if body.cores is None else body.pinned | (body.cores >= 0)
    free = np.flatnonzero(~held)
    known: dict[int, str] = {}
    for handle in placed:
        if handle.name in known.values():
            raise Problem("contact_handles_named_alike", object=obj, handle=handle.name)
        place = body.coordinates.of(np.array(handle.place))
        inner = np.einsum("mij,mj->mi", inverse, place - first)
        shares = np.column_stack([1.0 - inner.sum(1), inner])
        around = int(shares.min(1).argmax())
        if shares[around].min() < -BEYOND:
            raise Problem("contact_handle_outside", object=obj, handle=handle.name)
        if not len(free) or shares[around] @ held[body.elements[around]] > PINNED:
            raise Problem("contact_handle_pinned", object=obj, handle=handle.name)
        vertex = int(free[np.linalg.norm(rest[free] - place, axis=1).argmin()])
        if vertex in known:
            raise Problem("contact_handles_together", object=obj, handle=handle.name, other=known[vertex])
        known[vertex] = handle.name
    return np.array(list(known), np.intp)
