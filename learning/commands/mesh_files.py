"""The rest shape of an imported take: OBJ, PLY, or the mesh.npz of another dataset."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neural_physics.arrays import Floats
from neural_physics.datasets.rest_mesh import Mesh, read_mesh
from neural_physics.errors import Problem
from neural_physics.files.reading import open_plain

PLY_TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
    "float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2",
    "int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8",
}  # fmt: skip
PLY_ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">"}
Faces = list[list[int]]


def read_mesh_file(path: Path) -> Mesh:
    """The vertices as they are in the file, in its order and axes. No vertex is pinned.

    Raises Problem("file_missing" | "mesh_unreadable").
    """
    readers = {".obj": _read_obj, ".ply": _read_ply}
    try:
        if path.suffix.lower() == ".npz":
            return read_mesh(path)
        if path.suffix.lower() not in readers:
            raise ValueError(f"{path.suffix or 'it'} is not a known file extension")
        with open_plain(path) as file:
            data = file.read()
        vertices, faces = readers[path.suffix.lower()](data)
        return _mesh(vertices, faces)
    except Problem:
        raise
    except FileNotFoundError as error:
        raise Problem("file_missing", path=path) from error
    except (OSError, ValueError, OverflowError, KeyError, IndexError, TypeError, StopIteration) as error:
        raise Problem("mesh_unreadable", path=path, reason=error) from error


def _mesh(vertices: Floats, faces: Faces) -> Mesh:
    # Wide enough that an index which is too large is not taken for another one.
    corners = np.array([corner for face in faces for corner in face], np.int64)
    sizes = np.array([len(face) for face in faces], np.int32)
    if not len(vertices) or not len(sizes) or sizes.min() < 3:
        raise ValueError("it has no vertices, no faces, or faces of fewer than 3 corners")
    if not np.isfinite(vertices).all() or corners.min() < 0 or corners.max() >= len(vertices):
        raise ValueError("it has corners without a vertex, or vertices without valid coordinates")
    return Mesh(vertices, corners.astype(np.int32), sizes, np.zeros(len(vertices), np.float32))


def _read_obj(data: bytes) -> tuple[Floats, Faces]:
    vertices: list[list[float]] = []
    faces: Faces = []
    for line in data.decode("utf-8", errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.split("/")[0]) for word in words[1:]]
            # Counted from 1, or backwards from the last vertex so far.
            faces.append([n - 1 if n > 0 else len(vertices) + n for n in numbers])
    return np.array(vertices, np.float32).reshape(-1, 3), faces


def _read_ply(data: bytes) -> tuple[Floats, Faces]:
    head, mark, body = data.partition(b"end_header")
    if not data.startswith(b"ply") or not mark:
        raise ValueError("it has no PLY header")
    body = body.partition(b"\n")[2]
    lines = [line.split() for line in head.decode("ascii", errors="replace").splitlines()]
    form = next(line[1] for line in lines if line[:1] == ["format"])
    elements: list[tuple[str, int, list[list[str]]]] = []
    for line in lines:
        if line[:1] == ["element"]:
            elements.append((line[1], int(line[2]), []))
        elif line[:1] == ["property"]:
            elements[-1][2].append(line[1:])
    read = _ascii_values(body) if form == "ascii" else _binary_values(body, PLY_ORDERS[form])
    found: dict[str, list[dict[str, list[float]]]] = {}
    for name, count, properties in elements:
        if count > len(body):
            raise ValueError(f"it ends before the last {name}")
        if not properties:  # however many, they take up nothing of the file
            raise ValueError(f"its {name} has no properties")
        found[name] = [{p[-1]: read(p) for p in properties} for _ in range(count)]
    vertices = [[vertex[axis][0] for axis in "xyz"] for vertex in found["vertex"]]
    key = next(name for name in ("vertex_indices", "vertex_index") if name in found["face"][0])
    return np.array(vertices, np.float32), [[int(i) for i in face[key]] for face in found["face"]]


class _ascii_values:  # noqa: N801 (a function that remembers where it is)
    """Reads one property after the other from a PLY's text."""

    def __init__(self, body: bytes) -> None:
        self._words = iter(body.split())

    def __call__(self, definition: list[str]) -> list[float]:
        count = int(next(self._words)) if definition[0] == "list" else 1
        return [float(next(self._words)) for _ in range(count)]


class _binary_values:  # noqa: N801 (a function that remembers where it is)
    """Reads one property after the other from a PLY's bytes."""

    def __init__(self, body: bytes, order: str) -> None:
        self._body, self._order, self._at = body, order, 0

    def __call__(self, definition: list[str]) -> list[float]:
        count = 1
        if definition[0] == "list":
            count = int(self._numbers(definition[1], 1)[0])
        return self._numbers(definition[-2], count)

    def _numbers(self, name: str, count: int) -> list[float]:
        dtype = np.dtype(self._order + PLY_TYPES[name])
        numbers = np.frombuffer(self._body, dtype, count, self._at)
        self._at += numbers.nbytes
        return [float(number) for number in numbers]
