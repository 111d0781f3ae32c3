"""The field's own Python client, unmodified: only the base URL and the key are ours."""

import os
import tempfile

import art
import pytest
from art.serverless.backend import ServerlessBackend
from art.serverless.client import Client
from examples import example, run
from openai import NotFoundError

URL, KEY = os.environ["SVTRAIN_BASE_URL"], os.environ["SVTRAIN_API_KEY"]
INFERENCE_URL = os.environ["SVTRAIN_INFERENCE_URL"]
BASE_MODEL = "example/base-8b-instruct"


def trainable(name: str) -> art.TrainableModel:
    return art.TrainableModel(
        name=name, project="demo", base_model=BASE_MODEL, base_path=tempfile.mkdtemp()
    )


async def registered(name: str) -> tuple[art.TrainableModel, ServerlessBackend]:
    backend = ServerlessBackend(api_key=KEY, base_url=URL)
    model = trainable(name)
    await model.register(backend)
    return model, backend


async def rollout(model: art.TrainableModel, reward: float) -> art.Trajectory:
    messages = [{"role": "user", "content": "What is 2 + 2?"}]
    completion = await model.openai_client().chat.completions.create(
        model=model.get_inference_name(), messages=messages, logprobs=True, max_tokens=20
    )
    return art.Trajectory(
        messages_and_choices=[*messages, completion.choices[0]],
        reward=reward,
        metrics={"correct": reward > 0.5},
        metadata={"question": "2 + 2", "tries": 1},
    ).finish()


async def rollouts(model: art.TrainableModel) -> list[art.TrajectoryGroup]:
    return await art.gather_trajectory_groups(
        art.TrajectoryGroup(rollout(model, reward) for reward in (0.0, 0.5, 1.0)) for _ in range(2)
    )


async def steps_of(model: art.TrainableModel, client: Client) -> list[int]:
    return [each.step async for each in client.models.checkpoints.list(model_id=model.id)]


@example("a model is registered, and found again by a second process")
async def _():
    model, _backend = await registered("poet")
    assert model.id and model.entity == "local-team" and model.run_id
    again, _backend = await registered("poet")
    assert again.id == model.id
    assert await model.get_step() == 0


@example("three turns of rollouts and training, each a step further")
async def _():
    model, backend = await registered("poet")
    for turn in range(3):
        groups = await rollouts(model)
        assert all(not group.exceptions and len(group.trajectories) == 3 for group in groups)
        result = await backend.train(model, groups, learning_rate=1e-5)
        assert result.step == turn + 1
        assert result.artifact_name == f"local-team/demo/poet:step{turn + 1}"
        assert result.metrics["loss/train"] > 0
        assert await model.get_step() == turn + 1


@example("training with every setting that train() takes")
async def _():
    model, backend = await registered("tuned")
    result = await backend.train(
        model,
        await rollouts(model),
        learning_rate=1e-6,
        ppo=True,
        epsilon=0.2,
        epsilon_high=0.3,
        advantage_balance=0.1,
        scale_rewards=False,
        importance_sampling_level="sequence",
        max_negative_advantage_importance_sampling_weight=2.0,
        mask_prob_ratio=True,
        kimi_k2_tau=0.5,
        precalculate_logprobs=True,
    )
    assert result.step == 1


@example("a checkpoint is asked by its step, on both hosts, and streamed")
async def _():
    model, _backend = await registered("poet")
    for url in (URL, INFERENCE_URL):
        client = art.Model(
            name="judge", project="demo", inference_api_key=KEY, inference_base_url=url
        ).openai_client()
        name = model.get_inference_name(step=2)
        assert name.endswith(":step2")
        messages = [{"role": "user", "content": "hello"}]
        asked = {"model": name, "messages": messages, "temperature": 0}
        completion = await client.chat.completions.create(**asked)
        assert completion.choices[0].message.content
        stream = await client.chat.completions.create(
            **asked, stream=True, stream_options={"include_usage": True}
        )
        from art.openai import consume_chat_completion_stream

        streamed = await consume_chat_completion_stream(stream)
        assert streamed.choices[0].message.content == completion.choices[0].message.content
        assert streamed.usage.completion_tokens == completion.usage.completion_tokens


@example("checkpoints are listed both ways, and all but two deleted")
async def _():
    model, backend = await registered("poet")
    client = backend._client
    assert await steps_of(model, client) == [0, 1, 2, 3]
    newest = client.models.checkpoints.list(model_id=model.id, order="desc", limit=3)
    assert [each.step async for each in newest] == [3, 2, 1, 0]
    await backend._delete_checkpoint_files(model, steps_to_keep=[0, 3])
    assert await steps_of(model, client) == [0, 3]
    deleted = await client.models.checkpoints.delete(model_id=model.id, steps=[3, 99])
    assert (deleted.deleted_count, deleted.not_found_steps) == (1, [99])


@example("trajectories are logged, and their metrics join the checkpoint's")
async def _():
    model, backend = await registered("logged")
    client = backend._client
    groups = await rollouts(model)
    await client.models.log(model_id=model.id, trajectory_groups=groups, split="val")
    async for checkpoint in client.models.checkpoints.list(model_id=model.id):
        assert checkpoint.metrics["val/reward"] == 0.5


@example("a failure is raised as the client's own error")
async def _():
    model, backend = await registered("sim-fails")
    with pytest.raises(RuntimeError, match="^Training job failed: "):
        await backend.train(model, await rollouts(model))
    assert await model.get_step() == 0


@example("supervised fine-tuning through its client, from an artifact")
async def _():
    model, backend = await registered("pupil")
    client = backend._client
    job = await client.sft_training_jobs.create(
        model_id=model.id,
        training_data_url="wandb-artifact:///local-team/demo/pupil-sft-data-0123456789ab:v0",
        config={"batch_size": 2, "learning_rate": [1e-4, 5e-5]},
    )
    types, after = [], None
    while types[-1:] != ["training_ended"]:
        query = {} if after is None else {"after": after}
        async for event in client.sft_training_jobs.events.list(training_job_id=job.id, **query):
            types.append(event.type)
            after = event.id
    assert types == ["training_started", *["gradient_step"] * 4, "training_ended"]
    assert await model.get_step() == 1


@example("a deleted model is gone")
async def _():
    model, backend = await registered("poet")
    await backend.delete(model)
    with pytest.raises(NotFoundError):
        await steps_of(model, backend._client)


run()
