"""The artist's settings of the bundled solver: `object.neural_physics.simulation`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import cast

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from mathutils import Vector

from ...baking.fabric_ranges import LIVE
from ...datasets.simulation_request import SimulationSettings
from ...materials import (
    DENSITY_LIMITS,
    RODS,
    SHELLS,
    SOLIDS,
    SPRINGS,
    THICKNESS_LIMITS,
    YOUNG_LIMITS,
    Rod,
    Shell,
    Solid,
    Springs,
    young_for_height,
)

FLAT = 1e-3  # of its size: what is no higher lies flat
STRETCH_LIMITS = (0.1, 1e6)  # N/m
BENDING_LIMITS = (1e-8, 1.0)  # N m
KINDS = [
    ("BLENDER", "Blender's Physics", "The Cloth or Soft Body modifier of the object"),
    ("SOLID", "Solid", "A volume inside a closed surface: jelly, rubber, flesh"),
    ("SHELL", "Shell", "A thin sheet made of the mesh's faces: cloth, leather, foil"),
    ("ROD", "Rods", "Strands along the mesh's edges: hair, cables, grass"),
    (
        "SPRINGS",
        "Mass-Spring Cloth",
        "Springs along the mesh's edges, with a different fabric in every take: for Hierarchical Cloth",
    ),
    (
        "MODIFIERS",
        "Its Modifiers",
        "Whatever its modifiers show: simulations of Geometry Nodes or other add-ons, caches, rigs",
    ),
]
NOT_SOLVED = ("BLENDER", "MODIFIERS")  # kinds that Blender simulates
ELASTICITIES = [
    (
        "stable_neo_hookean",
        "Neo-Hookean",
        "For flesh and rubber; recovers from inverted elements (Smith 2018)",
    ),
    ("corotational", "Corotational", "Linear elasticity that rotates with the body; for small strains"),
    ("stvk", "St. Venant-Kirchhoff", "The textbook model; collapses under strong compression"),
]
BENDING_MODELS = [
    (
        "hinges",
        "Hinges",
        (
            "Bends at the edges between faces: three times faster, but up to three times too stiff "
            "along the diagonals of a regular grid"
        ),
    ),
    ("midedges", "Mid-Edge Normals", "Bends equally in every direction, on any mesh (Grinspun 2006)"),
]
FILLINGS = [
    ("tetwild", "Tetrahedra", "Tetrahedra that conform to the surface"),
    (
        "cage",
        "Cage",
        "A regular lattice of tetrahedra around the surface: for open or self-intersecting meshes",
    ),
]
PRESETS: Mapping[str, Mapping[str, Solid | Shell | Rod | Springs]] = {
    "SOLID": SOLIDS,
    "SHELL": SHELLS,
    "ROD": RODS,
    "SPRINGS": SPRINGS,
}
FIRST_PRESETS = {
    "SOLID": "jelly",
    "SHELL": "cotton",
    "ROD": "hair",
    "SPRINGS": "cloth",
}
_SOLID, _SHELL = SOLIDS[FIRST_PRESETS["SOLID"]], SHELLS[FIRST_PRESETS["SHELL"]]
_ROD, _SPRINGS = RODS[FIRST_PRESETS["ROD"]], SPRINGS[FIRST_PRESETS["SPRINGS"]]
# What of a material is a setting of the same name.
QUANTITIES = ("young", "poisson", "density", "area_density", "thickness", "bending", "shear", "radius")


def _begin_with_preset(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    simulation = cast(NEURALPHYSICS_PG_simulation, settings)
    modifiers = cast(bpy.types.Object, simulation.id_data).modifiers
    if simulation.kind == "MODIFIERS" and simulation.last_modifier not in modifiers:
        simulation.last_modifier = modifiers[-1].name if len(modifiers) else ""
    if simulation.kind not in NOT_SOLVED:
        use_preset(simulation, FIRST_PRESETS[simulation.kind])
    if simulation.kind == "SOLID":
        height = _height(cast(bpy.types.Object, simulation.id_data))
        simulation.young = young_for_height(height, simulation.density)


def _height(obj: bpy.types.Object) -> float:
    """How high an object is, metres; of one that lies flat on the ground, how large."""
    corners = [obj.matrix_world @ Vector(corner) for corner in obj.bound_box]
    extents = [max(c[axis] for c in corners) - min(c[axis] for c in corners) for axis in range(3)]
    return extents[2] if extents[2] > FLAT * max(extents) else max(extents)


class NEURALPHYSICS_PG_simulation(bpy.types.PropertyGroup):
    """Who simulates an object, and what the bundled solver takes it for. SI units; a Blender unit is 1 m."""

    kind: EnumProperty(
        name="Simulated By",
        description="Blender's own physics, the bundled solver, or whatever the modifiers show",
        items=KINDS,
        update=_begin_with_preset,
    )
    last_modifier: StringProperty(
        name="Up To",
        description=(
            "What this modifier and those before it show is learned; those after it act on what plays, too"
        ),
    )
    pins: StringProperty(
        name="Pins", description="Vertex group of the vertices held by the object, its hooks and its armature"
    )
    bone_radius: FloatProperty(
        name="Bone Radius",
        description="Interior within this distance of a bone follows the bone; 0 leaves all of it free",
        default=SimulationSettings.bone_radius,
        min=0.0,
        unit="LENGTH",
    )
    young: FloatProperty(
        name="Stiffness",
        description="Young's modulus in Pa: jelly a few thousand, rubber a million",
        default=_SOLID.young,
        min=YOUNG_LIMITS[0],
        max=YOUNG_LIMITS[1],
        soft_max=1e7,
        precision=0,
    )
    softer: StringProperty(
        name="Softness Group",
        description="Vertex group of softer regions, such as the stripes of an accordion",
    )
    softest: FloatProperty(
        name="Stiffness Factor",
        description="Fraction of the stiffness that remains where the weight in Softness Group is 1",
        default=0.1,
        min=1e-4,
        max=1.0,
        precision=3,
    )
    poisson: FloatProperty(
        name="Poisson's Ratio",
        description="0: no bulging under compression; towards 0.5: volume is preserved",
        default=_SOLID.poisson,
        min=-0.99,
        max=0.499,
        soft_min=0.0,
        precision=3,
    )
    density: FloatProperty(
        name="Density",
        description="Mass per volume in kg/m³; water is 1000",
        default=_SOLID.density,
        min=DENSITY_LIMITS[0],
        max=DENSITY_LIMITS[1],
        precision=0,
    )
    area_density: FloatProperty(
        name="Area Density",
        description="Mass per area in kg/m²; a cotton shirt is about 0.15",
        default=_SHELL.area_density,
        min=1e-4,
        max=100.0,
        precision=3,
    )
    thickness: FloatProperty(
        name="Thickness",
        description="Thickness of the sheet; layers stay this far apart",
        default=_SHELL.thickness,
        min=THICKNESS_LIMITS[0],
        max=THICKNESS_LIMITS[1],
        precision=5,
        unit="LENGTH",
    )
    bending: FloatProperty(
        name="Bending",
        description="Bending stiffness in N m: silk 0.000001, denim 0.00006",
        default=_SHELL.bending,
        min=0.0,
        soft_max=1e-2,
        precision=7,
    )
    bending_model: EnumProperty(
        name="Bending Model", description="How the bending of a sheet is measured", items=BENDING_MODELS
    )
    stretch_low: FloatProperty(
        name="Stretch Min",
        description="Stretch stiffness of the softest fabric in N/m; each take has a different fabric",
        default=_SPRINGS.stretch_low,
        min=STRETCH_LIMITS[0],
        max=STRETCH_LIMITS[1],
        precision=1,
    )
    stretch_high: FloatProperty(
        name="Max",
        description=("Stretch stiffness of the stiffest fabric in N/m; equal to Min: the same in all takes"),
        default=_SPRINGS.stretch_high,
        min=STRETCH_LIMITS[0],
        max=STRETCH_LIMITS[1],
        precision=1,
    )
    bending_low: FloatProperty(
        name="Bending Min",
        description="Bending stiffness of the softest fabric in N m: silk 0.000001, denim 0.00006",
        default=_SPRINGS.bending_low,
        min=BENDING_LIMITS[0],
        max=BENDING_LIMITS[1],
        precision=7,
    )
    bending_high: FloatProperty(
        name="Max",
        description=("Bending stiffness of the stiffest fabric in N m; equal to Min: the same in all takes"),
        default=_SPRINGS.bending_high,
        min=BENDING_LIMITS[0],
        max=BENDING_LIMITS[1],
        precision=7,
    )
    shear: FloatProperty(
        name="Twist Stiffness",
        description="Shear modulus in Pa, the resistance to twisting",
        default=_ROD.shear,
        min=YOUNG_LIMITS[0],
        max=YOUNG_LIMITS[1],
        precision=0,
    )
    radius: FloatProperty(
        name="Radius",
        description="Radius of a strand; a human hair is about 0.00004 m",
        default=_ROD.radius,
        min=THICKNESS_LIMITS[0],
        max=THICKNESS_LIMITS[1],
        precision=6,
        unit="LENGTH",
    )
    elasticity: EnumProperty(name="Elasticity", items=ELASTICITIES)
    filling: EnumProperty(name="Filling", items=FILLINGS)
    tetrahedra: IntProperty(
        name="Tetrahedra",
        description="Approximate number that fill the body; more show finer dents but take longer",
        default=SimulationSettings.tetrahedra,
        min=20,
        max=1_000_000,
        soft_max=30_000,
    )
    steps: IntProperty(
        name="Steps per Frame",
        description="Solver steps per frame; more preserve more of the jiggle but take longer",
        default=SimulationSettings.steps,
        min=1,
        max=100,
    )
    damping: FloatProperty(
        name="Damping",
        description="Internal damping in seconds; higher values calm the jiggle sooner",
        default=SimulationSettings.damping,
        min=0.0,
        max=10.0,
        soft_max=0.1,
        precision=4,
    )
    friction: FloatProperty(
        name="Friction",
        description="Friction with colliders; 0 slides, 1 clings",
        default=SimulationSettings.friction,
        min=0.0,
        max=10.0,
        soft_max=1.0,
    )
    self_contact: BoolProperty(
        name="Self Contact",
        description="Keep the body from passing through itself, with Contact Corrections also in Play; takes "
        "much longer",
        default=SimulationSettings.self_contact,
    )


def preset_names(kind: str) -> list[str]:
    """The materials that there are for a kind, an identifier of `KINDS`."""
    return list(PRESETS.get(kind, ()))


def use_preset(simulation: NEURALPHYSICS_PG_simulation, name: str) -> None:
    """Set what a material says; all else stays."""
    for quantity, value in asdict(PRESETS[simulation.kind][name]).items():
        setattr(simulation, quantity, value)


def settings_for_solver(simulation: NEURALPHYSICS_PG_simulation) -> SimulationSettings:
    """The settings as the solver reads them."""
    names = [
        *QUANTITIES,
        "elasticity",
        "bending_model",
        "filling",
        "tetrahedra",
        "steps",
        "damping",
        "friction",
        "self_contact",
        "bone_radius",
    ]
    chosen = {name: getattr(simulation, name) for name in names}
    if simulation.kind == "SOLID" and simulation.softer:
        chosen["softest"] = simulation.softest
    if simulation.kind == "SPRINGS":  # else takes from before there were springs would differ
        for name in LIVE:
            span = getattr(simulation, f"{name}_low"), getattr(simulation, f"{name}_high")
            chosen[f"{name}_low"], chosen[f"{name}_high"] = sorted(span)
    return SimulationSettings.from_json({"kind": simulation.kind.lower(), **chosen})
