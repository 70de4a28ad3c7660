"""Frame -> state: steps, the cache of states, and other frame rates than the model's.

A state is kept with the interaction y it came from. It holds as long as its y and those of all
frames before it hold, so playing, scrubbing, playing backwards and rendering all show the same. Where the
method looks ahead, it holds as long as what was read of later frames is believed, too (`lookahead`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..methods.interface import Interpolates, Method, SolvesSteps, StepsMany
from .lookahead import Lookahead, between
from .stepping import OutOfTime, Step, Stepping, alone

DEFAULT_MEMORY = 64 << 20  # bytes of states kept per object
SAME_RATE = 1e-6
MOST_STEPS = 200.0  # of the model in a frame of the scene, or the other way round


@dataclass(frozen=True, slots=True)
class FrameState:
    """What is shown at one frame.

    state: at the last model step not after the frame. shown: what the shape is of; that, or what the method
    puts between it and the next step. ahead: a step further, for frames between two steps of a method that
    does not, with the y of this frame or, where the method extrapolates, with what y will be: as it was read
    ahead, or if it continues as it does; share: how far the shape is towards it, 0 to 1.
    """

    state: Any
    shown: Any
    ahead: Any = None
    share: float = 0.0


class Timeline:
    """The states of one object over a scene's frames.

    fps: the scene's frames per second. start_frame: the frame that shows the start state; the
    frames before it do too. memory: bytes of states to keep; above it every k-th is kept, and those
    between are stepped again from the kept ones. many: the method, if it steps several objects at once.
    """

    def __init__(self, method: Method, fps: float, start_frame: int, memory: int = DEFAULT_MEMORY) -> None:
        self.method, self.fps, self.start_frame = method, fps, start_frame
        ratio = 1.0 / (fps * method.dt)
        self._steps_per_frame = 1.0 if abs(ratio - 1.0) < SAME_RATE else ratio
        self._between = method.between if isinstance(method, Interpolates) else None
        self.many = method if isinstance(method, StepsMany) else None
        self._memory = memory
        self._most_states = 0  # as many as the memory holds; known with the first of them
        self._keep_every = 1
        self._recorded: dict[int, Floats] = {}
        self._states: dict[int, FrameState] = {}
        self._guesses: dict[int, tuple[bytes, FrameState]] = {}  # y and state; see `predicting`
        self._lookahead: Lookahead | None = None
        self.steps_taken = 0

    @property
    def next_frame(self) -> int:
        """The first frame whose y is not recorded."""
        # y is only ever forgotten from a frame on, so what is recorded has no holes.
        return self.start_frame + len(self._recorded)

    def missing(self, frame: int) -> range:
        """The frames whose y must be recorded, in this order, before `frame` can be visited."""
        return range(self.next_frame, max(frame, self.start_frame))

    def recorded(self, frame: int) -> Floats | None:
        """The y of a frame, if it is known."""
        return self._recorded.get(max(frame, self.start_frame))

    def recorded_between(self, frame: int, subframe: float) -> Floats | None:
        """The y of a sub-frame, on the curve between those of two frames, if the first is known."""
        known = self.recorded(frame)
        return known if known is None or frame < self.start_frame else self._y(frame + subframe)

    def record(self, frame: int, y: Floats) -> Floats:
        """Set the y of a frame; if it was another one before, what follows is forgotten. The copy kept.

        Frames must come in the order of `missing`; those before the start have none of their own.
        """
        known = self._recorded.get(frame)
        if known is not None:
            if known.tobytes() == y.tobytes():  # several times faster than comparing numbers
                return known
            self.forget_from(frame)
        if frame != self.next_frame:
            raise ValueError(f"frame {frame} was recorded before those in front of it")
        known = self._recorded[frame] = np.array(y, np.float32)
        guessed_y, state = self._guesses.pop(frame, (b"", None))
        if state is not None and guessed_y == y.tobytes():
            self._keep(frame, state)
            self._states[frame] = state
        else:
            self._guesses.clear()
        return known

    @property
    def looks_ahead(self) -> bool:
        """Whether later frames are to be read before one is stepped to; see `look_ahead`."""
        return self._lookahead is not None

    def look_ahead(self, wanted: bool) -> bool:
        """Switch looking at later frames on or off (it is off at first); returns whether that is a change.

        Nothing changes where the method does not look ahead.
        """
        wanted = wanted and self.method.look_ahead > 0
        if wanted == self.looks_ahead:
            return False
        self.forget_states()
        reach = self.method.look_ahead
        if self._steps_per_frame != 1.0:  # the step that a frame is in the middle of, and those after it
            reach = math.ceil((reach + 1) / self._steps_per_frame - SAME_RATE)
        self._lookahead = Lookahead(self._recorded, self.start_frame, reach) if wanted else None
        return True

    def unread(self, frame: int) -> range:
        """The frames to `read_ahead`, in this order, before `frame` can be visited."""
        return range(0) if self._lookahead is None else self._lookahead.unread(frame)

    def read_ahead(self, frame: int, y: Floats) -> None:
        """Take what y will be at the next frame that is not read; frames must come in the order of `unread`.

        States that would have seen it are forgotten.
        """
        if self._lookahead is not None:
            self._lookahead.read(frame, y)
            self._forget_states_from(frame - self._lookahead.reach)

    def expected(self, frame: int) -> Floats | None:
        """The y of a frame as it was read ahead."""
        return None if self._lookahead is None else self._lookahead.at(frame)

    def broken_at(self) -> int | None:
        """The frame from which on nothing is believed that was read ahead; None where there is none."""
        return None if self._lookahead is None else self._lookahead.broken_at()

    def forget_lookahead(self) -> None:
        """Forget what was read ahead, and the states that come from it: the animation is another one."""
        if self._lookahead is not None:
            self._lookahead.forget()
            self.forget_states()

    def predicting(self, ys: Sequence[Floats]) -> Stepping[list[FrameState]]:
        """The states from `next_frame` on if these were their y; each is taken over when its y is recorded.

        None of them where the state of the frame before is not in memory: what it is may depend on y, too. Up
        to the first before which others have to be read ahead, or for which there is no time. Until it ends,
        the timeline is asked for nothing else.
        """
        first = self.next_frame
        shown = self._states.get(first - 1)
        if shown is None:
            return []
        self._guesses.clear()
        guesses = {}
        try:
            for frame, y in enumerate(ys, first):
                self._recorded[frame] = y
                if self.unread(frame):
                    break
                shown = yield from self._advance(shown, frame)
                guesses[frame] = y.tobytes(), shown
        except OutOfTime:
            pass  # those that are there will do
        finally:
            for frame in range(first, first + len(ys)):
                self._recorded.pop(frame, None)
            self._compare_again(first)
        self._guesses = guesses
        return [state for _, state in guesses.values()]

    def at_hand(self, frame: int) -> FrameState | None:
        """The state of a frame, recorded or predicted, if it is known without another step."""
        frame = max(frame, self.start_frame)
        return self._guesses[frame][1] if frame in self._guesses else self._states.get(frame)

    def forget_from(self, frame: int) -> None:
        """Forget the interaction and the states of `frame` and all that follow; not what was read ahead."""
        for late in [f for f in self._recorded if f >= frame]:
            del self._recorded[late]
        self._forget_states_from(frame)
        self._compare_again(frame)

    def forget_states(self) -> None:
        """Keep the interaction, and step through it again: the method behaves differently now."""
        self._guesses.clear()
        self._states.clear()

    def at(self, frame: int) -> FrameState:
        """The state of a frame whose y, and those before it, are recorded."""
        held = self._states.get(max(frame, self.start_frame))
        return alone(self.reaching(frame)) if held is None else held

    def reaching(self, frame: int) -> Stepping[FrameState]:
        """What `at` does. Until it ends, the timeline is asked for nothing else."""
        frame = max(frame, self.start_frame)
        held = self._states.get(frame)
        if held is not None:
            return held
        last = self._last_known(frame)
        shown = self._states.get(last) or self._start()
        self._keep(last, shown)
        for f in range(last + 1, frame + 1):
            shown = yield from self._advance(shown, f)
            self._keep(f, shown)
        # The frame on show is stepped from next, whether it is one of the kept ones or not.
        self._states[frame] = shown
        return shown

    def unstepped(self, frame: int) -> int:
        """How many frames are to be stepped to before the state of a recorded one is known."""
        frame = max(frame, self.start_frame)
        return frame - self._last_known(frame)

    def following(self, frame: int) -> Stepping[FrameState] | None:
        """What `at` does for a frame that was just recorded, or what was read ahead lets be stepped to now.

        None where there is nothing to do. Until it ends, the timeline is asked for nothing else.
        """
        frame -= 0 if self._lookahead is None else self._lookahead.reach
        can = self.start_frame <= frame < self.next_frame and not self.unread(frame)
        return self.reaching(frame) if can and frame not in self._states else None

    def positions(self, frame: int, subframe: float = 0.0, bases: int | None = None) -> Floats:
        """(V, 3) float32, metres. Sub-frames lie on the line between two whole frames.

        The array may be reused by the next call.
        """
        first = self._decode(frame, bases)
        if subframe == 0.0 or frame < self.start_frame:
            return first
        first = first.copy()
        return _lerp(first, self._decode(frame + 1, bases), subframe)

    def coefficients(self, frame: int, subframe: float = 0.0) -> Floats | None:
        """z (u,) float32 of the shape that `positions` gives; None where decoding is not linear."""
        first = self._coefficients(frame)
        if first is None or subframe == 0.0 or frame < self.start_frame:
            return first
        second = self._coefficients(frame + 1)
        return None if second is None else _lerp(first, second, subframe)

    def shapes(self, states: Sequence[FrameState], ys: Sequence[Floats], bases: int | None = None) -> Floats:
        """(n, V, 3) float32, metres, of states and the y of their frames: each as `positions` gives it."""
        shapes = self.method.shapes([each.shown for each in states], ys, bases)
        between = [k for k, shown in enumerate(states) if shown.ahead is not None]
        if between:
            ahead = self.method.shapes([states[k].ahead for k in between], [ys[k] for k in between], bases)
            for k, shape in zip(between, ahead, strict=True):
                shapes[k] = _lerp(shapes[k], shape, states[k].share)
        return shapes

    def outside(self, frame: int) -> float:
        """The share of interaction and coefficients that was clipped at a frame."""
        return float(self.at(frame).state.outside)

    def unsettled(self) -> float:
        """The share, 0 to 1, of the frames at hand whose step was not solved to the end."""
        method = self.method
        if not isinstance(method, SolvesSteps) or not self._states:
            return 0.0
        left = sum(not method.settled(shown.state) for shown in self._states.values())
        return left / len(self._states)

    def _last_known(self, frame: int) -> int:
        """The last frame up to this one whose state is kept, or the start."""
        while frame not in self._states and frame > self.start_frame:
            frame -= 1
        return frame

    def _start(self) -> FrameState:
        state = self.method.start(self._recorded[self.start_frame])
        return FrameState(state, state)

    def _advance(self, before: FrameState, frame: int) -> Stepping[FrameState]:
        sees = self._lookahead is not None and self._lookahead.holds(frame)
        if self._steps_per_frame == 1.0:
            state = yield self._step(before.state, frame, sees)
            return FrameState(state, state)
        passed = (frame - self.start_frame) * self._steps_per_frame
        done = _floor(passed - self._steps_per_frame)
        state = before.state
        for step in range(done + 1, _floor(passed) + 1):
            state = yield self._step(state, self.start_frame + step / self._steps_per_frame, sees)
        share = max(0.0, passed - _floor(passed))
        if share < SAME_RATE:
            return FrameState(state, state)
        ahead = yield self._ahead(state, frame, share, sees=sees)
        if self._between is not None:
            return FrameState(state, self._between(state, ahead, share))
        return FrameState(state, state, ahead, share)

    def _ahead(self, state: Any, frame: int, share: float, *, sees: bool) -> Step:  # noqa: ANN401
        """The step that a frame is in the middle of; share: how much of it has passed. See `FrameState`."""
        if not self.method.extrapolates:
            return self._step(state, frame, sees)
        begun = frame - share / self._steps_per_frame
        if sees:
            return self._step(state, begun + 1.0 / self._steps_per_frame, sees)
        y = self._y(begun)
        self.steps_taken += 1
        return Step(self.method, state, y + (self._y(frame) - y) / np.float32(share), many=self.many)

    def _step(self, state: Any, frame: float, sees: bool) -> Step:  # noqa: ANN401 (each method has its own)
        """One model step with the y of a frame or of a time between two; if it `sees`, with later ones."""
        self.steps_taken += 1
        if not sees or self._lookahead is None:
            return Step(self.method, state, self._y(frame), many=self.many)
        later = range(1, self.method.look_ahead + 1)
        ahead = [self._lookahead.between(frame + step / self._steps_per_frame) for step in later]
        return Step(self.method, state, self._lookahead.between(frame), ahead)

    def _y(self, frame: float) -> Floats:
        """y between two frames lies on the curve through theirs."""
        return between(self._recorded, frame)

    def _compare_again(self, frame: int) -> None:
        if self._lookahead is not None:
            self._lookahead.compare_again(frame)

    def _forget_states_from(self, frame: int) -> None:
        self._guesses.clear()
        for late in [f for f in self._states if f >= frame]:
            del self._states[late]

    def _decode(self, frame: int, bases: int | None) -> Floats:
        shown, y = self.at(frame), self._recorded[max(frame, self.start_frame)]
        positions = self.method.positions(shown.shown, y, bases)
        if shown.ahead is None:
            return positions
        positions = positions.copy()
        return _lerp(positions, self.method.positions(shown.ahead, y, bases), shown.share)

    def _coefficients(self, frame: int) -> Floats | None:
        shown, y = self.at(frame), self._recorded[max(frame, self.start_frame)]
        z = self.method.coefficients(shown.shown, y)
        if z is None or shown.ahead is None:
            return z
        ahead = self.method.coefficients(shown.ahead, y)
        return None if ahead is None else _lerp(z, ahead, shown.share)

    def _keep(self, frame: int, shown: FrameState) -> None:
        if (frame - self.start_frame) % self._keep_every == 0:
            self._states[frame] = shown
        if not self._most_states:
            each = _state_bytes(shown.state) * (1 if self._steps_per_frame == 1.0 else 2)
            self._most_states = max(2, self._memory // each)
        while len(self._states) > self._most_states:
            # First those that were only kept because they were on show.
            between = [f for f in self._states if (f - self.start_frame) % self._keep_every and f != frame]
            self._keep_every *= 1 if between else 2
            for f in between:
                del self._states[f]


def _floor(steps: float) -> int:
    return math.floor(steps + SAME_RATE)


def _lerp(a: Floats, b: Floats, share: float) -> Floats:
    return a + np.float32(share) * (b - a)


def _state_bytes(state: Any) -> int:  # noqa: ANN401 (each method has its own State)
    """Roughly what one kept state costs, objects included."""
    arrays = [getattr(state, f.name) for f in dataclasses.fields(state)]
    return 200 + sum(a.nbytes + 112 for a in arrays if isinstance(a, np.ndarray))
