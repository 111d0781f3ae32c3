"""Clients that work with an emulator, ready to use.

Each function imports the library of its client, which you install yourself. `emulator` is the fixture
`svtrain`, or an `Emulator`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from svtrain_emulator._environment import wandb_address

if TYPE_CHECKING:
    import agents
    import langchain_openai
    import openai
    from art.serverless.backend import ServerlessBackend
    from pydantic_ai.models.openai import OpenAIChatModel

    from svtrain_emulator._emulator import AsyncWorld, World

BASE_MODEL = "example/base-8b-instruct"
"""A base model that every scenario serves, unless it lists others."""


def art_backend(emulator: World | AsyncWorld) -> ServerlessBackend:
    """Return a backend of openpipe-art.

    Example:
        backend = art_backend(svtrain)
        model = art.TrainableModel(
            name="poet", run_name="poet", project="demo", base_model=BASE_MODEL, base_path=str(tmp_path)
        )
        await model.register(backend)

    Raises:
        RuntimeError: When `WANDB_API_KEY` is set without the address of the emulator: the client would call
            the real service after each job.

    """
    from art.serverless.backend import ServerlessBackend

    address = wandb_address(emulator.training_url)
    if os.environ.get("WANDB_API_KEY") and os.environ.get("WANDB_BASE_URL") != address:
        raise RuntimeError(
            f"WANDB_API_KEY is set and WANDB_BASE_URL is not {address}, so openpipe-art would call the "
            "servers of wandb after each job. Call svtrain.env() first, or unset the key. "
            "Read more: svtrain-emulator docs pytest"
        )
    return ServerlessBackend(api_key=emulator.api_key, base_url=emulator.training_url)


def openai_client(emulator: World | AsyncWorld, **options: Any) -> openai.OpenAI:
    """Return a client of openai for the inference API.

    Example:
        openai_client(svtrain).chat.completions.create(
            model=BASE_MODEL, messages=[{"role": "user", "content": "Hello"}]
        )

    """
    import openai

    return openai.OpenAI(base_url=emulator.inference_url, api_key=emulator.api_key, **options)


def async_openai_client(emulator: World | AsyncWorld, **options: Any) -> openai.AsyncOpenAI:
    """Return an async client of openai for the inference API."""
    import openai

    return openai.AsyncOpenAI(base_url=emulator.inference_url, api_key=emulator.api_key, **options)


def litellm_params(emulator: World | AsyncWorld, model: str = BASE_MODEL) -> dict[str, Any]:
    """Return the arguments of `litellm.completion` and of judges that ask through litellm.

    Example:
        litellm.completion(**litellm_params(svtrain), messages=[{"role": "user", "content": "Hello"}])

    """
    return {
        # litellm removes the prefix.
        "model": f"openai/{model}",
        "api_base": emulator.inference_url,
        "api_key": emulator.api_key,
    }


def pydantic_ai_model(emulator: World | AsyncWorld, model: str = BASE_MODEL) -> OpenAIChatModel:
    """Return a model of pydantic-ai.

    Example:
        Agent(pydantic_ai_model(svtrain)).run_sync("Hello")

    """
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=emulator.inference_url, api_key=emulator.api_key)
    return OpenAIChatModel(model, provider=provider)


def agents_model(
    emulator: World | AsyncWorld, model: str = BASE_MODEL
) -> agents.OpenAIChatCompletionsModel:
    """Return a model of openai-agents. Turns off tracing, which would call another server.

    Example:
        Runner.run_sync(Agent(name="Helper", model=agents_model(svtrain)), "Hello")

    """
    import agents

    agents.set_tracing_disabled(True)
    client = async_openai_client(emulator)
    return agents.OpenAIChatCompletionsModel(model=model, openai_client=client)


def langchain_model(
    emulator: World | AsyncWorld, model: str = BASE_MODEL, **options: Any
) -> langchain_openai.ChatOpenAI:
    """Return a chat model of langchain-openai.

    Example:
        langchain_model(svtrain).invoke("Hello")

    """
    import langchain_openai

    return langchain_openai.ChatOpenAI(
        model=model, base_url=emulator.inference_url, api_key=emulator.api_key, **options
    )
