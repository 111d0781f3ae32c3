"""Training loops with openpipe-art that go wrong without an error, each beside the same loop done right.

Each loop has an API key, and so a world, of its own. Run the program with `svtrain-emulator exec --checks
--isolate api-key`. It prints what became of each loop, and what the client checks say about its world.
"""

import asyncio
import hashlib
import json
import os
import sys
from collections.abc import Awaitable, Callable

import art
import httpx
from art.rewards import ruler_score_group
from art.trajectories import LegacyHistory
from art_loop import BASE_MODEL, JUDGE, registered
from openai import AsyncOpenAI, BadRequestError, NotFoundError
from openai.types.chat import ChatCompletionMessage
from openai.types.chat.chat_completion import Choice

SING = "Sing about the sea."
RHYME = "Find a rhyme for blue."


class Loop:
    """A model in a world of its own, and what its owner does right or wrong."""

    def __init__(self, name: str, scenario: str, *, careful: bool) -> None:
        self.careful = careful
        self.scenario = scenario
        digest = hashlib.sha1(f"{name} {careful}".encode()).hexdigest()
        self.key = f"svtrain-{digest}"

    async def control(self, method: str, path: str, **options: object) -> dict:
        """Call the control API about the world of the loop."""
        url = os.environ["SVTRAIN_CONTROL_URL"]
        async with httpx.AsyncClient(headers={"svtrain-world": self.key}, timeout=60) as api:
            answer = await api.request(method, f"{url}/{path}", **options)
            return answer.raise_for_status().json()

    async def start(self) -> None:
        await self.control("POST", "reset", json={"scenario": self.scenario})
        url = os.environ["SVTRAIN_BASE_URL"]
        self.model, self.backend = await registered("singer", url, self.key)

    async def ask(
        self, messages: list[dict], model: str | None = None, **options: object
    ) -> Choice:
        answer = await self.model.openai_client().chat.completions.create(
            model=model or self.model.get_inference_name(),
            messages=messages,
            logprobs=True,
            **options,
        )
        return answer.choices[0]

    async def rollout(
        self, question: str, reward: float, model: str | None = None, **options: object
    ) -> art.Trajectory:
        """A question and its answer, captured by the client."""
        with art.Trajectory(reward=reward) as trajectory:
            await self.ask([user(question)], model, **options)
        return trajectory

    async def group(
        self,
        question: str,
        rewards: tuple[float, ...] = (0.0, 1.0),
        model: str | None = None,
        **options: object,
    ) -> art.TrajectoryGroup:
        groups = await art.gather_trajectory_groups(
            [
                art.TrajectoryGroup(
                    self.rollout(question, reward, model, **options) for reward in rewards
                )
            ]
        )
        return groups[0]

    async def train(self, *groups: art.TrajectoryGroup) -> art.ServerlessTrainResult:
        return await self.backend.train(self.model, groups)


def user(content: str) -> dict:
    return {"role": "user", "content": content}


def said(choice: Choice) -> dict:
    return {"role": "assistant", "content": choice.message.content}


Row = Callable[[Loop], Awaitable[object]]
ROWS: dict[str, tuple[str, Row]] = {}


def row(name: str, scenario: str = "happy-path") -> Callable[[Row], Row]:
    def added(function: Row) -> Row:
        ROWS[name] = (scenario, function)
        return function

    return added


@row("answers of the base model")
async def _(loop: Loop) -> None:
    await loop.train(await loop.group(SING))
    # The configuration of the model has the name of its base model, which answers as well.
    named = None if loop.careful else loop.model.base_model
    for question in (SING, RHYME):
        await loop.train(await loop.group(question, model=named))


@row("a group with different prompts")
async def _(loop: Loop) -> None:
    one, other = await loop.group(SING), await loop.group(RHYME)
    if loop.careful:
        await loop.train(one, other)
    else:
        await loop.train(art.TrajectoryGroup([*one.trajectories, *other.trajectories]))


@row("answers of two checkpoints")
async def _(loop: Loop) -> None:
    async def conversation(reward: float, turn: asyncio.Event) -> art.Trajectory:
        with art.Trajectory(reward=reward) as trajectory:
            messages = [user(SING)]
            messages += [said(await loop.ask(messages)), user("Again.")]
            await turn.wait()
            await loop.ask(messages)
        return trajectory

    async def rollouts(turn: asyncio.Event) -> art.TrajectoryGroup:
        both = [conversation(reward, turn) for reward in (0.0, 1.0)]
        return art.TrajectoryGroup(await asyncio.gather(*both))

    # Rollouts run beside the training, whose checkpoint appears between their turns.
    turn = asyncio.Event()
    if loop.careful:
        async with loop.backend.adapter_lease(loop.model, await loop.model.get_step()):
            running = asyncio.create_task(rollouts(turn))
    else:
        running = asyncio.create_task(rollouts(turn))
    await loop.train(await loop.group(RHYME))
    turn.set()
    await loop.train(await running)


