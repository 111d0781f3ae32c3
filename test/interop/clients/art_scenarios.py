"""Runs a short training loop against many emulators at once, and says how each loop ended."""

import asyncio
import json
import os
import sys

import art
from art_loop import judged, registered, rollout

TURNS = 2
QUESTIONS = ["Which number is 7?", "Which number is 42?"]


async def rewarded(model: art.TrainableModel, question: str, reward: float, **options):
    trajectory = await rollout(model, question, **options)
    trajectory.reward = reward
    return trajectory


async def loop(url: str, key: str, judge: bool, timeout: float | None, stream: bool) -> list[int]:
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
                        rewarded(model, question, reward, **options) for reward in (0.0, 1.0)
                    )
                    for question in QUESTIONS
                ),
                after_each=judged if judge else None,
            )
        result = await backend.train(model, groups)
        steps.append(result.step)
    await model.delete_checkpoints()
    return steps


async def ending(running: asyncio.Task[list[int]], patience: float) -> dict:
    try:
        steps = await asyncio.wait_for(running, patience)
        return {"ended": "success", "message": json.dumps(steps)}
    except asyncio.TimeoutError:
        return {"ended": "still waiting", "message": ""}
    except Exception as error:
        return {"ended": type(error).__name__, "message": str(error)}


async def main() -> None:
    worlds = json.loads(os.environ["SVTRAIN_WORLDS"])
    endless = [world.pop("endless") for world in worlds]
    running = [asyncio.create_task(loop(**world)) for world in worlds]
    # A loop that never ends has had enough time when all others have ended.
    others = (ending(task, 100) for task, never in zip(running, endless) if not never)
    ended = iter(await asyncio.gather(*others))
    endings = [
        await ending(task, 3) if never else next(ended) for task, never in zip(running, endless)
    ]
    sys.stdout.write("\n" + json.dumps(endings) + "\n")


asyncio.run(main())
