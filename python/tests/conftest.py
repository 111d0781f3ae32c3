from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from svtrain_emulator import _pytest_session, pytest_plugin

pytest_plugins = ["pytester"]

# After each run in this process, pytester forgets the modules that the run imported. These stay.
for module in ("httpx", "httpcore", "anyio._backends._asyncio", "svtrain_emulator._explore"):
    importlib.import_module(module)

ROOT = Path(__file__).parent.parent


@pytest.fixture
def project(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> pytest.Pytester:
    """A folder with a pytest of its own, and with `trainer`, the module of a client.

    In this process, it uses the emulator of this session, as a worker of pytest-xdist does. To start
    another one takes longer than most tests.
    """
    offer = request.config.stash[pytest_plugin._shared].offer()
    monkeypatch.setattr(_pytest_session, "inherited_offer", lambda: offer)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makepyprojecttoml(
        """
        [tool.pytest.ini_options]
        addopts = "--strict-markers -p no:cacheprovider"
        asyncio_mode = "auto"
        asyncio_default_fixture_loop_scope = "function"
        """
    )
    source = Path(__file__).parent / "trainer.py"
    (pytester.path / "trainer.py").write_text(source.read_text())
    return pytester


@pytest.fixture
def own_emulator(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The project starts an emulator of its own: its settings, what it adds up, and its end are tested."""
    monkeypatch.setattr(_pytest_session, "inherited_offer", lambda: None)


def add_settings(project: pytest.Pytester, *lines: str) -> None:
    """Add settings of pytest to those of the project."""
    with (project.path / "pyproject.toml").open("a") as file:
        file.write("".join(f"\n{line}\n" for line in lines))


Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(project: pytest.Pytester) -> Run:
    """Runs tests in the project, with a pytest of their own in this process, and with these arguments.

    It starts faster than a process. It reads its settings and loads its plugins as a process does. The tests
    may name `pytest`, `httpx` and what `trainer` has.
    """

    def run_tests(tests: str, *args: str) -> pytest.RunResult:
        project.makepyfile(f"import httpx\nimport pytest\nfrom trainer import *\n{dedent(tests)}")
        return project.runpytest_inprocess(*args)

    return run_tests


def run_apart(project: pytest.Pytester, tests: str, *args: str) -> pytest.RunResult:
    """Run tests in the project, in a process that has imported nothing and that they may change."""
    project.makepyfile(tests)
    return project.runpytest_subprocess(*args)


def refusal_of(run: Run, marker: str, parameters: str = "svtrain") -> str:
    """Return why pytest refuses the marker of a test before any test runs."""
    test = f"def test_it({parameters}): pass"
    result = run(f"@pytest.mark.{marker}\n{test}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    [line] = [each for each in result.errlines if each.startswith("ERROR: ")]
    return line
