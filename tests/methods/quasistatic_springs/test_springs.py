"""Springs, held against integrators, against 80-digit arithmetic, and against what physics forbids."""

from __future__ import annotations

from decimal import Decimal, getcontext
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neural_physics.methods.quasistatic_springs.springs import Springs
from neural_physics.methods.quasistatic_springs.steps import step_factors, step_factors_and_gradients
from neural_physics.methods.quasistatic_springs.targets import Segment, segment

solve_ivp = pytest.importorskip("scipy.integrate").solve_ivp

DT = 1 / 24
# k_s and k_d: under-, over- and critically damped; then those at which the paper's formulas fail.
EASY = [(900.0, 3.0), (40.0, 0.0), (50.0, 60.0), (2000.0, 400.0), (25.0, 0.4)]
CRITICAL = [(400.0, 40.0), (25.0, 10.0), (2.0, 2 * 2**0.5)]
EXTREME = [(0.0, 0.0), (1e-8, 0.0), (1e-8, 3.0), (1e-8, 1e-8), (0.0, 7.0), (0.0, 1e4), (5.0, 1e-9)]
EXTREME += [(1e6, 1e5), (1e6, 0.0), (1e6, 2000.0), (1e5, 1e6), (1e7, 10.0)]
NEAR_CRITICAL = [
    (k, 2 * k**0.5 * (1 + e)) for k in (9.0, 576.0, 9e4) for e in (1e-15, -1e-12, 1e-9, -1e-6, 1e-3)
]


def factors_of(springs, dt=DT):
    return step_factors(*np.array(springs).T, dt)


