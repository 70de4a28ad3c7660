"""A physical initial model: inertia, gravity and contact in the bases, and springs by a few implicit steps.

It takes the place of eq. 1 of Holden 2019, which knows nothing of the body: the paper derives eq. 1 and 3
from an integrator whose forces the network has to learn (eq. 4 to 9). Here colliders and springs give some of
these forces, in places that no take has seen, too, and the network learns what they leave.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...models.decoding import LinearDecoder
from ...models.model_file import Model, damaged
from ...models.single_thread_products import Product
from .initial_model import NOTHING
from .reduced_forces import ReducedContact, ReducedSprings

MOST_STEPS = 16


class PhysicalModel:
    """Guesses z_t from z_{t-1} and z_{t-2}, and shows the network what springs and colliders would change.

    z_bar = s = alpha z_{t-1} + beta (z_{t-1} - z_{t-2}) + g is where nothing but gravity would take the body.
    From q_0 = s on, q_{k+1} = q_k + A_k (m (s - q_k) - f(q_k)) + B_k p(q_k) solves m (q - s) = p(q) - f(q),
    backward Euler with masses m, the springs' force f and the colliders' push p (`reduced_forces`): A_k and
    B_k are near the inverse of its slope, and learned. The network sees B_K p(q_K) and, with steps, q_K - s,
    and adds of them what it will: a guess of q_K itself was farther off in the first frames.

    Tensors of the model (u bases, K steps), beside those of the forces: physics.alpha, physics.beta,
    physics.gravity (u,); with steps physics.masses (u,) and physics.elastic (K, u, u): A; where there are
    colliders physics.contact (K + 1, u, u): B. features: how many numbers the network sees beside the guess.
    """

    def __init__(self, model: Model, decoder: LinearDecoder, values: int) -> None:
        """values: length of y. Raises Problem("model_damaged")."""
        u = decoder.basis_count
        self._alpha, self._beta = model.tensor("physics.alpha", u), model.tensor("physics.beta", u)
        self._gravity = model.tensor("physics.gravity", u)
        self._elastic: list[Product] = []
        if "physics.elastic" in model.tensors:
            elastic = model.tensor("physics.elastic", -1, u, u)
            if len(elastic) > MOST_STEPS:
                raise damaged(model.path, f"its physics takes {len(elastic)} steps")
            self._masses, self._springs = model.tensor("physics.masses", u), ReducedSprings(model, decoder)
            self._elastic = [Product(each.T) for each in elastic]
        self._contact = None
        self.features = 0
        if "physics.contact" in model.tensors:
            responses = model.tensor("physics.contact", len(self._elastic) + 1, u, u)
            self._contact = ReducedContact(model, decoder, values)
            self._responses = [Product(each.T) for each in responses]
            self.features = u
        if self._elastic:
            self.features += u

    def __call__(self, z: Floats, z_before: Floats, y: Floats) -> tuple[Floats, Floats]:
        """The guess (u,), and what else the network sees: push and change (features,).

        Of n states: z, z_before (n, u), y (n, e) -> (n, u), (n, features), each row
        bit for bit as it is alone.
        """
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
        seen = [] if self._contact is None else [self._responses[-1](self._contact(q, y))]
        if self._elastic:
            seen.append(q - s)
        return s, np.concatenate(seen, -1) if seen else NOTHING
