"""Whether a body that a dataset brings can be solved for at all."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from neural_physics.datasets.body import Body
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

FEW = 4000  # vertices: of these even a full matrix is factorised within seconds
# How far before each vertex, in the best order, its first neighbour is: the mean, as a share of all vertices.
# A thin box of 30,000 has 0.16 and one of 4,500 up to 0.21, where tetrahedra at random have 0.3; a square of
# triangles has 0.03, where those at random have 0.2. Bodies of fewer elements than vertices, which are
# strands, have next to nothing.
WIDEST, WIDEST_OF_TRIANGLES, WIDEST_OF_FEW = 0.25, 0.1, 0.05


def checked_body(dataset: Dataset, body: Body) -> Body:
    """The body of a dataset. Raises Problem("dataset_damaged") where its elements join vertices at random.

    Of a body in space those that are joined lie together, and its matrices are mostly zeros when they are
    factorised, too; of one that only a file holds they might take hours, which nobody can stop.
    """
    count = body.vertex_count
    widest = WIDEST if body.elements.shape[1] == 4 else WIDEST_OF_TRIANGLES
    if len(body.elements) < count:
        widest = WIDEST_OF_FEW
    if count > FEW and _width(body) > widest * count:
        raise Problem("dataset_damaged", path=dataset.path, reason="its body joins vertices at random")
    return body


def _width(body: Body) -> float:
    """The mean width of rows after reverse Cuthill-McKee."""
    elements, count = body.elements, body.vertex_count
    size = elements.shape[1]
    rows = np.repeat(elements, size, 1).ravel()
    columns = np.tile(elements, (1, size)).ravel()
    graph = csr_array(coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(count, count)))
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    places = np.empty(count, np.int64)
    places[order] = np.arange(count)
    widths = np.zeros(count, np.int64)
    np.maximum.at(widths, places[rows], places[rows] - places[columns])
    return float(widths.mean())
