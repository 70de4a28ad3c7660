"""What was measured with other code is measured anew: whatever is part of the product counts."""

from pathlib import Path

import pytest

from benchmarks import code_version as module
from benchmarks.code_version import CODE, code_version


@pytest.mark.parametrize(
    "changed", ["neural_physics/a.py", "learning/methods/b.py", "ml_backend/c.py", "benchmarks/d.py"]
)
def test_another_version_wherever_a_module_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    monkeypatch.setattr(module, "ROOT", tmp_path)
    path = tmp_path / changed
    path.parent.mkdir(parents=True)
    versions = []
    for text in ("a = 1\n", "a = 2\n"):
        path.write_text(text)
        code_version.cache_clear()
        versions.append(code_version(*CODE))
    code_version.cache_clear()
    assert versions[0] != versions[1]
