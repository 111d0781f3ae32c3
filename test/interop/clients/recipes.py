"""Uses the recipes that its arguments name, and prints what became of each, as JSON.

One Python tries them all: to import the libraries of clients takes longer than to use them.
"""

import asyncio
import json
import sys
import tempfile
import traceback

from svtrain_emulator import Emulator, recipes

ASK = {"model": recipes.BASE_MODEL, "messages": [{"role": "user", "content": "Hello"}]}


def openai_client(emulator):
    with recipes.openai_client(emulator) as client:
        return client.chat.completions.create(**ASK).choices[0].message.content


def async_openai_client(emulator):
    async def ask():
        async with recipes.async_openai_client(emulator) as client:
            answer = await client.chat.completions.create(**ASK)
            return answer.choices[0].message.content

    return asyncio.run(ask())


def litellm_params(emulator):
    import litellm

    answer = litellm.completion(**recipes.litellm_params(emulator), messages=ASK["messages"])
    return answer.choices[0].message.content


def pydantic_ai_model(emulator):
    from pydantic_ai import Agent

    return Agent(recipes.pydantic_ai_model(emulator)).run_sync("Hello").output


def agents_model(emulator):
    from agents import Agent, Runner

    agent = Agent(name="Helper", model=recipes.agents_model(emulator))
    return Runner.run_sync(agent, "Hello").final_output


def langchain_model(emulator):
    return recipes.langchain_model(emulator, temperature=0).invoke("Hello").content


def art_backend(emulator):
    import art

    async def train():
        model = art.TrainableModel(
            name="poet",
            run_name="poet",
            project="demo",
            base_model=recipes.BASE_MODEL,
            base_path=tempfile.mkdtemp(),
        )
        backend = recipes.art_backend(emulator)
        await model.register(backend)
        history = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]
        group = art.TrajectoryGroup(
            art.Trajectory(messages_and_choices=history, reward=reward) for reward in (0.0, 1.0)
        )
        return await backend.train(model, [group])

    result = asyncio.run(train())
    emulator.assert_ended(model="poet")
    return f"step {result.step}"


def tried(name):
    """What the recipe answered, or why it failed. Nothing of the recipes before is left in the emulator."""
    emulator.reset()
    try:
        answer = globals()[name](emulator)
        emulator.assert_client_checks()
    except BaseException:
        return {"error": traceback.format_exc()}
    return {"answer": answer}


with Emulator() as emulator, emulator.env():
    results = {name: tried(name) for name in sys.argv[1:]}
# Clients print notices of their own; the last line is ours.
sys.stdout.write("\n" + json.dumps(results) + "\n")
