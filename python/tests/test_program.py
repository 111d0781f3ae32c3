from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from conftest import ROOT

from svtrain_emulator import Emulator, ProgramNotFoundError, StartError, __version__, _program
from svtrain_emulator._program import find_program

if TYPE_CHECKING:
    from pathlib import Path


def make_program(path: Path, text: str = "#!/bin/sh\nexit 0\n") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder on a machine without Node.js, and without the emulator of the package."""
    monkeypatch.delenv("SVTRAIN_EMULATOR_BIN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(_program, "_node_of_extra", lambda: None)
    monkeypatch.setattr(_program, "NODE_FILES", tmp_path / "package")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_anything_it_says_what_to_do(machine: Path) -> None:
    with pytest.raises(ProgramNotFoundError, match="pip install 'svtrain-emulator\\[node\\]'"):
        find_program()


def test_the_order_of_programs(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npx = make_program(machine / "bin" / "npx")
    assert find_program().command == (npx, "--yes", f"svtrain-emulator@{__version__}")
    make_program(machine / "package/program/dist/cli.js")
    package = str(machine / "package/main.mjs")
    assert find_program().command[0] == npx
    node = make_program(machine / "bin" / "node")
    assert find_program().command == (node, package)
    local = make_program(machine / "node_modules/svtrain-emulator/bin/svtrain-emulator.js")
    assert find_program().command == (node, local)
    below = machine / "deep" / "below"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert find_program().command == (node, local)
    monkeypatch.setattr(_program, "_node_of_extra", lambda: "/extra/node")
    assert find_program().command == ("/extra/node", package)
    chosen = make_program(machine / "mine")
    monkeypatch.setenv("SVTRAIN_EMULATOR_BIN", chosen)
    assert find_program() == _program.Program((chosen,), is_node=False)
    script = make_program(machine / "mine.js")
    monkeypatch.setenv("SVTRAIN_EMULATOR_BIN", script)
    assert find_program() == _program.Program(("/extra/node", script), is_node=True)


def test_a_chosen_program_must_exist(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVTRAIN_EMULATOR_BIN", "/no/such")
    with pytest.raises(
        ProgramNotFoundError, match="SVTRAIN_EMULATOR_BIN=/no/such: there is no such program"
    ):
        find_program()
    monkeypatch.setenv("SVTRAIN_EMULATOR_BIN", make_program(machine / "mine.js"))
    with pytest.raises(ProgramNotFoundError, match=r"which runs SVTRAIN_EMULATOR_BIN=.*mine\.js"):
        find_program()


def test_a_chosen_program_starts_and_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = shlex.join(find_program().command)
    wrapper = make_program(tmp_path / "wrapper", f'#!/bin/sh\nexec {command} "$@"\n')
    monkeypatch.setenv("SVTRAIN_EMULATOR_BIN", wrapper)
    with Emulator() as emulator:
        pid = emulator.pid
        assert emulator.info().version == __version__
    assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def run(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "svtrain_emulator", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_passes_everything_on() -> None:
    assert run("--version").stdout.strip() == __version__
    ran = run("exec", "--", sys.executable, "-c", "import os; os._exit(7)")
    assert ran.returncode == 7
    wrong = run("--scenari", "failing-job")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "Did you mean --scenario?" in wrong.stderr
    assert run("docs", "python").stdout.startswith("# Start with Python\n")


def test_the_command_reads_scenarios_in_typescript(tmp_path: Path) -> None:
    """The package has no compiler: Node.js itself reads the file."""
    file = tmp_path / "mine.ts"
    file.write_text("const name: string = 'in-ts'\nexport default { name }\n")
    ran = run("scenarios", "show", str(file))
    assert ran.stdout.startswith("name: in-ts\n"), ran.stderr


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_the_command_ends_by_a_signal(name: str) -> None:
    command = [sys.executable, "-m", "svtrain_emulator", "--port", "0", "--log", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert '"kind":"ready"' in process.stdout.readline()
        process.send_signal(getattr(signal, name))
        assert process.wait(20) == 0


def test_a_start_that_fails_has_the_words_of_the_emulator() -> None:
    with pytest.raises(StartError, match='Did you mean "failing-job"\\?') as failed:
        Emulator(scenario="failing-jop")
    assert "it exited with 2" in str(failed.value)
    with pytest.raises(TypeError, match='args is "--serve-any-model"; expected a list of options'):
        Emulator(args="--serve-any-model")


def test_only_passed_options_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVTRAIN_EMULATOR_SCENARIO", "failing-job")
    (tmp_path / "svtrain.config.yaml").write_text("scenario: sft\n")
    monkeypatch.chdir(tmp_path)
    with Emulator(
        clock="manual", seed=3, contract="2026-01", args=["--serve-any-model"]
    ) as emulator:
        info = emulator.info()
        assert (info.contract, info.scenario.name) == ("2026-01", "happy-path")
        assert emulator.clock.state().mode == "manual"


def test_a_scenario_of_your_own(tmp_path: Path) -> None:
    with Emulator(scenario={"name": "mine", "extends": "failing-job"}, isolate=True) as emulator:
        assert emulator.info().scenario.name == "mine"
        emulator.world("one").jobs.create("poet")
        assert len(emulator.world("one").jobs.list()) == 1
        assert emulator.world("two").jobs.list() == []
    file = tmp_path / "mine.yaml"
    file.write_text("name: in-yaml\n")
    with Emulator(scenario=file) as emulator:
        assert emulator.info().scenario.name == "in-yaml"


def test_the_tokenizer_of_a_dict_is_relative_to_the_working_directory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT.parent / "test" / "fixtures")
    scenario = {
        "name": "mine",
        "base_models": ["org/other", {"id": "org/model", "tokenizer": "tokenizer"}],
    }
    with Emulator(scenario=scenario) as emulator:
        models = emulator.scenarios.current().yaml
    assert str(ROOT.parent / "test" / "fixtures" / "tokenizer") in models


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_does_not_stop_it() -> None:
    code = (
        "from svtrain_emulator import Emulator; import os; emulator = Emulator(); child = os.fork()\n"
        "if child: os.waitpid(child, 0); print(emulator.info().scenario.name)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout == "happy-path\n"


async def test_an_async_emulator() -> None:
    from svtrain_emulator import AsyncEmulator

    async with AsyncEmulator(scenario="failing-job") as emulator:
        await emulator.jobs.create("poet")
        await emulator.settle()
        await emulator.assert_failed("out of memory")
