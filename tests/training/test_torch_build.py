"""Whether torch was built for graphics cards is known without loading it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ml_backend.training import torch_build

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    ("version", "for_cards"),
    [
        ("cuda: str = '12.8'\nhip = None\n", True),
        ("cuda = None\nhip = '6.4'\n", True),
        ("cuda = None\nhip = None\n", False),
        (None, True),
    ],
    ids=["cuda", "rocm", "processor", "unknown"],
)
def test_its_own_files_say_so(tmp_path, monkeypatch, version, for_cards):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise AssertionError('it was loaded')")
    if version is not None:
        (tmp_path / "torch" / "version.py").write_text(version)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert torch_build.built_for_cards() is for_cards


def test_it_is_never_said_to_have_none_where_it_finds_one():
    torch = pytest.importorskip("torch")
    assert torch_build.built_for_cards() or not torch.cuda.is_available()


def test_neither_asking_nor_the_trainer_s_module_loads_it():
    code = (
        "import sys; from ml_backend.training import torch_build; torch_build.built_for_cards(); "
        "import ml_backend.methods.subspace_physics.train; assert 'torch' not in sys.modules"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=torch_build.__file__.partition("ml_backend")[0]
    )
