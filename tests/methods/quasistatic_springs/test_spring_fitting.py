"""Springs fitted to motions, held against the springs that made these motions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline

from ml_backend.methods.quasistatic_springs.fitting import Motion, SpringSettings, fit_springs
from ml_backend.methods.quasistatic_springs.rollouts import misfit, pieces, relative_errors, track, trimmed
from ml_backend.methods.quasistatic_springs.search import evolve, within_bounds
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.quasistatic_springs.springs import Springs
from neural_physics.methods.quasistatic_springs.targets import segment

DT = 1 / 24
EXACT = SpringSettings(shrink=0.0)


def fitted(motions, settings=EXACT, events=None):
    emit = (lambda _: None) if events is None else events.append
    return fit_springs(motions, DT, settings, emit, stop=StopRequest())


def swinging_targets(rng, frames, vertices):
    t = np.arange(frames)[:, None, None] * DT
    phase = rng.uniform(0, 6, (4, 1, vertices, 3))
    sizes = rng.normal(size=(4, 1, vertices, 3)) * 0.1
    return sum(
        s / f * np.sin(2 * np.pi * f * t + p)
        for f, s, p in zip((0.4, 0.9, 1.7, 3.1), sizes, phase, strict=True)
    )


def played(targets, k_s, k_d, velocity=0.0):
    """What the run time shows (N, V, 3) of springs that start on the target."""
    springs, targets = Springs(k_s, k_d, DT), targets.astype(np.float32)
    x, v, target_velocity = targets[0], np.full_like(targets[0], velocity), None
    shown = [x]
    for n in range(len(targets) - 1):
        after = targets[n + 2] if n + 2 < len(targets) else None
        path = segment(targets[n], targets[n + 1], after, target_velocity, dt=DT)
        x, v = springs.step(x, v, path)
        target_velocity = path.end_velocity
        shown.append(x)
    return np.array(shown)


def some_springs(rng, count):
    """Stiffness and damping from a swing of 5 s to a few frames, from 0.03 to 4 of critical damping."""
    omega = np.exp(rng.uniform(np.log(0.05), np.log(1.5), count)) / DT
    return omega**2, 2 * omega * np.exp(rng.uniform(np.log(0.03), np.log(4.0), count))


def synthetic(frames=100, vertices=60, seed=0, velocity=0.3):
    rng = np.random.default_rng(seed)
    targets, (k_s, k_d) = swinging_targets(rng, frames, vertices), some_springs(rng, vertices)
    return Motion(targets.astype(np.float32), played(targets, k_s, k_d, velocity)), k_s, k_d


def spoiled(motion, share, seed=1):
    """The motion with a share of its frames, the first not among them, thrown about by centimetres."""
    rng = np.random.default_rng(seed)
    bad = 1 + rng.choice(len(motion.targets) - 1, int(share * len(motion.targets)), replace=False)
    positions = motion.positions.copy()
    positions[bad] += rng.normal(size=positions[bad].shape).astype(np.float32) * 0.05
    return Motion(motion.targets, positions), np.sort(bad)


def test_springs_that_made_a_motion_are_found():
    motion, k_s, k_d = synthetic()
    found = fitted([motion])
    assert found.stiffness == pytest.approx(k_s, rel=5e-3)
    assert found.damping == pytest.approx(k_d, rel=5e-3)
    assert found.errors.max() < 5e-3


def test_springs_are_found_although_every_tenth_frame_is_spoiled():
    motion, k_s, k_d = synthetic(seed=2)
    bad_motion, bad = spoiled(motion, 0.1)
    found = fitted([bad_motion])
    assert found.stiffness == pytest.approx(k_s, rel=5e-3)
    assert found.damping == pytest.approx(k_d, rel=5e-3)
    assert all(np.array_equal(np.flatnonzero(~used), bad) for used in found.used[0].T)
    everything = fitted([bad_motion], SpringSettings(shrink=0.0, left_out=0.0))
    assert everything.used[0].all()
    off = np.abs(np.log(everything.stiffness / k_s))
    assert np.median(off) > 100 * np.median(np.abs(np.log(found.stiffness / k_s)))


def test_long_motions_of_lightly_damped_springs_do_not_end_at_a_wrong_swing():
    rng = np.random.default_rng(3)
    targets = swinging_targets(rng, 300, 40)
    omega = np.linspace(0.2, 1.6, 40) / DT
    k_s, k_d = omega**2, 2 * 0.02 * omega
    found = fitted([Motion(targets.astype(np.float32), played(targets, k_s, k_d, 0.3))])
    assert found.stiffness == pytest.approx(k_s, rel=5e-3)
    assert found.damping == pytest.approx(k_d, rel=2e-2)


def test_several_motions_are_one_fit_and_the_same_again():
    (first, k_s, k_d), count = synthetic(60, 30, 4), 30
    targets = swinging_targets(np.random.default_rng(5), 45, count)
    second = Motion(targets.astype(np.float32), played(targets, k_s, k_d, -0.2))
    found, again = fitted([first, second]), fitted([first, second])
    assert found.stiffness == pytest.approx(k_s, rel=5e-3) and found.damping == pytest.approx(k_d, rel=5e-3)
    assert [used.shape for used in found.used] == [(60, count), (45, count)]
    assert sum((~used).sum(0) for used in found.used).tolist() == [10] * count
    assert np.array_equal(found.stiffness, again.stiffness) and np.array_equal(found.damping, again.damping)


def test_what_moves_with_its_target_gets_a_stiff_spring():
    targets = swinging_targets(np.random.default_rng(6), 80, 5).astype(np.float32)
    found = fitted([Motion(targets, targets)], SpringSettings())
    jump = np.zeros((12, 5, 3))
    jump[4:] = 1.0
    assert np.abs(played(jump, found.stiffness, found.damping)[11] - 1.0).max() < 0.02
    still = np.zeros((20, 3, 3), np.float32)
    found = fitted([Motion(still, still)])
    assert np.isfinite(found.stiffness).all() and (found.stiffness > 0).all() and (found.damping > 0).all()
    assert (found.errors == 1.0).all()


def test_regularised_springs_move_less():
    motion, *_ = synthetic(60, 20, 7)
    noise = np.random.default_rng(8).normal(size=motion.positions.shape) * 0.01
    noisy = Motion(motion.targets, (motion.positions + noise).astype(np.float32))
    reach = []
    for shrink in (0.0, 0.3, 3.0):
        found = fitted([noisy], SpringSettings(shrink=shrink))
        offsets = played(motion.targets, found.stiffness, found.damping) - motion.targets
        reach.append(np.sqrt(np.mean(offsets**2, (0, 2))))
    assert (reach[1] < reach[0]).mean() > 0.9 and (reach[2] < reach[1]).mean() > 0.9


def loss_by_integration(targets, positions, k_s, k_d):
    """Equation 14 of one vertex, the start the best one, by an integrator and SciPy's splines."""
    frames = len(targets)
    spline = CubicHermiteSpline(np.arange(frames), targets, np.gradient(targets, axis=0))
    slope = spline.derivative()

    def motion(start, driven):
        def rate(t, state):
            x, v = state.reshape(2, 3)
            pull = k_s * (driven * spline(t) - x) + k_d * (driven * slope(t) - v)
            return np.concatenate([v, pull])

        path = [np.array(start).reshape(6)]
        for n in range(frames - 1):  # the target's third derivative jumps at each frame
            path.append(solve_ivp(rate, (n, n + 1), path[-1], "DOP853", rtol=1e-12, atol=1e-14).y[:, -1])
        return np.array(path)[:, :3]

    given = motion([np.zeros(3), np.zeros(3)], 1.0)
    kicked, pushed = motion([np.ones(3), np.zeros(3)], 0.0), motion([np.zeros(3), np.ones(3)], 0.0)
    basis = np.stack([kicked[:, 0], pushed[:, 0]], 1)
    return sum(np.linalg.lstsq(basis, positions[:, a] - given[:, a], rcond=None)[1][0] for a in range(3))


