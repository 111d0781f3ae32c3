"""Runs a test again and again, with everything that the service can do to it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import signal
import sysconfig
import threading
import time
import traceback
from collections import ChainMap
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from svtrain_emulator._errors import ControlError
from svtrain_emulator._open_runs import end_wandb, has_open_run, kill_wandb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    from svtrain_emulator._emulator import World
    from svtrain_emulator._generated.models import (
        ExploreFailure,
        ExploreReport,
        ExploreStep,
        ExploreTrial,
    )

TIMEOUT = 30.0
"""Seconds that a run may take, if the marker does not say. A slow first run makes it longer."""

_FIRST = 3
"""The first run gets this many times as long as the others: it also imports code.
Without a timeout, the others get at least this many times what it took."""

_TO_END = 5.0
"""Seconds that wandb may take to end after a run. Then it is killed."""

_AGAIN = 1.0
"""Seconds until code that did not end at its deadline is interrupted again."""

_LONGEST = 1000
"""Characters of the message of an error."""


@dataclass(frozen=True)
class Exploration:
    """What the marker `svtrain_explore` says."""

    runs: int | None = None
    time: str | None = None
    seed: int | None = None
    timeout: float | None = None
    to: Any = None
    crash: bool | list[str] = False


class TooLongError(BaseException):
    """Ends a run that takes too long. Code that catches `Exception` does not catch it."""


@dataclass(frozen=True)
class _End:
    """How a run ended."""

    ended: Literal["success", "error", "timeout"]
    error: str | None = None
    place: str | None = None


def explore(
    item: pytest.Item,
    run: Callable[[], None],
    world: World,
    exploration: Exploration,
    checks: Mapping[str, bool],
    state: Path | None,
    not_called: Callable[[], list[str]],
) -> None:
    """Run a test with each trial of an exploration, and fail with the report, also if nothing was tried.

    `state` is what the test stores: it is empty at the first start of each trial, and stays after a kill.
    `not_called` says why no call arrived, or nothing if one did.
    """
    timeout = _timeout_of(exploration)
    places: dict[int, str] = {}
    # What the code leaves open would call the world of the next run.
    ends_wandb = not has_open_run()
    try:
        step: ExploreStep = world.explore.start(
            runs=exploration.runs,
            time=exploration.time,
            seed=exploration.seed,
            crash=exploration.crash,
            checks=checks,
        )
    except ControlError as error:
        raise pytest.fail.Exception(error.detail, pytrace=False) from None
    while (trial := step.trial) is not None:
        if trial.start == 1 and state is not None:
            _empty(state)
        longest = timeout and timeout * (_FIRST if trial.number == 1 else 1)
        limit = longest and min(longest, trial.time_left / 1000 + 0.001)
        begun = time.monotonic()
        end = _run_once(run, limit, item.path.parent)
        took = time.monotonic() - begun
        text = f"run {trial.number}, {trial.name}: {end.ended} in {took:.1f} s"
        _show_progress(item.config, text)
        if trial.number == 1 and timeout and exploration.timeout is None:
            timeout = max(timeout, _FIRST * took)
        if ends_wandb:
            _end_wandb(trial, end, timeout)
        if trial.number == 1 and end.ended != "timeout" and (hints := not_called()):
            why = "never called the emulator, so no scenario can change what it does."
            found = [] if end.error is None else [f"It ended with {end.error}"]
            pytest.fail("\n".join([f"{item.nodeid} {why}", *found, *hints]), pytrace=False)
        # The first error of a run with a kill is the kill.
        if end.place is not None and (trial.kill is None or trial.start > 1):
            places[trial.number] = end.place
        step = world.explore.next(end.ended, error=end.error)
    report = step.report
    if report is None:
        raise RuntimeError("The emulator answered neither a trial nor a report.")
    item.user_properties.append(("svtrain_explore", report.text.split("\n", 1)[0]))
    if report.failures or report.untried is not None:
        files = _write(report, exploration, item.config.rootpath)
        message = _message(report, places, _chosen(item, files))
        pytest.fail(message, pytrace=False)


def _empty(folder: Path) -> None:
    """Remove what is in a folder, and leave the folder itself."""
    for each in folder.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()


def _timeout_of(exploration: Exploration) -> float | None:
    """Return the seconds that a run may take, or None if nothing here can interrupt a run."""
    if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        return TIMEOUT if exploration.timeout is None else exploration.timeout
    if exploration.timeout is None:
        return None
    pytest.fail(
        "svtrain_explore: timeout works only on systems with POSIX signals, and in the main thread. "
        "Leave it out, and give your code limits of its own.",
        pytrace=False,
    )


def _show_progress(config: pytest.Config, text: str) -> None:
    """Write a line about a run, unless pytest is quiet."""
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or config.getoption("verbose") < 0:
        return
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
        terminal.ensure_newline()
        terminal.write_line(f"svtrain_explore: {text}")


def _end_wandb(trial: ExploreTrial, end: _End, timeout: float | None) -> None:
    """End what wandb has open, while the world of the trial answers. It is no part of the verdict."""
    was_killed = trial.kill is not None and trial.start == 1 and end.ended == "error"
    # Without a limit, it could retry forever.
    ending = _Deadline(_TO_END) if timeout is not None and not was_killed else None
    if ending is not None:
        with contextlib.suppress(Exception, TooLongError), ending:
            end_wandb()
    if ending is None or ending.passed:
        with contextlib.suppress(TooLongError), _Deadline(timeout and _TO_END):
            kill_wandb()


def _run_once(run: Callable[[], None], timeout: float | None, home: Path) -> _End:
    deadline = _Deadline(timeout)
    try:
        with deadline:
            run()
    except (KeyboardInterrupt, pytest.exit.Exception, pytest.skip.Exception):
        raise
    except BaseException as error:
        if deadline.passed:
            return _End("timeout", place=_place_of(error, home))
        if isinstance(error, GeneratorExit):
            raise
        # Clients add lines with advice to their errors.
        text = f"{type(error).__name__}: {error}".strip().split("\n", 1)[0][:_LONGEST]
        return _End("error", text, _place_of(error, home))
    return _End("timeout" if deadline.passed else "success")


class _Deadline:
    """Interrupts the code in a `with` block when its time is over. Without a time, it does nothing.

    An event loop that runs cancels its tasks. Other code gets an exception, and another one each second
    until it ends.
    """

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._begun = 0.0
        self._handler: Any = None
        self._others = 0.0
        self.passed = False

    def __enter__(self) -> None:
        if self._timeout is None:
            return
        self._begun = time.monotonic()
        self._handler = signal.signal(signal.SIGALRM, self._ring)
        # Another plugin may limit the whole test.
        self._others, _ = signal.setitimer(signal.ITIMER_REAL, self._timeout, _AGAIN)

    def __exit__(self, *_: object) -> None:
        if self._timeout is None:
            return
        with contextlib.suppress(TooLongError):
            signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._handler)
        if self._others > 0:
            left = self._others - (time.monotonic() - self._begun)
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.001))

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        first, self.passed = not self.passed, True
        with contextlib.suppress(RuntimeError):  # No loop runs.
            loop = asyncio.get_running_loop()
            if first:
                loop.call_soon_threadsafe(_cancel_all, loop)
                return
        raise TooLongError


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


# Besides those that are installed.
_LIBRARIES = (sysconfig.get_path("stdlib"), Path(__file__).parent)


def _place_of(error: BaseException, home: Path) -> str | None:
    """Return the innermost line of the user's code that an error went through, and what raised it."""
    raised = ""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if not raised and "site-packages" in file.parts:
            library = file.parts[file.parts.index("site-packages") + 1].removesuffix(".py")
            raised = f", raised in the library {library}"
        # The code under test may lie outside of the folder of the tests.
        is_library = any(file.is_relative_to(each) for each in _LIBRARIES)
        if file.is_file() and not is_library and "site-packages" not in file.parts:
            return f"{Path(relpath(file, home)).as_posix()}:{frame.lineno}: in {frame.name}{raised}"
    return None


