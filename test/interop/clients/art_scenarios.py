"""Runs a short training loop against many emulators at once, and says how each loop ended."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable

import art
from art.rewards import ruler_score_group
from art_loop import JUDGE, RUBRIC, registered

TURNS = 2
# More loops at once would wait for each other, and requests with a short timeout would fail.
AT_ONCE = 14
QUESTIONS = ["Which number is 7?", "Which number is 42?"]


async def rewarded(
    model: art.TrainableModel, question: str, reward: float, rounds: int, **options
) -> art.Trajectory:
    """A conversation of so many rounds, each of which sends all earlier turns again."""
    turns = []
    with art.Trajectory(reward=reward) as trajectory:
        for _round in range(rounds):
            turns.append({"role": "user", "content": question})
            answer = await model.openai_client().chat.completions.create(
                model=model.get_inference_name(), messages=turns, logprobs=True, **options
            )
            if options.get("stream"):
                async for _chunk in answer:
                    pass
            else:
                turns.append({"role": "assistant", "content": answer.choices[0].message.content})
    return trajectory


def judge_at(url: str, key: str):
    """One group is judged after the other, so that each call of the judge has a known number."""
    lock = asyncio.Lock()
    server: dict[str, object] = {"api_base": url, "api_key": key}

    async def judged(group: art.TrajectoryGroup) -> art.TrajectoryGroup | None:
        async with lock:
            return await ruler_score_group(group, JUDGE, server, RUBRIC)

    return judged


async def loop(
    url: str,
    key: str,
    timeout: float | None,
    *,
    judge: bool,
    stream: bool,
    rewards: list[float],
    rounds: int,
    max_exceptions: int,
) -> list[int]:
    model, backend = await registered("learner", url, key)
    options = {}
    if stream:
        options |= {"stream": True, "stream_options": {"include_usage": True}}
    if timeout is not None:
        options["timeout"] = timeout
        backend._client.timeout = timeout
    steps = [await model.get_step()]
    for _turn in range(TURNS):
        # Rollouts ask the newest checkpoint by its step, as the client's own trainer does.
        async with backend.exact_adapter_lease(model, steps[-1]):
            groups = await art.gather_trajectory_groups(
                (
                    art.TrajectoryGroup(
                        rewarded(model, question, reward, rounds, **options) for reward in rewards
                    )
                    for question in QUESTIONS
                ),
                after_each=judge_at(url, key) if judge else None,
                max_exceptions=max_exceptions,
            )
        result = await backend.train(model, groups)
        steps.append(result.step)
    await model.delete_checkpoints()
    return steps


async def ending(running: Awaitable[list[int]], patience: float) -> dict:
    try:
        steps = await asyncio.wait_for(running, patience)
        return {"ended": "success", "message": json.dumps(steps)}
    except asyncio.TimeoutError:
        return {"ended": "still waiting", "message": ""}
    except Exception as error:
        return {"ended": type(error).__name__, "message": str(error)}


async def main() -> None:
    # The first loop makes the client load its code, which takes seconds. That loop has no limits.
    first, *worlds = json.loads(os.environ["SVTRAIN_WORLDS"])
    first.pop("endless")
    endings = [await ending(loop(**first), 100)]

    endless = [world.pop("endless") for world in worlds]
    place = asyncio.Semaphore(AT_ONCE)

    async def in_turn(world: dict) -> dict:
        async with place:
            return await ending(loop(**world), 100)

    waiting = [
        asyncio.create_task(loop(**world)) for world, never in zip(worlds, endless) if never
    ]
    others = (in_turn(world) for world, never in zip(worlds, endless) if not never)
    ended = iter(await asyncio.gather(*others))
    # A loop that never ends has had enough time when all others have ended.
    stuck = iter([await ending(task, 3) for task in waiting])
    endings += [next(stuck if never else ended) for never in endless]
    sys.stdout.write("\n" + json.dumps(endings) + "\n")


asyncio.run(main())
