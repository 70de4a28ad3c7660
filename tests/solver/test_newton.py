"""Newton's method finds the minimum from afar, stays where it may be, and says when it has not arrived."""

from __future__ import annotations

import numpy as np

from neural_physics.solver.newton import minimise


class Rosenbrock:
    """The banana: its exact Hessian is indefinite in places, so the Gauss-Newton one is taken."""

    limit = np.inf

    def advance(self, q):
        return q, True

    def value(self, q):
        return float((1 - q[0]) ** 2 + 100 * (q[1] - q[0] ** 2) ** 2) if q[0] < self.limit else np.inf

    def _residual(self, q):
        return np.array([1 - q[0], 10 * (q[1] - q[0] ** 2)]), np.array([[-1.0, 0.0], [-20 * q[0], 10.0]])

    def gradient(self, q):
        residual, jacobian = self._residual(q)
        return 2 * jacobian.T @ residual

    def direction(self, q, gradient):
        _, jacobian = self._residual(q)
        return -np.linalg.solve(2 * jacobian.T @ jacobian, gradient)

    def size(self, direction):
        return float(abs(direction).max())

    def largest_step(self, q, direction):
        return 1.0


def test_the_minimum_is_found_from_afar():
    found = minimise(Rosenbrock(), np.array([-3.0, 8.0]), 1e-9)
    assert found.converged
    assert np.allclose(found.q, [1.0, 1.0], atol=1e-12)


def test_the_value_never_rises(monkeypatch):
    values = []
    gradient = Rosenbrock.gradient
    monkeypatch.setattr(
        Rosenbrock, "gradient", lambda self, q: values.append(self.value(q)) or gradient(self, q)
    )
    minimise(Rosenbrock(), np.array([-3.0, 8.0]), 1e-9)
    assert len(values) > 3
    assert (np.diff(values) <= 0.0).all()


def test_where_it_may_not_go_it_does_not_and_says_that_it_has_not_arrived():
    banned = Rosenbrock()
    banned.limit = 0.5
    found = minimise(banned, np.array([-1.0, 1.0]), 1e-9)
    assert not found.converged
    assert found.q[0] < 0.5


def test_too_few_iterations_are_reported_as_not_converged():
    found = minimise(Rosenbrock(), np.array([-3.0, 8.0]), 1e-12, most_iterations=2)
    assert not found.converged
    assert found.iterations == 2


def test_a_value_of_many_digits_ends_the_search_where_no_decrease_can_be_seen():
    class Offset(Rosenbrock):
        def value(self, q):
            return super().value(q) + 1e9

    found = minimise(Offset(), np.array([1.001, 1.002]), 1e-12)
    assert found.converged
    assert np.allclose(found.q, [1.0, 1.0], atol=1e-3)


class AtRest(Rosenbrock):
    """At its minimum, where its value is 0 and rounding has left something of its gradient."""

    arrived = True

    def advance(self, q):
        return q, self.arrived

    def gradient(self, q):
        return super().gradient(q) + 1e-12


def test_what_rests_without_energy_has_found_its_minimum():
    """No decrease can be seen there, nor is any digit of a value of 0 too small to count."""
    found = minimise(AtRest(), np.ones(2), 1e-6)
    assert found.converged and found.iterations == 1
    assert np.array_equal(found.q, [1.0, 1.0])
    assert not minimise(AtRest(), np.ones(2), 1e-15).converged
    led = AtRest()
    led.arrived = False
    assert not minimise(led, np.ones(2), 1e-6).converged, "what moves by itself is not there yet"
