"""`blender -b SCENE.blend --command neural_physics ...`: what the buttons do, for scripts and farms.

Ends with 0, with 1 after a problem, reported in one sentence, with 2 after a wrong command line.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, NoReturn, cast, get_args

import bpy

from ..datasets.dataset_info import Role
from ..datasets.takes import Dataset, left_out
from ..errors import Problem
from ..methods.registry import SPECIFICATIONS
from ..methods.specification import BASES, PRESETS
from ..plain_text import print_line
from ..wording import plural
from . import dataset_commands
from .exchange.formats import FORMATS, NEEDS, format_of
from .exchange.poses.pose_exporting import pose_steps, shapes_beside
from .exchange.reading import Chosen
from .exchange.recording import MOST_SAMPLES, Sampling
from .exchange.writing import motion_steps, playing_objects
from .jobs import host
from .modelling import capsule_fitting
from .playing import packing, playback
from .scene import setting_up
from .scene.modifiers.cache_modifier import remove_cache
from .scene.saving import check_no_sculpt_elsewhere, save_open_file
from .scene.simulation_caches import check_visits
from .scene.targets import check_set_up, named
from .settings.paths import dataset_folder, jobs_folder, model_path
from .settings.properties import NEURALPHYSICS_PG_object, settings_of
from .settings.simulation import KINDS
from .tasks import object_tasks, verdicts

SAY_EVERY = 0.1  # of a file that is written: how often its progress is printed
NAME = "neural_physics"
Run = Callable[[bpy.types.Scene, bpy.types.Object, argparse.Namespace], None]

_registered: Any = None


class WrongArguments(Exception):
    """A command line that cannot be understood."""


class JobEnded(Exception):
    """A job that did not finish, and why."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence instead of ending Blender."""

    def error(self, message: str) -> NoReturn:
        """See `argparse.ArgumentParser`. Raises WrongArguments."""
        raise WrongArguments(f"{self.prog}: {message}; see {self.prog} --help.")


def main(words: Sequence[str]) -> int:
    """Run one command; its exit status."""
    try:
        args = _parser().parse_args(words)
        _run(args)
    except WrongArguments as wrong:
        return _print_error(str(wrong), 2)
    except Problem as problem:
        return _print_error(problem.message, 1)
    except JobEnded as ended:
        return _print_error(str(ended), 1)
    except SystemExit:  # --help
        return 0
    except Exception as error:  # noqa: BLE001 (a traceback must not reach the user)
        unexpected = Problem("unexpected", reason=f"{type(error).__name__}: {error}", path="the terminal")
        return _print_error(unexpected.message, 1)
    return 0


def register() -> None:
    """Register the command line of this extension with Blender."""
    global _registered  # noqa: PLW0603 (Blender wants it back)
    _registered = bpy.utils.register_cli_command(NAME, main)


def unregister() -> None:
    """Remove the command line from Blender."""
    bpy.utils.unregister_cli_command(_registered)


def _run(args: argparse.Namespace) -> None:
    if "run_on_dataset" in args:
        args.run_on_dataset(args)
        return
    if not bpy.data.filepath:
        # Blender continues with an empty scene when it could not open the one it was given.
        raise Problem("no_scene")
    scene = bpy.context.scene
    assert scene is not None
    obj = named(scene, args.object)
    opened = _written(Path(bpy.data.filepath))
    if args.save is not None:
        check_no_sculpt_elsewhere()  # a job takes hours
    for name, value in vars(args).items():
        if name.startswith("setting_") and value is not None:
            setattr(settings_of(obj), name.removeprefix("setting_"), value)
    args.run(scene, obj, args)
    if args.save is not None:
        _save(args.save, opened)


