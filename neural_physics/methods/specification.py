"""The declaration of a method: what it is called, what it needs, what it shows, and what it can do.

Panels, commands, checks, Bake and Play read it, so that none of them knows a method by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..datasets.rest_mesh import Mesh
from ..energies.colliders.collider import Collider
from ..models.model_file import Model

# Name in files and commands, label, and what each preset of every method is for.
PRESETS = (
    ("preview", "Preview", "A minute or two: to check whether the setup works"),
    ("balanced", "Balanced", "Up to ten minutes: good for most scenes"),
    ("final", "Final", "An hour or more: the best quality this dataset can give"),
    ("paper", "Paper", "The settings of the method's paper, for large datasets and long training"),
)
DEFAULT_PRESET = "balanced"


@dataclass(frozen=True)
class ColliderFacts:
    """name: the collider's. shape: the simplest that its mesh is, None for any other. moves: it is listed in
    Set Up."""

    name: str
    shape: Collider | None
    moves: bool


@dataclass(frozen=True)
class ObjectFacts:
    """What a method may ask of an object before it is baked; what takes time to find out is a call.

    physics: what simulates it, as a dataset's provenance says it. solver_steps: of the bundled solver in each
    frame, None where something else simulates. frame_moves: its reference frame does. topology: see
    `Mesh.topology`. scaled, flat: its axes are, its mesh is in one plane.
    """

    name: str
    physics: str
    solver_steps: int | None
    frame_moves: bool
    topology: Callable[[], str]
    mesh: Callable[[], Mesh]
    scaled: Callable[[], bool]
    flat: Callable[[], bool]
    colliders: Callable[[], Sequence[ColliderFacts]]


@dataclass(frozen=True)
class DatasetFacts:
    """What a method may ask of a dataset before it is learned from.

    object: the name of what was simulated. posed: whether it is known how bones move the mesh. physics,
    solver_steps, topology: as those of `ObjectFacts`.
    """

    path: object
    object: str
    physics: str
    solver_steps: int | None
    posed: bool
    topology: str
    mesh: Callable[[], Mesh]


@dataclass(frozen=True)
class NumberSetting:
    """A number that a training can be given: a whole one where its default is an int.

    property: its name among the artist's settings. option: its name among the preset's, and on the command
    line. default: the value that leaves it to the preset. replaced_by: a list of the artist's settings that
    is taken instead where there is something in it.
    """

    property: str
    option: str
    label: str
    description: str
    most: float
    usual_most: float
    default: float = 0
    least: float = 0
    replaced_by: str = ""


BASES = NumberSetting(
    property="basis_count",
    option="bases",
    label="Bases",
    description="Number of basis shapes to blend; more preserve finer folds",
    default=64,
    least=1,
    most=1024,
    usual_most=1024,
)


@dataclass(frozen=True)
class LiveSetting:
    """One of the artist's settings that a model of this method reads while it plays; see `Adjustable`.

    property: its name among the artist's settings. default, least, most, usual_most: of a value. A switch
    is 1 where it is on, and off at first.
    """

    property: str
    label: str
    description: str
    kind: Literal["value", "switch", "vertex_group"] = "value"
    default: float = 0.0
    least: float = 0.0
    most: float = 1.0
    usual_most: float = 1.0


@dataclass(frozen=True)
class MethodSpecification:
    """One method.

    id: its name in files, folders and commands. number: what a .blend stores for it, never used for another.
    label, choose_for: its name, and one sentence for choosing it. run_time: a model, ready to run.
    check_object, check_dataset: raise the Problem of what it cannot learn from.
    suits: answers to “What is it?” for which it is the method, each with the kind of body that the solver
    then simulates. training_settings, live_settings: what is drawn for it. solver_settings: what the
    bundled solver is set to where it is chosen. has_bases: shapes are mixed, and their number is chosen.
    has_handles: points of the body that the artist places, and holds while it plays. has_springs: their
    stiffness can be shown on the mesh. follows_bones: it is learned about where bones take the mesh;
    poses are baked for it. has_levels: its mesh must be a subdivision of a coarser one. simulates: it
    does while it plays, and so can be given colliders that no take had. trains_in_blender: NumPy is
    enough, and so is Blender's own Python. simplest: what its validation error is
    relative to, in words. simpler: the other simple answer whose error its trainer measures, "" if none.
    """

    id: str
    number: int
    label: str
    choose_for: str
    paper: str
    run_time: Callable[[Model], Any]  # a `Method`
    check_object: Callable[[ObjectFacts], None] = lambda facts: None
    check_dataset: Callable[[DatasetFacts], None] = lambda facts: None
    training_settings: tuple[NumberSetting, ...] = ()
    live_settings: tuple[LiveSetting, ...] = ()
    solver_settings: Mapping[str, Any] = field(default_factory=dict)
    suits: Sequence[tuple[str, str]] = ()
    has_bases: bool = True
    has_handles: bool = False
    has_springs: bool = False
    has_levels: bool = False
    follows_bones: bool = False
    simulates: bool = False
    trains_in_blender: bool = False
    simplest: str = "a shape that stands still"
    simpler: str = ""
