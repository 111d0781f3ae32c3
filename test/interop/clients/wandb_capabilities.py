"""The SDK of the platform, unmodified: `wandb_capabilities.py log` shows one capability. Runs on every version from 0.19 on.

What a capability wrote is read back without the SDK where that is possible.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import wandb
from examples import example, examples, run

ENTITY, PROJECT = "local-team", "verse"
OF_PROJECT = f"{ENTITY}/{PROJECT}"

LOSSES = [1 / (step + 1) for step in range(20)]


def graphql(query: str) -> dict:
    """Asks the emulator without the SDK."""
    user = base64.b64encode(f"api:{os.environ['WANDB_API_KEY']}".encode()).decode()
    request = urllib.request.Request(
        os.environ["WANDB_BASE_URL"] + "/graphql",
        data=json.dumps({"query": query}).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Basic {user}"},
    )
    with urllib.request.urlopen(request) as answer:
        body = json.load(answer)
    assert not body.get("errors"), body
    return body["data"]


def run_in_emulator(name: str) -> dict:
    fields = "state displayName tags config summaryMetrics historyLineCount outputArtifacts { totalCount }"
    query = f'{{ project(name: "{PROJECT}", entityName: "{ENTITY}") {{ run(name: "{name}") {{ {fields} }} }} }}'
    return graphql(query)["project"]["run"]


def summary_of(name: str) -> dict:
    return json.loads(run_in_emulator(name)["summaryMetrics"])


def new_run(name: str, **options):
    return wandb.init(entity=ENTITY, project=PROJECT, id=name, name=name, **options)


def logged_run(name: str) -> None:
    with new_run(name, config={"lr": 0.1}) as run:
        for loss in LOSSES:
            run.log({"loss": loss})


def folder(**files: str) -> str:
    root = Path(tempfile.mkdtemp())
    for name, content in files.items():
        (root / f"{name}.txt").write_text(content)
    return str(root)


def artifact_with(name: str, *, kind: str = "dataset", **files: str):
    artifact = wandb.Artifact(name, type=kind, metadata={"files": len(files)})
    artifact.add_dir(folder(**files))
    return artifact


def log_versions(name: str, *contents: str) -> None:
    """Logs one version for each content."""
    with new_run(name) as run:
        for index, content in enumerate(contents):
            artifact = artifact_with(name, data=content)
            run.log_artifact(artifact, aliases=["latest", f"step{index}"]).wait()


@example("a run opens with its config", "init")
def open_run():
    with new_run("open", config={"lr": 0.1, "deep": {"er": [1, 2]}}, tags=["good"], notes="First") as run:
        assert (run.entity, run.project, run.id, run.name) == (ENTITY, PROJECT, "open", "open")
        assert run.url.startswith(os.environ["WANDB_BASE_URL"]), run.url
        seen = run_in_emulator("open")
        assert (seen["state"], seen["displayName"], seen["tags"]) == ("running", "open", ["good"])
        config = json.loads(seen["config"])
        assert config["lr"]["value"] == 0.1, config
        assert config["deep"]["value"] == {"er": [1, 2]}, config
        run.config.update({"layers": 3})
    assert json.loads(run_in_emulator("open")["config"])["layers"]["value"] == 3


@example("the entity and the project have defaults", "init")
def open_run_without_names():
    with wandb.init() as run:
        # The project has the name of the repository that the program is in.
        assert run.entity == ENTITY and run.project, (run.entity, run.project)


@example("metrics, their axes and a summary", "log")
def log_metrics():
    with new_run("metrics") as run:
        run.define_metric("step")
        run.define_metric("train/*", step_metric="step")
        for step, loss in enumerate(LOSSES):
            run.log({"train/loss": loss, "step": step, "nested": {"a": step}})
        run.log({"accuracy": 0.5}, step=100)
        run.summary["best"] = min(LOSSES)
    seen = summary_of("metrics")
    assert seen["train/loss"] == LOSSES[-1] and seen["best"] == min(LOSSES), seen
    assert seen["nested"] == {"a": 19} and seen["accuracy"] == 0.5 and seen["_step"] == 100, seen
    assert run_in_emulator("metrics")["historyLineCount"] == 21


@example("tables and histograms", "log")
def log_media():
    with new_run("media") as run:
        run.log({"samples": wandb.Table(columns=["prompt", "score"], data=[["Hello", 1.0]])})
        run.log({"scores": wandb.Histogram(np_histogram=([1, 2], [0, 1, 2]))})
        run.alert(title="Odd", text="The loss is odd.")
    seen = summary_of("media")
    assert seen["samples"]["_type"] == "table-file" and seen["scores"]["_type"] == "histogram", seen


@example("a run that ends", "finish")
def finish():
    run = new_run("ended")
    run.log({"loss": 1})
    run.finish()
    assert run_in_emulator("ended")["state"] == "finished"


@example("a run whose program fails", "finish")
def finish_with_failure():
    try:
        with new_run("failed"):
            raise KeyError("loss")
    except KeyError:
        pass
    assert run_in_emulator("failed")["state"] == "failed"


@example("a run goes on where it ended", "resume")
def resume():
    logged_run("resumed")
    with new_run("resumed", resume="must") as run:
        assert run.resumed and run.config["lr"] == 0.1 and run.summary["loss"] == LOSSES[-1]
        assert run.starting_step == len(LOSSES), run.starting_step
        run.log({"loss": 0.0})
    seen = run_in_emulator("resumed")
    assert seen["historyLineCount"] == len(LOSSES) + 1 and seen["state"] == "finished", seen


@example("resume='allow' also opens a new run", "resume")
def resume_or_open():
    with new_run("allowed", resume="allow") as run:
        assert not run.resumed
    assert run_in_emulator("allowed")["state"] == "finished"


@example("resume='must' and 'never' refuse", "resume")
def resume_refused():
    logged_run("there")
    for name, how in (("absent", "must"), ("there", "never")):
        try:
            new_run(name, resume=how)
        except wandb.errors.UsageError as error:
            assert name in str(error), error
        else:
            raise AssertionError(f"{name} was opened with resume={how}")


@example("a run without a network, uploaded later", "offline, sync")
def sync():
    with new_run("offline", mode="offline", config={"lr": 0.1}) as run:
        for loss in LOSSES:
            run.log({"loss": loss})
        run.log_artifact(artifact_with("offline-rows", data="a"))
        directory = str(Path(run.dir).parent)
    command = [sys.executable, "-m", "wandb", "sync", directory]
    synced = subprocess.run(command, capture_output=True, text=True)
    print(synced.stdout, synced.stderr, file=sys.stderr)
    assert synced.returncode == 0
    seen = run_in_emulator("offline")
    assert seen["state"] == "finished" and seen["historyLineCount"] == len(LOSSES), seen
    assert json.loads(seen["config"])["lr"]["value"] == 0.1
    assert json.loads(seen["summaryMetrics"])["loss"] == LOSSES[-1]
    assert wandb.Api().artifact(f"{OF_PROJECT}/offline-rows:latest").state == "COMMITTED"


@example("a new version for new content only", "log_artifact")
def log_artifact():
    log_versions("rows", "a", "b", "b")
    versions = wandb.Api().artifacts("dataset", f"{OF_PROJECT}/rows")
    assert sorted(each.version for each in versions) == ["v0", "v1"]


@example("a file, a reference and metadata", "log_artifact")
def log_references():
    with new_run("references") as run:
        artifact = artifact_with("mixed", data="a")
        artifact.add_reference("https://example.com/rows.jsonl", name="far.jsonl", checksum=False)
        with artifact.new_file("new.txt") as file:
            file.write("new")
        run.log_artifact(artifact, tags=["clean"]).wait()
    read = wandb.Api().artifact(f"{OF_PROJECT}/mixed:v0")
    assert sorted(read.manifest.entries) == ["data.txt", "far.jsonl", "new.txt"], read.manifest.entries
    assert read.metadata == {"files": 1} and read.tags == ["clean"], (read.metadata, read.tags)
    assert read.manifest.entries["far.jsonl"].ref == "https://example.com/rows.jsonl"
    with new_run("refers") as run:
        near = artifact_with("near", data="b")
        near.add_reference(read.get_entry("data.txt"), "copy/data.txt")
        run.log_artifact(near).wait()
    folder = wandb.Api().artifact(f"{OF_PROJECT}/near:v0").download(tempfile.mkdtemp())
    assert Path(folder, "copy/data.txt").read_text() == "a"


@example("a program waits until its artifact is committed", "wait")
def wait():
    with new_run("waits") as run:
        artifact = run.log_artifact(artifact_with("waited", data="a"), aliases=["latest", "best"])
        waited = artifact.wait()
        assert (waited.state, waited.version, waited.name) == ("COMMITTED", "v0", "waited:v0")
        assert sorted(waited.aliases) == ["best", "latest"], waited.aliases


@example("an artifact becomes the input of a run", "use_artifact")
def use_artifact():
    log_versions("input", "a", "b")
    with new_run("uses") as run:
        used = run.use_artifact("input:step0")
        assert used.version == "v0"
        assert run.use_artifact(f"{OF_PROJECT}/input:latest", type="dataset").version == "v1"
    assert [each.id for each in used.used_by()] == ["uses"]
    assert used.logged_by().id == "input"


@example("the files of a version", "download")
def download():
    log_versions("files", "a" * 1000, "b" * 1000)
    artifact = wandb.Api().artifact(f"{OF_PROJECT}/files:step0", type="dataset")
    path = Path(artifact.download(root=tempfile.mkdtemp()))
    assert [each.name for each in path.iterdir()] == ["data.txt"]
    assert (path / "data.txt").read_text() == "a" * 1000
    assert Path(artifact.get_entry("data.txt").download(tempfile.mkdtemp())).read_text() == "a" * 1000
    assert artifact.verify(root=str(path)) is None


@example("a version in a registry, and in a collection", "link")
def link():
    with new_run("links") as run:
        artifact = run.log_artifact(artifact_with("linked", kind="model", data="a")).wait()
        run.link_artifact(artifact, f"{OF_PROJECT}/poets", aliases=["prod"])
        artifact.link(f"{ENTITY}/wandb-registry-model/poets", aliases=["best"])
    api = wandb.Api()
    for name in (f"{OF_PROJECT}/poets:prod", f"{ENTITY}/wandb-registry-model/poets:best"):
        linked = api.artifact(name)
        assert linked.source_qualified_name == f"{OF_PROJECT}/linked:v0", linked.source_qualified_name
    linked.unlink()
    assert not wandb.Api().artifact_exists(f"{ENTITY}/wandb-registry-model/poets:best")


@example("runs of a project, by filter and order", "Api: runs")
def api_runs():
    for name in ("one", "two"):
        logged_run(name)
    api = wandb.Api()
    assert api.default_entity == ENTITY
    run = api.run(f"{OF_PROJECT}/one")
    assert (run.state, run.config, run.summary["loss"]) == ("finished", {"lr": 0.1}, LOSSES[-1])
    filters = {"$and": [{"state": "finished"}, {"config.lr": 0.1}, {"display_name": {"$regex": "^(one|two)$"}}]}
    runs = api.runs(OF_PROJECT, filters=filters, order="+created_at")
    assert [each.id for each in runs] == ["one", "two"] and len(runs) == 2
    run.tags.append("read")
    run.config["seen"] = True
    run.summary["checked"] = 1
    run.update()
    again = wandb.Api().run(f"{OF_PROJECT}/one")
    assert (again.tags, again.config, again.summary["checked"]) == (["read"], {"lr": 0.1, "seen": True}, 1)
    assert PROJECT in [each.name for each in api.projects(ENTITY)]
    assert wandb.Api().viewer.username == "local-user"
    again.delete()
    assert [each.id for each in wandb.Api().runs(OF_PROJECT, filters=filters)] == ["two"]


@example("a run or an artifact that is not there", "Api: runs")
def api_missing():
    for read in (
        lambda: wandb.Api().run(f"{OF_PROJECT}/nothing"),
        lambda: list(wandb.Api().runs(f"{ENTITY}/no-project")),
        lambda: wandb.Api().artifact(f"{OF_PROJECT}/nothing:v0"),
    ):
        try:
            read()
        except (ValueError, wandb.errors.CommError) as error:
            print("Refused:", error, file=sys.stderr)
        else:
            raise AssertionError("nothing was refused")


@example("sampled and whole", "history")
def api_history():
    logged_run("history")
    run = wandb.Api().run(f"{OF_PROJECT}/history")
    assert [row["loss"] for row in run.scan_history()] == LOSSES
    assert [row["loss"] for row in run.scan_history(min_step=5, max_step=8)] == LOSSES[5:8]
    assert [row["loss"] for row in run.scan_history(keys=["loss"])] == LOSSES
    assert len(run.history(samples=10, pandas=False, keys=["loss"])) == 10
    assert len(run.history(pandas=False)) == len(LOSSES)
    assert run.lastHistoryStep == len(LOSSES) - 1
    system = run.history(stream="system", pandas=False)
    assert isinstance(system, list)


@example("files that a run has, and new ones", "files")
def api_files():
    with new_run("files") as run:
        Path(run.dir, "notes.txt").write_text("Hello")
        run.save(str(Path(run.dir, "notes.txt")), base_path=run.dir)
        print("a line of output")
    run = wandb.Api().run(f"{OF_PROJECT}/files")
    names = [each.name for each in run.files()]
    assert {"notes.txt", "config.yaml", "wandb-summary.json", "output.log"} <= set(names), names
    assert run.file("notes.txt").size == 5
    with run.file("notes.txt").download(root=tempfile.mkdtemp()) as file:
        assert file.read() == "Hello"
    later = Path(folder(later="later"), "later.txt")
    run.upload_file(str(later), root=str(later.parent))
    assert "later.txt" in [each.name for each in wandb.Api().run(f"{OF_PROJECT}/files").files()]
    run.file("notes.txt").delete()
    assert "notes.txt" not in [each.name for each in wandb.Api().run(f"{OF_PROJECT}/files").files()]


@example("what a program printed", "files", needs="Run.console_logs()")
def api_console():
    with new_run("printed"):
        print("a line of output")
        print("a line of an error", file=sys.stderr)
    lines = list(wandb.Api().run(f"{OF_PROJECT}/printed").console_logs())
    seen = [(each.number, each.level, each.content) for each in lines]
    # Between them, the SDK prints lines of its own in some versions.
    assert (0, "", "a line of output") in seen and "error" in [level for _, level, _ in seen], seen
    assert lines[0].timestamp is not None
    assert [each.content for each in wandb.Api().run(f"{OF_PROJECT}/printed").console_logs(last=1)] == [lines[-1].content]


@example("types, collections, versions and files", "artifacts")
def api_artifacts():
    log_versions("versions", "a", "b")
    api = wandb.Api()
    name = f"{OF_PROJECT}/versions"
    assert "dataset" in [each.name for each in api.artifact_types(OF_PROJECT)]
    assert "versions" in [each.name for each in api.artifact_type("dataset", OF_PROJECT).collections()]
    assert "versions" in [each.name for each in api.artifact_collections(OF_PROJECT, "dataset")]
    versions = [(each.version, sorted(each.aliases)) for each in api.artifacts("dataset", name)]
    assert versions == [("v1", ["latest", "step1"]), ("v0", ["step0"])], versions
    assert [each.name for each in api.run(name).logged_artifacts()] == ["versions:v0", "versions:v1"]
    with new_run("reader") as run:
        run.use_artifact("versions:step0")
    assert [each.name for each in api.run(f"{OF_PROJECT}/reader").used_artifacts()] == ["versions:v0"]
    artifact = api.artifact(f"{name}:step0")
    assert [each.name for each in artifact.files()] == ["data.txt"]
    assert api.artifact_exists(f"{name}:v1") and not api.artifact_exists(f"{name}:v9")
    assert api.artifact_collection_exists(name, "dataset")


@example("aliases, tags, metadata and deletion", "artifacts")
def api_change_artifacts():
    log_versions("changed", "a", "b")
    name = f"{OF_PROJECT}/changed"
    artifact = wandb.Api().artifact(f"{name}:v0")
    artifact.aliases.append("checked")
    artifact.aliases.remove("step0")
    artifact.metadata["seen"] = True
    artifact.tags = ["good"]
    artifact.description = "Rows"
    artifact.save()
    read = wandb.Api().artifact(f"{name}:checked")
    assert (read.version, read.aliases, read.tags) == ("v0", ["checked"], ["good"])
    assert (read.metadata, read.description) == ({"files": 1, "seen": True}, "Rows")
    wandb.Api().artifact(f"{name}:v1").delete(delete_aliases=True)
    assert [each.version for each in wandb.Api().artifacts("dataset", name)] == ["v0"]
    collection = wandb.Api().artifact_collection("dataset", name)
    collection.description, collection.tags = "Of a test", ["kept"]
    collection.save()
    collection = wandb.Api().artifact_collection("dataset", name)
    assert (collection.description, collection.tags) == ("Of a test", ["kept"])


# What this version has.
HAS = {"Run.console_logs()": hasattr(wandb.apis.public.Run, "console_logs")}

[capability] = sys.argv[1:]
examples[:] = [each for each in examples if each["part"] == capability]
run(HAS)
