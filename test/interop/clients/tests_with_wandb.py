"""Tests of pytest whose code logs to wandb. Each has a world of its own, and so has its run."""

import os
from pathlib import Path

import pytest
import wandb


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
