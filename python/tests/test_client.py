from __future__ import annotations

import inspect
import json
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from trainer import api_of, chat, events_of, log_run, submit

from svtrain_emulator import (
    AsyncClient,
    Client,
    ControlError,
    Emulator,
    NoSuchJobError,
    NoSuchNameError,
    PendingError,
    UnreachableError,
    World,
    _async_client,
)
from svtrain_emulator._generated import async_calls

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))


def document(world: World) -> dict[str, Any]:
    answer: dict[str, Any] = httpx.get(f"{world.control_url}/openapi.json", trust_env=False).json()
    return answer


# No method: the document of the API, and the stream, which is for the dashboard.
WITHOUT_METHOD = {"GET /openapi.json", "GET /stream"}


def test_has_a_method_for_each_call_of_the_control_api(svtrain: World) -> None:
    routes = {
        f"{method.upper()} {path.removeprefix('/_emulator')}"
        for path, methods in document(svtrain)["paths"].items()
        for method in methods
    }
    source = inspect.getsource(_async_client) + inspect.getsource(async_calls)
    assert set(re.findall(r"_call\(\s*\"(.*?)\"", source)) == routes - WITHOUT_METHOD


def test_the_generated_code_fits_the_emulator_of_the_package(svtrain: World) -> None:
    import generate

    package = Path(_async_client.__file__).parent
    for path, text in generate.files(document(svtrain)).items():
        made = package / path.relative_to(generate.PACKAGE)
        assert made.read_text(encoding="utf-8") == text, "Run python scripts/generate.py"


def test_controls_jobs_and_time(svtrain: World) -> None:
    svtrain.ready()
    svtrain.use_clock("manual")
    job = svtrain.jobs.create("poet", trajectories=3)
    assert (job.status, job.model.name) == ("queued", "poet")
    svtrain.clock.advance("2s")
    assert svtrain.jobs.get(job.id).status == "running"
    svtrain.clock.advance(timedelta(milliseconds=1))
    svtrain.jobs.stall(job.id)
    assert svtrain.clock.next() is False
    assert svtrain.jobs.resume(job.id).stalled is False
    assert svtrain.clock.next() is True
    svtrain.clock.advance_to(datetime(2026, 1, 1, 0, 0, 4))
    assert "ended" in svtrain.settle(within="30s").text
    assert svtrain.jobs.events(job.id).total == 5
    assert svtrain.jobs.events(job.id, from_=-1).events[0].type == "training_ended"
    assert svtrain.jobs.metrics(job.id, points=2).steps == [1, 3]
    assert svtrain.clock.state().mode == "manual"
    assert svtrain.jobs.list(model="poet", status="ended", limit=1)[0].id == job.id
    assert svtrain.jobs.finish(svtrain.jobs.create("poet").id).status == "ended"
    failed = svtrain.jobs.fail(svtrain.jobs.create("poet").id, "disk full")
    assert failed.error_message == "disk full"
    assert [model.jobs for model in svtrain.models.list()] == [3]
    assert svtrain.models.create("painter", project="other").project == "other"


def test_changes_scenarios_and_faults(svtrain: World) -> None:
    mine = {"name": "mine", "extends": "failing-job", "description": "One of ours."}
    assert svtrain.scenarios.use(mine).description == "One of ours."
    assert "name: mine" in svtrain.scenarios.current().yaml
    assert svtrain.reset("failing-job", seed=9).seed == 9
    api = api_of(svtrain)

    def status() -> int:
        return api.get("/preview/base-models").status_code

    fault = svtrain.faults.add("status", status=503, name="down")
    assert (fault.name, fault.open, fault.hits) == ("down", True, 0)
    assert status() == 503
    assert svtrain.faults.list()[0].hits == 1
    svtrain.faults.remove(fault.id)
    svtrain.faults.add({"fault": "status", "status": 500})
    assert status() == 500
    svtrain.faults.clear()
    assert status() == 200
    api.close()