def paper_cubic(before, start, end, after):
    """q, a, b and c of equation 3, solved as it is printed."""
    matrix = [[0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [3, 2, 1, 0]]
    return np.linalg.solve(matrix, [start, (end - before) / 2, end, (after - start) / 2])


def integrated(k_s, k_d, e, rate, cubic, dt):
    """Offset and its velocity per step after a step of equation 4, by a Runge-Kutta method of order 8."""

    def motion(t, state):
        s = t / dt
        wanted = np.polyval(cubic, s), np.polyval(np.polyder(cubic), s) / dt
        return [state[1], k_s * (wanted[0] - state[0]) + k_d * (wanted[1] - state[1])]

    slope = np.polyder(cubic)
    first = [cubic[3] + e, (cubic[2] + rate) / dt]
    last = solve_ivp(motion, (0, dt), first, "DOP853", rtol=3e-14, atol=1e-18, max_step=dt / 60).y[:, -1]
    return last[0] - np.polyval(cubic, 1.0), last[1] * dt - np.polyval(slope, 1.0)


@pytest.mark.parametrize("springs,tolerance", [(EASY, 1e-12), (CRITICAL, 1e-12), (NEAR_CRITICAL, 1e-10)])
def test_a_step_is_what_an_integrator_makes_of_the_springs_equation(springs, tolerance):
    rng = np.random.default_rng(0)
    for (k_s, k_d), factors in zip(springs, factors_of(springs).transpose(2, 0, 1), strict=True):
        poses, (e, rate) = rng.normal(size=4), rng.normal(size=2)
        cubic = paper_cubic(*poses)
        m_0, m_1, line = cubic[2], np.polyval(np.polyder(cubic), 1.0), poses[2] - poses[1]
        found = factors @ [e, rate, line - m_0, m_1 - line]
        expected = np.array(integrated(k_s, k_d, e, rate, cubic=cubic, dt=DT))
        assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


def exact_factors(k_s, k_d, dt):
    """(2, 4) Decimals: the exponential of equation 4's matrix, by scaling, Taylor's series and squaring.

    For the state e, e', x_hat'' and x_hat'''; time in steps.
    """
    kappa, delta = k_s * dt * dt, k_d * dt
    zero, one = Decimal(0), Decimal(1)
    matrix = [[zero, one, zero, zero], [-kappa, -delta, -one, zero], [zero, zero, zero, one], [zero] * 4]
    halvings = 2 + max(0, int(max(kappa, delta, one)).bit_length())
    matrix = np.array(matrix) / 2**halvings
    term = total = np.array([[one if i == j else zero for j in range(4)] for i in range(4)])
    for n in range(1, 50):
        term = term.dot(matrix) / n
        total = total + term
    for _ in range(halvings):
        total = total.dot(total)
    by_bend = 4 * total[:2, 2] - 6 * total[:2, 3]
    by_straightening = -2 * total[:2, 2] + 6 * total[:2, 3]
    return np.stack([total[:2, 0], total[:2, 1], by_bend, by_straightening], 1)


@pytest.fixture(autouse=True)
def _digits():
    before, getcontext().prec = getcontext().prec, 80
    yield
    getcontext().prec = before


def wide_springs():
    rng = np.random.default_rng(1)
    wide = 10 ** rng.uniform([-10, -8], [7, 5], (60, 2))
    return [*EASY, *CRITICAL, *EXTREME, *NEAR_CRITICAL, *map(tuple, wide)]


def close(found, exact, tolerance, k_s, k_d, dt):
    """Whether all are within the tolerance of themselves or, near zeros, of a thousandth of their envelope.

    The envelope of a position's factor is the velocity's over the spring's speed, and the other way round.
    """
    exact = np.array(exact, float)
    units = np.array([[1.0], [max(1.0, k_s**0.5 * dt, k_d * dt)]])
    envelope = units * np.abs(exact / units).max(0)
    return (np.abs(found - exact) <= tolerance * np.maximum(np.abs(exact), 1e-3 * envelope)).all()


def test_a_step_is_exact_for_springs_at_which_the_papers_formulas_fail():
    springs = wide_springs()
    found = factors_of(springs)
    for n, (k_s, k_d) in enumerate(springs):
        exact = exact_factors(Decimal(k_s), Decimal(k_d), Decimal(DT))
        assert close(found[..., n], exact, 1e-11, k_s, k_d=k_d, dt=DT), (k_s, k_d)


@pytest.mark.parametrize("dt", [1e-9, 1e-3, 7.0, 3e4])
def test_a_step_is_exact_however_short_or_long(dt):
    springs = [(0.0, 0.0), (3.0, 0.1), (3.0, 40.0), (16.0, 8.0), (1e-9, 1e-9)]
    found = factors_of(springs, dt)
    for n, (k_s, k_d) in enumerate(springs):
        exact = exact_factors(Decimal(k_s), Decimal(k_d), Decimal(dt))
        assert close(found[..., n], exact, 1e-10, k_s, k_d=k_d, dt=dt), (k_s, k_d)


def test_gradients_are_the_differences_of_exact_steps_on_the_critical_curve_too():
    springs = wide_springs()
    k_s, k_d = np.array(springs).T
    factors, by_stiffness, by_damping = step_factors_and_gradients(k_s, k_d, DT)
    assert np.array_equal(factors, step_factors(k_s, k_d, DT))
    h, dt = Decimal("1e-25"), Decimal(DT)
    for n, spring in enumerate(springs):
        s, d = map(Decimal, spring)
        base = exact_factors(s, d, dt)
        stiffer, duller = (exact_factors(s + h, d, dt) - base) / h, (exact_factors(s, d + h, dt) - base) / h
        assert close(by_stiffness[..., n], stiffer, 1e-10, *spring, DT), spring
        assert close(by_damping[..., n], duller, 1e-10, *spring, DT), spring


def test_gradients_are_finite_differences_across_the_critical_curve():
    k_s = np.full(41, 100.0)
    k_d = 20.0 + np.linspace(-2e-4, 2e-4, 41)  # differences reach to both sides
    _, by_stiffness, by_damping = step_factors_and_gradients(k_s, k_d, DT)
    h = 1e-4
    across = (step_factors(k_s, k_d + h, DT) - step_factors(k_s, k_d - h, DT)) / (2 * h)
    assert across == pytest.approx(by_damping, rel=1e-7, abs=1e-10)
    along = (step_factors(k_s + h, k_d, DT) - step_factors(k_s - h, k_d, DT)) / (2 * h)
    assert along == pytest.approx(by_stiffness, rel=1e-7, abs=1e-10)


@settings(deadline=None)
@given(st.floats(0, 1e5), st.floats(0, 1e3), st.floats(1e-4, 1.0), st.integers(0, 2**31))
def test_two_half_steps_are_one_step(k_s, k_d, dt, seed):
    poses, state = np.split(np.random.default_rng(seed).normal(size=6), [4])
    cubic = paper_cubic(*poses)
    slope = np.polyder(cubic)

    def stepped(state, dt, first, last):
        """From s = first to s = last of the cubic; velocities per whole step."""
        share = last - first
        line = np.polyval(cubic, last) - np.polyval(cubic, first)
        bend = line - np.polyval(slope, first) * share, np.polyval(slope, last) * share - line
        e, rate = step_factors([k_s], [k_d], dt * share)[..., 0] @ [state[0], state[1] * share, *bend]
        return np.array([e, rate / share])

    halves = stepped(stepped(state, dt, 0.0, 0.5), dt, 0.5, 1.0)
    size = 1 + max(k_s**0.5, k_d) * dt
    assert halves == pytest.approx(stepped(state, dt, 0.0, 1.0), abs=1e-12 * size)


def test_targets_are_the_papers_cubics_and_go_on_smoothly():
    rng = np.random.default_rng(2)
    poses = rng.normal(size=(6, 7, 3))
    for n, part in enumerate(ahead_of(poses)[1:-1]):
        cubic = paper_cubic(*poses[n : n + 4].reshape(4, -1)).reshape(4, 7, 3)
        assert part.start == pytest.approx(cubic[3]) and part.end == pytest.approx(cubic.sum(0))
        assert part.start_velocity * DT == pytest.approx(cubic[2])
        assert part.end_velocity * DT == pytest.approx(3 * cubic[0] + 2 * cubic[1] + cubic[2])
    live = live_of(poses)
    for now, then in pairwise(live):
        assert np.array_equal(now.end_velocity, then.start_velocity)
    assert live[1].end_velocity * DT == pytest.approx(poses[2] - poses[1])


def test_where_looking_ahead_ends_the_path_goes_on_smoothly():
    poses = np.random.default_rng(2).normal(size=(6, 7, 3))
    for known in ({1}, {2}, {0, 2, 3}):
        paths = segments(poses, known)
        for now, then in pairwise(paths):
            assert np.array_equal(now.end_velocity, then.start_velocity)
        for n, part in enumerate(paths):
            whole = (poses[n + 2] - poses[n]) / 2 if n in known else poses[n + 1] - poses[n]
            assert part.end_velocity * DT == pytest.approx(whole)


def test_beyond_the_first_and_last_pose_differences_are_one_sided():
    start, end, other = np.random.default_rng(3).normal(size=(3, 4, 3)).astype(np.float32)
    line = (end - start) / DT
    for after in (other, None):
        assert segment(start, end, after, None, dt=DT).start_velocity == pytest.approx(line, rel=1e-5)
    assert segment(start, end, None, other, dt=DT).end_velocity == pytest.approx(line, rel=1e-5)
    assert all(array.dtype == np.float32 for array in segment(start, end, other, None, dt=DT))


def played(springs, poses, paths):
    """The positions (N, V, 3) along segments, from rest at the first pose."""
    x, v = poses[0], np.zeros_like(poses[0])
    shown = [x]
    for part in paths:
        x, v = springs.step(x, v, part)
        shown.append(x)
    return np.array(shown)


def segments(poses, known, dt=DT):
    """From pose to pose; known: from which of them the pose after the next is."""
    found = []
    for n in range(len(poses) - 1):
        after, velocity = poses[n + 2] if n in known else None, found[-1].end_velocity if n else None
        found.append(segment(poses[n], poses[n + 1], after, velocity, dt=dt))
    return found


def ahead_of(poses):
    return segments(poses, range(len(poses) - 2))


def live_of(poses):
    return segments(poses, ())


def path(kind, seconds=20):
    t = np.arange(seconds / DT) * DT
    smooth = 0.1 * (1 - np.cos(np.pi * t))  # 0.5 Hz
    abrupt = 0.1 * np.interp(t % 4, [0, 1, 1.5, 2.5, 4], [0, 0, 1, 1, 0])
    along = {"smooth": smooth, "abrupt": abrupt}[kind]
    return (along[:, None, None] * [1.0, 0.5, -0.7]).astype(np.float32)


@pytest.mark.parametrize(
    "kind,springs,most",
    [
        ("smooth", (1.5, 0.1), 0.003),
        ("smooth", (6.0, 0.7), 0.1),
        ("abrupt", (1.5, 0.1), 0.004),
        ("abrupt", (6.0, 0.7), 0.25),
    ],
)
def test_what_posing_live_costs(kind, springs, most):
    frequency, ratio = springs
    omega = 2 * np.pi * frequency
    springs, poses = Springs(np.array([omega**2]), np.array([2 * ratio * omega]), DT), path(kind)
    ahead, live = played(springs, poses, ahead_of(poses)), played(springs, poses, live_of(poses))
    # The straightforward way: the last known pose stands in for the next.
    repeated = [
        Segment(start, end, (end - before) / np.float32(2 * DT), (end - start) / np.float32(2 * DT))
        for before, start, end in zip(poses[[0, *range(len(poses) - 2)]], poses[:-1], poses[1:], strict=True)
    ]
    dynamic = np.sqrt(np.mean((ahead - poses) ** 2))
    cost = np.sqrt(np.mean((live - ahead) ** 2))
    assert 0 < cost <= most * dynamic
    assert cost < 0.6 * np.sqrt(np.mean((played(springs, poses, repeated) - ahead) ** 2))


def test_even_motion_is_followed_to_the_last_bit_and_frames_do_not_change_one_another():
    springs = Springs(*np.array(wide_springs()).T, 0.125)
    count = len(springs.stiffness)
    start = np.random.default_rng(4).integers(-8, 8, (count, 3)).astype(np.float32) + np.float32(1 / 32)
    velocity = np.float32([1.0, -2.0, 0.5])
    poses = [start + n * np.float32(0.125) * velocity for n in range(5)]
    x, v = poses[0], np.broadcast_to(velocity, x_shape := start.shape).copy()
    kept = []
    for part in segments(poses, (), 0.125):
        x, v = springs.step(x, v, part)
        kept.append((x, v))
    for (x, v), pose in zip(kept, poses[1:], strict=True):
        assert np.array_equal(x, pose) and np.array_equal(v, np.broadcast_to(velocity, x_shape))
        assert x.dtype == v.dtype == np.float32


def test_the_motion_moves_and_turns_with_its_target():
    rng = np.random.default_rng(5)
    springs = Springs(10 ** rng.uniform(0, 4, 200), 10 ** rng.uniform(-1, 2, 200), DT)
    poses = np.cumsum(rng.normal(size=(30, 200, 3)) * 0.05, 0).astype(np.float32)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    moved = (poses @ turn + [0.3, -2.0, 1.0]).astype(np.float32)
    expected = played(springs, poses, ahead_of(poses)) @ turn + [0.3, -2.0, 1.0]
    assert played(springs, moved, ahead_of(moved)) == pytest.approx(expected, abs=2e-5)


def test_without_stiffness_and_damping_a_vertex_keeps_its_velocity():
    springs = Springs(np.zeros(2), np.zeros(2), DT)
    poses = path("smooth").repeat(2, 1)
    x, v = poses[0], np.ones((2, 3), np.float32)
    for part in ahead_of(poses)[:48]:
        x, v = springs.step(x, v, part)
    assert x == pytest.approx(poses[0] + 2.0, abs=1e-4) and v == pytest.approx(1.0, abs=1e-4)


amounts = st.one_of(st.just(0.0), st.floats(-12, 20).map(lambda p: 10.0**p), st.floats(0, 1e5))


def fixed_target_stays_bounded(k_s, k_d, dt, steps, seed):
    """Energy is never gained: an offset stays within the largest that energy allows, and so does velocity."""
    k_s, k_d = np.array(k_s), np.array(k_d)
    springs = Springs(k_s, k_d, dt)
    rng = np.random.default_rng(seed)
    pose = rng.uniform(-1, 1, (len(k_s), 3)).astype(np.float32)
    x = pose + rng.uniform(-1, 1, pose.shape).astype(np.float32)
    v = np.zeros_like(x)
    target = segment(pose, pose, None, None, dt=dt)
    reach = np.linalg.norm(x.astype(float) - pose, axis=1)
    for _ in range(steps):
        x, v = springs.step(x, v, target)
        assert np.isfinite(v).all()
    assert (np.linalg.norm(x.astype(float) - pose, axis=1) <= 1.01 * reach + 1e-5).all()
    assert (np.linalg.norm(v.astype(float), axis=1) <= 1.01 * np.sqrt(k_s) * reach + 1e-5).all()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(amounts, amounts), min_size=1, max_size=40),
    st.floats(-6, 3).map(lambda p: 10.0**p),
    st.integers(0, 2**31),
)
def test_no_spring_and_no_step_makes_a_motion_grow(springs, dt, seed):
    fixed_target_stays_bounded(*np.array(springs).T, dt, 500, seed)


