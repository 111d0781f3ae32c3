from __future__ import annotations

import os
import re
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from trainer import api_of, chat, log_run, submit, submit_twice

from svtrain_emulator import ClientCheckError, NoSuchNameError, World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from svtrain_emulator._generated.client import SinkCalls


def message(call: Any, *args: Any, **named: Any) -> str:
    """Return the message of an assertion that fails."""
    with pytest.raises(AssertionError) as failed:
        call(*args, **named)
    return str(failed.value)


@pytest.mark.svtrain(scenario="failing-job")
def test_a_job_that_failed(svtrain: World) -> None:
    svtrain.jobs.create("poet")
    svtrain.settle()
    svtrain.assert_started()
    svtrain.assert_failed()
    svtrain.assert_failed("out of memory", model="poet")
    svtrain.assert_failed(re.compile(r"CUDA out of \w+"))
    said = message(svtrain.assert_failed, "disk full")
    assert re.match(
        r'expected job \w{8} of model "poet" to have failed with "disk full", '
        r'but it failed with "CUDA out of memory',
        said,
    )
    assert "clock auto, times since its submission at 2026-01-01T00:00:00.000Z):" in said
    assert "to have ended, but it failed with" in message(svtrain.assert_ended)


def test_a_job_that_waits_and_the_step_that_a_model_reached(svtrain: World) -> None:
    for _ in range(2):
        svtrain.jobs.create("poet")
    svtrain.settle()
    svtrain.assert_ended(model="poet", step=2)
    job = svtrain.jobs.create("painter").id
    assert "to have started, but it is queued." in message(svtrain.assert_started, job=job)
    assert 'of a model "poet". There are:' in message(svtrain.assert_ended, model="poet", job=job)
    said = message(svtrain.assert_ended, model="poet", step=3)
    assert 'of model "poet" to have ended at step 3, but it ended at step 2.' in said


NAMES_THAT_DO_NOT_EXIST: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("assert_started", (), {"model": "poem"}, 'no job of a model "poem". Did you mean "poet"?'),
    ("assert_ended", (), {"job": "0000"}, 'There is no job "0000". There are:\n  '),
    ("assert_failed", (), {"model": "poem"}, 'Did you mean "poet"?'),
    ("assert_answered_by", (1,), {"model": "poem"}, 'Did you mean "poet"?'),
    ("assert_logged_metric", ("loss",), {"run": "poen"}, 'no run "poen". Did you mean "poem"?'),
    ("assert_finished_run", ("poen",), {}, 'Did you mean "poem"?'),
    ("assert_artifact_alias", ("row", "best"), {}, 'no artifact "row". Did you mean "rows"?'),
    ("assert_received_request", ("createModl",), {}, 'Did you mean "createModel"?'),
    ("assert_received_webhook", ("RUN_STAT",), {}, 'Did you mean "RUN_STATE"?'),
    ("assert_received_webhook", (), {"verdict": "valdi"}, 'Did you mean "valid"?'),
    ("assert_received_in_order", ([{"event": "RUN_STAT"}],), {}, 'Did you mean "RUN_STATE"?'),
    ("assert_received_in_order", ([{"even": "x"}],), {}, 'has no "even". Did you mean "event"?'),
    ("assert_budget", ("2M-tokes",), {}, "2M-tokes"),
    ("assert_client_checks", (), {"mixed_prompt": False}, 'Did you mean "mixed_prompts"?'),
    ("assert_client_checks", (), {"mixed_prompts": "err"}, 'is "err"; expected True, False'),
]


@pytest.mark.parametrize(("assertion", "args", "named", "words"), NAMES_THAT_DO_NOT_EXIST)
async def test_a_name_that_does_not_exist_fails_the_assertion(
    svtrain: World,
    svtrain_sink: SinkCalls,
    assertion: str,
    args: tuple[Any, ...],
    named: dict[str, Any],
    words: str,
) -> None:
    with api_of(svtrain) as api:
        submit(api)
    svtrain.settle()
    chat(svtrain, "wandb-artifact:///local-team/demo/poet")
    log_run(svtrain, [{"_step": 0, "loss": 2}], exit_code=0)
    svtrain.artifacts.put("rows", {"a.txt": "1"})
    said = message(getattr(svtrain, assertion), *args, **named)
    assert words in said
    with pytest.raises(AssertionError) as failed:
        await getattr(svtrain.aio, assertion)(*args, **named)
    assert str(failed.value) == said


