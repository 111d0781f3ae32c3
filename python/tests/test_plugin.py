from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import Run, add_settings, refusal_of, run_apart

if TYPE_CHECKING:
    from collections.abc import Callable

own_emulator = pytest.mark.usefixtures("own_emulator")


def test_what_a_test_may_not_notice_is_a_warning(run: Run) -> None:
    result = run(
        """
        @pytest.mark.parametrize("number", range(2))
        @pytest.mark.svtrain("judge-down")
        def test_without_a_judge(svtrain, number):
            pass

        @pytest.mark.svtrain({"name": "mine", "faults": [{"fault": "status", "status": 503, "calls": 1}]})
        def test_with_a_fault(svtrain):
            with api_of(svtrain) as api:
                assert api.get("/health").status_code == 503

        @pytest.mark.parametrize("passes", [True, False])
        @pytest.mark.svtrain(intercept=True)
        def test_with_a_judge_without_rules(svtrain, passes):
            chat(svtrain, "gpt-4.1-mini", "How good is it?")
            assert passes, "OPENAI_API_KEY is missing"

        def test_with_a_fault_of_its_own(svtrain):
            svtrain.faults.add("status", status=503, match={"model": "poett"})

        @pytest.mark.svtrain(scenario={"name": "a", "chat": {"rules": [{"answer": "7"}]}}, intercept=True)
        def test_with_rules(svtrain):
            chat(svtrain, "gpt-4.1-mini", "How good is it?")
        """,
        "-W",
        "always::UserWarning",
    )
    result.assert_outcomes(passed=6, failed=1, warnings=3)
    invented = "1 chat of gpt-4.1-mini got invented text; rules give its answers: *"
    result.stdout.fnmatch_lines(
        [
            invented,
            "OPENAI_API_KEY: svtrain.env() sets it. See: svtrain-emulator docs judge",
            "*warnings summary*",
            # Each text once, with its tests.
            "*::test_without_a_judge?0?",
            "*::test_without_a_judge?1?",
            "*UserWarning: Nothing came of * (status) and 5 more: no chat came.",
            "*UserWarning: Nothing came of added fault 1 (status): no call matched.",
        ]
    )


def test_a_test_that_passes_runs_the_client_checks(run: Run) -> None:
    result = run(
        """
        def test_checked(svtrain):
            submit_twice(svtrain)

        @pytest.mark.svtrain(checks={"duplicate_jobs": False})
        def test_allowed(svtrain):
            submit_twice(svtrain)

        @pytest.mark.svtrain(checks=False)
        def test_unchecked(svtrain):
            submit_twice(svtrain)

        @pytest.mark.xfail(reason="a known mistake", strict=True)
        def test_failed_before(svtrain):
            submit_twice(svtrain)
            assert False
        """
    )
    result.assert_outcomes(passed=3, errors=1, xfailed=1)
    result.stdout.fnmatch_lines(
        [
            "The client checks failed: duplicate_jobs",
            "*is a duplicate*(duplicate_jobs=False allows it)",
            "*What happened*",
        ]
    )


def test_a_mistake_in_training_data_is_a_warning(run: Run) -> None:
    result = run(
        """
        def train(svtrain):
            with api_of(svtrain) as api:
                submit(api, rewards=[1.0, 1.0])

        def test_warned(svtrain):
            train(svtrain)

        @pytest.mark.svtrain(checks={"equal_rewards": "fail"})
        def test_failed(svtrain):
            train(svtrain)

        @pytest.mark.svtrain(checks={"equal_rewards": False})
        def test_allowed(svtrain):
            train(svtrain)

        @pytest.mark.filterwarnings("error")
        def test_with_warnings_as_errors(svtrain):
            train(svtrain)
        """,
        "-W",
        "default::svtrain_emulator.ClientCheckWarning",
    )
    result.assert_outcomes(passed=4, errors=2, warnings=1)
    found = "1 of 1 group had equal rewards; *: job *, group 0 * (equal_rewards=False allows it)"
    result.stdout.fnmatch_lines(
        [
            "The client checks failed: equal_rewards",
            f"*{found}",
            f"*→ warning: {found}",
            "*ERROR at teardown of test_with_warnings_as_errors*",
            found,
            "*warnings summary*",
            "*::test_warned*",
            f"*.py:9: ClientCheckWarning: {found}",
        ]
    )


