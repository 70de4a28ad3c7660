"""Exported files are tested where ONNX can write them and ONNX Runtime can run them."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("onnx") and find_spec("onnxruntime") else ["test_*.py"]