def test_the_checkpoint_that_answered(svtrain: World) -> None:
    assert message(svtrain.assert_answered_by, 1).endswith("but no chat was answered")
    with api_of(svtrain) as api:
        submit(api)
    svtrain.settle()
    chat(svtrain)
    said = message(svtrain.assert_answered_by, 1)
    assert said.startswith("expected step 1 to have given the latest answer. The latest answers:")
    assert "  example/base-8b-instruct, base model: " in said
    chat(svtrain, "wandb-artifact:///local-team/demo/poet")
    svtrain.assert_answered_by(1)
    chat(svtrain)
    svtrain.assert_answered_by(1, model="poet")
    assert "poet, step 1: " in message(svtrain.assert_answered_by, 2, model="poet")


def test_a_metric_that_a_run_logged(svtrain: World) -> None:
    rows: list[dict[str, Any]] = [
        {"_step": 0, "loss": 2},
        {"_step": 1, "loss": "NaN", "val": {"reward": 0.5}},
    ]
    log_run(svtrain, rows, exit_code=0)
    svtrain.assert_logged_metric("loss")
    svtrain.assert_logged_metric("val.reward", run="poem", step=1, value=0.5)
    svtrain.assert_logged_metric("loss", value=lambda value, step: step == 0 and value > 1)
    svtrain.assert_logged_metric("loss", value=float("nan"))
    assert message(svtrain.assert_logged_metric, "lost") == (
        'expected local-team/verse/poem to have logged "lost", but it did not. '
        'Did you mean "loss"? It logged loss, val.reward.'
    )
    assert message(svtrain.assert_logged_metric, "loss", step=1, value=2) == "\n".join(
        [
            'expected local-team/verse/poem to have logged "loss" at step 1 as 2; it logged',
            "  step 0: 2",
            '  step 1: "NaN"',
        ]
    )
    said = message(svtrain.assert_logged_metric, "loss", value=lambda value, step: step > 1)
    assert "with a value that the function accepts; it logged\n  step 0: 2" in said


def test_the_steps_of_a_program_are_not_the_rows_of_a_run(svtrain: World) -> None:
    rows = [{"_step": at, "loss": at / 2, "training_step": at + 20} for at in range(0, 26, 2)]
    log_run(svtrain, rows, exit_code=0)
    head, more, *near = message(svtrain.assert_logged_metric, "loss", step=19).splitlines()
    assert head.endswith('to have logged "loss" at step 19; it logged')
    assert (more, len(near)) == ("  … 3 more", 10)
    assert near[-1] == "  step 24 (training_step 44): 12"
    assert near[0] == "  step 6 (training_step 26): 3"
    *_, hint = message(svtrain.assert_logged_metric, "loss", step=26).splitlines()
    svtrain.assert_logged_metric("loss", training_step=26, value=3)
    said = message(svtrain.assert_logged_metric, "loss", training_step=27)
    assert ' to have logged "loss" at training_step 27; it logged' in said
    assert hint == "step is the row of the run. training_step 26 is in row 6: step=6"


def test_a_run_that_finished(svtrain: World) -> None:
    assert "none was started. openpipe-art starts" in message(svtrain.assert_finished_run)
    log_run(svtrain, [{"_step": 0, "loss": 2}])
    assert message(svtrain.assert_finished_run) == (
        "expected the run local-team/verse/poem to have finished; it is running, and has logged 1 row. "
        "Call finish() on the run first. One that openpipe-art opened ends with its process."
    )
    log_run(svtrain, [], exit_code=1)
    assert "it is failed with exit code 1" in message(svtrain.assert_finished_run, "poem")
    log_run(svtrain, [], exit_code=0)
    svtrain.assert_finished_run("local-team/verse/poem")


class OpenRun:
    """A run that wandb has open in this process, and sends what it holds only when it is asked again."""

    entity, project, id, settings = "local-team", "verse", "poem", None
    config: Mapping[str, Any] = {}

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.summary = self
        self._looks = 0
        self._world = world
        opened = SimpleNamespace(_pid=os.getpid(), _active_runs=[self])
        module = SimpleNamespace(_singleton=opened)
        monkeypatch.setitem(sys.modules, "wandb.sdk.wandb_setup", module)

    def _as_dict(self) -> dict[str, Any]:
        self._looks += 1
        if self._looks == 3:
            log_run(self._world, [{"_step": 4, "loss": 2}])
        return {"_step": 4, "loss": 2, "_wandb": {}}

    def finish(self) -> None:
        log_run(self._world, [], exit_code=0)


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_wandb_holds_is_awaited(
    monkeypatch: pytest.MonkeyPatch, svtrain: World, is_async: bool
) -> None:
    log_run(svtrain, [])
    OpenRun(svtrain, monkeypatch)
    if is_async:
        await svtrain.aio.assert_logged_metric("loss", step=4)
    else:
        svtrain.assert_logged_metric("loss", step=4)
    assert "Call finish() on the run first" in message(svtrain.assert_logged_metric, "accuracy")
    # At the end, the client checks find no run open: the plugin has ended it.


