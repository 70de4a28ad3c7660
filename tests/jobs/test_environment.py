"""The Python that trains: looked at from outside, and made with venv and pip."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections import namedtuple
from pathlib import Path
from zipfile import ZipFile

import pytest

from ml_backend.commands.environment_check import missing, requirements
from neural_physics.errors import Problem
from neural_physics.jobs import environment
from neural_physics.jobs.events import StopRequest
from neural_physics.jobs.virtual_environments import python_in

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PIP_NO_INDEX": "1"}


CHECK, CREATE = "ml_backend.commands.environment_check", "neural_physics.jobs.environment"


def job(module: str, *words: object) -> tuple[int, list[dict[str, object]]]:
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, words)],
        check=False,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=120,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def wanted(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "requirements.txt"
    path.write_text("# what is needed\n" + "\n".join(lines) + "\n")
    return path


def test_the_list_that_is_shipped_is_understood() -> None:
    names = [name for name, _ in requirements(ROOT / "requirements" / "training.txt")]
    assert {"torch", "numpy", "scipy"} <= set(names)
    solver = [name for name, _ in requirements(ROOT / "requirements" / "solver.txt")]
    assert {"cvxopt", "ipctk", "pytetwild"} <= set(solver)
    # Who has no wheel of one of these still trains.
    assert not {"cvxopt", "pymetis", "ipctk", "pytetwild"} & set(names)


def test_lines_for_other_systems_are_passed_over(tmp_path: Path) -> None:
    lines = [
        f'no-such-package>=1.2; sys_platform == "{sys.platform}"',
        "no-such-wheel==3.*; sys_platform == 'somewhere'",
        f'no-such-tool>=2; sys_platform != "{sys.platform}"',
        'no-such-mesher==0.4.2; sys_platform != "somewhere"',
        "-r other.txt",
    ]
    path = wanted(tmp_path, *lines)
    assert requirements(path) == [("no-such-package", "1.2"), ("no-such-mesher", "0.4.2")]
    assert missing(path) == ["no-such-package 1.2", "no-such-mesher 0.4.2"]


def test_what_is_missing_or_too_old_is_named(tmp_path: Path) -> None:
    lines = ["pytest>=1.0", "pytest>=99999", "no-such-package>=2.1"]
    assert missing(wanted(tmp_path, *lines)) == ["pytest 99999", "no-such-package 2.1"]


def test_a_check_says_what_the_python_lacks(tmp_path: Path) -> None:
    path = wanted(tmp_path, "no-such-package>=2.1")
    status, events = job(CHECK, "--requirements", path, "--asked", "some/python")
    assert status == 0
    assert events[-1]["event"] == "result"
    assert events[-1]["asked"] == "some/python"
    assert events[-1]["missing"] == ["no-such-package 2.1"]


def test_for_a_python_that_is_too_old_only_its_version_is_reported_missing(tmp_path: Path) -> None:
    """One that has no importlib.metadata, which came with 3.8."""
    script = (
        "import runpy, sys; sys.version_info = (3, 7, 3); sys.modules['importlib.metadata'] = None; "
        f"sys.argv = ['check', '--requirements', {str(wanted(tmp_path, 'torch>=2.6'))!r}]; "
        f"runpy.run_module({CHECK!r}, run_name='__main__')"
    )
    said = subprocess.check_output([sys.executable, "-c", script], text=True, env=ENVIRONMENT)
    assert json.loads(said)["missing"] == ["Python 3.11"]


def test_an_environment_is_made_and_its_python_runs(tmp_path: Path) -> None:
    status, events = job(
        "neural_physics.jobs.environment", "--folder", tmp_path / "made", "--requirements", wanted(tmp_path)
    )
    assert status == 0, events
    python = str(events[-1]["python"])
    assert subprocess.check_output([python, "-c", "import sys; print(sys.prefix)"], text=True).strip() == str(
        tmp_path / "made"
    )


@pytest.mark.slow
def test_a_package_that_cannot_be_installed_is_reported_with_pip_s_own_words(tmp_path: Path) -> None:
    path = wanted(tmp_path, "no-such-package>=2.1")
    status, events = job(
        "neural_physics.jobs.environment", "--folder", tmp_path / "made", "--requirements", path
    )
    assert status == 1
    assert events[-1]["code"] == "environment_failed"
    assert "no-such-package" in str(events[-1]["message"])


def make_wheel(folder: Path, name: str) -> None:
    """A package of one empty module, as pip installs it."""
    about = f"{name}-1.0.dist-info"
    files = {
        f"{name}.py": "",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": "",
    }
    with ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)


@pytest.mark.slow
def test_what_the_solver_would_like_is_installed_one_by_one_and_passed_over_where_there_is_no_wheel(
    tmp_path: Path,
) -> None:
    make_wheel(tmp_path, "must")
    make_wheel(tmp_path, "helper")
    (tmp_path / "sources_only-1.0.tar.gz").write_bytes(b"needs a compiler")
    optional = tmp_path / "optional.txt"
    optional.write_text(
        "# what helps\nnowhere>=1\nsources-only>=1.0\nmust>=1.0\nhelper==1.*  # and why\n"
        "elsewhere>=1; sys_platform == 'somewhere'\n"
    )
    words = ("--folder", tmp_path / "made", "--requirements", wanted(tmp_path, "must>=1.0"))
    options = f"--pip-options=--find-links {tmp_path}"
    status, events = job(CREATE, *words, "--optional", optional, options)
    assert status == 0, events
    python = str(events[-1]["python"])
    assert subprocess.run([python, "-c", "import must, helper"], check=False).returncode == 0
    assert subprocess.run(
        [python, "-c", "import sources_only"], check=False, stderr=subprocess.DEVNULL
    ).returncode
    skipped = [str(event["text"]) for event in events if "Continued without" in str(event.get("text"))]
    assert [text.split()[2].strip(",") for text in skipped] == ["nowhere>=1", "sources-only>=1.0"]
    assert "No matching distribution found for nowhere" in skipped[0]
    # Nothing is looked up for what is there.
    said = " ".join(str(event.get("text")) for event in events)
    assert "Requirement already satisfied: must" in said


def test_it_stops_when_asked(tmp_path: Path) -> None:
    (tmp_path / "stop").touch()
    status, events = job(
        CREATE,
        *(
            "--folder",
            tmp_path / "made",
            "--requirements",
            wanted(tmp_path),
            "--stop-file",
            tmp_path / "stop",
        ),
    )
    assert (status, events[-1]["code"]) == (1, "stopped")


def test_too_little_disk_space_is_reported_before_anything_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(1 << 40, 1 << 40, 1 << 30))
    with pytest.raises(Problem, match=r"Only 1\.0 GiB is free") as raised:
        environment.create(tmp_path / "made", wanted(tmp_path), [], StopRequest())
    assert raised.value.code == "environment_no_room"


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "in_the_way").write_text("")
    with pytest.raises(Problem) as raised:
        environment.create(tmp_path / "in_the_way" / "made", wanted(tmp_path), [], StopRequest())
    assert raised.value.code == "folder_not_writable"


def test_a_command_in_a_python_without_the_packages_says_what_it_lacks(tmp_path: Path) -> None:
    venv.create(tmp_path / "plain", symlinks=True)
    plain = python_in(tmp_path / "plain")
    for words in (["check", "somewhere"], ["train", "somewhere", "--out", "m", "--json"]):
        done = subprocess.run(
            [str(plain), "-m", "ml_backend", *words],
            check=False,
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**ENVIRONMENT, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        said = done.stdout + done.stderr
        assert done.returncode == 1 and len(said.splitlines()) == 1, said
        assert "cannot train, since it lacks torch 2.6" in said and str(plain) in said