@pytest.mark.parametrize("dt", [DT, 1e-3, 50.0])
def test_a_hundred_thousand_steps_stay_bounded(dt):
    rng = np.random.default_rng(6)
    drawn = 10 ** rng.uniform([-6, -6], [10, 8], (500, 2))
    drawn[:40, 0] = drawn[20:60, 1] = 0.0
    springs = np.concatenate(
        [drawn, np.array(wide_springs()), [(k, 0.0) for k in 10 ** rng.uniform(0, 6, 200)]]
    )
    fixed_target_stays_bounded(*springs.T, dt, 100_000, 7)


@pytest.mark.parametrize("dt", [DT, 1e-3, 50.0])
def test_the_rounded_step_repeated_without_end_makes_no_motion_grow(dt):
    rng = np.random.default_rng(10)
    k_s = 10 ** rng.uniform(-8, 8, 4000)
    k_d = np.where(rng.random(4000) < 0.5, 0.0, 10 ** rng.uniform(-9, 6, 4000))
    springs, nothing = Springs(k_s, k_d, dt), np.zeros((4000, 3), np.float32)
    still = segment(nothing, nothing, None, None, dt=dt)
    one = nothing + 1
    a, c = (moved[:, 0].astype(float) for moved in springs.step(one, nothing, still))
    b, d = (moved[:, 0].astype(float) for moved in springs.step(nothing, one, still))
    # Jury's conditions: no root of the map's characteristic polynomial is outside the unit circle.
    determinant = a * d - b * c
    assert (determinant <= 1.0).all() and (np.abs(a + d) <= 1.0 + determinant + 1e-15).all()