def test_an_alias_of_an_artifact(svtrain: World) -> None:
    svtrain.artifacts.put("rows", {"a.txt": "1"}, aliases=["best"])
    svtrain.artifacts.put("rows", {"a.txt": "2"})
    svtrain.assert_artifact_alias("rows", "best")
    svtrain.assert_artifact_alias("local-team/demo/rows", "latest", version="v1")
    assert message(svtrain.assert_artifact_alias, "rows", "bets") == (
        'expected the artifact local-team/demo/rows to have the alias "bets". Did you mean "best"? '
        "Its aliases: best (v0), latest (v1). Its versions: v1, v0."
    )
    assert "on v1. Its aliases" in message(
        svtrain.assert_artifact_alias, "rows", "best", version="v1"
    )


def test_requests(svtrain: World) -> None:
    with api_of(svtrain) as api:
        submit(api)
        api.get("/preview/base-models")
        api.get("/preview/base-models")
    svtrain.assert_received_request("createModel")
    svtrain.assert_received_request(method="get", path="*/base-models", status=200, times=2)
    svtrain.assert_received_request("deleteModel", times=0)
    assert message(svtrain.assert_received_request, "listBaseModels", times=1) == (
        'expected 1 request that matches operation "listBaseModels", but 2 arrived:'
        + "\n  GET /v1/preview/base-models 200" * 2
    )
    said = message(svtrain.assert_received_request, "listBaseModels", status=503)
    assert said.startswith("expected a request that matches ")
    assert "status: expected 503, received 200" in said


def test_webhooks_under_way_are_awaited(svtrain: World, svtrain_sink: SinkCalls) -> None:
    for model in ("poet", "painter", "dancer", "singer"):
        svtrain.jobs.create(model)
    svtrain.clock.advance("1h")
    svtrain.assert_received_webhook("RUN_STATE", body={"run_state": "finished"}, times=4)


def test_webhooks(svtrain: World, svtrain_sink: SinkCalls) -> None:
    svtrain.jobs.create("poet")
    svtrain.settle()
    finished, running = {"run_state": "finished"}, {"run_state": "running"}
    svtrain.assert_received_webhook("RUN_STATE", body=finished, verdict="valid", times=1)
    svtrain.assert_received_webhook(method="post", headers={"content-type": "application/json*"})
    svtrain.assert_received_in_order(
        [{"body": running}, {"body": {"run_state": re.compile("^fin")}}]
    )
    svtrain.assert_validly_signed()
    said = message(svtrain.assert_received_webhook, "RUN_STATE", body={"run_state": "failed"})
    first, nearest, difference = said.splitlines()
    assert first.startswith('expected a delivery like {event "RUN_STATE", body {')
    assert re.match(r"The nearest is \d+: POST /\S*, RUN_STATE, valid", nearest)
    assert difference == '  body.run_state: expected "failed", received "finished"'
    assert "1 of" in message(svtrain.assert_received_webhook, body=finished, times=2)
    said = message(svtrain.assert_received_in_order, [{"body": finished}, {"body": running}])
    assert "One like it came too early:" in said


def test_webhooks_without_a_sink(svtrain: World) -> None:
    assert "use the fixture svtrain_sink" in message(svtrain.assert_validly_signed)
    with pytest.raises(NoSuchNameError, match="use the fixture svtrain_sink"):
        svtrain.sink.wait()
    svtrain.sink.open()
    assert message(svtrain.assert_validly_signed) == (
        "expected a valid signature; nothing was received at all"
    )
    assert "Nothing was received at all." in message(svtrain.assert_received_webhook)


def test_a_wrong_signature(svtrain: World, svtrain_sink: SinkCalls) -> None:
    url = svtrain.webhooks.list()[0].url
    assert url is not None
    svtrain.secrets.set("MINE", "between us")
    svtrain.webhooks.add("mine", url, secret="MINE", adversary=[{"do": "wrong_secret"}])
    svtrain.trigger("RUN_STATE", to="mine")
    svtrain_sink.wait()
    said = message(svtrain.assert_validly_signed)
    assert said.startswith("expected a valid signature\n  1: POST")
    assert len(said.splitlines()) == 3


@pytest.mark.svtrain(checks=False)
def test_client_checks(svtrain: World) -> None:
    submit_twice(svtrain)
    with pytest.raises(ClientCheckError) as failed:
        svtrain.assert_client_checks()
    [finding] = failed.value.findings
    assert "is a duplicate" in finding
