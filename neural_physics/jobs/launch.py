"""Runs a module of this extension as a program: `python -I launch.py MODULE ...`.

Isolated (-I), Python looks for code neither in the current folder nor where the environment says, so that
nothing that lies beside a .blend or in a dataset can take the place of a module. What the extension itself
brings is found from here. Standard library only, and nothing newer than Python 3.7: it has not
been checked yet which Python runs it.
"""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
