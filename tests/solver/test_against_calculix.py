"""Solids at rest against another solver, CalculiX, on the same meshes of linear tetrahedra."""

from __future__ import annotations

import calculix
import compressible_neo_hookean
import numpy as np
import pytest
from meshes import block

from neural_physics.energies.solids import corotational, stable_neo_hookean, stvk
from neural_physics.energies.solids.lame import lame_parameters
from neural_physics.solver.implicit_euler import System, equilibrium
from neural_physics.solver.terms.solids import SolidTerm

needs_calculix = pytest.mark.skipif(
    not calculix.installed(), reason="CalculiX's ccx is not on the PATH (apt-get install calculix-ccx)"
)

YOUNG, POISSON = 1e5, 0.3
MU, LAM = (float(parameter) for parameter in lame_parameters(YOUNG, POISSON))
BLOCK = (6, 5, 5), (1.2, 1.0, 1.0)
CANTILEVER = (20, 4, 4), (1.0, 0.2, 0.2)
LINEAR = calculix.linear_elastic(YOUNG, POISSON)
# Each of CalculiX's materials with ours that is the same at any strain.
SAME_MATERIAL = [
    pytest.param(LINEAR, stvk, id="stvk"),
    pytest.param(calculix.neo_hookean(MU, LAM), compressible_neo_hookean, id="neo_hookean"),
]
SAME = 1e-5  # CalculiX prints seven digits


def mesh(shape):
    """A box, and where it is held: at its left side."""
    vertices, tetrahedra = block(*shape)
    held = np.full(vertices.shape, np.nan)
    held[vertices[:, 0] == 0.0] = 0.0
    return vertices, tetrahedra, held


def at_the_right(vertices, force):
    """(V, 3) N: shared by the vertices of the right side."""
    right = vertices[:, 0] == vertices[:, 0].max()
    return np.where(right[:, None], np.asarray(force) / right.sum(), 0.0)


def pulled_and_sheared(strain):
    """A block whose right side is drawn away by so much of the length, and half of that upwards."""
    vertices, tetrahedra, held = mesh(BLOCK)
    drawn = vertices[:, :1] * np.array([strain, 0.0, 0.5 * strain])
    right = vertices[:, 0] == vertices[:, 0].max()
    held[right] = drawn[right]
    return vertices, tetrahedra, held, drawn


def ours(vertices, tetrahedra, energy, held, forces, start):
    """What `calculix.equilibrium` returns, by the bundled solver, from displacements to start at."""
    term = SolidTerm(vertices, tetrahedra, energy, (MU, LAM))
    free = np.isnan(held)
    q = (vertices + np.where(free, start, held)).ravel()
    system = System(np.ones(q.shape), [term], free.ravel(), force=lambda *_: forces.ravel())
    rest = equilibrium(system, q, 1e-9)
    assert rest.converged
    inner = np.zeros(q.shape)
    np.add.at(inner, term.stencils, term.gradient(rest.q))
    return calculix.Rest(rest.q.reshape(-1, 3) - vertices, inner.reshape(-1, 3) - forces)


def differences(rest, reference):
    """Of displacements and of reactions: the largest of any vertex, as a share of the largest."""
    return [
        abs(mine - theirs).max() / abs(theirs).max()
        for mine, theirs in [
            (rest.displacements, reference.displacements),
            (rest.reactions, reference.reactions),
        ]
    ]


@needs_calculix
@pytest.mark.parametrize("energy", [stvk, stable_neo_hookean, corotational])
@pytest.mark.parametrize("large", [False, True], ids=["linear", "nonlinear"])
@pytest.mark.parametrize(
    ("shape", "force"),
    [
        pytest.param(BLOCK, (20.0, 8.0, 3.0), id="block"),
        pytest.param(CANTILEVER, (0, 0, 0.02), id="cantilever"),
    ],
)
def test_at_small_strain_solids_rest_where_linear_elastic_ones_do(shape, force, large, energy, tmp_path):
    """The strain, less than 0.001, is what they may differ by, a few times over."""
    vertices, tetrahedra, held = mesh(shape)
    forces = at_the_right(vertices, force)
    reference = calculix.equilibrium(
        tmp_path, vertices, tetrahedra, LINEAR, held=held, forces=forces, large=large
    )
    rest = ours(vertices, tetrahedra, energy, held, forces=forces, start=np.zeros(3))
    apart = differences(rest, reference)
    print(f"displacements {apart[0]:.1e}, reactions {apart[1]:.1e}")
    assert max(apart) < 0.003


