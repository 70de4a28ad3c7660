"""A skin as a model holds it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...models.model_file import Model, damaged
from ...skinning.shape_keys import ShapeKeys
from ...skinning.skin import Skin, check_skin

PRESERVE_VOLUME = "preserve_volume"  # the setting


def skin_tensors(skin: Skin) -> dict[str, NDArray[Any]]:
    """weights (V, K) and, where the skin has them, axes (K, 3, 3), order (S,) and those of `_key_tensors`."""
    known = {"axes": skin.axes, "order": skin.order}
    found = {
        "weights": skin.weights,
        **{name: values for name, values in known.items() if values is not None},
    }
    return found | (_key_tensors(skin.keys) if skin.keys else {})


def _key_tensors(keys: ShapeKeys) -> dict[str, NDArray[Any]]:
    """keys.counts (n,), keys.vertices (S,), keys.offsets (S, 3), metres; see `ShapeKeys`."""
    return {"keys.counts": keys.counts, "keys.vertices": keys.vertices, "keys.offsets": keys.offsets}


def skin_in(model: Model, bones: tuple[str, ...], keys: tuple[str, ...]) -> Skin:
    """What `skin_tensors` and the setting say, of these bones and shape keys.

    Raises Problem("model_damaged").
    """
    raw = model.tensors.get("weights")
    if raw is not None and raw.dtype != np.float32:  # what is read from others takes times their size
        raise damaged(model.path, "the tensor “weights” does not hold numbers of kind F32")
    axes = model.limited_tensor("axes", len(bones), 3, 3) if "axes" in model.tensors else None
    order = model.indices("order", -1, below=len(bones)) if "order" in model.tensors else None
    skin = Skin(
        bones,
        model.tensor("weights", model.info.vertex_count, len(bones)),
        bool(model.info.settings.get(PRESERVE_VOLUME, False)),
        axes=axes,
        order=None if order is None else order.astype(np.int32),
        keys=_keys_in(model, keys) if keys else None,
    )
    try:
        check_skin(skin, model.info.vertex_count)
    except ValueError as error:
        raise damaged(model.path, str(error)) from error
    return skin


def _keys_in(model: Model, names: tuple[str, ...]) -> ShapeKeys:
    count = model.info.vertex_count
    moved = model.indices("keys.vertices", -1, below=count).astype(np.int32)
    return ShapeKeys(
        names,
        model.indices("keys.counts", len(names), below=count + 1).astype(np.int32),
        moved,
        model.limited_tensor("keys.offsets", len(moved), 3),
    )
