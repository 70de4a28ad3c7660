"""A skin as a model holds it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...models.model_file import Model, damaged
from ...skinning.skin import Skin, check_skin

PRESERVE_VOLUME = "preserve_volume"  # the setting


def skin_tensors(skin: Skin) -> dict[str, NDArray[Any]]:
    """weights (V, K) and, where the skin has them, axes (K, 3, 3) and order (S,); see `Skin`."""
    known = {"axes": skin.axes, "order": skin.order}
    return {"weights": skin.weights, **{name: values for name, values in known.items() if values is not None}}


def skin_in(model: Model, bones: tuple[str, ...]) -> Skin:
    """What `skin_tensors` and the setting say, of these bones. Raises Problem("model_damaged")."""
    axes = model.limited_tensor("axes", len(bones), 3, 3) if "axes" in model.tensors else None
    order = model.indices("order", -1, below=len(bones)) if "order" in model.tensors else None
    skin = Skin(
        bones,
        model.tensor("weights", model.info.vertex_count, len(bones)),
        bool(model.info.settings.get(PRESERVE_VOLUME, False)),
        axes=axes,
        order=None if order is None else order.astype(np.int32),
    )
    try:
        check_skin(skin, model.info.vertex_count)
    except ValueError as error:
        raise damaged(model.path, str(error)) from error
    return skin
