"""A client of the training API, as users write one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Sequence

    from svtrain_emulator import World


def api_of(world: World) -> httpx.Client:
    key = {"Authorization": f"Bearer {world.api_key}"}
    # To load certificates takes longer than a test, and the emulator has none.
    return httpx.Client(base_url=world.training_url, headers=key, trust_env=False, verify=False)


def submit(
    api: httpx.Client, name: str = "poet", *, rewards: Sequence[float] = (1.0, 0.0)
) -> dict[str, Any]:
    wanted = {
        "project": "demo",
        "name": name,
        "base_model": "example/base-8b-instruct",
        "return_existing": True,
    }
    model = api.post("/preview/models", json=wanted).raise_for_status().json()
    group = {"trajectories": [{"reward": each} for each in rewards]}
    batch = {"model_id": model["id"], "trajectory_groups": [group]}
    job: dict[str, Any] = api.post("/preview/training-jobs", json=batch).raise_for_status().json()
    return job


def submit_twice(world: World) -> None:
    """Make the mistake that the check `duplicate_jobs` finds."""
    with api_of(world) as api:
        submit(api)
        submit(api)


def chat(world: World, model: str = "example/base-8b-instruct", text: str = "Hi") -> None:
    asked = {"model": model, "messages": [{"role": "user", "content": text}]}
    with api_of(world) as api:
        api.post(f"{world.inference_url}/chat/completions", json=asked).raise_for_status()


def log_run(world: World, rows: list[dict[str, Any]], *, exit_code: int | None = None) -> None:
    """Log rows to the run `poem`, as the SDK for runs and artifacts does."""
    query = """mutation UpsertBucket {
        upsertBucket(input: {entityName: "local-team", modelName: "verse", name: "poem"}) { inserted }
    }"""
    lines = [json.dumps(row) for row in rows]
    files = {"wandb-history.jsonl": lines, "wandb-summary.json": lines[-1:]} if rows else {}
    logged: dict[str, Any] = {
        "files": {name: {"offset": 0, "content": content} for name, content in files.items()}
    }
    if exit_code is not None:
        logged |= {"complete": True, "exitcode": exit_code}
    root = httpx.URL(world.training_url)
    with api_of(world) as api:
        opened = api.post(root.join("/graphql"), json={"query": query}).raise_for_status()
        assert opened.json().get("errors") is None
        stream = root.join("/files/local-team/verse/poem/file_stream")
        api.post(stream, json=logged).raise_for_status()


def events_of(api: httpx.Client, job: dict[str, Any]) -> list[str]:
    answer = api.get(f"/preview/training-jobs/{job['id']}/events").raise_for_status().json()
    return [event["type"] for event in answer["data"]]
