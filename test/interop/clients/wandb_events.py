"""The SDK of the platform logs runs and an artifact, which automations of the test watch."""

import wandb
from rows import ENTITY, PROJECT, rows

with wandb.init(entity=ENTITY, project=PROJECT, id="poem", name="My poem") as run:
    for step in range(4):
        run.log({"loss": 4 - step, "eval": {"accuracy": step / 4}})
    artifact = rows(b'{"messages": []}\n', metadata={"rows": 1, "split": "train"})
    run.log_artifact(artifact, aliases=["best"], tags=["clean"]).wait()

artifact = wandb.Api().artifact(f"{ENTITY}/{PROJECT}/rows:best")
artifact.aliases.append("checked")
artifact.tags = [*artifact.tags, "good"]
artifact.save()
artifact.link(f"{ENTITY}/models/rows", aliases=["prod"])

failed = wandb.init(entity=ENTITY, project=PROJECT, id="ode")
failed.log({"loss": 1})
failed.finish(exit_code=1)