async def test_sends_webhooks(svtrain: World) -> None:
    svtrain.sink.open()
    [delivery] = svtrain.trigger("RUN_STATE", to="receiver", state="failed")
    assert await svtrain.aio.sink.wait("RUN_*", body={"run_state": "failed"})
    assert svtrain.deliveries.get(delivery).verdict == "valid"
    assert svtrain.deliveries.resend(delivery).attempts[-1].status == 200


def test_reads_the_evidence(svtrain: World) -> None:
    with api_of(svtrain) as api:
        job = submit(api)
        events_of(api, job)
    assert [each.operation for each in svtrain.requests.list(job=job["id"])] == [
        "createRlTrainingJob",
        "listTrainingJobEvents",
    ]
    [submitted] = svtrain.requests.wait(path="*/training-jobs", timeout=timedelta(seconds=1))
    assert submitted.status == 200
    assert "POST /v1/preview/training-jobs 200" in svtrain.trace(job["id"])
    assert {each.kind for each in svtrain.entries()} == {"request", "job"}
    assert svtrain.job("poet").id == job["id"]


def test_shows_why_a_call_was_refused(svtrain: World) -> None:
    with api_of(svtrain) as api:
        api.post("/preview/models", json={"project": "demo", "base_model": "x"})
        svtrain.faults.add("status", status=503, name="gateway", calls=1)
        api.get("/preview/base-models")
    refused, unavailable = svtrain.requests.list()
    detail = svtrain.requests.get(refused.id)
    assert [(each.loc, each.msg) for each in detail.problems] == [
        (["body", "name"], "Field required")
    ]
    assert "demo" in str(detail.request.body)
    assert detail.response is not None
    assert "Field required" in str(detail.response.body)
    assert [each.name for each in svtrain.requests.get(unavailable.id).faults] == ["gateway"]


def test_follows_the_time_of_a_job(svtrain: World) -> None:
    svtrain.use_clock("manual")
    job = svtrain.jobs.create("poet").id
    svtrain.jobs.create("painter")
    svtrain.clock.advance("1500ms")
    past = [each.text for each in svtrain.timeline(job).entries if not each.scheduled]
    assert [each.text for each in svtrain.entries(job)] == past
    [first] = svtrain.schedule(job, limit=1).tasks
    assert (first.kind, first.job_id) == ("job", job)
    assert svtrain.clock.advance_to(first.at).now == first.at


async def test_reads_runs(svtrain: World) -> None:
    log_run(svtrain, [{"_step": 0, "loss": 2, "n": 1}, {"_step": 1, "loss": 1}], exit_code=0)
    [listed] = svtrain.runs.list(state="finished")
    assert (listed.path, listed.rows, listed.last_step) == ("local-team/verse/poem", 2, 1)
    run = svtrain.runs.get(listed.path)
    assert (run.name, run.exit_code, run.config, run.files) == ("poem", 0, {}, [])
    rows = svtrain.runs.history(listed.path, "loss")
    assert [(row.step, row.values) for row in rows] == [(0, {"loss": 2}), (1, {"loss": 1})]
    assert await svtrain.aio.runs.history(listed.path, "loss") == rows
    with pytest.raises(ControlError, match='Did you mean "loss"'):
        svtrain.runs.history(listed.path, "lost")
    with pytest.raises(ControlError, match=r'has no file "a\.txt"'):
        svtrain.runs.download(listed.path, "a.txt")
    assert svtrain.runs.get("poem") == run
    with pytest.raises(ControlError, match=r'Did you mean "poem"'):
        svtrain.runs.get("poen")
    with pytest.raises(ValueError, match=r'"verse/poem" is neither a name nor a path'):
        svtrain.runs.get("verse/poem")