# Without damping nothing forgets that factors of 24 bits make a frequency of 24 bits.
@pytest.mark.parametrize(
    "k_s,k_d,most", [(90.0, 0.5, 2e-6), (2e4, 900.0, 2e-6), (1e6, 2000.0, 2e-6), (1.0, 0.0, 2e-4)]
)
def test_float32_does_not_drift_from_float64(k_s, k_d, most):
    poses = path("smooth", 400)
    shown = played(Springs(np.array([k_s]), np.array([k_d]), DT), poses, ahead_of(poses))
    exact = poses.astype(float)
    factors = step_factors([k_s], [k_d], DT)[..., 0]
    e, rate = np.zeros(3), None
    farthest = 0.0
    for n, part in enumerate(ahead_of(exact)):
        m_0, m_1 = part.start_velocity[0] * DT, part.end_velocity[0] * DT
        line = (part.end - part.start)[0]
        rate = -m_0 if rate is None else rate
        e, rate = factors @ [e, rate, line - m_0, m_1 - line]
        farthest = max(farthest, np.abs(shown[n + 1, 0] - part.end[0] - e).max())
    assert farthest < most  # metres, after 9600 frames on a path of 0.2 m


def test_what_has_come_to_rest_is_not_slower():
    rng = np.random.default_rng(8)
    springs = Springs(10 ** rng.uniform(1, 5, 500), 10 ** rng.uniform(1, 4, 500), DT)
    pose = np.zeros((500, 3), np.float32)
    x, v = pose + 1, pose
    smallest = np.finfo(np.float32).tiny
    for _ in range(2000):
        x, v = springs.step(x, v, segment(pose, pose, None, None, dt=DT))
        for values in (x, v):
            assert not ((values != 0) & (np.abs(values) < smallest)).any()


@pytest.mark.parametrize(
    "k_s,k_d,dt",
    [
        ([-1.0], [0.0], DT),
        ([1.0], [-1e-9], DT),
        ([np.nan], [0.0], DT),
        ([1.0], [np.inf], DT),
        ([1e70], [0.0], DT),
        ([1.0, 2.0], [1.0], DT),
        ([1.0], [1.0], 0.0),
        ([1.0], [1.0], np.nan),
    ],
)
def test_what_is_no_spring_is_refused(k_s, k_d, dt):
    with pytest.raises(ValueError):
        Springs(np.array(k_s), np.array(k_d), dt)
