"""Trains one step, with the key of the environment."""

import asyncio
import os
import tempfile

import art
from art.serverless.backend import ServerlessBackend

QUESTION = {"role": "user", "content": "Which number is 42?"}


async def rollout(model, reward):
    with art.Trajectory(reward=reward) as trajectory:
        await model.openai_client().chat.completions.create(
            model=model.get_inference_name(), messages=[QUESTION], logprobs=True
        )
    return trajectory


async def main():
    backend = ServerlessBackend(base_url=os.environ["SVTRAIN_BASE_URL"])
    model = art.TrainableModel(
        name="poet",
        run_name="poet",
        project="demo",
        base_model="example/base-8b-instruct",
        base_path=tempfile.mkdtemp(),
    )
    await model.register(backend)
    groups = await art.gather_trajectory_groups(
        [art.TrajectoryGroup(rollout(model, reward) for reward in (0.0, 0.5, 1.0))]
    )
    result = await backend.train(model, groups)
    print(f"Step {result.step}")


asyncio.run(main())
