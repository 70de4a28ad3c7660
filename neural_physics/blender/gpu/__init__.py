"""The graphics card: decoding, normals and capsules in a compute shader, and a preview that draws them.

Everything here raises `context.NoGPU` where the card cannot do it; the twins on the processor are
`models.decoding`, `models.normals` and `capsules.projection`.
"""

import bpy  # noqa: F401 (Blender as a module has its gpu only once this is loaded)