async def test_puts_and_reads_artifacts(svtrain: World) -> None:
    files: dict[str, str | bytes] = {"train.jsonl": "{}\n", "data/all.bin": bytes(range(256))}
    rows = svtrain.artifacts.put("rows", files, metadata={"rows": 1}, aliases=["best"])
    assert rows.url == "wandb-artifact:///local-team/demo/rows:v0"
    assert (rows.version, rows.aliases, rows.metadata) == ("v0", ["latest", "best"], {"rows": 1})
    assert svtrain.artifacts.get("local-team/demo/rows:best") == rows
    assert svtrain.artifacts.get("rows:best") == rows
    assert [each.path for each in svtrain.artifacts.list(type="dataset")] == [rows.path]
    [collection] = svtrain.artifacts.collections(name="rows")
    assert collection.aliases == {"latest": "v0", "best": "v0"}
    assert svtrain.artifacts.download(rows.url, "data/all.bin") == bytes(range(256))
    stored = {**files, "train.jsonl": b"{}\n"}
    assert svtrain.artifacts.download_all(rows.url) == stored
    for wrong, named in (("a.txt", "files is 'a.txt'"), ({"a.txt": 1}, r"files\['a.txt'\] is 1")):
        with pytest.raises(TypeError, match=f"{named}; expected a dict of texts or bytes"):
            svtrain.artifacts.put("rows", wrong)  # type: ignore[arg-type]
    assert await svtrain.aio.artifacts.download_all(rows.path) == stored
    with pytest.raises(ControlError, match='Did you mean "best"'):
        svtrain.artifacts.get("local-team/demo/rows:bets")


async def test_reports_what_happened(svtrain: World) -> None:
    chat(svtrain, text="Hum?")
    page = svtrain.report(title="A title", failure="<it>", reproduce="make test")
    for part in ("<title>A title</title>", "&lt;it&gt;", "make test", "/chat/completions"):
        assert part in page
    assert "<title>A title</title>" in await svtrain.aio.report(title="A title")
    assert "Hum?" in json.dumps(svtrain.har())
    assert "Hum?" not in json.dumps(await svtrain.aio.har(contents="redacted"))
    with pytest.raises(ControlError, match="redacted"):
        svtrain.report(contents="hidden")  # type: ignore[arg-type]


async def test_selects_a_world_by_its_name(svtrain: World) -> None:
    svtrain.jobs.create("poet")
    with Client(svtrain.training_url) as outside:
        [own] = [each for each in outside.worlds() if each.name == svtrain.timeline().world]
        assert own.jobs == 1
    with Client(svtrain.training_url, world=own.name) as same:
        assert len(same.jobs.list()) == 1
    async with AsyncClient(svtrain.training_url, world=own.name) as same_with_async:
        assert len(await same_with_async.jobs.list()) == 1


def test_saves_and_restores(svtrain: World) -> None:
    job = svtrain.jobs.create("poet")
    snapshot = svtrain.snapshot(secrets=False)
    svtrain.reset()
    assert svtrain.jobs.list() == []
    assert svtrain.restore(snapshot).models == 1
    assert svtrain.jobs.get(job.id).model.name == "poet"


