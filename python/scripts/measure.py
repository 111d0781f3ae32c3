"""Measures what the package costs: the start of an emulator, and the fixture in each test.

Run it on an idle machine, with the wheel installed: python scripts/measure.py
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from svtrain_emulator import Emulator

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 7
MANY = 201

TESTS = """
import pytest

@pytest.mark.parametrize("number", range({number}))
def test_it({fixture}number):
    pass
"""


def median(work: Callable[[], None]) -> tuple[float, float]:
    """Return the median time of some work in seconds, and its processor time with all processes."""

    def once() -> tuple[float, float]:
        before, began = used(), time.perf_counter()
        work()
        return time.perf_counter() - began, used() - before

    wall, processor = zip(*(once() for _ in range(ROUNDS)), strict=True)
    return statistics.median(wall), statistics.median(processor)


def used() -> float:
    """Return the processor time of this process and of those that ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def session(folder: Path, number: int, fixture: str) -> Callable[[], None]:
    """Return the work of a session of pytest with so many tests."""

    def work() -> None:
        (folder / "test_it.py").write_text(TESTS.format(number=number, fixture=fixture))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)

    return work


def main() -> None:
    """Print a line for each measurement."""
    wall, processor = median(lambda: Emulator().close())
    print(f"start and stop of an emulator: {wall:.2f} s, {processor:.2f} s of processor time")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one, many = (median(session(folder, number, "svtrain, "))[0] for number in (1, MANY))
        one_without, many_without = (median(session(folder, number, ""))[0] for number in (1, MANY))
    print(f"session with one test: {one:.2f} s; without the fixture {one_without:.2f} s")
    per_test = ((many - one) - (many_without - one_without)) / (MANY - 1)
    print(f"the fixture in each further test: {1000 * per_test:.1f} ms")


if __name__ == "__main__":
    main()
