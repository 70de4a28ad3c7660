"""Imports from other programs: a cache, a rest mesh and a table, of which one or two are damaged."""

from __future__ import annotations

import argparse
import random
import struct
from pathlib import Path

import numpy as np
import synthetic

from fuzzing.byte_mutations import mutated_bytes
from fuzzing.extreme_values import EXTREME_TEXTS, extreme_number
from fuzzing.file_mutations import mutated_archive, mutated_points, mutated_rows
from fuzzing.watching import Watch
from learning.commands import importing
from neural_physics.datasets.point_caches import write_pc2
from neural_physics.datasets.rest_mesh import write_mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import StopRequest

FRAMES = 12
WORDS = ("nan", "inf", "-inf", "1e999", "", "0x1", "1_0", "٣", "v", "f", "99999999999999999999", "-1", "1e38")


def good_files(folder: Path) -> dict[str, bytes]:
    """Files by name: the cache twice, the mesh in three formats, the interaction in two."""
    folder.mkdir(parents=True)
    mesh, hand = synthetic.sheet_mesh(4), synthetic.hand_motion(FRAMES, 0)
    frames = synthetic.simulate(mesh, hand)
    write_pc2(folder / "cache.pc2", frames)
    write_mesh(folder / "mesh.npz", mesh)
    np.save(folder / "hand.npy", hand)
    mdd = struct.pack(">ii", *frames.shape[:2]) + np.arange(FRAMES, dtype=">f4").tobytes()
    rows = ["Hand.x,Hand.y,Hand.z", *(",".join(map(str, row)) for row in hand.tolist())]
    quads = mesh.corners.reshape(-1, 4)
    obj = [f"v {x} {y} {z}" for x, y, z in mesh.rest_positions.tolist()]
    obj += [f"f {' '.join(str(i + 1) for i in quad)}" for quad in quads.tolist()]
    head = [
        "ply",
        "format ascii 1.0",
        f"element vertex {mesh.vertex_count}",
        *(f"property float {axis}" for axis in "xyz"),
        f"element face {len(quads)}",
        "property list uchar int vertex_indices",
        "end_header",
    ]
    ply = [*head, *(line[2:] for line in obj[: mesh.vertex_count])]
    ply += [f"4 {' '.join(map(str, quad))}" for quad in quads.tolist()]
    binary = "\n".join(head).replace("ascii", "binary_little_endian").encode() + b"\n"
    binary += mesh.rest_positions.astype("<f4").tobytes()
    binary += b"".join(b"\x04" + quad.astype("<i4").tobytes() for quad in quads)
    made = {path.name: path.read_bytes() for path in folder.iterdir()}
    return made | {
        "cache.mdd": mdd + frames.astype(">f4").tobytes(),
        "hand.csv": "\n".join(rows).encode(),
        "mesh.obj": "\n".join(obj).encode(),
        "mesh.ply": "\n".join(ply).encode(),
        "binary.ply": binary,
    }


def write_mutated(good: dict[str, bytes], folder: Path, chance: random.Random) -> list[str]:
    """Files of which some are mutated, below a folder; the words of an `import` of them."""
    cache = chance.choice(("cache.pc2", "cache.mdd"))
    mesh = chance.choice(("mesh.npz", "mesh.obj", "mesh.ply", "binary.ply"))
    hand = chance.choice(("hand.csv", "hand.npy"))
    used = {name: good[name] for name in (cache, mesh, hand)}
    for name in chance.sample(sorted(used), chance.choice((1, 1, 2))):
        used[name] = _mutated(name, used[name], chance)
    for name, data in used.items():
        (folder / name).write_bytes(data)
    fps = extreme_number(chance) if chance.random() < 0.1 else 24.0
    words = import_words(folder, cache, mesh, hand, fps=fps)
    if chance.random() < 0.2:
        words += [f"--name={chance.choice(EXTREME_TEXTS)}"]
    if chance.random() < 0.1:
        words += [f"--object={chance.choice(EXTREME_TEXTS)}"]
    if chance.random() < 0.1:
        words += [f"--collider=Hand={extreme_number(chance)}"]
    return words


def import_words(folder: Path, cache: str, mesh: str, hand: str, *, fps: float = 24.0) -> list[str]:
    """The words of an `import` of files in a folder, into a dataset beside them."""
    words = [str(folder / cache), "--mesh", str(folder / mesh), "--interaction", str(folder / hand)]
    words += ["--out", str(folder / "out"), f"--fps={fps}"]
    return [*words, "--channels", "Hand.x,Hand.y,Hand.z"] if hand.endswith(".npy") else words


def import_files(words: list[str], watch: Watch) -> None:
    """Import them, and read what was imported."""
    parser = argparse.ArgumentParser()
    importing.add_arguments(parser)
    args = parser.parse_args(words)
    result = watch(importing.run, args, lambda event: None, StopRequest())
    take = watch(Dataset.open(args.out).take, result["take"])
    assert len(take.positions) == result["frames"]


def _mutated(name: str, data: bytes, chance: random.Random) -> bytes:
    if name.endswith((".obj", ".csv")) or (name == "mesh.ply" and chance.random() < 0.8):
        return _with_other_words(data, chance)
    by_name = {"cache.pc2": mutated_points, "hand.npy": mutated_rows, "mesh.npz": mutated_archive}
    return by_name.get(name, mutated_bytes)(data, chance)


def _with_other_words(data: bytes, chance: random.Random) -> bytes:
    """Text in which words, or lines, are other ones."""
    lines = data.decode().split("\n")
    for _ in range(chance.choice((1, 1, 3))):
        at = chance.randrange(min(len(lines), chance.choice((3, 12, 10_000))))
        mark = "," if "," in lines[at] else " "
        words = lines[at].split(mark)
        match chance.randrange(7):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[chance.randrange(len(lines))])
            case 2:
                return mutated_bytes("\n".join(lines).encode(errors="surrogatepass"), chance)
            case 3:
                lines[at] = mark.join([*words, words[-1]])
            case 4:
                lines[at] = mark.join(words[:-1])
            case _:
                words[chance.randrange(len(words))] = chance.choice((*WORDS, *EXTREME_TEXTS))
                lines[at] = mark.join(words)
    return "\n".join(lines or [""]).encode(errors="surrogatepass")
