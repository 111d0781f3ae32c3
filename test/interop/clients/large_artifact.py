"""The SDK of the platform logs one large file as an artifact, and downloads it. Prints what it sees as JSON."""

import hashlib
import json
import os
import random
import sys
import tempfile
from pathlib import Path

import wandb

PART = 4 * 1024 * 1024


def written(path, parts):
    """Writes a file of parts of 4 MB, and returns its digest."""
    draw = random.Random(1)
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for _ in range(parts):
            part = draw.randbytes(PART)
            digest.update(part)
            file.write(part)
    return digest.hexdigest()


def digest_of(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main():
    parts = int(sys.argv[1]) * 1024 * 1024 // PART
    folder = Path(tempfile.mkdtemp(dir=os.environ["WANDB_DIR"]))
    sent = written(folder / "weights.bin", parts)
    with wandb.init(entity="local-team", project="verse") as run:
        artifact = wandb.Artifact("weights", "model")
        artifact.add_file(str(folder / "weights.bin"), policy="immutable", skip_cache=True)
        run.log_artifact(artifact).wait()
        state = artifact.state
    (folder / "weights.bin").unlink()
    artifact = wandb.Api().artifact("local-team/verse/weights:latest")
    received = Path(artifact.download(root=str(folder / "received"), skip_cache=True)) / "weights.bin"
    print(json.dumps({"state": state, "size": received.stat().st_size, "equal": digest_of(received) == sent}))


os.environ["NETRC"] = os.path.join(tempfile.mkdtemp(), "netrc")
main()