@row("an answer that was never sampled")
async def _(loop: Loop) -> None:
    async def trajectory(reward: float) -> art.Trajectory:
        choice = await loop.ask([user(SING)])
        if reward == 1 and not loop.careful:
            # The right answer, as the owner of the data would say it.
            ideal = ChatCompletionMessage(role="assistant", content="The sea sings for itself!")
            choice = Choice(finish_reason="stop", index=0, message=ideal)
        return art.Trajectory(messages_and_choices=[user(SING), choice], reward=reward)

    await loop.train(art.TrajectoryGroup([await trajectory(0), await trajectory(1)]))


def turns_apart(turns: list[tuple[list[dict], Choice]], reward: float) -> art.Trajectory:
    """One trajectory in which each turn has a history of its own, and so the tokens that were sampled."""
    first, *others = [[*messages, choice] for messages, choice in turns]
    histories = [LegacyHistory(messages_and_choices=items) for items in others]
    return art.Trajectory(messages_and_choices=first, additional_histories=histories, reward=reward)


@row("tokens that drift between turns", "retokenized-history")
async def _(loop: Loop) -> None:
    async def conversation(reward: float) -> art.Trajectory:
        with art.Trajectory(reward=reward) as captured:
            first = await loop.ask([user(SING)])
            again = [user(SING), said(first), user("Again.")]
            second = await loop.ask(again)
        turns = [([user(SING)], first), (again, second)]
        return turns_apart(turns, reward) if loop.careful else captured

    await loop.train(art.TrajectoryGroup([await conversation(0), await conversation(1)]))


@row("tokens that drift between turns of text", "retokenized-history")
async def _(loop: Loop) -> None:
    """The plain client of openai gets no token ids, so the service has to encode the text again."""
    client = AsyncOpenAI(base_url=os.environ["SVTRAIN_BASE_URL"], api_key=loop.key)

    async def ask(messages: list[dict]) -> Choice:
        named = loop.model.get_inference_name()
        answer = await client.chat.completions.create(model=named, messages=messages, logprobs=True)
        return answer.choices[0]

    async def conversation(reward: float) -> art.Trajectory:
        first = await ask([user(SING)])
        again = [user(SING), said(first), user("Again.")]
        second = await ask(again)
        if loop.careful:
            return turns_apart([([user(SING)], first), (again, second)], reward)
        joined = [user(SING), first, user("Again."), second]
        return art.Trajectory(messages_and_choices=joined, reward=reward)

    await loop.train(art.TrajectoryGroup([await conversation(0), await conversation(1)]))


@row("old rollouts")
async def _(loop: Loop) -> None:
    # A queue of rollouts that were gathered ahead.
    ahead = [] if loop.careful else [await loop.group(SING) for _ in range(3)]
    for step in range(3):
        await loop.train(await loop.group(SING) if loop.careful else ahead[step])


@row("an outage of the judge", "judge-down")
async def _(loop: Loop) -> None:
    server = {"api_base": os.environ["SVTRAIN_INFERENCE_URL"], "api_key": loop.key}

    async def judged(group: art.TrajectoryGroup) -> art.TrajectoryGroup | None:
        for _attempt in range(10):
            # The client returns None if the judge fails.
            scored = await ruler_score_group(group, JUDGE, server, swallow_exceptions=True)
            if scored is not None or not loop.careful:
                break
        # The rewards of the group are 0 from the start.
        return group if scored is None else scored

    for question in (SING, RHYME):
        group = await judged(await loop.group(question, (0.0,) * 3))
        await loop.train(group)


@row("answers that were cut off", "cut-off-answers")
async def _(loop: Loop) -> None:
    async def rollout(question: str) -> art.Trajectory:
        while True:
            with art.Trajectory() as trajectory:
                choice = await loop.ask([user(question)])
            trajectory.reward = len(choice.message.content) / 1000
            if choice.finish_reason != "length" or not loop.careful:
                return trajectory

    for question in (SING, RHYME):
        await loop.train(art.TrajectoryGroup([await rollout(question) for _ in range(8)]))