@pytest.mark.parametrize(
    ("settings", "marker", "problem"),
    [
        ('svtrain_checks = ["mixed_prompt = fail"]', "", 'Did you mean "mixed_prompts"?'),
        ('svtrain_checks = ["mixed_prompts = off"]', "", 'off". A check is true, false, fail.'),
        (
            'svtrain_intercept = true\nsvtrain_addresses = ["trianing=https://a.invalid/v1"]',
            "",
            'Did you mean "training"?',
        ),
        ("svtrain_intercept = true", "svtrain(intercept=False)", "leads the whole session"),
        ("", 'svtrain(scenari="sft")', 'svtrain has no "scenari". Did you mean "scenario"?'),
        ("", 'svtrain("failing-job", 42)', "takes one scenario, with its name or without"),
        ("", 'svtrain("sft", scenario="sft")', "takes one scenario, with its name or without"),
        ("", 'svtrain(checks={"equal_reward": False})', 'Did you mean "equal_rewards"?'),
        (
            "",
            'svtrain(checks={"equal_rewards": "warn"})',
            'svtrain: equal_rewards is "warn"; expected True, False or "fail".',
        ),
        ("", 'svtrain(checks="equal_rewards")', "expected False, or a dict of checks"),
        ("", 'svtrain(allow_hosts_out="a.b")', "expected a list of hosts"),
        ("", "svtrain(clock='foo')", 'clock is "foo"; expected auto, instant, real or manual'),
        ("", "svtrain(seed='x')", 'svtrain: seed is "x"; expected a whole number'),
        ("", "svtrain(speed='x')", 'svtrain: speed is "x"; expected a number'),
        ("", 'svtrain(allow_hosts_out=["a.b"])', "needs intercept=True"),
        ("", "svtrain(intercep=True)", 'Did you mean "intercept"?'),
        ("", "svtrain_explore(run=5)", 'svtrain_explore has no "run". Did you mean "runs"?'),
        ("", "svtrain_explore(50)", "svtrain_explore takes names only: runs=50"),
        ("", "svtrain_explore(runs=0)", "runs is 0; expected a whole number from 1"),
        ("", 'svtrain_explore(runs="3")', 'runs is "3"; expected a whole number from 1'),
        ("", "svtrain_explore(time=600)", "time is 600; expected a duration"),
        ("", "svtrain_explore(timeout=0)", "timeout is 0; expected seconds"),
        ("", 'svtrain(env="false")', 'svtrain: env is "false"; expected True or False'),
        ("", 'svtrain(["failing-job"])', "svtrain: scenario is ['failing-job']; expected the name"),
    ],
)
def test_what_is_wrong_is_refused_before_the_tests(
    project: pytest.Pytester, run: Run, settings: str, marker: str, problem: str
) -> None:
    add_settings(project, settings)
    line = refusal_of(run, marker or "svtrain")
    assert problem in line
    # A problem of a marker names its test.
    assert ("test_it" in line) == (marker != "")


