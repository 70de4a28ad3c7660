"""What an artist's machine does in a soak: each a command that is run in a folder of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from neural_physics.jobs.isolated_python import run_module
from tools.soak.scenes import CACHE, CLOTH, JELLY, SCENE, WAVES

Command = Callable[[Path], list[str]]
PLAYBACK, MODEL, DATASET = "playback.pc2", "model.safetensors", "dataset"


@dataclass(frozen=True)
class Activity:
    """One thing to do.

    command: its words, for the folder it works in. begins_with: what is there before: paths in that folder,
    and from what they are copied: the folder of a scene, or of an activity before it, and a path in there.
    job: the folder and kind of its job, by which it is asked to stop; "" where it is none. environment: more
    than all have. adds: the take that it adds, each time another one: it is not run again once that is there.
    writes: the files that it writes elsewhere first, and where.
    """

    name: str
    command: Command
    begins_with: Mapping[str, tuple[str, str]]
    job: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    adds: str = ""
    writes: Mapping[str, str] = field(default_factory=dict)


def in_blender(*words: str) -> Command:
    """A command of the extension on the scene in the folder; `{folder}` in a word is that folder."""

    def command(folder: Path) -> list[str]:
        own = [word.format(folder=folder) for word in words]
        return [sys.executable, "-m", "tools.soak.inside_blender", str(folder / SCENE), *own]

    return command


def as_job(kind: str, *words: str) -> Command:
    """A command of `learning` as a job, as Blender starts it; `{folder}` in a word is the folder."""

    def command(folder: Path) -> list[str]:
        own = [word.format(folder=folder) for word in words]
        job = [sys.executable, "-m", "tools.soak.job", str(folder / DATASET / "jobs"), kind]
        return [*job, *run_module(sys.executable, "learning"), *own, "--json"]

    return command


_EVERYTHING = "."
_SCENE_SAVED = {SCENE: f"{SCENE}@"}  # by Blender itself
_BAKED = {
    f"{DATASET}/{file}": f"{DATASET}/{file}.new"
    for file in ("dataset.json", "mesh.npz", "pace.json", "bake/bake.json")
} | {
    f"{DATASET}/takes/{take}/take.json": f"{DATASET}/bake/{take}/1/takes/{take}/take.json.new"
    for take in ("take_000", "take_001")
}
_IMPORTED = {f"{DATASET}/takes/imported/take.json": f"{DATASET}/import.new/take.json"}
_EVALUATED = {name: f"evaluation.new/{name}" for name in ("report.json", "report.html", "error.npz")}
_SUBSPACE = ("steps=120", "validate_every=20", "batch=16", "minutes=0")

ACTIVITIES = (
    Activity(
        "bake",
        in_blender("bake"),
        {_EVERYTHING: (CLOTH, _EVERYTHING)},
        f"{DATASET}/jobs/bake",
        writes=_BAKED | _SCENE_SAVED,
    ),
    Activity(
        "simulate",
        in_blender("bake"),
        {_EVERYTHING: (JELLY, _EVERYTHING)},
        f"{DATASET}/jobs/bake",
        {"NEURAL_PHYSICS_PYTHON": sys.executable},
        writes=_BAKED | _SCENE_SAVED,
    ),
    Activity(
        "train linear dynamics",
        in_blender("train", "--method", "linear_dynamics", "--bases", "8"),
        {_EVERYTHING: ("bake", _EVERYTHING)},
        f"{DATASET}/jobs/train",
        writes={MODEL: f"{MODEL}.new"} | _SCENE_SAVED,
    ),
    Activity(
        "train subspace physics",
        as_job(
            *("train", "train", f"{{folder}}/{DATASET}", "--method", "subspace_physics", "--bases", "6"),
            *("--preset", "preview", "--checkpoint-every", "0.1", "--out", f"{{folder}}/{MODEL}"),
            *(f"--set={setting}" for setting in _SUBSPACE),
        ),
        {_EVERYTHING: ("bake", _EVERYTHING)},
        f"{DATASET}/jobs/train",
        writes={MODEL: f"{MODEL}.new", f"{MODEL}.training/x": f"{MODEL}.training/checkpoint.safetensors"},
    ),
    Activity(
        "evaluate",
        in_blender("evaluate"),
        {_EVERYTHING: ("train linear dynamics", _EVERYTHING)},
        f"{DATASET}/jobs/evaluate",
        writes=_EVALUATED,
    ),
    Activity(
        "import",
        as_job(
            *("import", "import", f"{{folder}}/{CACHE}", "--mesh", f"{{folder}}/{DATASET}/mesh.npz"),
            *("--interaction", "{folder}/cache.npy", "--object", "Sheet", "--fps", "24"),
            *("--out", f"{{folder}}/{DATASET}", "--name", "imported"),
        ),
        {
            _EVERYTHING: ("bake", _EVERYTHING),
            CACHE: (WAVES, CACHE),
            "cache.npy": (WAVES, "cache.npy"),
        },
        f"{DATASET}/jobs/import",
        adds="imported",
        writes=_IMPORTED,
    ),
    Activity(
        "import in Blender",
        in_blender("import", f"{{folder}}/{CACHE}"),
        {
            _EVERYTHING: ("bake", _EVERYTHING),
            CACHE: (WAVES, CACHE),
            "cache.npy": (WAVES, "cache.npy"),
        },
        adds="take_002",
        writes=_IMPORTED,
    ),
    Activity(
        "pack",
        in_blender("pack"),
        {_EVERYTHING: ("bake", _EVERYTHING), MODEL: ("train linear dynamics", MODEL)},
        writes=_SCENE_SAVED,
    ),
    Activity(
        "export playback",
        in_blender("play", "--cache", f"{{folder}}/{PLAYBACK}", "--first", "1", "--last", "2000"),
        {_EVERYTHING: ("train linear dynamics", _EVERYTHING)},
        writes={PLAYBACK: f"{PLAYBACK}.new"} | _SCENE_SAVED,
    ),
)
