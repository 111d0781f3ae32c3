"""Programs with the SDK of runs and artifacts. The arguments name them, such as `events` or `large:320`.

Prints what the last one saw as JSON.
"""

import hashlib
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import wandb

ENTITY, PROJECT = "local-team", "verse"
RUN = {"entity": ENTITY, "project": PROJECT}
PART = 4 * 1024 * 1024


def rows(content: bytes, **facts) -> wandb.Artifact:
    """An artifact with one file."""
    path = Path(tempfile.mkdtemp()) / "rows.jsonl"
    path.write_bytes(content)
    artifact = wandb.Artifact("rows", type="dataset", **facts)
    artifact.add_file(str(path))
    return artifact


# What automations watch


def events():
    with wandb.init(**RUN, id="poem", name="My poem") as run:
        for step in range(4):
            run.log({"loss": 4 - step, "eval": {"accuracy": step / 4}})
        artifact = rows(b'{"messages": []}\n', metadata={"rows": 1, "split": "train"})
        run.log_artifact(artifact, aliases=["best"], tags=["clean"]).wait()
    artifact = wandb.Api().artifact(f"{ENTITY}/{PROJECT}/rows:best")
    artifact.aliases.append("checked")
    artifact.tags = [*artifact.tags, "good"]
    artifact.save()
    artifact.link(f"{ENTITY}/models/rows", aliases=["prod"])
    failed = wandb.init(**RUN, id="ode")
    failed.log({"loss": 1})
    failed.finish(exit_code=1)


# Failures, and what the SDK says of them


def fail_to_open():
    try:
        wandb.init(**RUN)
    except Exception as error:
        return str(error)


def fail_to_commit():
    with wandb.init(**RUN) as run:
        artifact = rows(b"a")
        run.log_artifact(artifact)
        try:
            artifact.wait()
        except Exception as error:
            return str(error)


def fail_to_download(data):
    with wandb.init(**RUN) as run:
        artifact = wandb.Artifact("rows", type="dataset")
        for name in ("a", "b"):
            path = Path(tempfile.mkdtemp()) / f"{name}.txt"
            path.write_text(name)
            artifact.add_file(str(path), skip_cache=True)
        run.log_artifact(artifact).wait()
    (Path(data) / "contents" / hashlib.md5(b"a").hexdigest()).unlink()
    artifact = wandb.Api().artifact(f"{ENTITY}/{PROJECT}/rows:latest")
    seen = {}
    for name in ("a", "b"):
        try:
            root = artifact.download(tempfile.mkdtemp(), path_prefix=name, skip_cache=True)
            seen[name] = (Path(root) / f"{name}.txt").read_text()
        except Exception as error:
            seen[name] = str(error)
    return seen


def large(megabytes):
    """Log one large file as an artifact, and download it."""
    folder = Path(tempfile.mkdtemp(dir=os.environ["WANDB_DIR"]))
    sent = folder / "weights.bin"
    draw, digest = random.Random(1), hashlib.sha256()
    with sent.open("wb") as file:
        for _ in range(int(megabytes) * 1024 * 1024 // PART):
            part = draw.randbytes(PART)
            digest.update(part)
            file.write(part)
    with wandb.init(**RUN) as run:
        artifact = wandb.Artifact("weights", "model")
        artifact.add_file(str(sent), policy="immutable", skip_cache=True)
        run.log_artifact(artifact).wait()
        state = artifact.state
    sent.unlink()
    artifact = wandb.Api().artifact(f"{ENTITY}/{PROJECT}/weights:latest")
    received = Path(artifact.download(root=str(folder / "received"), skip_cache=True)) / sent.name
    with received.open("rb") as file:
        is_equal = hashlib.file_digest(file, "sha256").digest() == digest.digest()
    return {"state": state, "size": received.stat().st_size, "equal": is_equal}


# Mistakes, and the same programs without them


def steps_in_order():
    with wandb.init(**RUN) as run:
        for step in (1, 5, 6):
            run.log({"loss": 1 / step}, step=step)


def steps_out_of_order():
    with wandb.init(**RUN) as run:
        for step in (1, 5, 3):
            run.log({"loss": 1 / step}, step=step)
        # The SDK prints in the background what it drops. A run that ends before has no line of it.
        output = Path(run.dir, "output.log")
        while not (output.exists() and "Tried to log" in output.read_text()):
            time.sleep(0.05)


def two_runs_of_one_id():
    for first in (5, 1):
        with wandb.init(**RUN, id="shared") as run:
            run.log({"loss": 1}, step=first)


def run_at_exit():
    run = wandb.init(**RUN)
    run.log({"loss": 1})


def run_that_is_killed():
    run_at_exit()
    os._exit(1)


def artifact_that_is_logged():
    with wandb.init(**RUN) as run:
        run.log_artifact(rows(os.urandom(1024)))


def artifact_that_is_cut_off():
    """The emulator delays the upload of the file, and the program does not wait for it."""
    run = wandb.init(**RUN)
    run.log_artifact(rows(os.urandom(1024)))
    time.sleep(2)
    os._exit(1)


if __name__ == "__main__":
    for word in sys.argv[1:]:
        name, *argument = word.split(":", 1)
        seen = globals()[name](*argument)
    sys.stdout.write("\n" + json.dumps(seen) + "\n")