def _write(report: ExploreReport, exploration: Exploration, root: Path) -> dict[int, Path]:
    """Write the smallest scenarios to the folder of the marker. Return their files, as seen from the root."""
    if exploration.to is None or report.ended == "baseline":
        return {}
    folder = Path(exploration.to)
    (root / folder).mkdir(parents=True, exist_ok=True)
    files: dict[int, Path] = {}
    for failure in report.failures:
        if failure.kill is not None:
            continue
        name = re.sub(r"[^\w.-]+", "-", str(failure.scenario.get("name") or "failure"))
        file = folder / f"{name}.yaml"
        if file in files.values():
            file = folder / f"{name}-{failure.number}.yaml"
        (root / file).write_text(failure.yaml, encoding="utf-8")
        files[failure.number] = file
    return files


def _chosen(item: pytest.Item, files: Mapping[int, Path]) -> dict[int, str]:
    """Return how a marker chooses each written scenario, with all else that the markers of the test say."""
    found = ChainMap(*(dict(marker.kwargs) for marker in item.iter_markers("svtrain")))
    others = [name for name in found if name not in {"scenario", "seed"}]
    kept = "".join(f", {name}={found[name]!r}" for name in others)
    return {number: f'scenario="{file.as_posix()}"{kept}' for number, file in files.items()}


def _message(report: ExploreReport, places: Mapping[int, str], chosen: Mapping[int, str]) -> str:
    """Return the report, with where each failure happened and how to repeat it."""
    if report.ended == "baseline":
        return "\n".join([report.text.rstrip(), "", *_baseline_hints(report.failures[0], places)])
    hints: list[str] = []
    for each in report.failures:
        hints += _hints(each, places, chosen.get(each.number))
    if not chosen and any(each.kill is None for each in report.failures):
        hints.append('To write the scenarios to a folder: svtrain_explore(to="scenarios")')
    return "\n".join([report.text.rstrip(), "", *hints, "What the runs printed: pytest -s"])


def _baseline_hints(failure: ExploreFailure, places: Mapping[int, str]) -> Iterator[str]:
    if places:
        yield f"Failure 1 came from {next(iter(places.values()))}"
    if failure.verdict == "hung":
        yield "If it is only slow: @pytest.mark.svtrain_explore(timeout=120)"


def _hints(failure: ExploreFailure, places: Mapping[int, str], chosen: str | None) -> Iterator[str]:
    place = next((places[number] for number in failure.runs if number in places), None)
    if place is not None:
        yield f"Failure {failure.number} came from {place}"
    marker = None if chosen is None else f"svtrain({chosen}"
    if failure.kill is not None:
        marker = f'svtrain_explore(crash=["{failure.kill}"]'
    if marker is not None:
        yield f"Repeat failure {failure.number}: @pytest.mark.{marker}, seed={failure.seed})"
