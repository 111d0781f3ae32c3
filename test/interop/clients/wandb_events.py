"""The SDK of the platform logs runs and an artifact, which automations of the test watch."""

import tempfile
from pathlib import Path

import wandb

ENTITY, PROJECT = "local-team", "verse"

rows = Path(tempfile.mkdtemp()) / "rows.jsonl"
rows.write_text('{"messages": []}\n')

with wandb.init(entity=ENTITY, project=PROJECT, id="poem", name="My poem") as run:
    for step in range(4):
        run.log({"loss": 4 - step, "eval": {"accuracy": step / 4}})
    artifact = wandb.Artifact("rows", type="dataset", metadata={"rows": 1, "split": "train"})
    artifact.add_file(str(rows))
    run.log_artifact(artifact, aliases=["best"], tags=["clean"]).wait()

artifact = wandb.Api().artifact(f"{ENTITY}/{PROJECT}/rows:best")
artifact.aliases.append("checked")
artifact.tags = [*artifact.tags, "good"]
artifact.save()
artifact.link(f"{ENTITY}/models/rows", aliases=["prod"])

failed = wandb.init(entity=ENTITY, project=PROJECT, id="ode")
failed.log({"loss": 1})
failed.finish(exit_code=1)
