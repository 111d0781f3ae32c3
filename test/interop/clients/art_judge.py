"""Has one group judged by each of many judges, and says how the client takes their answers."""

import asyncio
import json
import os
import sys

import art
from art.rewards import ruler_score_group
from art_loop import JUDGE


def group() -> art.TrajectoryGroup:
    question = {"role": "user", "content": "Name a color."}
    return art.TrajectoryGroup(
        art.Trajectory(messages_and_choices=[question, {"role": "assistant", "content": color}])
        for color in ("Blue.", "Green.", "Red.")
    )


async def judged(url: str) -> dict:
    try:
        answered = {"api_base": url, "api_key": "any-key"}
        scored = await ruler_score_group(group(), JUDGE, extra_litellm_params=answered)
        return {"ended": "success", "rewards": [each.reward for each in scored.trajectories]}
    except Exception as error:
        return {"ended": type(error).__name__, "message": str(error)}


async def main() -> None:
    ends = [await judged(url) for url in json.loads(os.environ["SVTRAIN_JUDGES"])]
    sys.stdout.write("\n" + json.dumps(ends) + "\n")


asyncio.run(main())
