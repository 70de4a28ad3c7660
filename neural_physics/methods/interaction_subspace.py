"""What a scene does, as few numbers: w = V (y - y_mu), kept to the training range (Holden 2019)."""

from __future__ import annotations

from ..arrays import Doubles, Floats
from ..models.model_file import Model
from ..models.single_thread_products import Product
from .clipping import clipped, clipped_rows


class InteractionSubspace:
    """Reads y as w (Holden 2019, sections 5.1 and 8.1).

    Tensors of the model (e interaction values): y_mean (e,), interaction_basis (v, e), w_low, w_high (v,).
    size: v. Raises Problem where they are missing or do not fit.
    """

    def __init__(self, model: Model, values: int) -> None:
        """values: e."""
        self._y_mean = model.tensor("y_mean", values)
        basis = model.tensor("interaction_basis", -1, values)
        self.size = len(basis)
        self._project = Product(basis.T)
        self._low, self._high = model.tensor("w_low", self.size), model.tensor("w_high", self.size)

    def __call__(self, y: Floats) -> tuple[Floats, float]:
        """w, clipped, and the share of it that had to be."""
        w, count = clipped(self._project(y - self._y_mean), self._low, self._high)
        return w, count / self.size

    def rows(self, y: Floats) -> tuple[Floats, Doubles]:
        """The same of y (n, e): w (n, v), and the shares (n,)."""
        w, counts = clipped_rows(self._project(y - self._y_mean), self._low, self._high)
        return w, counts / self.size