# Under-, over- and nearly critically damped, in steps.
@pytest.mark.parametrize("kappa,delta", [(0.3, 0.1), (0.04, 1.3), (0.25, 1.0), (0.25, 1.00001)])
def test_loss_and_gradient_are_those_of_an_integrated_motion(kappa, delta):
    rng = np.random.default_rng(9)
    targets, positions = np.cumsum(rng.normal(size=(2, 14, 3)), 1)
    sequence = track(targets[:, None], positions[:, None])
    found = misfit([sequence], np.array([kappa]), np.array([delta]), 0.0)
    # Weakly drawn to the target, the start is not quite the best one.
    assert found.loss == pytest.approx(loss_by_integration(targets, positions, kappa, delta), rel=1e-4)
    h = 1e-4
    for n, (by_omega, by_damping) in enumerate([(np.exp(2 * h), 1.0), (1.0, np.exp(h))]):
        more = loss_by_integration(targets, positions, kappa * by_omega, delta * by_damping)
        less = loss_by_integration(targets, positions, kappa / by_omega, delta / by_damping)
        assert found.gradient[n] == pytest.approx((more - less) / (4 * h), rel=1e-4, abs=1e-4 * found.loss[0])


def test_gradients_are_differences_of_the_loss_on_both_sides_of_critical_damping():
    rng = np.random.default_rng(10)
    targets, positions = np.cumsum(rng.normal(size=(2, 60, 21, 3)), 1) * 0.01
    tracks = pieces(track(targets, positions), 25)
    assert [len(part.used) for part in tracks] == [30, 30]
    kappa = np.full(21, 0.09)
    delta = 2 * 0.3 * (1 + np.linspace(-1e-5, 1e-5, 21))
    tracks = trimmed(tracks, kappa, delta, 0.01, kept=50)[0]
    assert (sum(part.used.sum(0) for part in tracks) == 50).all()
    found = misfit(tracks, kappa, delta, 0.01)
    h = 1e-4
    for n, (by_omega, by_damping) in enumerate([(np.exp(2 * h), 1.0), (1.0, np.exp(h))]):
        more = misfit(tracks, kappa * by_omega, delta * by_damping, 0.01).loss
        less = misfit(tracks, kappa / by_omega, delta / by_damping, 0.01).loss
        assert found.gradient[n] == pytest.approx((more - less) / (4 * h), rel=1e-5)


