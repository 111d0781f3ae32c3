from __future__ import annotations

import asyncio
import sysconfig
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from svtrain_emulator import EmulatorError
from svtrain_emulator._sleeps import SkippedSleeps

if TYPE_CHECKING:
    from collections.abc import Callable

    from svtrain_emulator import World


def test_sleep_moves_all_clocks_at_once() -> None:
    moved: list[float] = []
    began = time.perf_counter()
    with SkippedSleeps(moved.append):
        before = time.monotonic(), time.time()
        time.sleep(600)
        passed = time.monotonic() - before[0], time.time() - before[1]
    assert passed == pytest.approx((600, 600), abs=1)
    assert sum(moved) == pytest.approx(600, abs=1)
    assert time.perf_counter() - began < 60
    assert time.sleep.__module__ == "time"


def test_tasks_wake_in_their_order_and_timeouts_end_them() -> None:
    woken: list[tuple[str, int]] = []

    async def sleep(name: str, seconds: float, times: int = 1) -> None:
        for _ in range(times):
            await asyncio.sleep(seconds)
            woken.append((name, round(asyncio.get_running_loop().time() - began)))

    async def main() -> None:
        late = asyncio.wait_for(sleep("late", 400), 300)
        results = await asyncio.gather(
            late, sleep("slow", 250), sleep("fast", 100, 3), return_exceptions=True
        )
        assert isinstance(results[0], asyncio.TimeoutError)

    with SkippedSleeps(lambda _: None):
        began = time.monotonic()
        asyncio.run(main())
    assert woken == [("fast", 100), ("fast", 200), ("slow", 250), ("fast", 300)]


LIBRARY = """
import asyncio, time
def wait(): time.sleep(0.05)
def poll(): asyncio.run(asyncio.sleep(0.05))
"""


def skips(pause: Callable[[], object], *, in_thread: bool = False) -> bool:
    """Return whether a pause moves the clocks."""
    moved: list[float] = []
    with SkippedSleeps(moved.append):
        if in_thread:
            thread = threading.Thread(target=pause)
            thread.start()
            thread.join()
        else:
            pause()
    return moved != []


@pytest.mark.parametrize("name", ["wait", "poll"])
def test_a_thread_of_a_library_sleeps_as_usual(name: str) -> None:
    library: dict[str, Any] = {}
    file = Path(sysconfig.get_path("purelib"), "library.py")
    exec(compile(LIBRARY, file, "exec"), library)
    pause = library[name]
    assert not skips(pause, in_thread=True)
    # Code of the test calls it: retries of a library are skipped.
    assert skips(pause)
    assert skips(lambda: [pause()], in_thread=True)


def test_a_name_that_was_imported_before_is_skipped_and_a_short_pause_is_not() -> None:
    assert skips(lambda: asyncio.run(anyio.sleep(600)))
    assert not skips(lambda: time.sleep(0.01))


@pytest.mark.svtrain(scenario="stuck-job")
def test_a_limit_ends_code_that_polls_a_job_which_never_ends(svtrain: World) -> None:
    def tick() -> None:
        asyncio.get_running_loop().call_later(2, tick)

    async def poll() -> None:
        tick()
        while svtrain.jobs.list()[0].status != "ended":
            polls.append(time.monotonic())
            await asyncio.sleep(1)

    polls: list[float] = []
    svtrain.jobs.create("poet")
    with svtrain.skip_sleeps(), pytest.raises(asyncio.TimeoutError):
        asyncio.run(asyncio.wait_for(poll(), 3_600))
    # The pause in the middle of their order: a call takes longer on a machine with other work.
    assert sorted(map(float.__sub__, polls[1:91], polls[:90]))[45] == pytest.approx(1, abs=0.1)
    assert len(polls) < 200
    with svtrain.skip_sleeps(), pytest.raises(EmulatorError, match="has no limit"):
        list(map(time.sleep, [1] * 10_000))


def test_the_clock_of_the_world_moves_without_a_line_in_the_trace(svtrain: World) -> None:
    with svtrain.skip_sleeps():
        time.sleep(600)
        asyncio.run(asyncio.sleep(5))
    assert "00:10:05.000" <= svtrain.clock.state().now.split("T")[1] < "00:10:06"
    assert "time moved" not in svtrain.trace()
