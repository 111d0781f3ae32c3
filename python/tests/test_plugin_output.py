from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Run

own_emulator = pytest.mark.usefixtures("own_emulator")


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
