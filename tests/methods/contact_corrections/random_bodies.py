"""Bodies of contact corrections with all that may belong to one, made by chance."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.energies.solids import corotational, stable_neo_hookean, stvk
from neural_physics.energies.solids.deformation import rest_shapes
from neural_physics.methods.contact_corrections.contact import Contact, Placed
from neural_physics.methods.contact_corrections.corrections import Correction, Corrections, Surface
from neural_physics.methods.contact_corrections.cubature import Cubature
from neural_physics.methods.contact_corrections.dynamics import Dynamics
from neural_physics.methods.contact_corrections.handles import Handles, nearest_rotation
from neural_physics.methods.contact_corrections.locator import feature_count
from neural_physics.methods.contact_corrections.networks import TanhNetwork
from neural_physics.methods.contact_corrections.self_contact import SelfContact
from neural_physics.methods.contact_corrections.surroundings import Surroundings


def network(random, inputs, outputs, layers):
    sizes = [inputs, *random.integers(2, 9, layers - 1), outputs]
    weights = [random.normal(size=(b, a)) / np.sqrt(a) for a, b in pairwise(sizes)]
    scale = np.where(random.random(inputs) < 0.8, 1.5, 0.0)
    bounds = np.sort(random.normal(size=(2, inputs)), axis=0)
    margin = np.where(random.random(inputs) < 0.7, 0.1 * (bounds[1] - bounds[0]), 0.0)
    biases = [0.1 * random.normal(size=len(weight)) for weight in weights]
    return TanhNetwork(
        0.1 * random.normal(size=inputs), scale, *bounds, margin, layers=[*zip(weights, biases, strict=True)]
    )


def outline(random):
    """A star, as a polygon that is not convex; now and then a container."""
    count = int(random.integers(3, 9))
    at = 2.0 * np.pi * np.arange(count) / count
    corners = random.uniform(0.3, 1.0, (count, 1)) * np.stack([np.cos(at), np.sin(at)], 1)
    return Polygon(corners[::-1] if random.random() < 0.2 else corners)


def shapes_of(random, d):
    """Those that move, all alike, and those that stand."""
    kinds = [
        Sphere(0.5, d),
        Box(tuple(random.uniform(0.2, 0.7, d))),
        outline(random) if d == 2 else Sphere(0.8, 3),
    ]
    moving = [kinds[random.integers(3)]] * int(random.integers(0, 4))
    standing = [outline(random) if d == 2 else HalfSpace(3), HalfSpace(d), kinds[0], kinds[1]]
    return moving, standing[: random.integers(0, 5)]


def self_contact(random, handles):
    """Balls that overlap as often as not, of which one may be between vertices and another at one of them."""
    count, d = len(handles.weights), handles.rest.shape[1]
    weights = random.dirichlet(np.ones(d + 1), 5)
    weights[0] = np.eye(d + 1)[0]
    neighbours = np.array([[0, 1], [3, 2]])
    corners, radii = random.integers(0, count, (5, d + 1)), random.uniform(0.1, 0.6, 5)
    return SelfContact(corners, weights, radii, neighbours, 250.0)


def element_of(random, places):
    """The numbers of vertices at places (S, d) that are the corners of one, which is no splinter."""
    d = places.shape[1]
    while True:
        corners = random.permutation(len(places))[: d + 1]
        volume = np.linalg.det(places[corners[1:]] - places[corners[0]])
        if abs(volume) > 0.1:
            return corners if volume > 0.0 else corners[[1, 0, *range(2, d + 1)]]


def made(random, inside_out=0.25):
    """A body with all that may belong to one: its dynamics by NumPy, what acts on it, and free handles.

    inside_out: how often its handles leave little of it, or less than nothing.
    """
    d, energy = int(random.integers(2, 4)), (stable_neo_hookean, stvk, corotational)[random.integers(3)]
    points, loose, pinned = int(random.integers(0, 4)), int(random.integers(0, 2)), int(random.integers(0, 2))
    if not pinned or not (points or loose):
        points = max(points, 3)  # of fewer it is up to rounding how they are turned
    free = points + loose * (d + 1)
    rows, count = free + pinned * (d + 1), 14
    rest = random.normal(size=(count, d))
    weights = random.dirichlet(np.ones(rows), count)
    at_rest, wild = random.normal(size=(rows, d)), random.random() < inside_out
    spread, usual = (0.3, 0.0) if wild else (0.05, np.linalg.pinv(at_rest))
    gradients = usual + spread * random.normal(size=(count, d, rows))
    handles = Handles(weights, gradients, at_rest, free, loose=loose)
    moving, standing = shapes_of(random, d)
    shapes, oriented = [*moving, *standing], bool(random.integers(2))
    inputs = 1 + (feature_count(moving[0], oriented=oriented) if moving else d)
    layers = int(random.integers(1, 4))
    internal = external = None
    if random.random() < 0.8:
        found = network(random, rows * d, 3, layers)
        internal = Correction(found, 0.05 * random.normal(size=(3, count, d)))
    if moving and random.random() < 0.8:
        external = Correction(network(random, inputs, 4, layers), 0.05 * random.normal(size=(4, count, d)))
    surface, chosen = random.permutation(count)[:6], random.permutation(count)[:9]
    contact = Contact(
        random.integers(0, 6, (11, d + 1)), random.dirichlet(np.ones(d + 1), 11), 300.0, 0.3, shapes=shapes
    )
    corrections = Corrections(
        handles,
        internal,
        external,
        Surface(contact, surface),
        reference_depth=0.2,
        oriented=oriented,
        deepest=0.25 if random.random() < 0.5 else np.inf,
    )
    itself = self_contact(random, handles) if random.random() < 0.6 else None
    elements = np.array([element_of(random, rest[chosen]) for _ in range(7)])
    inverse, volumes = rest_shapes(rest[chosen][elements])
    moduli = random.uniform(50.0, 200.0, (7, 2))
    cubature = Cubature(elements, inverse, volumes, moduli, random.uniform(0.5, 1.5, 9), energy)
    dynamics = Dynamics(
        handles,
        corrections,
        cubature,
        chosen,
        surface=Surface(contact, surface),
        gravity=random.normal(size=d),
        damping=0.02 if random.random() < 0.7 else 0.0,
        tolerance=1e-6,
        most_iterations=6,
        self_contact=itself,
    )
    turns = [nearest_rotation(random.normal(size=(d, d))) for _ in shapes]
    scales = random.uniform(0.7, 1.3, len(shapes)) if random.random() < 0.5 else None
    placed = Placed(0.8 * random.normal(size=(len(shapes), d)), np.array(turns).reshape(-1, d, d), scales)
    frames = handles.rest[free:] + 0.1 * random.normal(size=(rows - free, d))
    held = np.array([0] if random.random() < 0.3 else [], np.intp)
    around = Surroundings(
        frames, placed, random.uniform(0.3, 0.6, len(moving)), held, random.normal(size=(len(held), d))
    )
    q = handles.rest[:free] + 0.2 * random.normal(size=(free, d))
    return dynamics, around, q
