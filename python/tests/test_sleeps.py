from __future__ import annotations

import asyncio
import time

import pytest

from svtrain_emulator._sleeps import SkippedSleeps


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


def test_a_test_waits_for_a_stuck_job_without_waiting(project: pytest.Pytester) -> None:
    from conftest import run

    result = run(
        project,
        """
        import time
        import pytest

        @pytest.mark.svtrain(scenario="stuck-job")
        def test_it(svtrain):
            svtrain.skip_sleeps()
            job = svtrain.jobs.create("poet")
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                assert svtrain.jobs.get(job.id).status != "ended"
                time.sleep(10)
            assert svtrain.clock.state().now > "2026-01-01T00:00:30"

        def test_after():
            assert time.sleep.__module__ == "time"
        """,
    )
    result.assert_outcomes(passed=2)
