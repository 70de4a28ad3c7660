"""What a model of contact corrections is read into, and checked for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...arrays import Doubles
from ...coordinates import SPACE, Coordinates
from ...energies.colliders.box import Box
from ...energies.colliders.collider import Collider
from ...energies.colliders.half_space import HalfSpace
from ...energies.colliders.polygon import Polygon
from ...energies.colliders.same_shape import of_one_shape
from ...energies.colliders.sphere import Sphere
from ...interaction.channels import PLAYED_KINDS, SIZES, Channel, Kind
from ...models.model_file import Model, damaged
from .corrections import Correction
from .cubature import ENERGIES, Cubature
from .handles import Handles
from .networks import TanhNetwork
from .self_contact import SelfContact
from .surroundings import FollowedColliders, FollowedFrames, HeldHandles

MOST_LAYERS = 16
HANDLE_NUMBERS = SIZES["handle"]
MOST_STEPS = 64  # in a frame
MOST_ITERATIONS = 1000  # in a frame, of all its steps
MOST_COLLIDERS = 256
MOST_CORNERS = 1000  # of a polygon
MOST_BALLS = 512  # by which a body touches itself
SQUARE = 1e-4  # how far the axes of a plane may be off unit ones at right angles


class Settings:
    """What is not in tensors, checked, of a body of d coordinates."""

    def __init__(self, model: Model, d: int) -> None:
        given = model.info.settings
        try:
            self.free, self.steps = int(given["free"]), int(given["steps"])
            self.iterations, self.loose = int(given["iterations"]), int(given.get("loose", 0))
            names = ("damping", "tolerance", "stiffness", "reach", "reference_depth")
            numbers = [float(given[name]) for name in names]
            self.damping, self.tolerance, self.stiffness, self.reach, self.reference_depth = numbers
            self.deepest = float(given.get("deepest", math.inf))
            self.self_stiffness = float(given.get("self_contact_stiffness", 0.0))
            numbers.append(self.self_stiffness)
            self.gravity = np.array(given["gravity"], np.float64).reshape(d)
            self.elasticity = str(given["elasticity"])
            self.shapes = [_shape(item, d) for item in given["colliders"]]
            self.widths = [float(width) for width in given.get("widths", ())]
            fine = all(0.0 <= number < 1e12 for number in numbers) and np.isfinite(self.gravity).all()
            if not (
                fine
                and self.free >= 1
                and 1 <= self.steps <= MOST_STEPS
                and 1 <= self.iterations <= MOST_ITERATIONS
                and len(self.shapes) <= MOST_COLLIDERS
            ):
                raise ValueError("invalid values")
            if not self.deepest >= 0.0:
                raise ValueError("a depth is none")
            if not all(0.0 < width < 1e12 for width in self.widths):
                raise ValueError("a collider has no width")
            if self.tolerance <= 0.0 or self.reference_depth <= 0.0 or self.elasticity not in ENERGIES:
                raise ValueError("invalid values")
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise damaged(model.path, f"its settings: {error}") from error
        self.iterations = min(self.iterations, MOST_ITERATIONS // self.steps)


def _shape(item: object, d: int) -> Collider:
    """Raises TypeError, KeyError or ValueError."""
    if not isinstance(item, dict):
        raise TypeError("a collider is not a JSON object")
    sizes = [float(size) for size in item["sizes"]]
    if item["kind"] == "polygon" and d == 2 and len(sizes) <= 2 * MOST_CORNERS and np.isfinite(sizes).all():
        return Polygon(np.reshape(sizes, (-1, 2)))
    if not all(0.0 < size < math.inf for size in sizes):
        raise ValueError("a collider has no size")
    if item["kind"] == "sphere":
        (radius,) = sizes
        return Sphere(radius, d)
    if item["kind"] == "box" and len(sizes) == d:
        return Box(tuple(sizes))
    if item["kind"] == "half_space" and not sizes:
        return HalfSpace(d)
    raise ValueError("a collider of an unknown kind")


def coordinates_of(model: Model) -> Coordinates:
    """The coordinates of the plane of a flat body, or of space."""
    if "plane.axes" not in model.tensors:
        return SPACE
    plane = Coordinates(array(model, "plane.origin", 3), array(model, "plane.axes", 3, 2))
    if np.abs(plane.axes.T @ plane.axes - np.eye(2)).max() > SQUARE:
        raise damaged(model.path, "the axes of its plane are not orthonormal")
    return plane


def handles_of(model: Model, free: int, loose: int, d: int) -> Handles:
    """The handles, `free` of them free; loose: how many frames are among the free rows."""
    rest = array(model, "handles.rest", -1, d)
    h = len(rest)
    if h <= d or free > h or (h - free) % (d + 1) or not 0 <= loose * (d + 1) <= free:
        raise damaged(model.path, f"{h} rows for {free} handles")
    weights = array(model, "handles.weights", -1, h)
    return Handles(weights, array(model, "handles.gradients", len(weights), d, h), rest, free, loose=loose)


def frames_of(model: Model, rows: int, d: int) -> FollowedFrames:
    """How y moves the frames that the body follows, which have `rows` rows of Q."""
    channels = model.info.channels.channels
    recorded = [channel for channel in channels if channel.kind not in PLAYED_KINDS]
    if tuple(recorded) != channels[: len(recorded)]:
        raise damaged(model.path, "the channels recorded in takes are not its first channels")
    e = sum(channel.size for channel in recorded)
    if not rows:
        return FollowedFrames(np.zeros(e), np.zeros((0, d)), np.zeros((0, e)))
    return FollowedFrames(
        array(model, "frames.mean", e),
        array(model, "frames.offset", rows, d),
        array(model, "frames.matrix", d * rows, e),
    )


def held_of(model: Model, free: int, axes: Doubles) -> HeldHandles:
    """Which free rows of Q the artist may hold: one for each channel of kind "handle", the last ones of y."""
    layout = model.info.channels
    count = len(_channels(model, "handle"))
    if not count:
        nothing = np.zeros(0, np.intp)
        return HeldHandles(nothing, nothing, np.zeros((0, axes.shape[1])), axes)
    if any(channel.kind != "handle" for channel in layout.channels[-count:]):
        raise damaged(model.path, "its handles are not its last channels")
    first = layout.size - HANDLE_NUMBERS * count
    return HeldHandles(
        model.indices("handles.held", count, below=free),
        first + HANDLE_NUMBERS * np.arange(count),
        array(model, "handles.aside", count, axes.shape[1]),
        axes,
    )


def widths_of(model: Model, widths: Sequence[float]) -> dict[str, float]:
    """How wide objects were in the takes, m, by the channels of their sizes."""
    names = [channel.name for channel in _channels(model, "size")]
    if len(names) != len(widths):
        raise damaged(model.path, f"{len(widths)} widths for {len(names)} sizes")
    return dict(zip(names, widths, strict=True))


def _channels(model: Model, kind: Kind) -> list[Channel]:
    return [channel for channel in model.info.channels.channels if channel.kind == kind]


def colliders_of(model: Model, shapes: Sequence[Collider], axes: Doubles) -> FollowedColliders:
    """Where y has each of the shapes, and how large."""
    layout = model.info.channels
    count, d, e = len(shapes), axes.shape[1], layout.size
    sizes, places = _channels(model, "size"), layout.slices()
    if len(sizes) > count:
        raise damaged(model.path, f"{len(sizes)} sizes of {count} colliders")
    if not count:
        nothing = np.zeros(0, np.intp)
        return FollowedColliders(
            (), nothing, np.zeros((0, d)), nothing, own=np.zeros((0, 3, d)), scaling=nothing, axes=axes
        )
    channels = model.indices("colliders.channels", count, below=e - 2, least=-1)
    turning = model.indices("colliders.turning", count, below=max(0, e - 5), least=-1)
    if (np.diff((channels >= 0).astype(int)) > 0).any():
        raise damaged(model.path, "its moving colliders do not come first")
    if (turning[channels < 0] >= 0).any():
        raise damaged(model.path, "a collider that does not move rotates")
    if not of_one_shape([shape for shape, channel in zip(shapes, channels, strict=True) if channel >= 0]):
        raise damaged(model.path, "its moving colliders differ in shape")
    own, anchors = array(model, "colliders.axes", count, 3, d), array(model, "colliders.anchors", count, d)
    scaling = np.full(count, -1, np.intp)
    if sizes:
        scaling = model.indices("colliders.scaling", count, below=e, least=-1)
    allowed = {-1, *(places[channel.name].start for channel in sizes)}
    for shape, channel, place in zip(shapes, channels, scaling.tolist(), strict=True):
        if place not in allowed or (place >= 0 and (channel < 0 or not isinstance(shape, Sphere))):
            raise damaged(model.path, "a size is given for something other than a moving ball")
    if not allowed <= {-1, *scaling.tolist()}:
        raise damaged(model.path, "it has sizes of what is none of its colliders")
    return FollowedColliders(shapes, channels, anchors, turning, own=own, scaling=scaling, axes=axes)


def cubature_of(model: Model, vertices: int, elasticity: str, d: int) -> Cubature:
    """The cubature on this many vertices, of a body of d coordinates."""
    elements = model.indices("cubature.elements", -1, d + 1, below=vertices)
    k = len(elements)

    def limited(name: str, *shape: int) -> Doubles:
        return model.limited_tensor(name, *shape).astype(np.float64)

    return Cubature(
        elements,
        limited("cubature.inverse_rest", k, d, d),
        limited("cubature.volumes", k),
        limited("cubature.moduli", k, 2),
        masses=limited("cubature.masses", vertices),
        energy=ENERGIES[elasticity],
    )


def self_contact_of(model: Model, count: int, stiffness: float, d: int) -> SelfContact:
    """By what a body of `count` vertices and d coordinates touches itself."""
    if "self_contact.radii" not in model.tensors:
        return SelfContact.none(d)
    radii = array(model, "self_contact.radii", -1)
    b = len(radii)
    if b > MOST_BALLS or not (radii >= 0.0).all():
        raise damaged(model.path, f"the {b:,} balls by which its body touches itself")
    neighbours = model.indices("self_contact.neighbours", -1, 2, below=b)
    corners = model.indices("self_contact.corners", b, d + 1, below=count)
    return SelfContact(corners, array(model, "self_contact.weights", b, d + 1), radii, neighbours, stiffness)


def correction_of(model: Model, name: str, inputs: int, shape: tuple[int, int]) -> Correction | None:
    """The correction of this name, for vertices and coordinates of this shape (B, d); None without one."""
    if f"{name}.basis" not in model.tensors:
        return None
    layers: list[tuple[Doubles, Doubles]] = []
    size = inputs
    while f"{name}.layers.{len(layers)}.weight" in model.tensors and len(layers) < MOST_LAYERS:
        at = f"{name}.layers.{len(layers)}"
        weight = array(model, f"{at}.weight", -1, size)
        size = len(weight)
        layers.append((weight, array(model, f"{at}.bias", size)))
    mean, scale, low, high = (
        array(model, f"{name}.{key}", inputs) for key in ("mean", "scale", "low", "high")
    )
    margin = np.zeros(inputs)
    if f"{name}.margin" in model.tensors:
        margin = array(model, f"{name}.margin", inputs)
    if not layers:
        raise damaged(model.path, f"the {name} correction has no network")
    if not (margin >= 0.0).all():
        raise damaged(model.path, f"the {name} correction has a negative margin")
    network = TanhNetwork(mean, scale, low, high, margin, layers=layers)
    return Correction(network, array(model, f"{name}.basis", size, *shape))


def array(model: Model, name: str, *shape: int) -> Doubles:
    """A tensor of this shape as float64. Raises Problem("model_damaged")."""
    return model.tensor(name, *shape).astype(np.float64)
