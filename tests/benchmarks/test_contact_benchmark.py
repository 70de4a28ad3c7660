"""What the benchmark of contact corrections measures, on a small flat jelly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[2]
from flat_jellies import bake_flat
from flat_meshes import extruded

from benchmarks import records
from benchmarks.contact_corrections import accuracy, decoupling, jacobians, pull, scenes, study, tables, times
from benchmarks.contact_corrections.scenes import Example
from benchmarks.contact_corrections.study import Row
from benchmarks.contact_corrections.study import study as studied
from neural_physics.methods.contact_corrections.contact import Placed
from neural_physics.methods.contact_corrections.method import ContactCorrections

pytestmark = pytest.mark.torch
SMALL = Example("SMALL", "JELLY_WITH_CIRCLE", takes=1)
ROW = Row(SMALL, 40, 60, validated=4)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A circle's jelly: its dataset, both parts, and what was solved."""
    folder = tmp_path_factory.mktemp("contact")
    around = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = 0.1 * np.column_stack([np.cos(around), np.sin(around)])
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patched:
        for module in (scenes, study, times):
            patched.setattr(module, "TEST", "take_001")
        patched.setattr(scenes, "SCENES", folder)
        patched.setattr(study, "MODELS", folder / "models")
        patched.setattr(study, "CONTACT", folder)
        patched.setattr(records, "RECORDS", folder / "records")
        patched.setattr(study, "TRAVERSES", 6)
        for module, name in ((accuracy, "ROWS"), (times, "TIMED")):
            patched.setattr(module, name, (ROW, Row(Example("GONE", "JELLY_WITH_STAR", turn=0.5), 5, 60)))
        patched.setattr(decoupling, "MODELS", folder / "models")
        for module in (decoupling, jacobians):
            patched.setattr(module, "DENTED", ROW)
        gone = Row(Example("GONE", "WORM"), 5, 60)
        patched.setattr(jacobians, "LED", gone)
        patched.setattr(decoupling, "TESTED", 20)
        patched.setattr(jacobians, "TEST", "take_001")
        dataset = bake_flat(SMALL.folder, extruded("Presser", ring), 0.1, 72, tetrahedra=90)
        yield dataset, accuracy.judge(), times.judge(), studied(ROW)


def test_both_corrections_bring_the_body_closer_and_missing_models_are_listed(measured):
    _, found, _, _ = measured
    (row,) = found["rows"]
    assert found["missing"] == ["GONE_5_60"]
    errors = row["errors"]
    assert errors["all"] < 1.0 and errors["touched"] < 1.0
    assert 0 < row["frames"]["touched"] < row["frames"]["all"] == 72
    assert row["shapes"]["external"] > row["shapes"]["internal"]
    for name in ("all", "touched"):
        assert 0.0 < row["floors"][name] < errors[name], (
            "what the bases have is what the networks are to find"
        )


def test_the_nearest_shape_in_the_bases_leaves_what_none_of_them_changes(measured):
    _, _, _, found = measured
    method, random = ContactCorrections(found.model()), np.random.default_rng(3)
    basis = method.dynamics.corrections.basis
    q = method.handles.rest + 0.01 * random.normal(size=method.handles.rest.shape)
    turned = np.einsum("bij,mbj->mbi", method.handles.deformation(q), basis)
    inside = np.tensordot(random.normal(size=len(basis)), turned, 1)
    assert accuracy.nearest(method, q, inside) == pytest.approx(inside, abs=1e-9)
    some = random.normal(size=inside.shape)
    left = some - accuracy.nearest(method, q, some)
    assert np.abs(np.tensordot(turned, left, 2)).max() < 1e-8


def test_where_ratios_are_the_papers_is_found_between_stiffnesses():
    rows = [
        {"stiffness": k, "peaks": {"linear": linear, "ours": 3.0, "full": 2.0}}
        for k, linear in ((16.0, 24.0), (4.0, 8.0), (1.0, 6.0))
    ]
    # 12, 4 and 3 times the full body's: 8 is in the middle, on a logarithmic scale.
    assert pull.agreeing(rows, "linear", 8.0) == pytest.approx(8.0)
    assert pull.agreeing(rows, "linear", 3.0) == pytest.approx(1.0)
    assert pull.agreeing(rows, "ours", 1.8) is None


def test_softer_contact_lets_the_balls_deeper_in(measured):
    dataset, _, _, found = measured
    model, ys = found.model(), np.asarray(dataset.take("take_001").interaction)
    forces = []
    for stiff in (pull.STIFFNESSES[0], 1.0):
        method = ContactCorrections(pull.softened(model, stiff))
        assert method.dynamics.surface.stiffness == pytest.approx(
            found.scene.contact.stiffness * stiff / pull.STIFFNESSES[0]
        )
        forces.append(np.abs(pull.played(method, ys)).max())
    assert forces[1] < forces[0]