@needs_calculix
@pytest.mark.parametrize("strain", [0.1, 0.3])
@pytest.mark.parametrize(("material", "energy"), SAME_MATERIAL)
def test_a_block_pulled_and_sheared_far_resists_and_rests_as_by_calculix(material, energy, strain, tmp_path):
    vertices, tetrahedra, held, drawn = pulled_and_sheared(strain)
    nothing = np.zeros(vertices.shape)
    reference = calculix.equilibrium(
        tmp_path, vertices, tetrahedra, material, held=held, forces=nothing, large=True
    )
    apart = differences(ours(vertices, tetrahedra, energy, held, forces=nothing, start=drawn), reference)
    print(f"displacements {apart[0]:.1e}, reactions {apart[1]:.1e}")
    assert max(apart) < SAME


@needs_calculix
@pytest.mark.parametrize(("load", "sag"), [(5.0, 0.10), (15.0, 0.28)])
@pytest.mark.parametrize(("material", "energy"), SAME_MATERIAL)
def test_a_cantilever_bent_far_rests_as_by_calculix(material, energy, load, sag, tmp_path):
    vertices, tetrahedra, held = mesh(CANTILEVER)
    forces = at_the_right(vertices, (0.0, 0.0, load))
    reference = calculix.equilibrium(
        tmp_path, vertices, tetrahedra, material, held=held, forces=forces, large=True
    )
    assert reference.displacements[:, 2].max() > sag
    apart = differences(ours(vertices, tetrahedra, energy, held, forces=forces, start=np.zeros(3)), reference)
    print(f"displacements {apart[0]:.1e}, reactions {apart[1]:.1e}")
    assert max(apart) < SAME


@needs_calculix
@pytest.mark.parametrize(("strain", "least", "most"), [(0.1, 0.03, 0.06), (0.3, 0.10, 0.16)])
def test_stable_neo_hookean_is_stiffer_in_tension_than_the_classic_one(strain, least, most, tmp_path):
    """Two materials that agree at small strain only: what to expect of a choice between them."""
    vertices, tetrahedra, held, drawn = pulled_and_sheared(strain)
    nothing, material = np.zeros(vertices.shape), calculix.neo_hookean(MU, LAM)
    reference = calculix.equilibrium(
        tmp_path, vertices, tetrahedra, material, held=held, forces=nothing, large=True
    )
    rest = ours(vertices, tetrahedra, stable_neo_hookean, held, forces=nothing, start=drawn)
    right = vertices[:, 0] == vertices[:, 0].max()
    pull = rest.reactions[right, 0].sum() / reference.reactions[right, 0].sum() - 1.0
    moved, resisted = differences(rest, reference)
    print(f"pull {pull:.1%}, reactions {resisted:.1%}, displacements {moved:.1%}")
    assert least < pull < most
    assert least < resisted < most
    assert moved < 0.1 * strain


def test_the_classic_neo_hookean_derives_from_its_energy():
    rng = np.random.default_rng(5)
    f = np.eye(3) + 0.2 * rng.normal(size=(20, 3, 3))
    step = 1e-6 * rng.normal(size=f.shape)
    energy = compressible_neo_hookean

    def slope(function):
        return (function(f + step, MU, LAM) - function(f - step, MU, LAM)) / 2

    work = np.einsum("mij,mij->m", energy.stress(f, MU, LAM), step)
    assert slope(energy.energy_density) == pytest.approx(work, rel=1e-6, abs=1e-8)
    hessian = energy.hessian(f, MU, LAM)
    stiffened = (hessian @ step.reshape(-1, 9, 1)).reshape(-1, 3, 3)
    assert slope(energy.stress) == pytest.approx(stiffened, rel=1e-6, abs=1e-7)
    assert hessian == pytest.approx(hessian.swapaxes(1, 2))
    assert np.linalg.eigvalsh(energy.projected_hessian(f, MU, LAM)).min() > -1e-9 * MU
    assert energy.energy_density(-f[:1], MU, LAM) == np.inf
