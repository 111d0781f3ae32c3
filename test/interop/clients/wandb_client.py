"""The SDK of the platform logs runs and artifacts, and reads them back. Prints what it sees as JSON."""

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

import wandb

ENTITY, PROJECT = "local-team", "verse"
RUN = f"{ENTITY}/{PROJECT}/poem"
ROWS = f"{ENTITY}/{PROJECT}/rows"


def folder(**files):
    root = Path(tempfile.mkdtemp())
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return str(root)


def log_run():
    with wandb.init(
        entity=ENTITY, project=PROJECT, id="poem", name="My poem", config={"lr": 0.1}, tags=["good"]
    ) as run:
        for step in range(200):
            run.log({"loss": 1 / (step + 1), "accuracy": step / 200})
        run.summary["best"] = 0.5
    with wandb.init(entity=ENTITY, project=PROJECT, id="poem", resume="allow") as run:
        resumed = {"resumed": run.resumed, "config": dict(run.config), "best": run.summary["best"]}
        run.log({"loss": 0.0})
    return resumed


def read_run():
    run = wandb.Api().run(RUN)
    file = run.file("config.yaml").download(root=tempfile.mkdtemp())
    return {
        "state": run.state,
        "name": run.name,
        "config": run.config,
        "tags": run.tags,
        "best": run.summary["best"],
        "history": len(run.history(pandas=False)),
        "last": {k: v for k, v in run.history(pandas=False)[-1].items() if k in ("_step", "loss")},
        "scanned": len(list(run.scan_history())),
        "steps": [row["_step"] for row in run.scan_history(min_step=10, max_step=13)],
        "sampled": len(run.history(keys=["loss"], samples=10, pandas=False)),
        "lr in the file": "lr:" in file.read(),
        "finished": [each.id for each in wandb.Api().runs(f"{ENTITY}/{PROJECT}", {"state": "finished"})],
    }


def log_artifacts():
    files = {"train_jsonl": b'{"a": 1}\n' * 1000, "sub__all_bin": bytes(range(256)) * 1000}
    seen = {}
    with wandb.init(entity=ENTITY, project=PROJECT, id="poem", resume="allow") as run:
        first = wandb.Artifact("rows", type="dataset", metadata={"rows": 1000}, description="Rows")
        first.add_dir(folder(**files))
        run.log_artifact(first, aliases=["latest", "best"], tags=["clean"]).wait()
        seen["first"] = [first.version, first.state, first.aliases, first.tags, first.size]
        again = wandb.Artifact("rows", type="dataset")
        again.add_dir(folder(**files))
        seen["again"] = run.log_artifact(again).wait().version
        second = wandb.Artifact("rows", type="dataset")
        second.add_dir(folder(**{**files, "more_txt": b"more"}))
        seen["second"] = run.log_artifact(second, aliases=["step7"]).wait().version
        used = run.use_artifact("rows:best")
        downloaded = Path(used.download(root=tempfile.mkdtemp()))
        seen["downloaded"] = [
            sorted(each.name for each in downloaded.rglob("*") if each.is_file()),
            (downloaded / "sub/all.bin").read_bytes() == files["sub__all_bin"],
        ]
    return seen


def read_artifacts():
    api = wandb.Api()
    artifact = api.artifact(f"{ROWS}:best")
    artifact.aliases.append("checked")
    artifact.metadata["seen"] = True
    artifact.tags = ["good"]
    artifact.save()
    link = artifact.link(f"{ENTITY}/registry/data", aliases=["prod"])
    seen = {
        "versions": [[each.version, each.aliases] for each in api.artifacts("dataset", ROWS)],
        "metadata": api.artifact(f"{ROWS}:checked").metadata,
        "logged by": artifact.logged_by().id,
        "used by": [each.id for each in artifact.used_by()],
        "one file": Path(artifact.get_entry("sub/all.bin").download(tempfile.mkdtemp(), skip_cache=True)).stat().st_size,
        "of the run": [each.name for each in api.run(RUN).logged_artifacts()],
        "exists": [api.artifact_exists(f"{ROWS}:{alias}") for alias in ("step7", "step8")],
        "link": [link.qualified_name, link.source_qualified_name, sorted(link.aliases)],
    }
    api.artifact(f"{ROWS}:v1").delete(delete_aliases=True)
    seen["after the deletion"] = [each.version for each in api.artifacts("dataset", ROWS)]
    return seen


def read_what_is_missing():
    errors = {}
    for name, read in {
        "artifact": lambda: wandb.Api().artifact(f"{ROWS}:nothing"),
        "run": lambda: wandb.Api().run(f"{ENTITY}/{PROJECT}/nothing"),
    }.items():
        try:
            read()
            errors[name] = None
        except Exception as error:
            errors[name] = str(error)
    return errors


def fail_to_open():
    try:
        wandb.init(entity=ENTITY, project=PROJECT)
    except Exception as error:
        return str(error)
    return None


def fail_to_commit():
    with wandb.init(entity=ENTITY, project=PROJECT) as run:
        artifact = wandb.Artifact("rows", type="dataset")
        artifact.add_dir(folder(a_txt=b"a"))
        run.log_artifact(artifact)
        try:
            artifact.wait()
        except Exception as error:
            return str(error)
    return None


def fail_to_download():
    with wandb.init(entity=ENTITY, project=PROJECT) as run:
        artifact = wandb.Artifact("rows", type="dataset")
        artifact.add_dir(folder(a_txt=b"a", b_txt=b"b"), skip_cache=True)
        run.log_artifact(artifact).wait()
    (Path(sys.argv[2]) / "contents" / hashlib.md5(b"a").hexdigest()).unlink()
    artifact = wandb.Api().artifact(f"{ROWS}:latest")
    seen = {}
    for name in ("a", "b"):
        try:
            root = artifact.download(tempfile.mkdtemp(), path_prefix=name, skip_cache=True)
            seen[name] = (Path(root) / f"{name}.txt").read_text()
        except Exception as error:
            seen[name] = str(error)
    return seen


STORIES = {
    "whole": lambda: [log_run(), read_run(), log_artifacts(), read_artifacts(), read_what_is_missing()],
    "open": fail_to_open,
    "commit": fail_to_commit,
    "download": fail_to_download,
}

os.environ["NETRC"] = os.path.join(tempfile.mkdtemp(), "netrc")
result = STORIES[sys.argv[1]]()
sys.stdout.write("\n" + json.dumps(result) + "\n")