def test_says_what_was_refused_and_why(svtrain: World) -> None:
    with pytest.raises(ControlError) as refused:
        svtrain.jobs.fail("x")
    assert refused.value.status == 404
    assert str(refused.value) == (
        'Failed to POST /_emulator/jobs/x/fail: Not found: there is no job "x":'
        " there is none yet. (status 404)"
    )
    with pytest.raises(ControlError, match="There was no request at all"):
        svtrain.requests.wait("deleteModel", timeout=0.001)
    with pytest.raises(TypeError, match="600 is not a duration"):
        svtrain.clock.advance(600)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="600 is not a moment"):
        svtrain.clock.advance_to(600)  # type: ignore[arg-type]
    for part in ("", "..", "a/b", None):
        with pytest.raises(NoSuchNameError, match=r"job_id is .+; expected a text without a"):
            svtrain.jobs.get(part)  # type: ignore[arg-type]
    with pytest.raises(NoSuchJobError, match=r'no job of a model "poet"\. None was created'):
        svtrain.job("poet")
    svtrain.use_clock("manual")
    svtrain.jobs.create("painter")
    with pytest.raises(NoSuchJobError, match='of model "painter", queued'):
        svtrain.job("poet")
    with pytest.raises(PendingError, match="1 thing is pending"):
        svtrain.assert_nothing_pending()
    svtrain.sink.open()
    with pytest.raises(TimeoutError, match="Within 0 s, 0 of 1 deliveries"):
        svtrain.sink.wait("RUN_STATE", timeout="0s")
    with pytest.raises(ValueError, match='timeout is "1 s"; expected seconds, or a duration'):
        svtrain.sink.wait("RUN_STATE", timeout="1 s")
    with pytest.raises(
        ControlError, match=r'"x"\. scenarios\.list\(\) has all \d+\. One .* a dict,'
    ):
        svtrain.scenarios.use("x")
    with pytest.raises(
        TypeError, match=r"scenario is \['x'\]; expected the name of a built-in one"
    ):
        svtrain.reset(["x"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"scenario is \['x'\]; expected the name"):
        Emulator(["x"])  # type: ignore[arg-type]


def test_says_that_no_emulator_answers() -> None:
    with (
        Client("http://127.0.0.1:9") as client,
        pytest.raises(UnreachableError, match=r"\(ConnectError: .*\) Is it running"),
    ):
        client.info()
    with pytest.raises(UnreachableError, match="It was closed, such as"):
        client.info()
    for url in ("4600", "http://127.0.0.1:99999", "http://[::1"):
        with pytest.raises(ValueError, match=f'"{re.escape(url)}" is not an http URL'):
            Client(url)
    with pytest.raises(ValueError, match="token has characters that no header can have"):
        Client("http://127.0.0.1:9", token="a\nb")
    with pytest.raises(ValueError, match="world has characters that no header can have"):
        Client("http://127.0.0.1:9", world="ü")


ANOTHER_SERVER = [
    (200, "<p>Hello</p>", "with status 200. The training API of an emulator is at"),
    (404, '{"detail": "Not Found"}', "with status 404. The training API"),
    (502, '{"note": "a gateway"}', 'with status 502, and says: "a gateway". The training API'),
]


@pytest.mark.parametrize(("status", "text", "words"), ANOTHER_SERVER)
async def test_says_that_another_server_answers(status: int, text: str, words: str) -> None:
    other = httpx.MockTransport(lambda _: httpx.Response(status, text=text))
    http, with_async = httpx.Client(transport=other), httpx.AsyncClient(transport=other)
    with pytest.raises(UnreachableError, match=f"Another server answers there, {words}"):
        Client("http://127.0.0.1:9", http=http).trace()
    with pytest.raises(UnreachableError, match=f"Another server answers there, {words}"):
        await AsyncClient("http://127.0.0.1:9", http=with_async).jobs.create("poet")


def test_an_emulator_before_0_3_does_not_mark_its_answers() -> None:
    answers = {"/_emulator/info": '{"name": "svtrain-emulator"}', "/_emulator/trace": "Nothing."}
    old = httpx.MockTransport(lambda asked: httpx.Response(200, text=answers[asked.url.path]))
    assert Client("http://127.0.0.1:9", http=httpx.Client(transport=old)).trace() == "Nothing."


def test_reads_scenario_files(svtrain: World, tmp_path: Path) -> None:
    in_json = tmp_path / "mine.json"
    in_json.write_text('{"name": "from-json", "extends": "failing-job"}')
    assert svtrain.reset(in_json).scenario.name == "from-json"
    in_yaml = tmp_path / "mine.yaml"
    in_yaml.write_text("name: from-yaml\nextends: failing-job\n")
    assert svtrain.reset(str(in_yaml)).scenario.name == "from-yaml"
    assert svtrain.scenarios.use(in_yaml).name == "from-yaml"
    in_yaml.write_text("name: from-yaml\nfaults: 3\n")
    with pytest.raises(ControlError, match="2:9 faults: expected a list, got 3"):
        svtrain.reset(in_yaml)