def test_the_error_is_that_of_the_frames_that_count():
    motion, k_s, k_d = synthetic(50, 8, 11)
    bad_motion, _ = spoiled(motion, 0.1)
    sequence = track(bad_motion.targets, bad_motion.positions)
    kept = trimmed([sequence], k_s * DT**2, k_d * DT, 0.0, kept=45)[0]
    assert relative_errors(kept, k_s * DT**2, k_d * DT, 0.0).max() < 1e-3
    assert relative_errors([sequence], k_s * DT**2, k_d * DT, 0.0).min() > 0.02


def test_the_search_finds_the_lowest_of_many_minima():
    """Ripples of 0.3 all over a bowl whose middle, another for each vertex, is the only deep one."""
    middles = within_bounds(np.random.default_rng(12).uniform(-3, 1, (2, 50)))

    def loss(theta):
        away = theta - middles
        return (away**2 + 0.3 * (1 - np.cos(5 * away))).sum(0)

    found = evolve(loss, 50, 12, 0)
    assert np.median(np.abs(found - middles).max(0)) < 0.1 and loss(found).max() < 0.8
    assert found == pytest.approx(within_bounds(found), abs=1e-12)


def test_progress_is_reported_and_a_stop_request_is_obeyed():
    motion, *_ = synthetic(20, 3)
    events = []
    fitted([motion], SpringSettings(generations=0), events)
    assert events[0]["event"] == "progress" and (events[0]["done"], events[-1]["done"]) == (0, 3)

    class Asked(StopRequest):
        def asked(self):
            return True

    with pytest.raises(Problem) as problem:
        fit_springs([motion], DT, EXACT, lambda _: None, stop=Asked())
    assert problem.value.code == "stopped"


def test_motions_that_do_not_go_together_are_refused():
    motion, *_ = synthetic(20, 3)
    other = Motion(motion.targets[:, :2], motion.positions[:, :2])
    short = Motion(motion.targets[:5], motion.positions[:5])
    uneven = Motion(motion.targets, motion.positions[:-1])
    hole = Motion(motion.targets, np.where(np.arange(20)[:, None, None] == 7, np.nan, motion.positions))
    for motions in ([], [motion, other], [short], [uneven], [hole]):
        with pytest.raises(ValueError):
            fitted(motions)
    with pytest.raises(ValueError):
        fitted([motion], SpringSettings(left_out=0.9))
