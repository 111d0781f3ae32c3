from __future__ import annotations

import pytest
from conftest import Run, run_apart

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
