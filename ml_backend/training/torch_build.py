"""What torch was built for, as the files of its package say: importing it takes seconds."""

from __future__ import annotations

from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path


def built_for_cards() -> bool:
    """Whether this Python's torch can use any graphics card of those it calls CUDA; False without torch."""
    torch = find_spec("torch")
    if torch is None or torch.origin is None:
        return False
    spec = spec_from_file_location("torch_version", Path(torch.origin).with_name("version.py"))
    assert spec and spec.loader  # a source file has both
    version = module_from_spec(spec)
    try:
        spec.loader.exec_module(version)
    except OSError:
        return True  # torch itself is asked
    return bool(getattr(version, "cuda", None) or getattr(version, "hip", None))
