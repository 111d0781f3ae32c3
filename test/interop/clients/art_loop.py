"""A whole training loop with openpipe-art, unmodified: only addresses and keys are ours.

It registers a model, gathers rollouts, rewards them, trains, deletes old checkpoints, and fine-tunes. It
does so twice: a judge gives the rewards of the first model, and the second one has its texts compared. Set
SVTRAIN_BASE_URL and SVTRAIN_API_KEY. The judge is asked at OPENAI_BASE_URL, with OPENAI_API_KEY.
"""

import json
import os
import random
import sys
import tempfile
from collections.abc import Callable
from difflib import SequenceMatcher

import art
from art.rewards import ruler_score_group
from art.serverless.backend import ServerlessBackend

BASE_MODEL = "example/base-8b-instruct"
# litellm removes the prefix: the request asks for o3.
JUDGE = "openai/o3"
STEPS = int(os.environ.get("STEPS", "5"))

RUBRIC = "A trajectory that answers in one short and friendly sentence is better than one that does not."
REQUESTS = [
    "How do I keep bread fresh?",
    "Recommend a book for a long train ride.",
    "My plants look sad. What can I do?",
    "Write a motto for a small bakery.",
]

# Each question with its right answer.
REVIEWS = {
    "Is this review positive, negative or neutral? The soup was cold.": "negative",
    "Is this review positive, negative or neutral? I would come again.": "positive",
    "Is this review positive, negative or neutral? It opens at nine.": "neutral",
    "Which city is larger, Rome or Oslo?": "Rome",
    "What is 17 + 25?": "42",
    "What is 6 times 9?": "54",
}


async def registered(name: str, url: str, key: str) -> tuple[art.TrainableModel, ServerlessBackend]:
    # The key is passed here. With WANDB_API_KEY, the client would also log a run.
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


async def rollout(
    model: art.TrainableModel,
    question: str,
    reward: Callable[[str], float] | None = None,
) -> art.Trajectory:
    """What is said over HTTP within the block belongs to the trajectory."""
    with art.Trajectory() as trajectory:
        answer = await model.openai_client().chat.completions.create(
            model=model.get_inference_name(),
            messages=[{"role": "user", "content": question}],
            logprobs=True,
        )
        if reward is not None:
            trajectory.reward = reward(answer.choices[0].message.content)
    return trajectory


async def judged(group: art.TrajectoryGroup) -> art.TrajectoryGroup | None:
    """The group with a reward for each trajectory."""
    return await ruler_score_group(group, JUDGE, rubric=RUBRIC)


def similarity_to(expected: str) -> Callable[[str], float]:
    """1 for the expected text, less the more a text differs from it."""
    return lambda text: SequenceMatcher(None, text.lower(), expected.lower()).ratio()


async def gathered_with_judge(model: art.TrainableModel) -> list[art.TrajectoryGroup]:
    return await art.gather_trajectory_groups(
        (art.TrajectoryGroup(rollout(model, request) for _ in range(8)) for request in REQUESTS),
        after_each=judged,
    )


async def gathered_by_comparison(model: art.TrainableModel) -> list[art.TrajectoryGroup]:
    return await art.gather_trajectory_groups(
        art.TrajectoryGroup(
            rollout(model, question, reward=similarity_to(expected)) for _ in range(8)
        )
        for question, expected in REVIEWS.items()
    )


def mean_reward(groups: list[art.TrajectoryGroup]) -> float:
    rewards = [trajectory.reward for group in groups for trajectory in group.trajectories]
    return sum(rewards) / len(rewards)


async def fine_tuned(model: art.TrainableModel) -> None:
    examples = [
        art.Trajectory(
            messages_and_choices=[
                {"role": "user", "content": question},
                {"role": "assistant", "content": answer},
            ]
        )
        for question, answer in REVIEWS.items()
    ]
    random.Random(1).shuffle(examples)
    await model.train_sft(examples, art.TrainSFTConfig(batch_size=2, learning_rate=1e-4))


async def loop(name: str, gathered) -> dict:
    """The mean rewards of the untrained model and after each training step, and the last step."""
    model, backend = await registered(
        name, os.environ["SVTRAIN_BASE_URL"], os.environ["SVTRAIN_API_KEY"]
    )
    assert await model.get_step() == 0

    rewards = []
    for step in range(STEPS):
        groups = await gathered(model)
        for group in groups:
            assert len(group.trajectories) == 8
            assert all(len(each.exchanges.chat_completions) == 1 for each in group.trajectories)
        rewards.append(mean_reward(groups))
        result = await backend.train(model, groups, learning_rate=1e-5)
        assert result.step == step + 1
        # The metrics of the job tell of the same rollouts.
        assert result.metrics["data/step_num_gradient_steps"] > 0, result.metrics
    rewards.append(mean_reward(await gathered(model)))

    await model.delete_checkpoints()
    checkpoints = backend._client.models.checkpoints.list(model_id=model.id)
    assert [each.step async for each in checkpoints] == [STEPS]

    await fine_tuned(model)
    return {"rewards": rewards, "step": await model.get_step()}


async def main() -> None:
    loops = {"judged": gathered_with_judge, "compared": gathered_by_comparison}
    # Names as arguments choose some of them.
    wanted = sys.argv[1:] or loops
    print(json.dumps({name: await loop(name, loops[name]) for name in wanted}))


if __name__ == "__main__":
    import asyncio

    asyncio.run(main())
