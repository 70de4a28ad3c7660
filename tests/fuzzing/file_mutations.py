"""One file of a folder changed as its format has it: JSON, arrays, archives of arrays, point caches."""

from __future__ import annotations

import json
import random
import struct
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzing.array_mutations import mutated_array, mutated_values
from fuzzing.byte_mutations import mutated_bytes
from fuzzing.extreme_values import EXTREME_INTEGERS, extreme_number
from fuzzing.json_mutations import mutated_json, mutated_json_bytes
from neural_physics.datasets.point_caches import PC2_HEADER
from neural_physics.files.row_files import NPY_HEADER

TEXTS = ("about", "settings")  # members of archives that hold JSON


def mutate_folder(folder: Path, chance: random.Random) -> None:
    """A file or two of those below a folder; in half of all cases only numbers, which pass more checks."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if chance.random() < 0.2:
        change_takes(folder, chance)
        return
    if chance.random() < 0.4:
        for path in chance.sample(files, chance.choice((1, 1, 2))):
            mutate_file(path, chance)
        return
    arrays = [path for path in files if path.suffix != ".json"]
    for path in chance.sample(arrays, min(len(arrays), chance.choice((1, 1, 2, 4)))):
        change_numbers(path, chance)


def change_takes(folder: Path, chance: random.Random) -> None:
    """Takes of another length, for something else, or with other frames left out, as the format has it."""
    for path in sorted(folder.rglob("take.json")):
        about = json.loads(path.read_text(encoding="utf-8"))
        frames = about["frames"]
        if chance.random() < 0.4:
            about["role"] = chance.choice(("training", "validation", "test"))
        if chance.random() < 0.3:
            about["kind"] = chance.choice(("dynamic", "quasistatic", "contact"))
        if chance.random() < 0.6:
            runs = [sorted(chance.choices(range(frames), k=2)) for _ in range(chance.randint(1, 4))]
            about["excluded"] = [[first, last, "left out"] for first, last in runs]
        about["complete"] = chance.random() < 0.5
        path.write_text(json.dumps(about), encoding="utf-8")
        if chance.random() < 0.4:
            share = chance.choice((0.0, 0.02, 0.05, 0.5, 0.95))
            for other in (*path.parent.glob("*.pc2"), *path.parent.glob("*.npy")):
                head = NPY_HEADER if other.suffix == ".npy" else PC2_HEADER.size
                data = other.read_bytes()
                size = (len(data) - head) // frames
                other.write_bytes(data[: head + round(share * frames) * size])


def change_numbers(path: Path, chance: random.Random) -> None:
    """Other numbers in the same places."""
    data = path.read_bytes()
    if path.suffix == ".npz":
        members = _members(data)
        names = [name for name in sorted(members) if members[name].dtype.kind in "fiub" and name not in TEXTS]
        name = chance.choice(names)
        members[name] = mutated_values(members[name], chance)
        path.write_bytes(_archive(members))
    else:
        head = NPY_HEADER if path.suffix == ".npy" else PC2_HEADER.size
        path.write_bytes(data[:head] + _other_numbers(data[head:], "<f4", chance))


def mutate_file(path: Path, chance: random.Random) -> None:
    """Write the file anew, or take it away."""
    by_suffix = {
        ".json": mutated_json_bytes,
        ".npz": mutated_archive,
        ".npy": mutated_rows,
        ".pc2": mutated_points,
    }
    roll = chance.random()
    if roll < 0.02:
        path.unlink()
    elif roll < 0.03:
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(by_suffix.get(path.suffix.lower(), mutated_bytes)(path.read_bytes(), chance))


def mutated_archive(data: bytes, chance: random.Random) -> bytes:
    """An .npz with other members."""
    if chance.random() < 0.1:
        return mutated_bytes(data, chance)
    members = _members(data)
    name = chance.choice(sorted(members))
    match chance.randrange(10):
        case 0:
            del members[name]
        case _ if name in TEXTS:
            item = mutated_json(json.loads(members[name].tobytes()), chance)
            members[name] = np.frombuffer(json.dumps(item).encode(errors="surrogatepass"), np.uint8)
        case 1 | 2:
            members[name] = mutated_array(members[name], chance)
        case 3:
            members["extra"] = members[name]
        case _ if members[name].dtype.kind in "fiub":
            members[name] = mutated_values(members[name], chance)
        case _:
            members[name] = members[name][::-1]
    return _archive(members)


def _members(data: bytes) -> dict[str, NDArray[Any]]:
    with np.load(BytesIO(data)) as archive:
        return {name: archive[name] for name in archive}


def _archive(members: dict[str, NDArray[Any]]) -> bytes:
    made = BytesIO()
    np.savez(made, **members)
    return made.getvalue()


def mutated_rows(data: bytes, chance: random.Random) -> bytes:
    """An .npy whose header or rows are other ones."""
    match chance.randrange(4):
        case 0:
            return mutated_bytes(data[:NPY_HEADER], chance) + data[NPY_HEADER:]
        case 1:
            old, new = chance.choice(
                (
                    (b"(", b"(-"),
                    (b"<f4", b"<f8"),
                    (b"<f4", b"|O"),
                    (b"False", b"True"),
                    (b", ", b"9,"),
                    (b"}", b""),
                )
            )
            return data.replace(old, new, 1)
    return data[:NPY_HEADER] + _other_numbers(data[NPY_HEADER:], "<f4", chance)


def mutated_points(data: bytes, chance: random.Random) -> bytes:
    """A PC2 whose header or places are other ones."""
    match chance.randrange(5):
        case 0:
            return mutated_bytes(data, chance)
        case 1:
            at = chance.choice((12, 16, 28))  # version, vertices, frames
            value = max(-(2**31), min(2**31 - 1, chance.choice(EXTREME_INTEGERS)))
            return data[:at] + struct.pack("<i", value) + data[at + 4 :]
        case 2:
            return data[: PC2_HEADER.size + chance.randrange(max(1, len(data) - PC2_HEADER.size))]
    return data[: PC2_HEADER.size] + _other_numbers(data[PC2_HEADER.size :], "<f4", chance)


def _other_numbers(data: bytes, kind: str, chance: random.Random) -> bytes:
    """A few numbers, a run of them, or all are other ones."""
    numbers = np.frombuffer(data[: len(data) // 4 * 4], kind).copy()
    if not len(numbers):
        return data
    with np.errstate(all="ignore"):
        value = np.float64(extreme_number(chance)).astype(kind)
    match chance.randrange(5):
        case 0:
            numbers[:] = value
        case 1:
            first = chance.randrange(len(numbers))
            numbers[first : first + chance.randint(1, 400)] = value
        case 2:
            with np.errstate(all="ignore"):
                numbers *= np.float32(chance.choice((0.0, -1.0, 1e-30, 1e6, 1e12, 1e20, 3e38)))
        case _:
            for _ in range(chance.randint(1, 4)):
                numbers[chance.randrange(len(numbers))] = value
    return numbers.tobytes()
