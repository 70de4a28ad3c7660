"""What differs between systems is in one small module each, and nowhere else."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("neural_physics", "operators", "panels", "learning", "ml_backend", "benchmarks", "tools")
KNOWS_SYSTEMS = {
    "neural_physics/files/held_folders.py",
    "neural_physics/files/flushing.py",
    "neural_physics/files/links.py",
    "neural_physics/files/locks.py",
    "neural_physics/files/open_files.py",
    "neural_physics/files/reading.py",  # opens without waiting, where there are pipes
    "neural_physics/datasets/take_writer.py",  # as that
    "neural_physics/files/refusals.py",
    "neural_physics/files/replacing.py",
    "neural_physics/jobs/cores.py",
    "neural_physics/jobs/processes.py",
    "neural_physics/jobs/virtual_environments.py",
    "neural_physics/solver/meshing/compiled_libraries.py",
    "neural_physics/native/finding.py",
    "ml_backend/commands/environment_check.py",  # reads requirements, which have `sys_platform`
    # A soak is for Linux: it finds its processes in /proc and has disks of its own.
    "tools/soak/faults.py",
    "tools/soak/marks.py",
    "tools/soak/places.py",
    "tools/soak/commands.py",
    "tools/soak/blends.py",
    "tools/farm/hosts.py",  # hosts are namespaces of Linux
}
MODULES = {"fcntl", "msvcrt", "_winapi", "winreg", "resource", "pwd", "grp"}
# Of these modules what says on which system it is, and what others have not.
ATTRIBUTES = {
    "sys": {"platform", "getwindowsversion"},
    "platform": {"system", "win32_ver", "mac_ver"},
    "os": {
        *(
            "name",
            "fork",
            "killpg",
            "setsid",
            "mkfifo",
            "getuid",
            "geteuid",
            "startfile",
            "add_dll_directory",
        ),
        *("sched_getaffinity", "sched_setaffinity", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "kill", "fsync"),
        *("rename", "replace"),
    },
    "signal": {"SIGKILL", "SIGHUP", "SIGBREAK", "SIGSTOP", "SIGCONT", "CTRL_BREAK_EVENT"},
    "subprocess": {"CREATE_NO_WINDOW", "CREATE_NEW_PROCESS_GROUP", "STARTUPINFO"},
}
METHODS = {
    "winerror",
    "is_junction",
    "st_reparse_tag",
}  # of files and errors, on some systems or in some Pythons


def differences(tree: ast.AST) -> Iterator[str]:
    """What of a module differs between systems."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in MODULES)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in ATTRIBUTES.get(node.value.id, ()):
                yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr"):
            of, name = ast.unparse(node.args[0]), getattr(node.args[1], "value", "")
            if name in METHODS or name in ATTRIBUTES.get(of, ()):
                yield f"{of}.{name}"
        elif isinstance(node, ast.keyword) and node.arg == "start_new_session":
            yield "start_new_session"


def test_only_small_modules_know_on_which_system_they_are() -> None:
    found = {}
    for path in (path for tree in PRODUCT for path in (ROOT / tree).rglob("*.py")):
        here = sorted(set(differences(ast.parse(path.read_text(encoding="utf-8")))))
        if here:
            found[path.relative_to(ROOT).as_posix()] = here
    assert {name: here for name, here in found.items() if name not in KNOWS_SYSTEMS} == {}
    assert set(found) == KNOWS_SYSTEMS, "the list names what has nothing of the kind any more"


@pytest.mark.parametrize(
    "line",
    [
        "import fcntl",
        "sys.platform == 'win32'",
        "hasattr(os, 'killpg')",
        "f(start_new_session=True)",
        "os.name",
    ],
)
def test_what_differs_is_found(line: str) -> None:
    assert list(differences(ast.parse(line)))


def test_files_are_replaced_renamed_and_deleted_where_somebody_may_read_them() -> None:
    """`Path.replace`, `Path.rename` and a `shutil.rmtree` whose refusal counts are in one module alone."""
    found = []
    for path in (
        path for tree in ("neural_physics", "learning", "operators") for path in (ROOT / tree).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                called, keywords = ast.unparse(node.func), [word.arg for word in node.keywords]
                moves = node.func.attr in ("replace", "rename") and len(node.args) == 1 and not keywords
                if moves or (called == "shutil.rmtree" and "ignore_errors" not in keywords):
                    found.append(f"{path.relative_to(ROOT).as_posix()}: {ast.unparse(node)}")
    others = [line for line in found if not line.startswith("neural_physics/files/")]
    assert others == [], others


@pytest.mark.parametrize("platform", ["win32", "darwin"])
@pytest.mark.slow
def test_the_modules_are_typed_as_the_other_systems_have_them(platform: str) -> None:
    """What they use of a system's modules is there, by the type checker's own list of them."""
    pytest.importorskip("mypy")
    words = [sys.executable, "-m", "mypy", "--platform", platform, "--cache-dir", f".mypy_cache/{platform}"]
    named = sorted(name for name in KNOWS_SYSTEMS if name.startswith("neural_physics/"))
    done = subprocess.run([*words, *named], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
