"""openpipe-art with runs and artifacts: the environment has the key, and `exec` sets the rest.

Without an argument, the whole loop. It trains in a copy of the process, kills the copy in the middle, and trains on.
Prints what was seen as JSON.
"""

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import art
from art.serverless.backend import ServerlessBackend

URL = os.environ["SVTRAIN_BASE_URL"]
BASE_MODEL = "OpenPipe/Qwen3-14B-Instruct"
QUESTION = {"role": "user", "content": "Name a color."}
STEPS = int(os.environ.get("STEPS", "3"))


def control(path):
    with urllib.request.urlopen(os.environ["SVTRAIN_CONTROL_URL"] + path) as answer:
        return json.load(answer)


def model_named(name, folder):
    return art.TrainableModel(
        name=name, run_name=name, project="demo", base_model=BASE_MODEL, base_path=folder
    )


async def rollout(model, reward):
    answer = await model.openai_client().chat.completions.create(
        model=model.get_inference_name(), messages=[QUESTION], logprobs=True
    )
    return art.Trajectory(messages_and_choices=[QUESTION, answer.choices[0]], reward=reward)


async def train(folder):
    """Trains up to a step, from where an earlier run of the program ended."""
    backend = ServerlessBackend(base_url=URL)
    model = model_named("poet", folder)
    await model.register(backend)
    while await model.get_step() < STEPS:
        groups = await art.gather_trajectory_groups(
            [art.TrajectoryGroup(rollout(model, reward) for reward in (0.0, 0.5, 1.0))]
        )
        result = await backend.train(model, groups)
        await model.log(groups, metrics=result.metrics, step=result.step, split="train")
    await backend.close()


def train_and_be_killed(folder):
    """Kills a copy of the process when its second job has ended, before it has read the end."""
    program = os.fork()
    if program == 0:
        asyncio.run(train(folder))
        os._exit(0)
    while not [job for job in control("/jobs")["jobs"][1:] if job["status"] == "ended"]:
        assert os.waitpid(program, os.WNOHANG) == (0, 0), "the program ended too early"
        time.sleep(0.01)
    os.kill(program, signal.SIGKILL)
    os.waitpid(program, 0)


async def after_training(folder):
    import wandb

    backend = ServerlessBackend(base_url=URL)
    poet = model_named("poet", folder)
    await poet.register(backend)
    rows = [
        art.Trajectory(
            messages_and_choices=[
                {"role": "user", "content": f"Which number is {row}?"},
                {"role": "assistant", "content": f"It is {row}."},
            ],
            reward=1.0,
        )
        for row in range(600)
    ]
    await poet.train_sft(rows, art.TrainSFTConfig(batch_size=4, learning_rate=1e-4))
    seen = {"step after SFT": await poet.get_step(), "rows": rows_of_sft()}

    pulled = await backend._experimental_pull_model_checkpoint(
        poet, step=2, local_path=str(Path(folder, "pulled"))
    )
    seen["pulled"] = sorted(path.name for path in Path(pulled).iterdir())

    fork = model_named("fork", folder)
    await fork.register(backend)
    await backend._experimental_fork_checkpoint(fork, from_model="poet", not_after_step=2)
    seen["fork"] = versions_of("fork")

    deployed = model_named("deployed", folder)
    from art.utils.deployment.wandb import deploy_wandb

    name = deploy_wandb(deployed, checkpoint_path=pulled, step=7)
    chat = await poet.openai_client().chat.completions.create(model=name, messages=[QUESTION])
    seen["deployed"] = [name, chat.model, bool(chat.choices[0].message.content)]

    await poet.delete_checkpoints()
    seen["poet"] = versions_of("poet")
    history = list(wandb.Api().run("local-team/demo/poet").scan_history())
    seen["logged steps"] = [row["training_step"] for row in history if "train/reward" in row]
    await backend.delete(fork)
    await backend.close()
    return seen


def rows_of_sft():
    """The rows of the file that the client uploaded."""
    import wandb

    api = wandb.Api()
    [collection] = api.artifact_type("dataset", "local-team/demo").collections()
    artifact = api.artifact(f"local-team/demo/{collection.name}:latest")
    path = Path(artifact.download(root=tempfile.mkdtemp()), "train.jsonl")
    return [artifact.metadata["num_trajectories"], len(path.read_text().splitlines())]


def versions_of(name):
    import wandb

    api = wandb.Api()
    if not api.artifact_collection_exists(f"local-team/demo/{name}", "lora"):
        return None
    return [sorted(each.aliases) for each in api.artifacts("lora", f"local-team/demo/{name}")]


if sys.argv[1:2] == ["train"]:
    asyncio.run(train(sys.argv[2]))
else:
    folder = tempfile.mkdtemp()
    train_and_be_killed(folder)
    asyncio.run(train(folder))
    seen = asyncio.run(after_training(folder))
    jobs = control("/jobs")["jobs"]
    seen["jobs"] = [[job["kind"], job["status"], job["checkpoint_step"]] for job in reversed(jobs)]
    [started] = control(f"/jobs/{jobs[0]['id']}/events?limit=1")["events"]
    seen["batches"] = started["data"]["num_sequences"]
    print("\n" + json.dumps(seen))
