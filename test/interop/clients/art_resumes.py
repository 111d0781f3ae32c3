"""A training loop of openpipe-art as its users write it: it asks the service for its step, and goes on from there.

Give it the folder that it keeps its files in. docs/how-to/crashes.md says what it survives.
"""

import asyncio
import os
import sys

import art
from art.serverless.backend import ServerlessBackend

PROMPTS = ["Name a color.", "Name a tree.", "Name a river."]
STEPS = int(os.environ.get("STEPS", len(PROMPTS)))


async def rollout(model: art.TrainableModel, prompt: str, reward: float) -> art.Trajectory:
    question = {"role": "user", "content": prompt}
    answer = await model.openai_client().chat.completions.create(
        model=model.get_inference_name(), messages=[question], logprobs=True
    )
    return art.Trajectory(messages_and_choices=[question, answer.choices[0]], reward=reward)


async def train(folder: str) -> None:
    backend = ServerlessBackend(base_url=os.environ["SVTRAIN_BASE_URL"])
    model = art.TrainableModel(
        name="poet",
        run_name="poet",
        project="demo",
        base_model="example/base-8b-instruct",
        base_path=folder,
    )
    await model.register(backend)
    for step in range(await model.get_step(), STEPS):
        prompt = PROMPTS[step % len(PROMPTS)]
        rollouts = (rollout(model, prompt, reward) for reward in (0.0, 0.5, 1.0))
        groups = await art.gather_trajectory_groups([art.TrajectoryGroup(rollouts)])
        result = await backend.train(model, groups)
        await model.log(groups, metrics=result.metrics, step=result.step, split="train")
    await backend.close()


asyncio.run(train(sys.argv[1]))
