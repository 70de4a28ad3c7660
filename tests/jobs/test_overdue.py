"""A process that was asked to stop and never looks ends all the same."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUSY = f"""
import subprocess, sys
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}]
from neural_physics.jobs.events import StopRequest
from neural_physics.jobs.overdue import end_when_overdue
stop = StopRequest(Path(sys.argv[1]))
stop.listen()
if sys.argv[2] == "left":
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    stop.follow(gone.pid)
end_when_overdue(stop, 0.1)
print("busy", flush=True)
while sys.argv[2] != "looks" or not stop.asked():
    pass
sys.exit(7)
"""


@pytest.mark.parametrize(("how", "status"), [("asked", 1), ("signalled", 1), ("left", 1), ("looks", 7)])
def test_a_process_that_is_too_busy_to_look_ends_some_time_after_it_was_asked(how, status, tmp_path):
    stop_file = tmp_path / "stop"
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY, str(stop_file), how], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "busy\n"
        if how == "signalled":
            process.send_signal(signal.SIGINT)
        elif how != "left":
            stop_file.touch()
        assert process.wait(60) == status
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
