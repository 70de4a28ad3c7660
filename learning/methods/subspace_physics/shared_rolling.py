"""Windows that several processes roll out at once, each its share of them.

The products of one frame are too small to be shared among threads, but windows do not depend on each other.
A helper is a process with the same network; what the optimiser sees is the sum over all shares. Of a helper
that has ended, for whatever reason, this process does the work, with the same result to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from subprocess import Popen

import numpy as np

from learning.methods.subspace_physics.network import Pullback, Roller, SubspaceNetwork
from learning.training.array_streams import Array, receive, send
from learning.training.helper_processes import cores_for, started
from neural_physics.arrays import Floats

Process = Popen[bytes]
HELPER = "learning.methods.subspace_physics.rolling_helper"
LEAST_BASES = 32  # with fewer, and without springs and contact, a frame takes no longer than telling others
FEWEST = 24  # windows that are worth a process of their own


@contextmanager
def shared(network: SubspaceNetwork, words: Sequence[str], processes: int) -> Iterator[Roller]:
    """A network whose windows so many processes roll out, of which this one is the first.

    words: what the others are told, see `rolling_helper.helper_words`. Where they cannot be started, this one
    does it alone.
    """
    roller = SharedRoller(network, started(HELPER, words, processes - 1))
    try:
        yield roller
    finally:
        roller.close()


def processes_for(network: SubspaceNetwork, windows: int, cores: int | None) -> int:
    """How many processes roll out so many windows soonest, on so many cores, or on all of this computer."""
    if network.sizes[-1] < LEAST_BASES or not network.initial_model.features:
        return 1
    return max(1, min(cores_for(cores), windows // FEWEST))


class SharedRoller:
    """A network whose windows are shared with helpers. See `Roller`."""

    device = "cpu"

    def __init__(self, network: SubspaceNetwork, processes: Sequence[Process]) -> None:
        """processes: each runs `rolling_helper.serve` of the same network on its input and output."""
        self._network = network
        self._helpers = [_Helper(network, process) for process in processes]

    def rollout(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> Floats:
        """See `Roller`."""
        return self._network.rollout(theta, z0, z1, w)

    def with_pullback(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> tuple[Floats, Pullback]:
        """See `Roller`."""
        bounds = np.linspace(0, len(z0), len(self._helpers) + 2).astype(int)
        own, *theirs = (slice(first, end) for first, end in pairwise(bounds))
        for helper, share in zip(self._helpers, theirs, strict=True):
            helper.roll_out(theta, z0[share], z1[share], w[:, share])
        states, own_pullback = self._network.with_pullback(theta, z0[own], z1[own], w[:, own])
        rolled = np.concatenate([states, *(helper.states() for helper in self._helpers)], 1)

        def pullback(slope: Floats) -> Floats:
            for helper, share in zip(self._helpers, theirs, strict=True):
                helper.pull_back(slope[:, share])
            gradient = own_pullback(slope[:, own])
            for helper in self._helpers:
                gradient += helper.gradient()
            return gradient

        return rolled, pullback

    def close(self) -> None:
        """Let the helpers end."""
        for helper in self._helpers:
            helper.end()


class _Helper:
    """One helper; once its process has ended, this one in its place."""

    def __init__(self, network: SubspaceNetwork, process: Process) -> None:
        self._network = network
        self._process: Process | None = process
        self._windows: tuple[Floats, Floats, Floats, Floats]
        self._slope: Floats
        self._pullback: Pullback | None = None

    def roll_out(self, theta: Floats, z0: Floats, z1: Floats, w: Floats) -> None:
        """Begin with a share of the windows."""
        self._windows, self._pullback = (theta, z0, z1, w), None
        self._send(*self._windows)

    def states(self) -> Floats:
        """Of that share, as soon as they are there."""
        states = self._received()
        return self._rolled_here() if states is None else states

    def pull_back(self, slope: Floats) -> None:
        """Begin with the gradient."""
        self._slope = slope
        self._send(slope)

    def gradient(self) -> Floats:
        """Of that share, as soon as it is there."""
        gradient = self._received()
        if gradient is not None:
            return gradient
        if self._pullback is None:
            self._rolled_here()
        assert self._pullback is not None  # it was just made
        return self._pullback(self._slope)

    def end(self) -> None:
        """Let the process end."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _rolled_here(self) -> Floats:
        states, self._pullback = self._network.with_pullback(*self._windows)
        return states

    def _send(self, *arrays: Array) -> None:
        if self._process is not None:
            assert self._process.stdin is not None  # a pipe
            try:
                send(self._process.stdin, *arrays)
            except OSError:
                self.end()

    def _received(self) -> Floats | None:
        if self._process is not None:
            assert self._process.stdout is not None  # a pipe
            try:
                return receive(self._process.stdout)
            except (OSError, EOFError):
                self.end()
        return None
