"""Arrays to textures and back."""

from __future__ import annotations

import gpu
import numpy as np

from ...arrays import Floats
from .context import NoGPU, gpu_failures


def upload(texels: Floats, half: bool = False) -> gpu.types.GPUTexture:
    """A texture of (height, width, 4) float32; `half`: kept in half precision.

    Raises NoGPU("gpu_failed"). A texture cannot be written to again from Python: for new numbers, make a
    new one, which for small ones takes microseconds.
    """
    height, width, _ = texels.shape
    flat = np.ascontiguousarray(texels, np.float32).reshape(-1)
    with gpu_failures():
        buffer = gpu.types.Buffer("FLOAT", flat.size, flat)
        return gpu.types.GPUTexture((width, height), format="RGBA16F" if half else "RGBA32F", data=buffer)


def empty_texture(width: int, height: int) -> gpu.types.GPUTexture:
    """A texture for a shader to write to. Raises NoGPU("gpu_failed")."""
    with gpu_failures():
        return gpu.types.GPUTexture((width, height), format="RGBA32F")


def read_back(texture: gpu.types.GPUTexture) -> Floats:
    """(texels, 4) float32, row after row; the memory is the buffer's that was read into, not copied.

    Waits until the card has written them. Raises NoGPU("gpu_failed").
    """
    with gpu_failures():
        buffer = texture.read()
        buffer.dimensions = texture.width * texture.height * 4
    return np.frombuffer(buffer, np.float32).reshape(-1, 4)


def check_size(name: str, width: int, height: int, limit: int) -> None:
    """Raise NoGPU("gpu_too_large") for a texture of this object with a side above the limit."""
    if max(width, height) > limit:
        raise NoGPU("gpu_too_large", object=name, width=width, height=height, limit=limit)
