"""What the bundled solver is asked to simulate: Blender writes it beside a bake's plan."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Mask, StoredIndices
from ..errors import Problem
from ..files.atomic import write_atomically, writing
from ..files.reading import read_arrays
from .usable_numbers import FURTHEST, LARGEST

Kind = Literal["solid", "shell", "rod", "springs"]
Elasticity = Literal["stable_neo_hookean", "stvk", "corotational"]
Filling = Literal["tetwild", "cage"]
BendingModel = Literal["hinges", "midedges"]
MOST = {"steps": 1000, "tetrahedra": 10_000_000}  # of what is work for each
LEAST_VOLUME = 1e-30  # m^3, of a cubic metre of the world in a reference frame's axes


@dataclass(frozen=True)
class SimulationSettings:
    """What an artist chooses; lengths in metres, everything else in SI units.

    young, shear, Pa; density kg/m^3, of solids and rods; area_density kg/m^2, of shells and springs;
    thickness: of shells, and by how much colliders are larger for springs, radius: of rods, m; bending: of
    shells, N m; bending_model: whether they bend at the edges between triangles, or by the normals at all
    mid-edges, which is the same in every direction. stretch_low to bending_high: of springs, N/m and N m,
    what the fabrics of takes are drawn from. What a kind does not use is left as it is. tetrahedra: about how
    many fill a solid. steps: of implicit Euler in a frame. damping: Rayleigh's, of the stiffness, s.
    friction: Coulomb's coefficient, the same with all colliders. bone_radius: of solids, how near to a bone
    the inside goes with it, m; 0: nothing does. softest: of solids, what young is multiplied by where the
    request's softness is 1.
    """

    kind: Kind
    elasticity: Elasticity = "stable_neo_hookean"
    young: float = 5e3
    poisson: float = 0.47
    density: float = 1000.0
    area_density: float = 0.15
    thickness: float = 3e-4
    bending: float = 1e-5
    bending_model: BendingModel = "hinges"
    shear: float = 1e9
    radius: float = 1e-3
    filling: Filling = "tetwild"
    tetrahedra: int = 3000
    steps: int = 2
    damping: float = 0.0
    friction: float = 0.4
    self_contact: bool = False
    bone_radius: float = 0.0
    softest: float = 1.0
    stretch_low: float = 100.0
    stretch_high: float = 1000.0
    bending_low: float = 2e-5
    bending_high: float = 1e-3

    @staticmethod
    def from_json(item: Mapping[str, Any]) -> SimulationSettings:
        """Raises ValueError or TypeError for what `asdict` has not made."""
        settings = SimulationSettings(**item)
        known = {
            "kind": Kind,
            "elasticity": Elasticity,
            "filling": Filling,
            "bending_model": BendingModel,
        }
        for name, choices in known.items():
            if getattr(settings, name) not in get_args(choices):
                raise ValueError(f"{name} cannot be “{getattr(settings, name)}”")
        for setting in fields(settings):
            value = getattr(settings, setting.name)
            if setting.type in ("float", "int") and not np.isfinite(value):
                raise ValueError(f"{setting.name} is not a finite number")
        for name, most in MOST.items():
            value = getattr(settings, name)
            if type(value) is not int or not 1 <= value <= most:
                raise ValueError(f"{name} must be a whole number of at least 1 and at most {most}")
        if not 0.0 < settings.softest <= 1.0:
            raise ValueError("softest must be above 0, and 1 at most")
        for name in ("stretch", "bending"):
            if not 0.0 < getattr(settings, f"{name}_low") <= getattr(settings, f"{name}_high"):
                raise ValueError(f"{name} must go from a number above 0 to one that is not lower")
        return settings


@dataclass(frozen=True)
class ColliderMesh:
    """A rigid collider: its triangles (m, 3) and vertices (V, 3) in metres, in axes that it moves with.

    width, m: of its object before modifiers, see `own_width`; 0 in older takes.
    """

    name: str
    vertices: Doubles
    triangles: StoredIndices
    width: float = 0.0

    @property
    def own_width(self) -> float:
        """The mean of its object's extents along its own axes, m."""
        return self.width or float(np.ptp(self.vertices, axis=0).mean())


@dataclass(frozen=True)
class Core:
    """A stiff part of a solid: what is nearer than radius, m, to the line between two ends (2, 3), m.

    The ends are in the axes of the request's rest_positions; of a ball they are the same.
    """

    name: str
    ends: Doubles
    radius: float