@own_emulator
def test_a_test_whose_calls_do_not_arrive_is_told_why(run: Run) -> None:
    result = run("""
        def test_elsewhere(svtrain):
            httpx.get("http://127.0.0.1:1/v1/health")

        def test_with_its_own_key(svtrain):
            chat(svtrain)

        @pytest.mark.parametrize("headers", [{"Authorization": "Bearer any-key"}, {}])
        def test_with_another(svtrain, headers):
            httpx.post(f"{svtrain.training_url}/preview/models", headers=headers)
            svtrain.assert_received_request("createModel")

        def test_of_webhooks(svtrain_sink, svtrain):
            svtrain.trigger("RUN_STATE")
            svtrain.clock.advance("10 minutes")
        """)
    result.assert_outcomes(passed=1, failed=4)
    assert result.stdout.str().count("No call arrived") == 3
    own = "No call arrived with the key of this test. Calls of this session without it:"
    result.stdout.fnmatch_lines(
        [
            "No call arrived with the key of this test.",
            "If its code names no address of the emulator: *svtrain(intercept=True)",
            f"{own} 1, such as POST /v1/preview/models 422.",
            "If its code sends another key*`Authorization: Bearer {svtrain.api_key}`",
            f"{own} 2, such as *POST /v1/preview/models 401*",
            # Without a line of this package, and in the words of Python.
            ">* svtrain.clock.advance(*",
            "E *ControlError: *such as 250ms, 10s, 5m or 1h30m, or a datetime.timedelta. *",
            "",
            "test_a_test_whose_calls_do_not_arrive_is_told_why.py:*: ControlError",
        ]
    )


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        ('"failing-jop"', 'Unknown scenario "failing-jop". Did you mean "failing-job"?*'),
        ('"nowhere.yaml"', "Failed to read /*/nowhere.yaml: No such file or directory."),
        ('"traner.json"', '*/traner.json: No such file or directory. Did you mean "trainer.py"?'),
        ('"failing-jop.yaml"', '*No such file or directory. Did you mean "failing-job"?'),
        ('"/tmp/"', "Failed to read /tmp: Is a directory."),
    ],
)
def test_a_scenario_that_does_not_exist_is_named(run: Run, marker: str, problem: str) -> None:
    result = run(f"@pytest.mark.svtrain({marker})\ndef test_it(svtrain): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([problem])


def test_markers_combine(project: pytest.Pytester, run: Run) -> None:
    (project.path / "own.yaml").write_text("name: own\nseed: 8\nclock: { mode: real, speed: 3 }\n")
    result = run("""
        pytestmark = pytest.mark.svtrain(scenario="failing-job", seed=5)

        @pytest.mark.svtrain(seed=6, clock="manual")
        class TestClass:
            def test_closest(self, svtrain):
                info = svtrain.info()
                assert (info.scenario.name, info.seed) == ("failing-job", 6)
                assert svtrain.clock.state().mode == "manual"

        OWN = {"name": "own", "seed": 8, "clock": {"mode": "real", "speed": 3}}

        def seen(svtrain):
            state = svtrain.clock.state()
            return state.mode, state.speed, svtrain.info().seed

        @pytest.mark.svtrain(scenario=OWN, seed=None)
        def test_of_the_scenario(svtrain):
            assert seen(svtrain) == ("real", 3, 8)

        @pytest.mark.svtrain(scenario="own.yaml", seed=None)
        def test_of_the_file(svtrain):
            assert seen(svtrain) == ("real", 3, 8)

        @pytest.mark.svtrain(scenario=OWN, clock="manual")
        def test_of_the_marker(svtrain):
            assert (svtrain.clock.state().mode, svtrain.info().seed) == ("manual", 5)

        @pytest.mark.svtrain(checks=False)
        @pytest.mark.usefixtures("svtrain_sink")
        def test_module(request):
            svtrain = request.getfixturevalue("svtrain")
            assert svtrain.info().seed == 5
            assert svtrain.clock.state().mode == "auto"

        def test_of_something_else():
            pass
        """)
    result.assert_outcomes(passed=6)


@own_emulator
def test_settings_of_the_project(project: pytest.Pytester, run: Run) -> None:
    add_settings(
        project,
        'svtrain_scenario = "failing-job"',
        'svtrain_contract = "2026-01"',
        'svtrain_args = "--serve-any-model --seed 11"',
        'svtrain_checks = ["mixed_prompts = fail", "equal_rewards = false"]',
    )
    result = run("""
        from svtrain_emulator.pytest_plugin import settings_of

        OF_PROJECT = {"mixed_prompts": "fail", "equal_rewards": False}

        def test_without_a_marker(svtrain, request):
            assert svtrain.info().scenario.name == "failing-job"
            assert (svtrain.info().seed, svtrain.info().contract) == (11, "2026-01")
            chat(svtrain, "any-name")
            assert settings_of(request.node).checks == OF_PROJECT

        @pytest.mark.svtrain(checks={"mixed_prompts": False})
        def test_has_the_last_word(svtrain, request):
            checks = settings_of(request.node).checks
            assert checks == {**OF_PROJECT, "mixed_prompts": False}

        @pytest.mark.svtrain(checks=False)
        def test_without_checks(svtrain, request):
            assert settings_of(request.node).checks is None
        """)
    result.assert_outcomes(passed=3)


def test_the_environment_is_set_and_undone(project: pytest.Pytester) -> None:
    result = run_apart(
        project,
        """
        import os
        import pytest

        @pytest.fixture(autouse=True, scope="module")
        def before():
            os.environ.update(OPENAI_API_KEY="mine", WANDB_API_KEY="secret", NO_PROXY="example.com")
            before = dict(os.environ)
            yield
            changed = {name for name, _ in os.environ.items() ^ before.items()}
            assert changed == {"PYTEST_CURRENT_TEST"}

        def test_call(svtrain):
            svtrain.env(HERE="{training}/x")
            assert os.environ["OPENAI_BASE_URL"] == svtrain.inference_url
            assert os.environ["OPENAI_API_KEY"] == svtrain.api_key
            assert os.environ["HERE"] == f"{svtrain.training_url}/x"
            assert os.environ["NO_PROXY"] == "example.com,127.0.0.1,localhost"
            assert os.environ["WANDB_BASE_URL"] == svtrain.training_url.removesuffix("/v1")
            assert len(os.environ["WANDB_API_KEY"].partition("-")[2]) >= 40
            assert os.path.isdir(os.environ["WANDB_DIR"])
            assert os.environ["NETRC"].startswith(os.environ["WANDB_DIR"])

        def test_with(svtrain):
            with svtrain.env():
                assert os.environ["SVTRAIN_API_KEY"] == svtrain.api_key
                folder = os.environ["WANDB_DIR"]
            assert "SVTRAIN_API_KEY" not in os.environ
            assert not os.path.exists(folder)
            with pytest.raises(ValueError, match="Known places: {training}"):
                svtrain.env(HERE="{trainin}")
            with pytest.raises(TypeError, match="PORT is 4600; expected a text, or None"):
                svtrain.env(PORT=4600)

        @pytest.mark.svtrain(env=True)
        def test_marker(svtrain):
            assert os.environ["SVTRAIN_BASE_URL"] == svtrain.training_url
        """,
    )
    result.assert_outcomes(passed=3)


def test_webhooks_of_a_test_do_not_reach_the_next_one(run: Run) -> None:
    """Nothing is left of its world: a reset cancels what is on its way."""
    result = run(
        """
        from svtrain_emulator import Client

        def left_in(world):
            return [*world.schedule().tasks, *world.jobs.list(), *world.webhooks.list()]

        @pytest.fixture(scope="module")
        def worlds():
            return []

        @pytest.mark.svtrain(clock="manual")
        def test_one(svtrain, worlds):
            svtrain.webhooks.add("mine", "http://127.0.0.1:9/hook")
            svtrain.automations.add("over", "RUN_STATE", "mine", states=["finished"])
            svtrain.jobs.create("poet")
            worlds.append(Client(svtrain.training_url, world=svtrain.timeline().world))
            assert len(left_in(worlds[0])) == 3

        def test_two(worlds):
            with worlds[0] as before:
                assert left_in(before) == []
        """
    )
    result.assert_outcomes(passed=2)


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


def test_tests_that_do_not_use_it_do_not_start_it(project: pytest.Pytester) -> None:
    result = run_apart(
        project,
        """
        import sys

        def test_it():
            assert "httpx" not in sys.modules
            assert "svtrain_emulator._process" not in sys.modules
        """,
        "-p",
        "no:anyio",
    )
    result.assert_outcomes(passed=1)


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


CHATS = """
from trainer import chat

def test_it(svtrain):
    chat(svtrain)
    svtrain.assert_budget("1k-tokens")
"""


def test_bills_of_tests_are_printed_and_judged(project: pytest.Pytester, run: Run) -> None:
    prices = "currency: usd\nmodels: { '*': { prompt: 1000000, completion: 0 } }"
    (project.path / "prices.yaml").write_text(prices)
    result = run(CHATS, "--svtrain-bill=prices.yaml")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*svtrain-emulator bills*", "*::test_it: 1 chats, * usd"])
    result = run(CHATS, "--svtrain-bill=prices.yaml", "-o", "svtrain_budget=1usd")
    result.stdout.fnmatch_lines(["*Over the budget 1usd: the run used * usd.*"])
    assert result.ret != 0


FAILS = """
import pytest
from trainer import submit_twice

def test_passes(svtrain):
    svtrain.jobs.create("poet")

@pytest.mark.svtrain(scenario="failing-job", seed=42)
@pytest.mark.parametrize("text", ["a/b", "ä b", "x" * 3000])
def test_fails(svtrain, text):
    svtrain.jobs.create("poet")
    svtrain.settle()
    assert text == "", "<b>😀</b>" * 1000

def test_checked(svtrain):
    submit_twice(svtrain)

def test_without_an_emulator():
    assert False
"""


def test_a_report_for_each_failed_test(project: pytest.Pytester, run: Run) -> None:
    result = run(FAILS, "--svtrain-report=pages/of tests")
    result.assert_outcomes(passed=2, failed=4, errors=1)
    pages = {path.name: path.read_text() for path in (project.path / "pages/of tests").iterdir()}
    assert len(pages) == 4
    (checked,) = [page for name, page in pages.items() if "test_checked" in name]
    assert "is a duplicate" in checked
    (failed,) = [page for name, page in pages.items() if "test_fails-a-b" in name]
    assert "test_fails[a/b]</title>" in failed
    assert "out of memory" in failed
    assert "seed 42" in failed
    assert "<b>" not in failed


def test_a_report_that_cannot_be_written(project: pytest.Pytester, run: Run) -> None:
    (project.path / "taken").write_text("")
    result = run(FAILS, "--svtrain-report=taken", "-k", "test_checked or b]")
    result.assert_outcomes(passed=1, failed=2, errors=1)
    result.stdout.fnmatch_lines(["*Failed to write the report: *taken*"])


WARNS = """
import pytest
from trainer import chat

@pytest.mark.parametrize("number", range(3))
def test_it(svtrain, number):
    svtrain.models.create("poet")
    chat(svtrain, "poet")
"""


@own_emulator
def test_warnings_are_not_printed_without_any_or_if_pytest_shows_none(run: Run) -> None:
    run(CHATS).stdout.no_fnmatch_line("*svtrain-emulator warnings*")
    result = run(WARNS, "-o", "svtrain_args=--serve-any-model", "--disable-warnings")
    result.assert_outcomes(passed=3)
    result.stdout.no_fnmatch_line("*svtrain-emulator warnings*")


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


@pytest.mark.parametrize("option", ["--svtrain-coverage", "--svtrain-coverage=file.json"])
def test_a_removed_option_says_what_to_use(run: Run, option: str) -> None:
    result = run("def test_it(): pass", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--svtrain-coverage was removed in 0.3: read the trace, or *"])
    assert "coverage" not in run("def test_it(): pass", "--help").stdout.str()
