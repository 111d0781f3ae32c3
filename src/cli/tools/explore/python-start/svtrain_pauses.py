"""Shortens the pauses of a program."""
# Pauses (time.sleep, asyncio.sleep) take a fraction of their time. Their order stays. What the program itself pauses
# also passes on the clocks of the module time, and for timers of a minute or more. Classes such as datetime read the
# clock of the machine, and do not have it.

import asyncio
import asyncio.tasks
import sys
import time

from svtrain_installed import is_of_program

# Those of Python, before any of them is replaced.
_pause, _now = time.sleep, time.monotonic
_pause_task = asyncio.tasks.sleep
_call_at = asyncio.BaseEventLoop.call_at
_LOOP_FILE = asyncio.BaseEventLoop.call_later.__code__.co_filename
_CLOCKS = ("monotonic", "perf_counter", "time")
# Shorter timers limit calls, and these take their time. A little of a minute may be over when its timer is set.
_LONG_TIMER = 59.5


class _Skipped:
    """The time that no pause took, although the program paused for it."""

    def __init__(self, pace):
        self._pace = pace
        self.seconds = 0.0
        # The real time up to which pauses are counted. Pauses at the same time count once.
        self._counted = 0.0
        # When each long timer is due on the clock of the program, its loop, and itself.
        self._timers = []

    def now(self):
        """The time on the clock of the program."""
        return _now() + self.seconds

    def add(self, began, end):
        """Count a pause that began at a real time. It does not pass `end` on the clock of the program."""
        cut = (self._pace - 1) * (_now() - max(began, self._counted))
        self.seconds += max(0.0, min(cut, end - self.now()))
        self._counted = _now()
        due = [timer for timer in self._timers if timer[0] <= self.now()]
        for each in due:
            self._timers.remove(each)
            _, loop, timer = each
            if not loop.is_closed():
                loop.call_soon_threadsafe(_end_timer, timer)

    def watch(self, due, loop, timer):
        """End a timer when it is due on the clock of the program."""
        self._timers = [each for each in self._timers if not each[2].cancelled()]
        self._timers.append((due, loop, timer))


def _end_timer(timer):
    if timer._scheduled and not timer.cancelled():
        timer._run()
        timer.cancel()


def shorten(pace):
    """Replace the pauses, clocks and timers of this process."""
    skipped = _Skipped(pace)
    _shorten_sleep(skipped, pace)
    for name in _CLOCKS:
        _replace_clock(skipped, name)
    _replace_loop(skipped)


def _shorten_sleep(skipped, pace):
    def sleep(seconds, /):
        if not isinstance(seconds, (int, float)):
            return _pause(seconds)
        began, end = _now(), skipped.now() + seconds
        _pause(seconds / pace)
        if is_of_program(sys._getframe(1)):
            skipped.add(began, end)

    async def sleep_task(delay, result=None):
        if not is_of_program(sys._getframe(1)):
            return await _pause_task(delay / pace, result)
        end = skipped.now() + delay
        while True:
            began = _now()
            # A second at most, so that what limits a pause can end it.
            await _pause_task(min((end - skipped.now()) / pace, 1 / pace))
            skipped.add(began, end)
            if skipped.now() >= end:
                return result

    # They are found by these names when a program sends them to another process.
    for short, full in ((sleep, _pause), (sleep_task, _pause_task)):
        short.__name__ = short.__qualname__ = "sleep"
        short.__doc__, short.__module__ = full.__doc__, full.__module__
    time.sleep = sleep
    asyncio.sleep = asyncio.tasks.sleep = sleep_task


def _replace_clock(skipped, name):
    seconds, nanoseconds = getattr(time, name), getattr(time, name + "_ns")

    def clock():
        return seconds() + skipped.seconds

    def clock_ns():
        return nanoseconds() + int(skipped.seconds * 1e9)

    for short, full in ((clock, seconds), (clock_ns, nanoseconds)):
        short.__name__ = short.__qualname__ = full.__name__
        short.__doc__, short.__module__ = full.__doc__, full.__module__
        setattr(time, full.__name__, short)


def _replace_loop(skipped):
    def is_loop():
        """Whether the loop itself calls. Its timers are in real time."""
        return sys._getframe(2).f_code.co_filename == _LOOP_FILE

    def loop_time(loop):
        return _now() if is_loop() else skipped.now()

    def call_at(loop, when, callback, *args, context=None):
        real = when if is_loop() else when - skipped.seconds
        timer = _call_at(loop, real, callback, *args, context=context)
        if real - _now() >= _LONG_TIMER:
            skipped.watch(real + skipped.seconds, loop, timer)
        return timer

    asyncio.BaseEventLoop.time, asyncio.BaseEventLoop.call_at = loop_time, call_at