def _set_up(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    if args.kind is None:
        found = setting_up.set_up(obj, scene)
    else:
        found = setting_up.set_up_as(obj, scene, args.kind.upper())
    if args.material is not None:
        setting_up.use_material(obj, args.material)
    if not settings_of(obj).interactions:
        print_line(Problem("no_interactions", object=obj.name).message)
    else:
        print_line(f"{obj.name} reacts to: {', '.join(found) or 'nothing new'}")


def _fit_capsules(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    check_set_up(obj)
    chosen = [named(scene, name) for name in args.to]
    names = capsule_fitting.fit_capsules(obj, chosen or capsule_fitting.capsule_sources(obj, scene))
    print_line(capsule_fitting.summary(obj, names))


def _bake(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    command = object_tasks.bake_anew_command if args.anew else object_tasks.bake_command
    result = _job(obj, object_tasks.BAKE, command(scene, obj))
    there = f"{plural(result['takes'], 'take')}, {plural(result['frames'], 'frame')}"
    print_line(f"{there} in {result['dataset']}, {result['excluded']:,} of them left out of training")


def _prepare(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    object_tasks.bake_command(scene, obj)
    print_line(f"Prepared in {dataset_folder(obj)}: on each computer, run work with this folder")


def _train(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    result = _job(obj, object_tasks.TRAIN, object_tasks.train_command(obj))
    object_tasks.use_model(obj, model_path(obj))
    print_line(f"The model is in {model_path(obj)}, and packed into the .blend")
    found = verdicts.verdict_of(obj)
    if found is not None:
        print_line(found.sentence)
    print_line(f"Its error on the validation takes is {result['validation_error']:.3f}; {result['reason']}")


def _evaluate(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    chosen = model_path(obj) if args.setting_model_path else None
    result = _job(obj, object_tasks.EVALUATE, object_tasks.evaluate_command(obj, chosen))
    for name, value in result.items():
        print_line(f"{name}: {value}")


def _play(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    if args.cache is not None:
        check_visits()  # before anything is edited, or shown that waited
    if args.setting_model_path:
        object_tasks.use_model(obj, model_path(obj))
    playback.go_on()
    playback.attach(obj)
    problem = playback.status_of(obj).problem
    if problem is not None:
        raise problem
    if args.cache is not None:
        _write_motion(scene, obj, args.cache, args, show=True)


def _export(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    if args.file.suffix.lower() == ".fbx":
        said = _to_the_end(_told(pose_steps(obj, args.file, args.take), args.file.name))
        print_line(f"{args.file} and {shapes_beside(args.file).name} have {said}")
        return
    check_visits()  # before anything is edited, or shown that waited
    if not settings_of(obj).playing:
        playback.attach(obj)
    _write_motion(scene, obj, args.file, args, show=False)


def _write_motion(
    scene: bpy.types.Scene, obj: bpy.types.Object, path: Path, args: argparse.Namespace, *, show: bool
) -> None:
    playback.go_on()
    first = scene.frame_start if args.first is None else args.first
    last = scene.frame_end if args.last is None else args.last
    objects = playing_objects(scene) if args.all else [obj]
    sampling = Sampling(first, last, args.samples, args.error, args.overlap)
    said = _to_the_end(_told(motion_steps(scene, objects, path, sampling, show=show), path.name))
    print_line(f"Frames {first} to {last} are in {path}{said and f': {said}'}")
    print_line(f"{NEEDS[format_of(path)]}.")


def _stop(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    playback.detach(obj)
    remove_cache(obj)


def _pack(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    object_tasks.use_model(obj, model_path(obj))


def _unpack(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    packing.unpack(obj, model_path(obj))
    print_line(f"The model is in {model_path(obj)}")


def _import(scene: bpy.types.Scene, obj: bpy.types.Object, args: argparse.Namespace) -> None:
    source = object_tasks.interaction_of(obj, args.cache, args.interaction, args.from_scene)
    chosen = Chosen(args.mesh, args.rest, dict(args.collider), shapes_alone=args.from_scene)
    steps = object_tasks.import_steps(scene, obj, args.cache, source, role=args.role, chosen=chosen)
    name = _to_the_end(steps)
    take = Dataset.open(dataset_folder(obj)).outline(name)
    print_line(f"Imported as {name}, {plural(take.frame_count, 'frame')}")
    if take.info.excluded:
        print_line(left_out(take))


def _told(steps: Generator[tuple[int, int], None, str], name: str) -> Generator[tuple[int, int], None, str]:
    """The same steps, and now and then a line that says how far they are."""
    share = 0.0
    while True:
        try:
            done, total = next(steps)
        except StopIteration as end:
            return str(end.value)
        if done / total >= share:
            print_line(f"{done / total:4.0%} Writing {name}")
            share += SAY_EVERY
        yield done, total


def _to_the_end(steps: Generator[tuple[int, int], None, str]) -> str:
    """Take all steps, and give what they return."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return str(end.value)


def _job(obj: bpy.types.Object, kind: str, argv: list[str]) -> dict[str, Any]:
    state = host.run_blocking(jobs_folder(obj), kind, argv, host.print_progress, owner=obj.name)
    if state.phase != "finished":
        raise JobEnded(state.message)
    for note in state.result.get("notes", ()):
        print_line(note)
    return state.result


def _parser() -> Parser:
    parser = Parser(
        prog=f"blender -b SCENE.blend --command {NAME}", description="Bake takes, train models and play them."
    )
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    dataset_commands.add_to(commands)

    def command(name: str, run: Run, text: str, *, saves: bool) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        sub.add_argument("--object", default="", help="the simulated object; needed if several are set up")
        how = (
            "under this name instead of its own"
            if saves
            else "afterwards, under this name or, without one, under its own"
        )
        sub.add_argument(
            "--save", nargs="?", const="", default="" if saves else None, help=f"save the scene {how}"
        )
        return sub

    setup = command("setup", _set_up, "Find what an object reacts to, and save the scene.", saves=True)
    kinds = [kind.lower() for kind, _, _ in KINDS]
    setup.add_argument(
        "--as",
        dest="kind",
        choices=kinds[1:],
        help="simulate it with the bundled solver, as this kind of body, or learn what its modifiers show",
    )
    setup.add_argument("--material", help="the material preset, for the bundled solver")
    fit = command("fit_capsules", _fit_capsules, "Fit capsules around limbs, and save the scene.", saves=True)
    fit.add_argument(
        "--to",
        nargs="+",
        default=[],
        metavar="NAME",
        help="armatures and meshes (default: those found around the object)",
    )
    bake = command(
        "bake", _bake, "Simulate the takes, and save the scene; resumes where it was stopped.", saves=True
    )
    prepare = command(
        "prepare", _prepare, "Plan the takes for other computers to bake, and save the scene.", saves=True
    )
    for option, name in (
        ("--takes", "take_count"),
        ("--frames", "take_frames"),
        ("--poses", "pose_count"),
        ("--seed", "seed"),
        ("--at-once", "parallel_takes"),
    ):
        for sub in (bake, prepare):
            _setting(sub, option, name, _number_for(name))
    for sub in (bake, prepare):
        _setting(sub, "--where-unsure", "choose_takes", _yes_or_no)
    bake.add_argument("--anew", action="store_true", help="delete all takes first (Bake Anew)")
    train = command("train", _train, "Train a model on the takes, pack it, and save the scene.", saves=True)
    _setting(train, "--method", "method", str, choices=list(SPECIFICATIONS))
    _setting(train, "--preset", "preset", str, choices=[item[0] for item in PRESETS])
    own = (setting for method in SPECIFICATIONS.values() for setting in method.training_settings)
    for setting in (BASES, *own):
        _setting(train, f"--{setting.option}", setting.property, _number_for(setting.property))
    _setting(train, "--seed", "training_seed", _number_for("training_seed"))
    evaluate = command(
        "evaluate", _evaluate, "Measure the model on takes it was not trained on.", saves=False
    )
    play = command(
        "play", _play, "Show the model in place of the simulation, and save the scene.", saves=True
    )
    play.add_argument(
        "--cache",
        type=_absolute_path,
        help="write the motion to this file (PC2, Alembic or USD), to render without the extension",
    )
    export = command(
        "export", _export, "Write the motion of the model for other programs and game engines.", saves=False
    )
    _exporting(play, export)
    command("stop", _stop, "Turn the simulation back on, and save the scene.", saves=True)
    pack = command("pack", _pack, "Put the model file into the .blend, and save it.", saves=True)
    unpack = command("unpack", _unpack, "Write the packed model to its file.", saves=False)
    take = command("import", _import, "Add another program's point cache to the dataset.", saves=False)
    take.add_argument("cache", type=Path, help="PC2, MDD, Alembic or USD")
    take.add_argument("--mesh", default="", help="the object's name in an Alembic or USD file")
    take.add_argument("--rest", action="store_true", help="its first shape there is the shape at rest")
    take.add_argument(
        "--collider",
        type=_pair,
        action="append",
        default=[],
        metavar="OBJECT=NAME",
        help="what an object that is reacted to is called there (default: as in the scene)",
    )
    take.add_argument(
        "--interaction", type=Path, help="CSV or .npy (default: the file of the same name as the cache)"
    )
    take.add_argument("--from-scene", action="store_true", help="read the interaction from the scene")
    take.add_argument("--role", choices=get_args(Role), default="training", help="what the take is for")
    for sub in (bake, prepare, train, evaluate, take):
        _setting(sub, "--dataset", "dataset_folder", _absolute)
    for sub in (train, evaluate, play, pack, unpack):
        _setting(sub, "--model", "model_path", _absolute)
    return parser


def _setting(
    parser: argparse.ArgumentParser,
    option: str,
    name: str,
    convert: Callable[[str], object],
    *,
    choices: Sequence[str] | None = None,
) -> None:
    """An option that takes the place of one of the object's settings."""
    parser.add_argument(option, dest=f"setting_{name}", type=convert, choices=choices)


def _exporting(play: argparse.ArgumentParser, export: argparse.ArgumentParser) -> None:
    """What both ways to write motion are told."""
    export.add_argument(
        "file", type=_absolute_path, help=f"{', '.join(FORMATS)}, or .fbx for the baked poses"
    )
    export.add_argument("--take", action="append", default=[], help="of baked poses: take of these (repeat)")
    for sub in (play, export):
        sub.add_argument("--first", type=int, help="first frame of the file (default: the scene's)")
        sub.add_argument("--last", type=int, help="last frame of the file (default: the scene's)")
        sub.add_argument("--samples", type=_samples, default=1, help="samples of each frame (not in PC2)")
        sub.add_argument("--error", type=float, default=Sampling.error, help="of shape keys in glTF, metres")
        sub.add_argument(
            "--overlap", type=_overlap, default=0, help="frames over which a texture is closed to a loop"
        )
        sub.add_argument("--all", action="store_true", help="all objects that play into one file")


def _samples(word: str) -> int:
    """Reads how many samples a frame has."""
    samples = int(word)
    if not 1 <= samples <= MOST_SAMPLES:
        raise argparse.ArgumentTypeError(f"{samples} is not between 1 and {MOST_SAMPLES}")
    return samples


def _overlap(word: str) -> int:
    """Reads over how many frames a loop is closed."""
    frames = int(word)
    if frames < 0:
        raise argparse.ArgumentTypeError(f"{frames} is less than 0")
    return frames


def _pair(word: str) -> tuple[str, str]:
    """Reads OBJECT=NAME."""
    obj, equals, name = word.partition("=")
    if not (obj and equals and name):
        raise argparse.ArgumentTypeError(f"{word} is not OBJECT=NAME")
    return obj, name


def _number_for(name: str) -> Callable[[str], float]:
    """Reads a number for one of the object's settings; beyond their limits they would cut it off."""
    limits = cast(bpy.types.IntProperty, NEURALPHYSICS_PG_object.bl_rna.properties[name])

    def number(word: str) -> float:
        value = int(word) if limits.type == "INT" else float(word)
        if not limits.hard_min <= value <= limits.hard_max:
            raise argparse.ArgumentTypeError(
                f"{value} is not between {limits.hard_min} and {limits.hard_max}"
            )
        return value

    return number


def _yes_or_no(word: str) -> bool:
    if word not in ("yes", "no"):
        raise argparse.ArgumentTypeError(f"{word} is neither yes nor no")
    return word == "yes"


def _absolute(word: str) -> str:
    return str(_absolute_path(word))


def _absolute_path(word: str) -> Path:
    return Path(word).absolute()


def _written(scene: Path) -> int:
    """When a .blend was written, in nanoseconds; 0 if it is gone."""
    return scene.stat().st_mtime_ns if scene.is_file() else 0


def _save(path: str, opened: int) -> None:
    """Save the scene; `opened`: when its file was written as it was opened.

    Raises Problem("scene_changed" | "folder_not_writable" | "sculpt_elsewhere").
    """
    target = Path(path).absolute() if path else Path(bpy.data.filepath)
    if not path and _written(target) != opened:  # a job takes hours, during which somebody may work on it
        raise Problem("scene_changed", path=target)
    try:
        save_open_file(target, copy=bool(path))
    except RuntimeError as error:
        raise Problem("folder_not_writable", path=target.parent, reason=str(error).strip()) from error


def _print_error(sentence: str, status: int) -> int:
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()
    return status
