from __future__ import annotations

import runpy

import pytest
from conftest import Run, refusal_of

from svtrain_emulator._explore import _place_of


def test_a_test_that_survives_everything_passes(project: pytest.Pytester, run: Run) -> None:
    result = run(
        """
        names = []

        @pytest.mark.svtrain_explore(runs=4, seed=7)
        def test_it(svtrain):
            names.append(svtrain.info().scenario.name)
            assert svtrain.info().seed == 7
            assert svtrain.jobs.list() == []
            svtrain.jobs.create("poet")

        def test_after():
            assert names[0] == "happy-path"
            assert len(names) == len(set(names)) == 4
        """,
        "--junitxml=out.xml",
    )
    result.assert_outcomes(passed=2)
    assert "4 runs, 4 passed, no failure (seed 7)." in (project.path / "out.xml").read_text()


def test_a_failure_is_shrunk_and_repeats(project: pytest.Pytester, run: Run) -> None:
    result = run(
        """
        @pytest.mark.svtrain(env=True)
        @pytest.mark.svtrain_explore(runs=3, to="found")
        def test_it(svtrain):
            print("many lines")
            with api_of(svtrain) as api:
                submit(api)
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "Failure 1 (failed, * run*): *",
            "Not tried:",
            "  The code receives no webhooks: repeated-deliveries, equal-events, forged-deliveries, *",
            'Repeat failure 1: @pytest.mark.svtrain(scenario="found/*.yaml", env=True, seed=1)',
        ]
    )
    result.stdout.no_fnmatch_line("*Captured*")
    # The client checks are part of the verdict, and do not run again.
    result.stdout.no_fnmatch_line("*The client checks failed*")
    written = sorted((project.path / "found").glob("*.yaml"))
    assert written
    again = run(f"""
        import sys

        sys.modules["yaml"] = None  # A plain install has no PyYAML.

        @pytest.mark.svtrain(scenario="found/{written[0].name}", seed=1)
        def test_again(svtrain):
            with api_of(svtrain) as api:
                submit(api)
        """)
    again.assert_outcomes(failed=1)


def test_client_checks_are_part_of_the_verdict(run: Run) -> None:
    result = run("""
        import contextlib

        @pytest.mark.svtrain_explore(runs=1)
        def test_checked(svtrain):
            submit_twice(svtrain)

        @pytest.mark.svtrain(checks={"duplicate_jobs": False})
        @pytest.mark.svtrain_explore(runs=2)
        def test_allowed(svtrain):
            with contextlib.suppress(Exception):
                submit_twice(svtrain)

        @pytest.mark.svtrain(checks=False)
        @pytest.mark.svtrain_explore(runs=2)
        def test_unchecked(svtrain):
            with contextlib.suppress(Exception):
                submit_twice(svtrain)
        """)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["Failure 1 (client check, 1 run): *duplicateJobs*"])


def test_code_that_hangs_is_stopped(run: Run) -> None:
    result = run("""
        import signal
        import threading

        forever = threading.Event()

        @pytest.mark.svtrain_explore(runs=1, timeout=0.2)
        def test_it(svtrain):
            try:
                forever.wait()
            except Exception:
                pass

        @pytest.mark.svtrain_explore(runs=1, timeout=0.2)
        def test_that_catches_everything(svtrain):
            try:
                forever.wait()
            except BaseException:
                pass

        def test_after():
            assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
            assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
        """)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "Failure 1 (hung, 1 run): *the code did not end*",
            "  *It was stopped after 0.? s, the longest time of this run",
            "If it is only slow: @pytest.mark.svtrain_explore(timeout=120)",
        ]
    )
    result.stdout.no_fnmatch_line("*happy-path*extends*")


def test_the_time_stops_the_run_that_it_ends_in(run: Run) -> None:
    result = run("""
        import threading
        import time

        begun = []

        @pytest.mark.svtrain_explore(time="1s", timeout=60)
        def test_it(svtrain):
            begun.append(time.monotonic())
            svtrain.jobs.create("poet")
            if len(begun) > 1:
                threading.Event().wait(60)

        @pytest.mark.svtrain_explore(time="1s")
        def test_with_a_first_run_that_is_too_long(svtrain):
            threading.Event().wait(60)

        def test_after():
            assert time.monotonic() - begun[0] < 20
        """)
    # A run that the time ends is not tried, and no failure.
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        ["No fault was tried: *", "*It had not ended when the time was over*"]
    )
    result.stdout.fnmatch_lines(["*the first run takes longer than the time of 1*"])


def test_async_tests_are_explored_and_stopped(run: Run) -> None:
    result = run("""
        import asyncio

        names, left = [], []

        @pytest.mark.svtrain_explore(runs=3)
        async def test_it(svtrain):
            names.append((await svtrain.aio.info()).scenario.name)
            with api_of(svtrain) as api:
                api.get("/preview/base-models")

        @pytest.mark.svtrain_explore(runs=1, timeout=0.2)
        async def test_hangs(svtrain):
            try:
                await asyncio.Event().wait()
            finally:
                left.append(1)

        def test_after():
            # Runs in which nothing happened come on top.
            assert len(set(names)) >= 3
            assert left == [1]
        """)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["Failure 1 (hung, 1 run): *"])


def test_what_wandb_has_open_ends_with_each_run(run: Run) -> None:
    result = run("""
        import sys
        import types

        wandb = types.ModuleType("wandb")
        wandb.run = None
        calls = []

        def finish():
            wandb.run = None
            calls.append("finish")

        wandb.finish = finish
        wandb.teardown = lambda: calls.append("teardown")

        @pytest.mark.svtrain_explore(runs=2)
        def test_it(svtrain, monkeypatch):
            sys.modules["wandb"] = wandb
            name = svtrain.info().scenario.name
            with api_of(svtrain) as api:
                api.get("/preview/base-models")
            calls.append(name)
            assert wandb.run is None
            wandb.run = name

        def test_after():
            del sys.modules["wandb"]
            first, second = calls[0], calls[3]
            assert calls == [first, "finish", "teardown", second, "finish", "teardown"]
        """)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["svtrain_explore: run 1, happy-path: success in * s"])


def test_each_run_has_what_a_test_has(run: Run) -> None:
    """It can skip the test, receives webhooks, and gets the answers of the scenario."""
    result = run("""
        @pytest.mark.svtrain_explore
        def test_that_skips_itself(svtrain):
            pytest.skip("not today")

        @pytest.mark.svtrain_explore(runs=2)
        def test_with_webhooks(svtrain, svtrain_sink):
            svtrain.jobs.create("poet")
            svtrain.settle()
            assert svtrain_sink.wait("RUN_STATE")

        @pytest.mark.svtrain(scenario={"name": "number", "chat": {"rules": [{"answer": "7"}]}})
        @pytest.mark.svtrain_explore(runs=2)
        def test_with_answers(svtrain):
            svtrain.jobs.create("poet")
            asked = {"model": "example/base-8b-instruct", "messages": [{"role": "user", "content": "Hi"}]}
            with api_of(svtrain) as api:
                answers = (api.post("/chat/completions", json=asked) for _ in range(12))
                answer = next(answer for answer in answers if answer.is_success)
            assert answer.json()["choices"][0]["message"]["content"] == "7"
        """)
    result.assert_outcomes(passed=2, skipped=1)


def test_an_exploration_needs_the_fixture(run: Run) -> None:
    for marker in ("svtrain_explore", "svtrain"):
        assert f"marker {marker}, but does not use the fixture svtrain" in refusal_of(
            run, marker, ""
        )


def test_a_kill_is_an_error_at_the_call_and_the_test_runs_again(run: Run) -> None:
    result = run("""
        errors = []
        starts = []

        def train(svtrain, folder):
            file = folder / "done"
            done = int(file.read_text()) if file.exists() else 0
            with api_of(svtrain) as api:
                for step in range(done, 2):
                    submit(api)
                    file.write_text(str(step + 1))

        @pytest.mark.svtrain(checks=False)
        @pytest.mark.svtrain_explore(crash=["createRlTrainingJob:2:before", "createModel:2:after"])
        def test_it(svtrain, svtrain_state):
            starts.append(sorted(each.name for each in svtrain_state.iterdir()))
            try:
                train(svtrain, svtrain_state)
            except httpx.HTTPError as error:
                errors.append(type(error).__name__)
                raise

        def test_after():
            # Two runs without a kill, and each kill with its second start; the failure is confirmed.
            assert starts == [[], [], [], ["done"], [], ["done"], [], ["done"]]
            assert errors == ["RemoteProtocolError"] * 3
        """)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "4 runs, 3 passed, 1 failure (seed 1).",
            "Failure 1 (failed, 1 run): a restart trains another time",
            "    a kill before the answer to call 2 of createRlTrainingJob",
            'Repeat failure 1: @pytest.mark.svtrain_explore(crash=["createRlTrainingJob:2:before"], seed=1)',
        ]
    )
    result.stdout.no_fnmatch_line("*To write the scenarios*")
    result.stdout.no_fnmatch_line("*came from*")


def test_a_test_fails_if_nothing_can_be_tried(run: Run) -> None:
    result = run("""
        @pytest.mark.svtrain_explore(runs=1)
        def test_too_few_runs(svtrain):
            svtrain.jobs.create("poet")

        @pytest.mark.svtrain_explore(crash=["createJob:1:before"])
        def test_no_kill(svtrain):
            pass

        @pytest.mark.svtrain_explore
        def test_no_call(svtrain):
            pass

        @pytest.mark.svtrain_explore
        def test_another_key(svtrain):
            headers = {"Authorization": "Bearer any-key"}
            httpx.get(f"{svtrain.training_url}/preview/base-models", headers=headers)
            assert svtrain.jobs.list()
        """)
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(
        [
            "*::test_no_call never called the emulator, so no scenario can change what it does.",
            "No call arrived with the key of this test.*",
            "*::test_another_key never called the emulator, so *",
            "It ended with AssertionError: *",
            "No call arrived with the key of this test.*",
            "If its code sends another key*",
        ]
    )
    result.stdout.no_fnmatch_line("*During handling*")
    result.stdout.fnmatch_lines(["No fault was tried: there is no room for one in 1 run.*"])
    result.stdout.fnmatch_lines(["*a list of kills such as createRlTrainingJob:2:before*"])


def test_the_code_of_a_failure_may_lie_outside_of_the_tests(project: pytest.Pytester) -> None:
    loop = project.path / "loop.py"
    loop.write_text("import json\njson.loads('{')")
    with pytest.raises(ValueError, match="Expecting") as failed:
        runpy.run_path(str(loop))
    assert _place_of(failed.value, project.path / "tests") == "../loop.py:2: in <module>"
