"""Tests of pytest whose code logs to wandb. Each has a world of its own, and so has its run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import wandb

from svtrain_emulator import ClientCheckError


def train(name: str) -> None:
    with wandb.init(project="demo", id=name) as run:
        run.log({"loss": 0.5})


@pytest.mark.svtrain(env=True)
@pytest.mark.parametrize("name", ["one", "two"])
def test_logs_to_its_world(svtrain, name):
    train(name)
    assert [run.name for run in svtrain.runs.list()] == [name]
    svtrain.assert_logged_metric("loss", value=0.5)
    svtrain.assert_finished_run()
    assert wandb.Api().run(f"demo/{name}").summary["loss"] == 0.5


@pytest.mark.svtrain(env=True)
def test_leaves_nothing_in_the_project(svtrain):
    train("three")
    assert not Path("wandb").exists()
    assert any(Path(os.environ["WANDB_DIR"], "wandb").iterdir())


def test_leaves_a_run_open(svtrain):
    with svtrain.env():
        wandb.init(project="demo", id="open")
    assert wandb.run is None
    svtrain.assert_finished_run()


@pytest.mark.svtrain(intercept=True)
def test_asserts_while_its_run_is_open(svtrain, tmp_path):
    run = wandb.init(project="demo", id="open")
    run.log({"loss": 0.5})
    svtrain.assert_logged_metric("loss", step=0)
    run.log({"loss": float("nan")})
    svtrain.assert_logged_metric("loss", step=1)
    (tmp_path / "rows.jsonl").write_text("{}")
    run.log_artifact(str(tmp_path / "rows.jsonl"), name="rows", type="data", aliases=["best"])
    svtrain.assert_artifact_alias("rows", "best")
    with pytest.raises(AssertionError, match=r"Call finish\(\) on the run first"):
        svtrain.assert_finished_run()


@pytest.mark.svtrain(env=True)
def test_says_what_to_do_if_a_step_is_not_over(svtrain):
    wandb.init(project="demo", id="open").log({"loss": 0.5}, step=3)
    with pytest.raises(AssertionError, match="is sent when the next step begins"):
        svtrain.assert_logged_metric("loss")


@pytest.mark.svtrain(env=True)
def test_a_killed_program_leaves_its_run_open(svtrain):
    code = "import os, wandb; wandb.init(project='demo', id='killed'); os._exit(1)"
    subprocess.run([sys.executable, "-c", code], check=False)
    with pytest.raises(ClientCheckError, match="the run local-team/demo/killed never finished"):
        svtrain.assert_client_checks(unfinished_runs="fail")
    svtrain.reset()