def test_the_handles_alone_are_what_errors_are_relative_to(measured):
    dataset, _, _, found = measured
    linear = ContactCorrections(study.uncorrected(found.model()))
    measured_on = accuracy.errors_on(dataset, found.scene, linear, "take_001")
    errors = measured_on["errors"]
    assert measured_on["floors"] == pytest.approx({"all": 1.0, "touched": 1.0}, abs=1e-4)
    assert errors == pytest.approx(dict.fromkeys(("all", "touched", "without", "dents"), 1.0), abs=1e-4)


def test_times_and_tables_have_a_line_for_each_model(measured):
    _, found, timed, _ = measured
    (row,) = timed["rows"]
    ms = row["ms"]
    for kind in ("median", "mean"):
        assert 0.0 < ms["linear"][kind] < ms["full"][kind] and ms["ours"][kind] > 0.0
    assert row["errors"] == found["rows"][0]["errors"], "accuracy beside speed is of the same model"
    assert 0.0 <= row["unsettled"] <= 1.0
    assert row["bases"]["external"] > 0
    assert tables.accuracy(found).count("| circle |") == 1
    assert tables.times(timed).count("| circle |") == 1


def test_all_of_the_jacobian_is_the_derivative_of_where_the_body_is(measured):
    dataset, _, _, found = measured
    method, take = ContactCorrections(found.model()), dataset.take("take_001")
    interaction = np.asarray(take.interaction)
    state = method.start(interaction[0])
    for y in interaction[1:40]:
        state = method.step(state, y)
    around, q, part = method.surroundings(y), state.q, method._whole
    pose = method.dynamics.pose(q, around)
    by_hand = np.empty((len(part.positions(pose)), 2, q.size))
    for k in range(q.size):
        aside = 1e-6 * np.eye(q.size)[k].reshape(q.shape)
        ahead, behind = (part.positions(method.dynamics.pose(q + e, around)) for e in (aside, -aside))
        by_hand[:, :, k] = (ahead - behind) / 2e-6
    assert np.abs(pose.c).max() > 1e-4, "something is corrected"
    assert jacobians.EQUATION_3(part, pose, pose.slopes) == pytest.approx(by_hand, abs=1e-6)
    some = np.array([3, 1, 7])
    assert jacobians.EQUATION_3(part, pose, pose.slopes, some) == pytest.approx(by_hand[some], abs=1e-6)
    assert np.abs(jacobians.without_gradients(part, pose, pose.slopes) - by_hand).max() > 1e-4
    handles = found.scene.handles
    weights = handles.weights[:, : handles.free]
    assert jacobians.of_handles(part, pose, pose.slopes)[:, 1, 1::2] == pytest.approx(weights)


def test_without_the_networks_part_of_it_play_goes_astray(measured):
    (row,) = jacobians.judge()["rows"]
    assert row["from_whole_mm"]["equation 3"] == 0.0
    assert row["from_whole_mm"]["equation 4"] < 0.5 * row["from_whole_mm"]["U"]


def test_two_networks_and_one_are_measured_on_the_same_shapes(measured):
    _, _, _, found = measured
    figures = decoupling.in_contact(found)
    assert figures["tested"] == len(found.tested(20).external) > 0
    errors = figures["errors"]
    assert set(errors) == {"apart", "together", "apart, plain", "together, plain"}
    assert errors["apart"] < errors["together"] and errors["apart"] < 1.0
    assert np.isfinite([*errors.values()]).all()
    assert decoupling.in_axes(found)["errors"]["own"] < 1.0


def test_what_is_pushed_along_is_what_the_pins_hold_against(measured):
    """Newton's third law, of a ball at the side of the jelly: the pins' forces are those of the elements."""
    _, _, _, found = measured
    scene = found.scene
    statics, rest = pull.unheld(scene), scene.body.rest
    left = rest[:, 0].min()
    centre = np.array([[left - 0.08, np.median(rest[:, 1])]])  # of a ball of 10 cm
    shape, settled = statics.rest(rest.copy(), scene.contact, Placed(centre, np.eye(2)[None]))
    q = shape.ravel()
    elastic = np.bincount(statics.term.stencils.ravel(), statics.term.gradient(q).ravel(), len(q))
    pins = np.repeat(scene.body.pinned, 2)
    sideways = statics.weight.reshape(-1, 2)[:, 0].sum()
    force = pull.pushed(scene.contact, shape, Placed(centre, np.eye(2)[None]))
    assert settled and force > 1.0
    assert -elastic[pins][::2].sum() == pytest.approx(force + sideways, rel=1e-3)
