"""A physical initial model: inertia, gravity, springs and contact, by a few implicit steps in the bases.

It takes the place of eq. 1 of Holden 2019, which knows nothing of the body: the paper derives eq. 1 and 3
from an integrator whose forces the network has to learn (eq. 4 to 9). Here springs and colliders give most of
these forces, in places that no take has seen, too, and the network learns what they leave.
"""

from __future__ import annotations

from ...arrays import Floats
from ...models.decoding import LinearDecoder
from ...models.model_file import Model, damaged
from ...models.single_thread_products import Product
from .initial_model import NOTHING
from .reduced_forces import ReducedContact, ReducedSprings

MOST_STEPS = 16


class PhysicalModel:
    """Guesses z_t from z_{t-1}, z_{t-2} and the colliders.

    s = alpha z_{t-1} + beta (z_{t-1} - z_{t-2}) + g is where nothing but gravity would take the body. From
    q_0 = s on, q_{k+1} = q_k + A_k (m (s - q_k) - f(q_k)) + B_k p(q_k) solves m (q - s) = p(q) - f(q),
    backward Euler with masses m, the springs' force f and the colliders' push p (`reduced_forces`): A_k and
    B_k are near the inverse of its slope, and learned.

    Tensors of the model (u bases, K steps), beside those of the forces: physics.alpha, physics.beta,
    physics.gravity, physics.masses (u,); physics.elastic (K, u, u): A; and where there are colliders
    physics.contact (K + 1, u, u): B, whose last is for what the network sees. features: how many numbers
    that are.
    """

    def __init__(self, model: Model, decoder: LinearDecoder, values: int) -> None:
        """values: length of y. Raises Problem("model_damaged")."""
        u = decoder.basis_count
        self._alpha, self._beta = model.tensor("physics.alpha", u), model.tensor("physics.beta", u)
        self._gravity, self._masses = model.tensor("physics.gravity", u), model.tensor("physics.masses", u)
        self._springs = ReducedSprings(model, decoder)
        elastic = model.tensor("physics.elastic", -1, u, u)
        if len(elastic) > MOST_STEPS:
            raise damaged(model.path, f"its physics takes {len(elastic)} steps")
        self._elastic = [Product(each.T) for each in elastic]
        self._contact = None
        self.features = 0
        if "physics.contact" in model.tensors:
            responses = model.tensor("physics.contact", len(elastic) + 1, u, u)
            self._contact = ReducedContact(model, decoder, values)
            self._responses = [Product(each.T) for each in responses]
            self.features = u

    def __call__(self, z: Floats, z_before: Floats, y: Floats) -> tuple[Floats, Floats]:
        """The guess (u,), and what else the network sees: the push at it (u,), or nothing (0,)."""
        s = self._alpha * z
        s += self._beta * (z - z_before)
        s += self._gravity
        q = s
        for k, elastic in enumerate(self._elastic):
            missing = self._masses * (s - q)
            missing -= self._springs(q)
            change = elastic(missing)
            if self._contact is not None:
                change += self._responses[k](self._contact(q, y))
            q = q + change
        if self._contact is None:
            return q, NOTHING
        return q, self._responses[-1](self._contact(q, y))