@row("an adapter that is not applied", "adapter-not-applied")
async def _(loop: Loop) -> str | None:
    async def answers(model: str | None) -> list[str | None]:
        questions = [SING, RHYME, "What is 2 + 2?"]
        all_of_them = [await loop.ask([user(each)], model, temperature=0) for each in questions]
        return [choice.message.content for choice in all_of_them]

    for step in range(3):
        if step > 0 and loop.careful and await answers(None) == await answers(BASE_MODEL):
            return "the trained model answers like its base model"
        await loop.train(await loop.group(SING))
    return None


@row("rows that are too long", "overlong-rows")
async def _(loop: Loop) -> dict:
    """The careful loop keeps what fits, so nothing is dropped."""

    async def trajectory(reward: float) -> art.Trajectory | None:
        with art.Trajectory(reward=reward) as captured:
            choice = await loop.ask([user("Explain the result.")])
        return captured if len(choice.token_ids) < 150 or not loop.careful else None

    gathered = [await trajectory(reward / 6) for reward in range(6)]
    result = await loop.train(art.TrajectoryGroup(each for each in gathered if each))
    return {"dropped": result.metrics.get("num_dropped_trajectories", 0)}


@row("a conversation that outgrows its context", "context-overflow")
async def _(loop: Loop) -> str | None:
    async def conversation(reward: float) -> art.Trajectory:
        # Half of a context of 240 tokens is for the answer, which takes 50.
        with art.Trajectory(reward=reward) as trajectory:
            messages = [user("Which step is next?")]
            for _turn in range(6):
                choice = await loop.ask(messages)
                messages += [said(choice), user("And then?")]
                if loop.careful and len(choice.prompt_token_ids) > 100:
                    break
        return trajectory

    try:
        group = art.TrajectoryGroup([await conversation(0), await conversation(1)])
    except BadRequestError as error:
        return error.message
    await loop.train(group)
    return None


@row("the best checkpoint")
async def _(loop: Loop) -> list[int]:
    """The rewards fall after the first step. The client keeps what its log says is the best."""
    for rewards in ((0.8, 1.0), (0.0, 0.2), (0.1, 0.3)):
        result = await loop.train(await loop.group(SING, rewards))
        if loop.careful:
            reward = sum(rewards) / len(rewards)
            await loop.model.log(metrics={"reward": reward}, split="train", step=result.step)
    if loop.careful:
        await loop.model.delete_checkpoints(best_checkpoint_metric="train/reward")
    else:
        await loop.model.delete_checkpoints()
    left = loop.backend._client.models.checkpoints.list(model_id=loop.model.id)
    return [each.step async for each in left]


@row("a checkpoint that is still asked")
async def _(loop: Loop) -> str | None:
    """An evaluation names a step after the loop has deleted it."""
    for reward in (0.5, 0.6):
        await loop.train(await loop.group(SING, (0.0, reward)))
    named = loop.model.get_inference_name(step=1)
    if loop.careful:
        await loop.ask([user(RHYME)], named)
    await loop.model.delete_checkpoints()
    if loop.careful:
        return None
    try:
        await loop.ask([user(RHYME)], named)
    except NotFoundError as error:
        return type(error).__name__


async def outcome(name: str, *, careful: bool) -> dict:
    scenario, run = ROWS[name]
    loop = Loop(name, scenario, careful=careful)
    await loop.start()
    try:
        returned = await run(loop)
    except Exception as error:
        returned = f"{type(error).__name__}: {error}"
    checked = await loop.control("GET", "client-checks")
    found = [{"check": each["check"], "text": each["text"]} for each in checked["findings"]]
    return {"name": name, "careful": careful, "returned": returned, "findings": found}


# With more loops, an answer may wait longer than the client does.
AT_ONCE = 6


async def main() -> None:
    chosen = sys.argv[1:] or list(ROWS)
    (name, careful), *others = [(each, careful) for each in chosen for careful in (False, True)]
    # The first loop imports what all of them need. No other loop gets an answer meanwhile.
    first = await outcome(name, careful=careful)
    at_once = asyncio.Semaphore(AT_ONCE)

    async def in_turn(name: str, *, careful: bool) -> dict:
        async with at_once:
            return await outcome(name, careful=careful)

    outcomes = await asyncio.gather(*(in_turn(each, careful=careful) for each, careful in others))
    sys.stdout.write("\n" + json.dumps([first, *outcomes]) + "\n")


asyncio.run(main())
