"""A whole training loop with openpipe-art, unmodified: only addresses and keys are ours.

It registers a model, gathers rollouts, lets a judge reward them, trains, deletes old checkpoints, and
fine-tunes. Set SVTRAIN_BASE_URL and SVTRAIN_API_KEY. The judge is asked at OPENAI_BASE_URL, with
OPENAI_API_KEY.
"""

import json
import os
import random
import tempfile

import art
from art.rewards import ruler_score_group
from art.serverless.backend import ServerlessBackend

BASE_MODEL = "example/base-8b-instruct"
# litellm removes the prefix: the request asks for example/base-14b-instruct.
JUDGE = "openai/example/base-14b-instruct"
RUBRIC = "A trajectory that names the requested number is better than one that does not."
QUESTIONS = [f"Which number is {number}?" for number in (7, 42, 365, 1066)]
STEPS = 5


async def registered(name: str, url: str, key: str) -> tuple[art.TrainableModel, ServerlessBackend]:
    # The key is passed here. Do not set WANDB_API_KEY: the client would call servers of wandb with it.
    backend = ServerlessBackend(base_url=url, api_key=key)
    model = art.TrainableModel(
        name=name,
        run_name=name,
        project="demo",
        base_model=BASE_MODEL,
        base_path=tempfile.mkdtemp(),
    )
    await model.register(backend)
    return model, backend


async def rollout(model: art.TrainableModel, question: str, **options) -> art.Trajectory:
    """What is said over HTTP within the block belongs to the trajectory."""
    with art.Trajectory() as trajectory:
        answer = await model.openai_client().chat.completions.create(
            model=model.get_inference_name(),
            messages=[{"role": "user", "content": question}],
            logprobs=True,
            **options,
        )
        if options.get("stream"):
            async for _chunk in answer:
                pass
    return trajectory


async def judged(group: art.TrajectoryGroup) -> art.TrajectoryGroup | None:
    """The group with a reward for each trajectory."""
    return await ruler_score_group(group, JUDGE, rubric=RUBRIC)


async def gathered(model: art.TrainableModel, judge=judged) -> list[art.TrajectoryGroup]:
    return await art.gather_trajectory_groups(
        (art.TrajectoryGroup(rollout(model, question) for _ in range(8)) for question in QUESTIONS),
        after_each=judge,
    )


def mean_reward(groups: list[art.TrajectoryGroup]) -> float:
    rewards = [trajectory.reward for group in groups for trajectory in group.trajectories]
    return sum(rewards) / len(rewards)


async def fine_tuned(model: art.TrainableModel) -> None:
    examples = [
        art.Trajectory(
            messages_and_choices=[
                {"role": "user", "content": question},
                {"role": "assistant", "content": "The answer is unknown."},
            ]
        )
        for question in QUESTIONS
    ]
    random.Random(1).shuffle(examples)
    await model.train_sft(examples, art.TrainSFTConfig(batch_size=2, learning_rate=1e-4))


async def main() -> None:
    url, key = os.environ["SVTRAIN_BASE_URL"], os.environ["SVTRAIN_API_KEY"]
    model, backend = await registered("learner", url, key)
    assert await model.get_step() == 0

    rewards = []
    for step in range(STEPS):
        groups = await gathered(model)
        trajectories = [each for group in groups for each in group.trajectories]
        assert len(trajectories) == 32
        assert all(len(each.exchanges.chat_completions) == 1 for each in trajectories)
        rewards.append(mean_reward(groups))
        result = await backend.train(model, groups, learning_rate=1e-5)
        assert result.step == step + 1
    rewards.append(mean_reward(await gathered(model)))
    print(f"Mean rewards: {rewards}")
    assert max(rewards) == rewards[-1] > rewards[0] + 0.2, rewards
    assert sum(rewards[3:]) > sum(rewards[:3]), rewards

    await model.delete_checkpoints()
    client = backend._client
    steps = [each.step async for each in client.models.checkpoints.list(model_id=model.id)]
    assert steps == [STEPS]

    await fine_tuned(model)
    assert await model.get_step() == STEPS + 1
    print(json.dumps({"rewards": rewards, "step": STEPS + 1}))


if __name__ == "__main__":
    import asyncio

    asyncio.run(main())
