"""Materials: what is absurd is refused in one sentence, and what is derived agrees with the textbooks."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from meshes import block

from neural_physics.energies.solids import stable_neo_hookean
from neural_physics.energies.solids.lame import lame_parameters
from neural_physics.materials import (
    GRAVITY,
    RODS,
    SAG,
    SHELLS,
    SOLIDS,
    Rod,
    Shell,
    Solid,
    young_for_height,
)
from neural_physics.solver.implicit_euler import System, equilibrium
from neural_physics.solver.terms.solids import SolidTerm

SHELL = Shell(area_density=0.15, thickness=0.3e-3, young=1e6, poisson=0.3, bending=1e-5)
SOLID = Solid(density=1000.0, young=1e5, poisson=0.4)
ROD = Rod(density=1300.0, young=4e9, shear=1e9, radius=4e-5)


@pytest.mark.parametrize(
    "material, change, subject",
    [
        (SHELL, {"area_density": 0.0}, "area density"),
        (SHELL, {"area_density": -0.1}, "area density"),
        (SHELL, {"area_density": math.inf}, "area density"),
        (SHELL, {"area_density": 150.0}, "density"),  # grams
        (SHELL, {"thickness": 0.0}, "thickness"),
        (SHELL, {"thickness": 30.0}, "thickness"),
        (SHELL, {"young": math.nan}, "Young"),
        (SHELL, {"bending": -1e-6}, "bending"),
        (SHELL, {"bending": math.nan}, "bending"),
        (SOLID, {"young": 0.5}, "Young"),
        (SOLID, {"young": 2e13}, "Young"),
        (SOLID, {"poisson": 0.5}, "Poisson"),
        (SOLID, {"poisson": -1.0}, "Poisson"),
        (SOLID, {"poisson": math.nan}, "Poisson"),
        (SOLID, {"density": 0.001}, "density"),
        (SOLID, {"density": 2e5}, "density"),
        (ROD, {"shear": -1.0}, "shear"),
        (ROD, {"radius": math.inf}, "radius"),
    ],
)
def test_absurd_values_are_refused_in_one_sentence_with_the_value(material, change, subject):
    with pytest.raises(ValueError) as refused:
        dataclasses.replace(material, **change)
    sentence = str(refused.value)
    assert subject in sentence and sentence.endswith(".") and sentence.count(". ") == 0


def test_the_limits_themselves_are_taken():
    for young in (1.0, 1e13):
        assert Solid(1000.0, young, 0.3).young == young
    for density in (0.01, 1e5):
        assert Solid(density, 1e6, -0.9).density == density
    assert dataclasses.replace(SHELL, bending=0.0).bending == 0.0


def test_a_body_twice_as_large_sinks_by_the_same_share_of_its_height():
    """By the solver, and by about what the formula says: its sides bulge, and its foot is held."""
    shares = []
    for height in (0.05, 0.1, 1.7):
        young = young_for_height(height, SOLID.density)
        mu, lam = lame_parameters(young, 0.3)
        vertices, tetrahedra = block((4, 4, 4), (height, height, height))
        term = SolidTerm(vertices, tetrahedra, stable_neo_hookean, (float(mu), float(lam)))
        edges = vertices[tetrahedra[:, 1:]] - vertices[tetrahedra[:, :1]]
        mass = np.zeros(len(vertices))
        each = SOLID.density * np.abs(np.linalg.det(edges)) / 24.0
        np.add.at(mass, tetrahedra, each[:, None])
        weight = np.outer(mass, [0.0, 0.0, -GRAVITY]).ravel()
        free = np.repeat(vertices[:, 2] > 0.0, 3)
        system = System(np.ones(vertices.size), [term], free, force=lambda *_, of=weight: of)
        rest = equilibrium(system, vertices.ravel().copy(), 1e-9)
        assert rest.converged
        top = vertices[:, 2] == vertices[:, 2].max()
        sunk = vertices[top, 2].mean() - rest.q.reshape(-1, 3)[top, 2].mean()
        shares.append(sunk / height)
    assert shares == pytest.approx([shares[0]] * 3, rel=1e-4)
    assert shares[0] == pytest.approx(SAG, rel=0.15)


def test_jelly_of_the_preset_is_that_of_a_dessert_bowl():
    assert young_for_height(0.11, SOLIDS["jelly"].density) == pytest.approx(SOLIDS["jelly"].young, rel=0.02)
    assert young_for_height(0.55, SOLIDS["jelly"].density) == pytest.approx(2.5e4, rel=0.02)
    assert young_for_height(1e-9, 1000.0) == 1.0


def test_a_solids_parameters_give_its_young_modulus_and_poissons_ratio_back():
    mu, lam = SOLID.lame
    assert mu * (3 * lam + 2 * mu) / (lam + mu) == pytest.approx(SOLID.young)
    assert lam / (2 * (lam + mu)) == pytest.approx(SOLID.poisson)


def test_a_shell_pulled_at_two_ends_resists_by_young_times_thickness_and_narrows_by_poisson():
    """Plane stress: the stretch across is what leaves no tension across."""
    mu, lam = SHELL.membrane
    along, across = 0.01, -0.01 * SHELL.poisson
    assert 2 * mu * across + lam * (along + across) == pytest.approx(0.0, abs=1e-9)
    tension = 2 * mu * along + lam * (along + across)
    assert tension == pytest.approx(SHELL.young * SHELL.thickness * along)


def test_a_rods_stiffnesses_are_the_integrals_over_its_section():
    n = 200_000
    rings = [(k + 0.5) / n * ROD.radius for k in range(n)]
    width = ROD.radius / n
    area = sum(2 * math.pi * r * width for r in rings)
    polar = sum(2 * math.pi * r**3 * width for r in rings)
    assert ROD.stretching == pytest.approx(ROD.young * area, rel=1e-6)
    assert ROD.twisting == pytest.approx(ROD.shear * polar, rel=1e-6)
    assert ROD.bending == pytest.approx(ROD.young * polar / 2, rel=1e-6)
    assert ROD.line_density == pytest.approx(ROD.density * area, rel=1e-6)


def test_presets_are_ordered_as_one_knows_them_by_hand():
    assert set(SHELLS) == {"cotton", "denim", "silk", "leather"}
    lightest_first = sorted(SHELLS, key=lambda name: SHELLS[name].area_density)
    assert lightest_first == ["silk", "cotton", "denim", "leather"]
    assert sorted(SHELLS, key=lambda name: SHELLS[name].bending) == lightest_first
    softest_first = sorted(SOLIDS, key=lambda name: SOLIDS[name].young)
    assert softest_first == ["jelly", "flesh", "silicone", "rubber"]
    # A hair of 10 cm, held level, bends by much under its own weight, one of 1 cm by little.
    hair = RODS["hair"]
    for length, least, most in ((0.1, 0.5, 1e3), (0.01, 0.0, 0.01)):
        sag = hair.line_density * 9.81 * length**4 / (8 * hair.bending)
        assert least < sag / length < most


def test_leather_bends_as_a_plate_of_its_thickness():
    leather = SHELLS["leather"]
    plate = leather.young * leather.thickness**3 / (12 * (1 - leather.poisson**2))
    assert leather.bending == pytest.approx(plate, rel=0.01)
