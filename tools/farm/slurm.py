"""A Slurm of its own on this computer: daemons on loopback addresses, its nodes hosts of `tools.farm.hosts`.

Nothing of it is outside its folder, it knows nothing of a Slurm that this computer may belong to, and nothing
is left running. Needs root, and Debian's packages slurmctld, slurmd, slurm-client and munge.
"""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen
from types import TracebackType

from .hosts import Host, lacking, switch_off

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "scancel", "squeue", "scontrol")
PACKAGES = "slurmctld slurmd slurm-client munge"
# A node that is silent for SlurmdTimeout is down, and its jobs are queued again; they may start anew after
# cred_expire. select/linear: a job has a node alone, as on clusters for large jobs.
CONFIGURATION = """
ClusterName=here
SlurmctldHost={here}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=2,bf_interval=2
ReturnToService=2
SlurmdTimeout=10
MessageTimeout=5
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} NodeHostname={here} NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN\n"
WITHIN = 60.0  # seconds for all daemons to be there


class Cluster:
    """Starts when it is entered, ends when it is left. hosts: its nodes, by their names.

    Raises RuntimeError with a daemon's log where it does not come up.
    """

    def __init__(self, folder: Path, hosts: Sequence[Host]) -> None:
        self._folder, self._hosts = folder, {host.name: host for host in hosts}
        self._daemons = ExitStack()
        self._nodes: dict[str, Popen[str]] = {}

    def __enter__(self) -> Cluster:
        self._write()
        try:
            munge = [f"--{name}={self._folder}/munge.{name}" for name in ("socket", "key-file", "log-file")]
            more = [f"--{name}={self._folder}/munge.{name}" for name in ("pid-file", "seed-file")]
            self._daemon("munged", "--foreground", "--force", *munge, *more)
            self._wait((self._folder / "munge.socket").exists, "munge.log-file")
            self._daemon("slurmctld", "-D", "-i")
            for name in self._hosts:
                self.start_node(name)
            idle = lambda: self.states() == dict.fromkeys(self._hosts, "idle")  # noqa: E731
            self._wait(idle, "slurmctld.log")
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def submit(self, *words: str | Path) -> str:
        """`sbatch` with these words; the job's number."""
        return self._said("sbatch", "--parsable", *map(str, words)).strip()

    def cancel(self, number: str) -> None:
        """`scancel` a job."""
        self._said("scancel", number)

    def queue(self) -> str:
        """What `squeue` says of all that waits and runs: number, state, node and reason in each line."""
        return self._said("squeue", "--noheader", "--array", "--format=%i %T %N %r")

    def job(self, number: str) -> dict[str, str]:
        """What Slurm knows of a job, or of one task of an array, such as 3_1."""
        said = self._said("scontrol", "--oneliner", "show", "job", number)
        return dict(word.split("=", 1) for word in said.split() if "=" in word)

    def states(self) -> dict[str, str]:
        """Of each node, such as "idle", "allocated" or "down"."""
        said = self._said("sinfo", "--noheader", "--Node", "--format=%N %T", fails=True)
        return dict(line.split() for line in said.splitlines())

    def kill_node(self, name: str) -> None:
        """Its power fails."""
        switch_off(self._nodes.pop(name))

    def start_node(self, name: str) -> None:
        """Switch it on."""
        with (self._folder / f"{name}.out").open("a") as out:
            self._nodes[name] = self._hosts[name].start("slurmd", "-D", "-N", name, out=out, **self._env)

    @property
    def _env(self) -> dict[str, str]:
        return {"SLURM_CONF": str(self._folder / "slurm.conf")}

    def _said(self, *words: str, fails: bool = False) -> str:
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, env={**os.environ, **self._env}
        )
        if done.returncode and not fails:
            raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def _write(self) -> None:
        self._folder.mkdir(parents=True)
        self._folder.chmod(0o755)  # munge insists
        key = self._folder / "munge.key-file"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        (self._folder / "state").mkdir()
        ports = _free_ports(1 + len(self._hosts))
        here = platform.node()
        lines = [CONFIGURATION.format(folder=self._folder, here=here, port=ports.pop())]
        lines += [NODE.format(name=name, here=here, port=ports.pop()) for name in self._hosts]
        (self._folder / "slurm.conf").write_text("".join(lines))

    def _daemon(self, *words: str) -> None:
        out = self._daemons.enter_context((self._folder / f"{words[0]}.out").open("w"))
        daemon = Popen(words, stdout=out, stderr=out, text=True, env={**os.environ, **self._env})
        self._daemons.callback(_ended, daemon)

    def _wait(self, holds: Callable[[], bool], log: str) -> None:
        deadline = time.monotonic() + WITHIN
        while not holds():
            if time.monotonic() > deadline:
                path = self._folder / log
                said = path.read_text(errors="replace")[-4000:] if path.is_file() else "no log"
                raise RuntimeError(f"Slurm did not come up in {WITHIN:g} s: {said}")
            time.sleep(0.2)

    def _end(self) -> None:
        for name in list(self._nodes):
            self.kill_node(name)
        self._daemons.close()


def slurm_lacks() -> str:
    """Why no cluster can be made here; "" where one can."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"{', '.join(missing)} is not there (apt-get install {PACKAGES})" if missing else lacking()


def _ended(process: Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(10.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports
