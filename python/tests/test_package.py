from __future__ import annotations

import re
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from conftest import ROOT, Run

import svtrain_emulator

REPOSITORY = ROOT.parent
PAGE = (REPOSITORY / "docs" / "how-to" / "pytest.md").read_text(encoding="utf-8")
EXPLORE = (REPOSITORY / "docs" / "how-to" / "explore-a-loop.md").read_text(encoding="utf-8")
START = (REPOSITORY / "docs" / "start" / "python.md").read_text(encoding="utf-8")


def blocks_of(page: str) -> list[tuple[str, str]]:
    """Return the examples in Python of a page, each with the output that the page shows below it."""
    return re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", page, re.DOTALL)


# A first test, the code under test, and its tests.
FIRST, TRAINER, TESTS = blocks_of(START)

# A recipe, a test of code that names no address, a receiver, the markers, a test that fails, the async test,
# and three programs. Those that need no fixtures run with the other examples of the documentation.
_RECIPE, UNCHANGED, RECEIVER, MARKERS, FAILING, ASYNC, *_PROGRAMS = blocks_of(PAGE)
EXPLORED, KILLED = blocks_of(EXPLORE)


def test_exports_what_it_lists() -> None:
    for name in svtrain_emulator.__all__:
        assert getattr(svtrain_emulator, name)
    with pytest.raises(AttributeError, match="has no attribute 'Emulater'"):
        _ = svtrain_emulator.Emulater


def test_no_module_imports_one_that_imports_it() -> None:
    """Imports of types count, and imports in functions."""
    folder = Path(svtrain_emulator.__file__).parent
    imports = {
        ".".join(("svtrain_emulator", *file.relative_to(folder).with_suffix("").parts)): set(
            re.findall(
                r"^ *(?:from|import) (svtrain_emulator\._[\w.]+)", file.read_text(), re.MULTILINE
            )
        )
        for file in folder.rglob("*.py")
    }
    TopologicalSorter(imports).prepare()  # It raises an error that names the modules.


@pytest.fixture
def clean(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An empty folder on a machine without Node.js on its PATH."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    (project.path / "trainer.py").write_text(TRAINER[0])
    return project


def test_the_readme_begins_with_the_first_test_of_the_guide() -> None:
    assert FIRST in blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))


def test_the_tests_of_the_guides_and_of_the_skill_pass(clean: pytest.Pytester) -> None:
    references = REPOSITORY / "skills" / "svtrain-emulator" / "references"
    tests, loop = blocks_of((references / "python.md").read_text(encoding="utf-8"))
    [hook] = blocks_of((references / "webhooks.md").read_text(encoding="utf-8"))
    clean.makepyfile(test_first=FIRST[0], test_trainer=TESTS[0], test_own=RECEIVER[0])
    clean.makepyfile(test_markers=MARKERS[0], test_async=ASYNC[0], test_unchanged=UNCHANGED[0])
    clean.makepyfile(loop=loop[0], test_loop=tests[0], test_hook=hook[0])
    result = clean.runpytest_subprocess("-v")
    result.assert_outcomes(passed=21)
    # The pages show no warning.
    result.stdout.no_fnmatch_line("*ClientCheckWarning*")
    passed = Counter(re.findall(r"^(test_\w+)\.py::.* PASSED", result.stdout.str(), re.MULTILINE))
    assert (passed["test_first"], passed["test_trainer"]) == (1, 5)
    assert (passed["test_loop"] + passed["test_hook"]) == 9


def test_the_failing_tests_of_the_guide_print_what_it_says(clean: pytest.Pytester) -> None:
    clean.makepyfile(test_failing=FAILING[0], test_explored=EXPLORED[0], test_killed=KILLED[0])
    result = clean.runpytest_subprocess()
    result.assert_outcomes(failed=3)
    # The frames of assertions do not hide the line of the test.
    result.stdout.no_fnmatch_line("*raise AssertionError*")
    # What is printed about each test begins with a line that has its name.
    parts = re.split(r"^_{3,} (test_\w+) _{3,}$", result.stdout.str(), flags=re.MULTILINE)
    for code, shown in (FAILING, EXPLORED, KILLED):
        [name] = re.findall(r"^def (test_\w+)", code, re.MULTILINE)
        part = parts[parts.index(name) + 1]
        lines = [line if line == "" else glob_of(line) for line in shown.splitlines()]
        pytest.LineMatcher(part.splitlines()).fnmatch_lines(lines)


def glob_of(line: str) -> str:
    """Return a line of the guide as a pattern: an ellipsis stands for anything."""
    return line.replace("…", "*").replace("[", "[[]")


@pytest.mark.usefixtures("own_emulator")
def test_the_settings_in_the_guide_work(clean: pytest.Pytester, run: Run) -> None:
    [settings] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    clean.makepyprojecttoml(settings)
    result = run("def test_it(svtrain): assert svtrain.jobs.list() == []")
    result.assert_outcomes(passed=1)
