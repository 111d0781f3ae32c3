"""The newest release of the client, unmodified: only the base URL and the key are ours."""

import os
import tempfile

import art
import pytest
from art.serverless.backend import ServerlessBackend
from art.serverless.client import Client
from examples import example, run
from openai import NotFoundError, UnprocessableEntityError

URL, KEY = os.environ["SVTRAIN_BASE_URL"], os.environ["SVTRAIN_API_KEY"]
BASE_MODEL = "example/base-8b-instruct"
QUESTION = {"role": "user", "content": "What is 2 + 2?"}


async def registered(name: str) -> tuple[art.TrainableModel, ServerlessBackend]:
    backend = ServerlessBackend(api_key=KEY, base_url=URL)
    model = art.TrainableModel(
        name=name,
        # The service knows the model by this name alone.
        run_name=name,
        project="demo",
        base_model=BASE_MODEL,
        base_path=tempfile.mkdtemp(),
    )
    await model.register(backend)
    return model, backend


async def rollout(model: art.TrainableModel, reward: float) -> art.Trajectory:
    """A trajectory of messages and choices, written by hand."""
    with art.no_capture():
        completion = await model.openai_client().chat.completions.create(
            model=model.get_inference_name(), messages=[QUESTION], logprobs=True, max_tokens=20
        )
    return art.Trajectory(
        messages_and_choices=[QUESTION, completion.choices[0]],
        reward=reward,
        metrics={"correct": reward > 0.5, "tries": 1},
        metadata={"question": "2 + 2", "nested": {"a": [1, None, {"b": 1.5}]}},
        logs=["asked", "answered"],
    ).finish()


async def captured(model: art.TrainableModel, reward: float, **asked) -> art.Trajectory:
    """A trajectory of what was said over HTTP within it."""
    with art.Trajectory(reward=reward, metadata={"captured": True}) as trajectory:
        answer = await model.openai_client().chat.completions.create(
            model=model.get_inference_name(),
            messages=[QUESTION],
            logprobs=True,
            max_tokens=20,
            **asked,
        )
        if asked.get("stream"):
            async for _chunk in answer:
                pass
    return trajectory


async def failing() -> art.Trajectory:
    raise ValueError("the tool broke")


