"""The SDK of runs and artifacts meets failures. Prints what it says as JSON."""

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

import wandb
from rows import ENTITY, PROJECT, rows



def fail_to_open():
    try:
        wandb.init(entity=ENTITY, project=PROJECT)
    except Exception as error:
        return str(error)
    return None


def fail_to_commit():
    with wandb.init(entity=ENTITY, project=PROJECT) as run:
        artifact = rows(b"a")
        run.log_artifact(artifact)
        try:
            artifact.wait()
        except Exception as error:
            return str(error)
    return None


def fail_to_download():
    with wandb.init(entity=ENTITY, project=PROJECT) as run:
        artifact = wandb.Artifact("rows", type="dataset")
        for name in ("a", "b"):
            path = Path(tempfile.mkdtemp()) / f"{name}.txt"
            path.write_text(name)
            artifact.add_file(str(path), skip_cache=True)
        run.log_artifact(artifact).wait()
    (Path(sys.argv[2]) / "contents" / hashlib.md5(b"a").hexdigest()).unlink()
    artifact = wandb.Api().artifact(f"{ENTITY}/{PROJECT}/rows:latest")
    seen = {}
    for name in ("a", "b"):
        try:
            root = artifact.download(tempfile.mkdtemp(), path_prefix=name, skip_cache=True)
            seen[name] = (Path(root) / f"{name}.txt").read_text()
        except Exception as error:
            seen[name] = str(error)
    return seen


STORIES = {
    "open": fail_to_open,
    "commit": fail_to_commit,
    "download": fail_to_download,
}

os.environ["NETRC"] = os.path.join(tempfile.mkdtemp(), "netrc")
result = STORIES[sys.argv[1]]()
sys.stdout.write("\n" + json.dumps(result) + "\n")
