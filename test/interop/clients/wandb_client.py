"""The SDK of runs and artifacts meets failures. Prints what it says as JSON."""

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

import wandb

ENTITY, PROJECT = "local-team", "verse"
ROWS = f"{ENTITY}/{PROJECT}/rows"


def folder(**files):
    root = Path(tempfile.mkdtemp())
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return str(root)


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
    "open": fail_to_open,
    "commit": fail_to_commit,
    "download": fail_to_download,
}

os.environ["NETRC"] = os.path.join(tempfile.mkdtemp(), "netrc")
result = STORIES[sys.argv[1]]()
sys.stdout.write("\n" + json.dumps(result) + "\n")