@dataclass(frozen=True)
class SimulationRequest:
    """A body, what it is made of, and the shapes around it.

    rest_positions (V, 3): of the artist's mesh at rest, metres, its scale applied, not where it stands nor
    how it is turned. corners, face_sizes: its faces, as in `rest_mesh.Mesh`; edges (E, 2): all of its edges.
    pins (V,): which vertices are held. gravity (3,): m/s^2, in the world's axes. bones (K, 2, 3): heads and
    tails, at rest, of the bones that hold the inside of a solid, in the axes of rest_positions.
    softness (V,), 0 to 1, of solids: Young's modulus is multiplied by softest^softness; (0,) if it is the
    same everywhere. cores: of solids, what in them is stiff and free to move.
    """

    object: str
    settings: SimulationSettings
    rest_positions: Doubles
    corners: StoredIndices
    face_sizes: StoredIndices
    edges: StoredIndices
    pins: Mask
    gravity: Doubles
    colliders: tuple[ColliderMesh, ...]
    bones: Doubles = field(default_factory=lambda: np.empty((0, 2, 3)))
    softness: Doubles = field(default_factory=lambda: np.empty(0))
    cores: tuple[Core, ...] = ()

    def write(self, path: Path) -> None:
        """Raises Problem("folder_not_writable" | "disk_full")."""
        names = ("rest_positions", "corners", "face_sizes", "edges", "pins", "gravity", "bones", "softness")
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in names}
        for number, collider in enumerate(self.colliders):
            arrays[f"collider_{number}_vertices"] = collider.vertices
            arrays[f"collider_{number}_triangles"] = collider.triangles
        about = {
            "object": self.object,
            "settings": asdict(self.settings),
            "colliders": [collider.name for collider in self.colliders],
            "widths": [collider.width for collider in self.colliders],
            "cores": [
                {"name": core.name, "ends": core.ends.tolist(), "radius": core.radius} for core in self.cores
            ],
        }
        _write(path, arrays, about)

    @staticmethod
    def read(path: Path) -> SimulationRequest:
        """Raises Problem("dataset_damaged")."""
        try:
            arrays = read_arrays(path)
            about = json.loads(arrays["about"].tobytes())
            names = about["colliders"]
            widths = about.get("widths", [0.0] * len(names))  # not in older files
            colliders = tuple(
                ColliderMesh(
                    name,
                    arrays[f"collider_{number}_vertices"],
                    arrays[f"collider_{number}_triangles"],
                    float(width),
                )
                for number, (name, width) in enumerate(zip(names, widths, strict=True))
            )
            request = SimulationRequest(
                str(about["object"]),
                SimulationSettings.from_json(about["settings"]),
                arrays["rest_positions"],
                arrays["corners"],
                face_sizes=arrays["face_sizes"],
                edges=arrays["edges"],
                pins=arrays["pins"],
                gravity=arrays["gravity"],
                colliders=colliders,
                bones=arrays["bones"],
                softness=arrays["softness"] if "softness" in arrays else np.empty(0),  # not in older files
                cores=tuple(_core(item) for item in about.get("cores", ())),
            )
            request._check()
            return request
        except Exception as error:  # JSON and NumPy have many errors of their own
            raise Problem("dataset_damaged", path=path.parent, reason=f"{path.name}: {error}") from error

    def _check(self) -> None:
        """Raises ValueError for what is no request."""
        count, bones = len(self.rest_positions), len(self.bones)
        _require("rest_positions", self.rest_positions, (count, 3))
        _require_indices("corners", self.corners, (len(self.corners),), count)
        sizes = self.face_sizes
        if sizes.ndim != 1 or (sizes < 3).any() or sizes.sum() != len(self.corners):
            raise ValueError("face_sizes must be at least 3 each and add up to the number of corners")
        _require_indices("edges", self.edges, (len(self.edges), 2), count)
        if self.pins.shape != (count,) or self.pins.dtype != np.bool_:
            raise ValueError("pins must say of each vertex whether it is held")
        _require("gravity", self.gravity, (3,))
        _require("bones", self.bones, (bones, 2, 3))
        if self.softness.size:
            _require("softness", self.softness, (count,))
        for collider in self.colliders:
            _require("a collider", collider.vertices, (len(collider.vertices), 3))
            triangles, corners = collider.triangles, len(collider.vertices)
            _require_indices("a collider's triangles", triangles, (len(triangles), 3), corners)
            if not isinstance(collider.name, str) or not 0.0 <= collider.width <= FURTHEST:
                raise ValueError("a collider has no name or no width")


