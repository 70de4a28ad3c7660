"""The artist's settings of the bundled solver: `object.neural_physics.simulation`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import cast

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

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
)

STRETCH_LIMITS = (0.1, 1e6)  # N/m
BENDING_LIMITS = (1e-8, 1.0)  # N m
KINDS = [
    ("BLENDER", "Blender's Physics", "The Cloth or Soft Body modifier of the object"),
    ("SOLID", "Solid", "A body that fills its closed surface: jelly, rubber, flesh"),
    ("SHELL", "Shell", "A thin sheet of the mesh's faces: cloth, leather, foil"),
    ("ROD", "Rods", "Strands along the mesh's edges: hair, cables, grass"),
    (
        "SPRINGS",
        "Spring Cloth",
        "A sheet of springs along the mesh's edges, of another fabric in every take: for Hierarchical Cloth",
    ),
]
ELASTICITIES = [
    ("stable_neo_hookean", "Neo-Hookean", "Flesh and rubber; bears being turned inside out (Smith 2018)"),
    ("corotational", "Corotational", "Linear springs that turn with the body: for small strains"),
    ("stvk", "St. Venant-Kirchhoff", "As in textbooks; gives way when it is pressed hard"),
]
BENDING_MODELS = [
    (
        "hinges",
        "Hinges",
        "At the edges between faces: three times as fast, and up to three times too stiff along the "
        "diagonals of a regular grid",
    ),
    ("midedges", "Mid-Edge Normals", "The same in every direction, on any mesh (Grinspun 2006)"),
]
FILLINGS = [
    ("tetwild", "Tetrahedra", "Fill the surface with tetrahedra that follow it"),
    (
        "cage",
        "Cage",
        "A lattice of equal tetrahedra around the surface: for meshes that are open or cross themselves",
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
# What of a material is a setting of the same name.
QUANTITIES = ("young", "poisson", "density", "area_density", "thickness", "bending", "shear", "radius")


def _begin_with_preset(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    simulation = cast(NEURALPHYSICS_PG_simulation, settings)
    if simulation.kind != "BLENDER":
        use_preset(simulation, FIRST_PRESETS[simulation.kind])


class NEURALPHYSICS_PG_simulation(bpy.types.PropertyGroup):
    """Who simulates an object, and what the bundled solver takes it for. SI units; a Blender unit is 1 m."""

    kind: EnumProperty(
        name="Simulated By",
        description="Blender's own physics, or the bundled solver",
        items=KINDS,
        update=_begin_with_preset,
    )
    pins: StringProperty(
        name="Pins", description="Vertex group of what is held by the object, its hooks and its armature"
    )
    bone_radius: FloatProperty(
        name="Bones Hold",
        description="How near to a bone of its Armature modifier the inside goes with it; 0 leaves it free",
        default=0.0,
        min=0.0,
        unit="LENGTH",
    )
    young: FloatProperty(
        name="Stiffness",
        description="Young's modulus, Pa: jelly some thousands, rubber a million",
        default=5e3,
        min=YOUNG_LIMITS[0],
        max=YOUNG_LIMITS[1],
        soft_max=1e7,
        precision=0,
    )
    softer: StringProperty(
        name="Softer Where", description="Vertex group of what is softer, such as the stripes of an accordion"
    )
    softest: FloatProperty(
        name="Down To",
        description="Share of the stiffness where the vertex group Softer Where weighs 1",
        default=0.1,
        min=1e-4,
        max=1.0,
        precision=3,
    )
    poisson: FloatProperty(
        name="Keeps Volume",
        description="Poisson's ratio: 0 nothing bulges when it is pressed, towards 0.5 volume is kept",
        default=0.47,
        min=-0.99,
        max=0.499,
        soft_min=0.0,
        precision=3,
    )
    density: FloatProperty(
        name="Density",
        description="kg/m\u00b3; water has 1000",
        default=1020.0,
        min=DENSITY_LIMITS[0],
        max=DENSITY_LIMITS[1],
        precision=0,
    )
    area_density: FloatProperty(
        name="Weight",
        description="kg/m\u00b2; a cotton shirt has 0.15",
        default=0.15,
        min=1e-4,
        max=100.0,
        precision=3,
    )
    thickness: FloatProperty(
        name="Thickness",
        description="Of the sheet; layers keep so far apart",
        default=3.2e-4,
        min=THICKNESS_LIMITS[0],
        max=THICKNESS_LIMITS[1],
        precision=5,
        unit="LENGTH",
    )
    bending: FloatProperty(
        name="Bending",
        description="Bending stiffness, N m: silk 0.000001, denim 0.00006",
        default=1e-5,
        min=0.0,
        soft_max=1e-2,
        precision=7,
    )
    bending_model: EnumProperty(
        name="Bending Model", description="How the bending of a sheet is measured", items=BENDING_MODELS
    )
    stretch_low: FloatProperty(
        name="Stretch From",
        description="N/m; the softest fabric of the takes, of which each has another",
        default=100.0,
        min=STRETCH_LIMITS[0],
        max=STRETCH_LIMITS[1],
        precision=1,
    )
    stretch_high: FloatProperty(
        name="To",
        description="N/m; the stiffest fabric of the takes. The same as From: all takes have this one",
        default=1000.0,
        min=STRETCH_LIMITS[0],
        max=STRETCH_LIMITS[1],
        precision=1,
    )
    bending_low: FloatProperty(
        name="Bending From",
        description="N m; of the fabric that folds most easily: silk 0.000001, denim 0.00006",
        default=2e-5,
        min=BENDING_LIMITS[0],
        max=BENDING_LIMITS[1],
        precision=7,
    )
    bending_high: FloatProperty(
        name="To",
        description="N m; of the fabric that folds least. The same as From: all takes have this one",
        default=1e-3,
        min=BENDING_LIMITS[0],
        max=BENDING_LIMITS[1],
        precision=7,
    )
    shear: FloatProperty(
        name="Twist Stiffness",
        description="Shear modulus, Pa, which resists twisting",
        default=0.89e9,
        min=YOUNG_LIMITS[0],
        max=YOUNG_LIMITS[1],
        precision=0,
    )
    radius: FloatProperty(
        name="Radius",
        description="Of a strand; a hair has 0.00004 m",
        default=4e-5,
        min=THICKNESS_LIMITS[0],
        max=THICKNESS_LIMITS[1],
        precision=6,
        unit="LENGTH",
    )
    elasticity: EnumProperty(name="Elasticity", items=ELASTICITIES)
    filling: EnumProperty(name="Filling", items=FILLINGS)
    tetrahedra: IntProperty(
        name="Tetrahedra",
        description="About how many fill the body; more show finer dents and take longer",
        default=3000,
        min=20,
        max=1_000_000,
        soft_max=30_000,
    )
    steps: IntProperty(
        name="Steps per Frame",
        description="More keep more of the jiggle, and take longer",
        default=2,
        min=1,
        max=100,
    )
    damping: FloatProperty(
        name="Damping",
        description="Seconds; how much inner friction brakes the jiggle",
        default=0.0,
        min=0.0,
        max=10.0,
        soft_max=0.1,
        precision=4,
    )
    friction: FloatProperty(
        name="Friction",
        description="With colliders; 0 slides, 1 clings",
        default=0.4,
        min=0.0,
        max=10.0,
        soft_max=1.0,
    )
    self_contact: BoolProperty(
        name="Self Contact",
        description="Keep it from passing through itself; takes much longer",
        default=False,
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
    if simulation.kind == "SPRINGS":  # of the others, takes of before there were springs stay the same
        for name in LIVE:
            span = getattr(simulation, f"{name}_low"), getattr(simulation, f"{name}_high")
            chosen[f"{name}_low"], chosen[f"{name}_high"] = sorted(span)
    return SimulationSettings.from_json({"kind": simulation.kind.lower(), **chosen})
