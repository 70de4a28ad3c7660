"""Training runs outside Blender: these tests are for environments that have torch."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]
if find_spec("torch"):
    import torch

    torch.set_num_threads(1)  # what is small is slowed down tenfold by threads that wait for a busy core