@dataclass(frozen=True)
class Tracks:
    """How all that a body reacts to moves in one take, frame by frame, T frames.

    interaction (T, e) float32: y, as the take stores it. pins (T, P, 3): where the pinned vertices of the
    artist's mesh are, m, in the world's axes. colliders (T, C, 4, 4): world_from_collider, rotations and
    translations only. wind (T, 3): the directions of all winds times their strengths, in the world's axes.
    frame_from_world (T, 4, 4): to the axes that positions are stored in. object_from_frame (T, 4, 4), or None
    where those are the object's own. world_from_rest (4, 4): where the body at rest stands at the first
    frame, a rotation and a translation. bones (T, K, 4, 4): where each of the request's bones takes what it
    holds, from where that is at rest, rotations and translations too. fps: frames per second.
    """

    fps: float
    world_from_rest: Doubles
    interaction: Floats
    pins: Doubles
    colliders: Doubles
    wind: Doubles
    frame_from_world: Doubles
    object_from_frame: Doubles | None
    bones: Doubles

    def write(self, path: Path) -> None:
        """Raises Problem("folder_not_writable" | "disk_full")."""
        names = ("world_from_rest", "interaction", "pins", "colliders", "wind", "frame_from_world", "bones")
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in names}
        if self.object_from_frame is not None:
            arrays["object_from_frame"] = self.object_from_frame
        _write(path, arrays, {"fps": self.fps})

    @staticmethod
    def read(path: Path) -> Tracks:
        """Raises Problem("dataset_damaged")."""
        try:
            arrays = read_arrays(path)
            tracks = Tracks(
                float(json.loads(arrays["about"].tobytes())["fps"]),
                arrays["world_from_rest"],
                arrays["interaction"],
                arrays["pins"],
                colliders=arrays["colliders"],
                wind=arrays["wind"],
                frame_from_world=arrays["frame_from_world"],
                object_from_frame=arrays.get("object_from_frame"),
                bones=arrays["bones"],
            )
            tracks._check()
            return tracks
        except Exception as error:  # JSON and NumPy have many errors of their own
            raise Problem("dataset_damaged", path=path.parent, reason=f"{path.name}: {error}") from error

    def _check(self) -> None:
        """Raises ValueError for what are no tracks."""
        if not 0.0 < self.fps < 1e6:
            raise ValueError("fps must be above 0")
        frames = len(self.wind)
        _require("world_from_rest", self.world_from_rest, (4, 4))
        _require("interaction", self.interaction, (frames, *self.interaction.shape[1:2]))
        _require("pins", self.pins, (frames, *self.pins.shape[1:2], 3))
        _require("colliders", self.colliders, (frames, *self.colliders.shape[1:2], 4, 4))
        _require("wind", self.wind, (frames, 3))
        _require("frame_from_world", self.frame_from_world, (frames, 4, 4))
        _require("bones", self.bones, (frames, *self.bones.shape[1:2], 4, 4))
        if self.object_from_frame is not None:
            _require("object_from_frame", self.object_from_frame, (frames, 4, 4))
        if (np.abs(np.linalg.det(self.frame_from_world)) < LEAST_VOLUME).any():
            raise ValueError("frame_from_world must not squeeze anything flat")


def check_tracks(request: SimulationRequest, tracks: Tracks) -> None:
    """Raise ValueError for tracks of another request."""
    held, moving, bones = (each.shape[1] for each in (tracks.pins, tracks.colliders, tracks.bones))
    if (held, moving, bones) != (int(request.pins.sum()), len(request.colliders), len(request.bones)):
        raise ValueError("its pins, colliders and bones are not those of the request")


def _require(name: str, array: NDArray[Any], shape: tuple[int, ...]) -> None:
    if array.shape != shape or array.dtype.kind != "f":
        raise ValueError(f"{name} must be {shape} numbers")
    if not (np.abs(array) <= LARGEST).all():
        raise ValueError(f"{name} must be finite numbers, and not too large")


def _require_indices(name: str, array: NDArray[Any], shape: tuple[int, ...], count: int) -> None:
    if array.shape != shape or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be {shape} whole numbers")
    if array.size and not 0 <= array.min() <= array.max() < count:
        raise ValueError(f"{name} must be numbers of vertices")


def _core(item: Mapping[str, Any]) -> Core:
    ends, radius = np.array(item["ends"], np.float64), float(item["radius"])
    if ends.shape != (2, 3) or not np.isfinite(ends).all() or not 0.0 < radius < np.inf:
        raise ValueError("a core must have two ends and a radius")
    return Core(str(item["name"]), ends, radius)


def _write(path: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> None:
    data = BytesIO()
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(data, about=text, **arrays)
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data.getvalue())
