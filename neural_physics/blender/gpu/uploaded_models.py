"""Models on the graphics card: one copy for all objects that play it, for as long as one does."""

from __future__ import annotations

from collections.abc import Hashable
from weakref import WeakValueDictionary

from ...models.decoding import LinearDecoder
from ...models.model_file import Model
from ...models.normals import learned_normals
from .decoder import GpuDecoder

# Where bases take more than this, in bytes, they are kept in half precision: see `GpuDecoder`.
MOST_MEMORY = 1 << 29

_DECODERS: WeakValueDictionary[tuple[Hashable, bool], GpuDecoder] = WeakValueDictionary()


def decoder_on_card(
    identity: Hashable, name: str, model: Model, decoder: LinearDecoder, *, for_display: bool
) -> GpuDecoder:
    """The card's copy of a model, made where there is none; it is freed with the last reference to it.

    identity: equal for objects that share the model. name: the object, for messages. for_display: with
    the learned normals, and in half precision where memory would be short; without, positions are exact.
    Raises NoGPU and Problem("model_damaged").
    """
    key = identity, for_display
    found = _DECODERS.get(key)
    if found is None:
        basis = decoder.basis.reshape(decoder.basis_count, -1, 3)
        normals = learned_normals(model, decoder.basis_count) if for_display else None
        size = basis.nbytes * (2 if normals is not None else 1)
        half = for_display and size > MOST_MEMORY
        found = _DECODERS[key] = GpuDecoder(name, decoder.mean, basis, normals, half=half)
    return found


def forget_models() -> None:
    """Whoever asks next gets a new copy."""
    _DECODERS.clear()
