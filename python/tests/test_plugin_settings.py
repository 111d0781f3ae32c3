from __future__ import annotations

import pytest
from conftest import Run, add_settings, refusal_of

own_emulator = pytest.mark.usefixtures("own_emulator")


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


@pytest.mark.parametrize("option", ["--svtrain-coverage", "--svtrain-coverage=file.json"])
def test_a_removed_option_says_what_to_use(run: Run, option: str) -> None:
    result = run("def test_it(): pass", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--svtrain-coverage was removed in 0.3: read the trace, or *"])
    assert "coverage" not in run("def test_it(): pass", "--help").stdout.str()
