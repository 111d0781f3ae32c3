"""An artifact with one file, which most programs with wandb log."""

import tempfile
from pathlib import Path

import wandb

ENTITY, PROJECT = "local-team", "verse"


def rows(content: bytes, **facts) -> wandb.Artifact:
    path = Path(tempfile.mkdtemp()) / "rows.jsonl"
    path.write_bytes(content)
    artifact = wandb.Artifact("rows", type="dataset", **facts)
    artifact.add_file(str(path))
    return artifact
