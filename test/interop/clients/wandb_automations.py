"""The SDK makes automations of the events and scopes that it is told, and then does what they watch, once."""

import json
import sys

import wandb
import wandb.automations as automations
from wandb_programs import ENTITY, PROJECT, rows
from wandb.automations import ArtifactEvent, RunEvent, SendWebhook

REGISTRY = "wandb-registry-models"
IN_REGISTRY = ("registry", "portfolio")
# Old versions watch collections and projects, and no states.
IS_OLD = not hasattr(automations, "OnRunState")

api = wandb.Api()
hook = next(api.webhook_integrations(entity=ENTITY))


def log_rows(text, **labels):
    with wandb.init(entity=ENTITY, project=PROJECT, name="My poem") as run:
        for loss in (10, 10.5, 9.5, 10, 10.2, 1):
            run.log({"loss": loss})
        return run.log_artifact(rows(text.encode()), **labels).wait()


def filter_for(event, scope):
    of_run = RunEvent.name.matches_regex("^My")
    loss = RunEvent.metric("loss")
    match event:
        case "AddArtifactAlias":
            return ArtifactEvent.alias.eq("prod" if scope in IN_REGISTRY else "best")
        case "AddArtifactTag" | "RemoveArtifactTag":
            return ArtifactEvent.tag.eq("good")
        case "AddCollectionTag" | "RemoveCollectionTag":
            return ArtifactEvent.tag.eq("nice" if scope in IN_REGISTRY else "clean")
        case "RunMetric":
            return loss.avg(1).lt(2) & of_run
        case "RunMetricChange":
            return loss.decreases_by(diff=5) & of_run
        case "RunMetricZscore":
            return (loss.zscore(4) < -3) & of_run
        case "RunState":
            return RunEvent.state.eq("finished") & of_run
        case _:
            return None


def make(name, event, scope, **facts):
    of_metric = event.startswith("RunMetric")
    kind = getattr(automations, "OnRunMetric" if of_metric else f"On{event}")
    given = facts.pop("filter", None) or filter_for(event, scope)
    condition = kind(scope=scopes[scope], **({} if given is None else {"filter": given}))
    payload = {
        "automation": name,
        "of": "${artifact_version_string}${run_name}",
        "what": "${alias}${tag}${run_state}${metric_value}",
    }
    action = SendWebhook.from_integration(hook, payload=payload)
    api.create_automation(condition >> action, name=name, **facts)


# Collections are there before their automations. What happens to them now fires nothing.
first = log_rows("one")
api.create_project("prose", ENTITY)
registry = api.create_registry("models", visibility="organization", organization=ENTITY)
first.link(f"{REGISTRY}/poems")
scopes = {
    "collection": api.artifact_collection("dataset", f"{ENTITY}/{PROJECT}/rows"),
    "portfolio": api.artifact_collection("dataset", f"{ENTITY}/{REGISTRY}/poems"),
    "project": api.project(PROJECT, entity=ENTITY),
    "other": api.project("prose", entity=ENTITY),
}
if not IS_OLD:
    scopes["registry"] = api.registry("models", organization=ENTITY)
    scopes["team"] = api.team(ENTITY)
    scopes["organization"] = api.organization(ENTITY)
for event, names in json.loads(sys.argv[1]).items():
    for scope in names:
        make(f"{event} {scope}", event, scope)
make("never: an alias", "AddArtifactAlias", "project", filter=ArtifactEvent.alias.eq("worst"))
is_low = RunEvent.metric("loss").avg(1).lt(2)
make("never: a run", "RunMetric", "project", filter=is_low & (RunEvent.name == "ode"))
if not IS_OLD:
    make("never: a state", "RunState", "team", filter=RunEvent.state.eq("failed"))
make("never: another project", "RunMetric", "other")
make("never: disabled", "RunMetric", "project", enabled=False)
make("never: disabled later", "RunMetric", "project")
api.update_automation(api.automation("never: disabled later", entity=ENTITY), enabled=False)
make("never: deleted", "RunMetric", "project")
api.delete_automation(api.automation("never: deleted", entity=ENTITY))

second = log_rows("two", aliases=["best"])
second.link(f"{REGISTRY}/poems", aliases=["prod"])
artifact = api.artifact(f"{ENTITY}/{PROJECT}/rows:best")
for tags in (["good"], []):
    artifact.tags = tags
    artifact.save()
for scope, tag in (("collection", "clean"), ("portfolio", "nice")):
    collection = scopes[scope]
    for tags in ([tag], []):
        collection.tags = tags
        collection.save()
api.artifact(f"{ENTITY}/{REGISTRY}/poems:prod").unlink()