async def grouped(model: art.TrainableModel, gather) -> list[art.TrajectoryGroup]:
    return await art.gather_trajectory_groups(
        art.trajectory_group(
            [gather(model, reward) for reward in (0.0, 0.5, 1.0)],
            metadata={"task": {"id": 7, "tags": ["a", None]}},
            metrics={"difficulty": 0.3, "seen": True},
            logs=["gathered"],
        )
        for _ in range(2)
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


@example("three turns of gathering and training, each a step further")
async def _():
    model, backend = await registered("poet")
    for turn in range(3):
        groups = await grouped(model, rollout)
        assert all(not group.exceptions and len(group.trajectories) == 3 for group in groups)
        result = await backend.train(model, groups, learning_rate=1e-5)
        assert result.step == turn + 1
        assert result.artifact_name == f"local-team/demo/poet:step{turn + 1}"
        assert result.metrics["loss/train"] > 0
        assert result.metrics["train/reward"] == 0.5
        assert await model.get_step() == turn + 1


@example("training on captured exchanges, streamed and not")
async def _():
    model, backend = await registered("listener")
    groups = await grouped(model, captured)
    trajectories = [each for group in groups for each in group.trajectories]
    trajectories += [await captured(model, 1.0, stream=True, stream_options={"include_usage": True})]
    assert all(len(each.exchanges.chat_completions) == 1 for each in trajectories)
    assert not any(each.messages_and_choices for each in trajectories)
    groups.append(art.TrajectoryGroup(trajectories[-1:]))
    result = await backend.train(model, groups)
    assert result.step == 1


@example("a group of which some trajectories failed, and an empty one")
async def _():
    model, backend = await registered("clumsy")
    group = await art.trajectory_group(
        [rollout(model, 0.0), failing(), rollout(model, 1.0)], return_exceptions=True
    )
    assert len(group.trajectories) == 2 and "the tool broke" in group.exceptions[0].message
    empty = art.TrajectoryGroup([])
    assert empty.model_dump(mode="json") == {}
    assert art.Trajectory().model_dump(mode="json") == {}
    broken = art.TrajectoryGroup([], exceptions=[ValueError("nothing left")])
    result = await backend.train(
        model, [group, empty, broken, art.TrajectoryGroup([art.Trajectory()])]
    )
    assert result.step == 1


@example("exchanges of every wire format are accepted")
async def _():
    model, backend = await registered("polyglot")
    times = {"start_time": "2026-11-22T03:16:49.306589Z", "end_time": "2026-11-22T03:16:50.266608Z"}
    named = model.get_inference_name()
    responses = {
        "id": "resp_1", "created_at": 1700000000, "model": named, "object": "response",
        "output": [{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": "4", "annotations": []}]}],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "completed",
        "token_generations": [{"prompt_token_ids": [11], "output_indices": [0],
                               "output_tokens": [{"token_id": 21, "logprob": -0.1, "text": "4"}]}],
    }  # fmt: skip
    items = {
        "completions": {
            "request": {"model": named, "prompt": "2 + 2", "logprobs": 1},
            "response": {"id": "cmpl-1", "object": "text_completion", "created": 1700000000,
                         "model": named, "choices": [{"finish_reason": "stop", "index": 0, "text": "4",
                         "logprobs": None, "prompt_token_ids": [11], "token_ids": [21]}]},
        },
        "responses": {"request": {"model": named, "input": "2 + 2"}, "response": responses},
        "messages": {
            "request": {"model": named, "messages": [QUESTION], "max_tokens": 5},
            "response": {"id": "msg_1", "type": "message", "role": "assistant", "model": named,
                         "content": [{"type": "text", "text": "4"}], "stop_reason": "end_turn",
                         "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 1},
                         "prompt_token_ids": [11], "token_ids": [21], "logprobs": [-0.1]},
        },
    }  # fmt: skip
    trajectories = [
        art.Trajectory(exchanges={wire: [{**times, **item}]}, reward=index / 2)
        for index, (wire, item) in enumerate(items.items())
    ]
    result = await backend.train(model, [art.TrajectoryGroup(trajectories)])
    assert result.step == 1


@example("training with every setting that train() takes")
async def _():
    model, backend = await registered("tuned")
    groups = await grouped(model, rollout)
    result = await backend.train(
        model,
        groups,
        learning_rate=1e-6,
        loss_fn="ppo",
        normalize_advantages=False,
        kl_penalty_coef=0.1,
        kl_penalty_step_lag=2,
        kl_ref_adapter_path="/adapters/reference",
        epsilon=0.2,
        epsilon_high=0.3,
        advantage_balance=0.1,
        scale_rewards=False,
        importance_sampling_level="geometric_average",
        max_negative_advantage_importance_sampling_weight=2.0,
        mask_prob_ratio=True,
        kimi_k2_tau=0.5,
        precalculate_logprobs=True,
        allow_training_without_logprobs=True,
        plot_tensors=True,
        truncated_importance_sampling=2.0,
        scale_learning_rate_by_reward_std_dev=True,
        logprob_calculation_chunk_size=512,
        packed_sequence_length=4096,
        num_trajectories_learning_rate_multiplier_power=0.5,
    )
    assert result.step == 1
    result = await backend.train(model, groups, kl_penalty_source="sample", kl_penalty_reference_step=0)
    assert result.step == 2


@example("an answer has the ids of its tokens, streamed and not")
async def _():
    from art.openai import consume_chat_completion_stream

    model, _backend = await registered("exact")
    client = model.openai_client()
    asked = {"model": model.get_inference_name(), "messages": [QUESTION], "logprobs": True}
    whole = await client.chat.completions.create(**asked)
    stream = await client.chat.completions.create(
        **asked, stream=True, stream_options={"include_usage": True}
    )
    for completion in (whole, await consume_chat_completion_stream(stream)):
        [choice] = completion.choices
        ids = choice.token_ids
        assert ids and all(isinstance(each, int) for each in ids)
        assert [each.token for each in choice.logprobs.content] == [f"token_id:{each}" for each in ids]
        assert completion.usage.completion_tokens == len(ids)
        prompt = getattr(completion, "prompt_token_ids", None) or choice.prompt_token_ids
        assert len(prompt) == completion.usage.prompt_tokens


@example("a checkpoint is asked by its step, also within a lease")
async def _():
    model, backend = await registered("poet")
    assert model.get_inference_name(step=2) == "wandb-artifact:///local-team/demo/poet:step2"
    async with backend.adapter_lease(model, 1):
        named = model.get_inference_name()
        assert named.endswith(":step1")
        completion = await model.openai_client().chat.completions.create(
            model=named, messages=[QUESTION]
        )
    assert completion.choices[0].message.content


@example("all checkpoints but the latest are deleted")
async def _():
    model, backend = await registered("poet")
    client = backend._client
    assert await steps_of(model, client) == [0, 1, 2, 3]
    newest = client.models.checkpoints.list(model_id=model.id, order="desc", limit=3)
    assert [each.step async for each in newest] == [3, 2, 1, 0]
    await model.delete_checkpoints()
    assert await steps_of(model, client) == [3]
    deleted = await client.models.checkpoints.delete(model_id=model.id, steps=[3, 99])
    assert (deleted.deleted_count, deleted.not_found_steps) == (1, [99])
    assert await model.get_step() == 0


@example("trajectories are logged, and their metrics join the checkpoint's")
async def _():
    model, backend = await registered("logged")
    client = backend._client
    groups = await grouped(model, rollout)
    await client.models.log(model_id=model.id, trajectory_groups=groups, split="val")
    [checkpoint] = [each async for each in client.models.checkpoints.list(model_id=model.id)]
    assert checkpoint.metrics["val/reward"] == 0.5
    assert checkpoint.metrics["val/tries"] == 1


@example("a failure is raised as the client's own error")
async def _():
    model, backend = await registered("sim-fails")
    with pytest.raises(RuntimeError, match="^Training job failed: "):
        await backend.train(model, await grouped(model, rollout))
    assert await model.get_step() == 0


@example("a role that does not exist is refused when the job is created")
async def _():
    model, backend = await registered("critical")
    critic = {"role": "critic", "content": "Hm."}
    group = art.TrajectoryGroup([art.Trajectory(messages_and_choices=[critic])])
    with pytest.raises(UnprocessableEntityError, match="literal_error"):
        await backend.train(model, [group])


@example("supervised fine-tuning, twice, each a step further")
async def _():
    model, _backend = await registered("pupil")
    answer = {"role": "assistant", "content": "Four."}
    trajectories = [art.Trajectory(messages_and_choices=[QUESTION, answer])] * 3
    await model.train_sft(trajectories)
    assert await model.get_step() == 1
    config = art.TrainSFTConfig(batch_size=2, learning_rate=[1e-4, 5e-5], assistant_turns="last")
    await model.train_sft(trajectories, config, log_metrics=False)
    assert await model.get_step() == 2
    # Without trajectories there is nothing to start.
    await model.train_sft([])
    assert await model.get_step() == 2


@example("a fine-tuning job that fails is raised as the client's own error")
async def _():
    model, _backend = await registered("sim-fails")
    answer = {"role": "assistant", "content": "Four."}
    with pytest.raises(RuntimeError, match="^SFT training job failed: "):
        await model.train_sft([art.Trajectory(messages_and_choices=[QUESTION, answer])])


@example("a deleted model is gone")
async def _():
    model, backend = await registered("poet")
    await backend.delete(model)
    with pytest.raises(NotFoundError):
        await model.get_step()


if __name__ == "__main__":
    run()
