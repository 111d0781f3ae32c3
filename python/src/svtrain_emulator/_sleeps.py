"""Pauses of a test that take no time."""

from __future__ import annotations

import asyncio
import asyncio.tasks
import time
from typing import TYPE_CHECKING, Any

from svtrain_emulator._undo import Undoable

if TYPE_CHECKING:
    from collections.abc import Callable

_PAUSE = 0.02
"""Seconds that a pause really takes: calls that other tasks have made are answered meanwhile."""


_YIELD = 0.001
"""The same outside of a loop, for other threads."""


class SkippedSleeps(Undoable):
    """Lets the time of this process and of the emulator pass at once when code sleeps.

    It is undone at the end of `with`, or by `undo`.
    """

    def __init__(self, advance: Callable[[float], object]) -> None:
        self._advance = advance
        self._skipped = 0.0
        self._ends: list[float] = []
        self._pauses: set[asyncio.TimerHandle] = set()
        self._sleep, self._sleep_task = time.sleep, asyncio.tasks.sleep
        self._clocks = {name: getattr(time, name) for name in ("monotonic", "time")}
        for name, clock in self._clocks.items():
            setattr(time, name, self._shifted(clock))
        self._set_sleeps(self._sleep_now, self._sleep_task_now)

    def undo(self) -> None:
        """Let pauses take their time again."""
        for name, clock in self._clocks.items():
            setattr(time, name, clock)
        self._set_sleeps(self._sleep, self._sleep_task)

    def _set_sleeps(self, sleep: Any, sleep_task: Any) -> None:
        time.sleep = sleep
        asyncio.sleep = asyncio.tasks.sleep = sleep_task

    def _shifted(self, clock: Callable[[], float]) -> Callable[[], float]:
        return lambda: clock() + self._skipped

    def _skip(self, seconds: float) -> None:
        if seconds > 0:
            self._skipped += seconds
            self._advance(seconds)

    def _sleep_now(self, seconds: float, /) -> None:
        end = time.monotonic() + seconds
        self._sleep(min(seconds, _YIELD))
        self._skip(end - time.monotonic())

    async def _sleep_task_now(self, delay: float, result: Any = None) -> Any:
        if delay <= 0:
            return await self._sleep_task(delay, result)
        loop = asyncio.get_running_loop()
        end = loop.time() + delay
        self._ends.append(end)
        try:
            while (left := end - loop.time()) > 0:
                await self._pause(loop, min(left, _PAUSE))
                # To the first moment at which something happens, such as the end of a timeout.
                self._skip(min(*self._ends, *self._timers(loop), end) - loop.time())
                await self._sleep_task(0)
        finally:
            self._ends.remove(end)
        return result

    async def _pause(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        over: asyncio.Future[None] = loop.create_future()
        pause = loop.call_later(seconds, _end, over)
        self._pauses.add(pause)
        try:
            await over
        finally:
            pause.cancel()
            self._pauses.discard(pause)

    def _timers(self, loop: asyncio.AbstractEventLoop) -> list[float]:
        # Other loops, such as uvloop, do not show their timers.
        timers: list[asyncio.TimerHandle] = getattr(loop, "_scheduled", [])
        return [each.when() for each in timers if not each.cancelled() and each not in self._pauses]


def _end(pause: asyncio.Future[None]) -> None:
    if not pause.done():
        pause.set_result(None)
