"""Pauses of a test that take no time."""

from __future__ import annotations

import asyncio
import asyncio.tasks
import sys
import sysconfig
import threading
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svtrain_emulator._errors import EmulatorError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_PAUSE = 0.02
"""Seconds that a pause really takes: calls that other tasks have made are answered meanwhile.

A pause that is no longer takes its time.
"""

_YIELD = 0.001
"""The same outside of a loop, for other threads."""

_IDLE, _LONGER = 50, 16
"""After so many pauses in which nothing can end a job, each is so many times as long: a limit ends them."""

_LONGEST, _YEAR = _LONGER**5, 366 * 86400
_NO_LIMIT = "A job never ends, and the code that polls it has no limit: skip_sleeps skipped more than a year."

_INSTALLED = (
    *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    str(Path(__file__).parent),
    "<",
)
"""How the files of code begin that is not part of a project."""


class SkippedSleeps(AbstractContextManager["SkippedSleeps"]):
    """Lets the time of this process and of the emulator pass at once when code of the test sleeps.

    A thread of a library, whose callers are all installed, sleeps as usual. It is undone at the end of
    `with`, or by `undo`. `advance` moves the clock, and returns whether nothing is scheduled there.
    """

    def __init__(
        self, advance: Callable[[float], object], is_stuck: Callable[[], bool] = lambda: False
    ) -> None:
        self._advance, self._is_stuck = advance, is_stuck
        self._is_idle, self._idle, self._longer, self._stuck_at = True, 0, 1, 0.0
        self._thread = threading.get_ident()
        self._skipped = 0.0
        self._ends: list[float] = []
        self._pauses: set[asyncio.TimerHandle] = set()
        self._sleep, self._sleep_task = time.sleep, asyncio.tasks.sleep
        self._clocks = {name: getattr(time, name) for name in ("monotonic", "time")}
        for name, clock in self._clocks.items():
            setattr(time, name, self._shifted(clock))
        self._replaced = ((self._sleep, self._sleep_now), (self._sleep_task, self._sleep_task_now))
        for real, skipping in self._replaced:
            _replace_sleep(real, skipping)

    def __exit__(self, *_: object) -> None:
        self.undo()

    def undo(self) -> None:
        """Let pauses take their time again."""
        for name, clock in self._clocks.items():
            setattr(time, name, clock)
        for real, skipping in self._replaced:
            _replace_sleep(skipping, real)

    def _shifted(self, clock: Callable[[], float]) -> Callable[[], float]:
        return lambda: clock() + self._skipped

    def _skip(self, begun: float, now: float, end: float) -> None:
        """Skip the rest of a pause. The clock of the emulator may have stood still since it began."""
        if now < end:
            self._skipped += end - now
            self._is_idle = bool(self._advance(end - begun)) and self._is_idle

    def _count(self) -> None:
        """Count a pause that is over, and make the next ones longer if a job is stuck."""
        self._idle, self._is_idle = self._idle + 1 if self._is_idle else 0, True
        if self._idle % _IDLE == 0:
            is_stuck = self._idle > 0 and self._is_stuck()
            self._longer = min(self._longer * _LONGER, _LONGEST) if is_stuck else 1
        if self._longer == 1:
            self._stuck_at = self._skipped
        if self._skipped - self._stuck_at > _YEAR:
            raise EmulatorError(_NO_LIMIT)

    def _is_skipped(self, seconds: float) -> bool:
        """Whether a pause is long, and belongs to the test: to its thread, or to code of its project."""
        return seconds > _PAUSE and (
            threading.get_ident() == self._thread or _is_of_project(sys._getframe())
        )

    def _sleep_now(self, seconds: float, /) -> None:
        if not self._is_skipped(seconds):
            self._sleep(seconds)
            return
        begun = time.monotonic()
        self._sleep(_YIELD)
        self._skip(begun, time.monotonic(), begun + seconds * self._longer)
        self._count()

    async def _sleep_task_now(self, delay: float, result: Any = None) -> Any:
        if not self._is_skipped(delay):
            return await self._sleep_task(delay, result)
        loop = asyncio.get_running_loop()
        end = loop.time() + delay * self._longer
        self._ends.append(end)
        try:
            while (begun := loop.time()) < end:
                # Nothing happens meanwhile if a job is stuck. Other timers may still end each pause early.
                await self._pause(loop, min(end - begun, max(_PAUSE / self._longer, _YIELD)))
                # To the first moment at which something happens, such as the end of a timeout.
                self._skip(begun, loop.time(), min(*self._ends, *self._timers(loop), end))
                await self._sleep_task(0)
        finally:
            self._ends.remove(end)
        self._count()
        return result

    async def _pause(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        over = asyncio.Event()
        pause = loop.call_later(seconds, over.set)
        self._pauses.add(pause)
        try:
            await over.wait()
        finally:
            pause.cancel()
            self._pauses.discard(pause)

    def _timers(self, loop: asyncio.AbstractEventLoop) -> list[float]:
        # Other loops, such as uvloop, do not show their timers.
        timers: list[asyncio.TimerHandle] = getattr(loop, "_scheduled", [])
        return [each.when() for each in timers if not each.cancelled() and each not in self._pauses]


def _replace_sleep(old: Any, new: Any) -> None:
    """Replace a function wherever a module has it by its own name, as after `from time import sleep`."""
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        if names.get("sleep") is old:
            names["sleep"] = new


def _is_of_project(frame: FrameType | None) -> bool:
    """Whether code that no package brought is among the callers."""
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_INSTALLED) and "-packages" not in file:
            return True
        frame = frame.f_back
    return False
