from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from test_plugin_output import CHATS, FAILS, WARNS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Run

own_emulator = pytest.mark.usefixtures("own_emulator")


CROWD = """
    import pytest
    from trainer import api_of, events_of, submit

    @pytest.mark.parametrize("number", range(40))
    def test_one_of_many(svtrain, number):
        svtrain.reset(seed=number)
        svtrain.scenarios.use("failing-job" if number % 2 else "happy-path")
        if number % 3 == 0:
            svtrain.faults.add("status", status=503, match={"operation": "listBaseModels"})
        with api_of(svtrain) as api:
            job = submit(api, f"model-{number}")
            events = events_of(api, job)
            status = api.get("/preview/base-models").status_code
        assert events[-1] == ("training_failed" if number % 2 else "training_ended")
        assert status == (503 if number % 3 == 0 else 200)
        assert [each.id for each in svtrain.jobs.list()] == [job["id"]]
        assert [each.name for each in svtrain.models.list()] == [f"model-{number}"]
        assert svtrain.requests.count() == 4
        assert svtrain.info().seed == number
        with open("pids", "a") as file:
            file.write(f"{svtrain.entries()[0].kind} {svtrain.training_url}\\n")
"""


@own_emulator
def test_workers_of_xdist_share_one_process(project: pytest.Pytester, run: Run) -> None:
    project.makepyfile(test_crowd=CROWD, test_fails=FAILS, test_warns=WARNS)
    served = ["-o", "svtrain_args=--serve-any-model"]
    result = run(CHATS, "-n", "2", "--svtrain-report=pages", *served)
    result.assert_outcomes(passed=46, failed=4, errors=1)
    assert len(set((project.path / "pids").read_text().splitlines())) == 1
    assert emulators_of(project) == []
    result.stdout.fnmatch_lines(["*svtrain-emulator warnings*", "warning: the chat with poet *"])
    # Three tests had it.
    assert result.stdout.str().count("svtrain-emulator docs warnings") == 1
    printed = re.findall(r"^Report: (.*)$", result.stdout.str(), re.MULTILINE)
    pages = {str(path.relative_to(project.path)) for path in (project.path / "pages").iterdir()}
    assert set(printed) == pages
    assert len(pages) == 4


@own_emulator
def test_nothing_is_left_after_a_killed_worker(project: pytest.Pytester, run: Run) -> None:
    result = run(
        """
        import os
        import signal

        @pytest.mark.parametrize("number", range(8))
        def test_it(svtrain, number):
            svtrain.jobs.create("poet")
            if number == 3:
                os.kill(os.getpid(), signal.SIGKILL)
        """,
        "-n",
        "2",
    )
    result.assert_outcomes(passed=7, failed=1)
    assert emulators_of(project) == []


@pytest.mark.parametrize("arguments", [[], ["-n", "2"]], ids=["alone", "xdist"])
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "killed"])
def test_nothing_is_left_after(
    project: pytest.Pytester, ending: signal.Signals, arguments: list[str]
) -> None:
    project.makepyfile(
        """
        import time
        from pathlib import Path

        def test_it(svtrain):
            Path("started").write_text(svtrain.training_url)
            time.sleep(600)
        """
    )
    command = [sys.executable, "-m", "pytest", *arguments]
    with project.popen(command, start_new_session=True) as pytest_process:
        until((project.path / "started").exists)
        assert len(emulators_of(project)) == 1
        if ending == signal.SIGINT:
            os.killpg(pytest_process.pid, ending)
        else:
            pytest_process.send_signal(ending)
        pytest_process.wait(120)
    until(lambda: emulators_of(project) == [])


@own_emulator
def test_says_what_to_do_without_node(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVTRAIN_EMULATOR_BIN", "no-such-program")
    result = run("def test_one(svtrain): pass\ndef test_two(svtrain): pass")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(
        ["*SVTRAIN_EMULATOR_BIN=no-such-program: there is no such program*"]
    )


def emulators_of(project: pytest.Pytester) -> list[int]:
    """Return the emulators that a process in this folder started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_text()
            folder = (entry / "cwd").readlink()
        except OSError:
            continue
        if folder == project.path and "stop-with-parent.mjs" in command:
            found.append(int(entry.name))
    return found


def until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < end, "It did not happen in 120 seconds."
        time.sleep(0.02)
