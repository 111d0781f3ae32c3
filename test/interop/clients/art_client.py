"""openpipe-art, unmodified: only the base URL and the key are ours. Runs on every version from 0.5.0 on.

Examples that need what a version does not have are left out for it, and say so.
"""

import inspect
import os
import tempfile
from contextlib import nullcontext

import art
import pytest
from art.serverless.backend import ServerlessBackend
from examples import example, run
from openai import NotFoundError, UnprocessableEntityError

URL, KEY = os.environ["SVTRAIN_BASE_URL"], os.environ["SVTRAIN_API_KEY"]
INFERENCE_URL = os.environ["SVTRAIN_INFERENCE_URL"]
BASE_MODEL = "example/base-8b-instruct"
QUESTION = {"role": "user", "content": "What is 2 + 2?"}


def parameters(function) -> set[str]:
    return set(inspect.signature(function).parameters)


def takes_any_role() -> bool:
    try:
        art.Trajectory(messages_and_choices=[{"role": "critic", "content": "Hm."}], reward=1)
    except ValueError:
        return False
    return True


# What this version has.
TRAINS_THROUGH_BACKEND = hasattr(ServerlessBackend, "train")
SETTINGS = parameters(ServerlessBackend.train) if TRAINS_THROUGH_BACKEND else set()
HAS = {
    "settings of train()": TRAINS_THROUGH_BACKEND,
    "names of single steps": "step" in parameters(art.Model.get_inference_name),
    "leases of a step": hasattr(ServerlessBackend, "adapter_lease"),
    "a choice of the checkpoints to keep": hasattr(ServerlessBackend, "_delete_checkpoint_files"),
    "deletion of models": hasattr(ServerlessBackend, "delete"),
    "capture of exchanges": hasattr(art, "no_capture"),
    "trajectories that leave out what is empty": hasattr(art, "no_capture"),
    "tokens of captured exchanges": hasattr(art.Trajectory, "tokenize"),
    "messages that it does not check": takes_any_role(),
    "token ids of answers": hasattr(art, "no_capture"),
    "a client for SFT jobs": TRAINS_THROUGH_BACKEND and hasattr(ServerlessBackend, "_train_sft"),
    "train_sft()": hasattr(art.TrainableModel, "train_sft"),
}


async def registered(name: str) -> tuple[art.TrainableModel, ServerlessBackend]:
    backend = ServerlessBackend(api_key=KEY, base_url=URL)
    options = {"name": name, "project": "demo", "base_model": BASE_MODEL}
    known = parameters(art.TrainableModel.__init__)
    if "run_name" in known:
        # The service knows the model by this name alone.
        options["run_name"] = name
    if "base_path" in known:
        options["base_path"] = tempfile.mkdtemp()
    model = art.TrainableModel(**options)
    await model.register(backend)
    return model, backend


async def trained(model: art.TrainableModel, backend: ServerlessBackend, groups, **settings) -> int:
    """Trains and returns the new step."""
    if TRAINS_THROUGH_BACKEND:
        result = await backend.train(model, groups, **settings)
        assert result.artifact_name == f"local-team/demo/{model.name}:step{result.step}"
        assert result.metrics == {} or result.metrics.get("loss/train", 1) > 0
        return result.step
    await model.train(groups, config=art.TrainConfig(**settings))
    return await model.get_step()


async def rollout(model: art.TrainableModel, reward: float) -> art.Trajectory:
    """A trajectory of messages and choices, written by hand."""
    with art.no_capture() if HAS["capture of exchanges"] else nullcontext():
        completion = await model.openai_client().chat.completions.create(
            model=model.get_inference_name(), messages=[QUESTION], logprobs=True, max_tokens=20
        )
    metadata = {"question": "2 + 2", "tries": 1}
    if HAS["capture of exchanges"]:
        metadata["nested"] = {"a": [1, None, {"b": 1.5}]}
    return art.Trajectory(
        messages_and_choices=[QUESTION, completion.choices[0]],
        reward=reward,
        metrics={"correct": reward > 0.5, "tries": 1},
        metadata=metadata,
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


async def said(model: art.TrainableModel, messages: list[dict], **asked) -> dict:
    """An answer as a message, whole or from a stream."""
    client, name = model.openai_client().chat.completions, model.get_inference_name()
    if not asked.get("stream"):
        answer = await client.create(model=name, messages=messages, logprobs=True, **asked)
        return answer.choices[0].message.model_dump(exclude_none=True)
    content, calls = "", []
    async for chunk in await client.create(model=name, messages=messages, logprobs=True, **asked):
        for choice in chunk.choices:
            content += choice.delta.content or ""
            for call in choice.delta.tool_calls or []:
                if call.id:
                    calls.append({"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": ""}})
                calls[call.index]["function"]["arguments"] += call.function.arguments or ""
    return {"role": "assistant", "content": content or None, **({"tool_calls": calls} if calls else {})}


async def failing() -> art.Trajectory:
    raise ValueError("the tool broke")


async def grouped(model: art.TrainableModel, gather) -> list[art.TrajectoryGroup]:
    def group():
        rollouts = [gather(model, reward) for reward in (0.0, 0.5, 1.0)]
        if not hasattr(art, "trajectory_group"):
            return art.TrajectoryGroup(rollouts)
        return art.trajectory_group(
            rollouts,
            metadata={"task": {"id": 7, "tags": ["a", None]}},
            metrics={"difficulty": 0.3, "seen": True},
            logs=["gathered"],
        )

    return await art.gather_trajectory_groups(group() for _ in range(2))


async def steps_of(model: art.TrainableModel, backend: ServerlessBackend) -> list[int]:
    client = backend._client
    return [each.step async for each in client.models.checkpoints.list(model_id=model.id)]


@example("a model is registered, and found again by a second process", part="register")
async def _():
    model, _backend = await registered("poet")
    assert model.id and model.entity == "local-team"
    # The id of the run exists since 0.5.11.
    assert getattr(model, "run_id", "none yet")
    again, _backend = await registered("poet")
    assert again.id == model.id
    assert await model.get_step() == 0


@example("groups of rollouts are gathered", part="rollout")
async def _():
    model, _backend = await registered("poet")
    groups = await grouped(model, rollout)
    assert all(not group.exceptions and len(group.trajectories) == 3 for group in groups)


@example("three turns of rollouts and training, each a step further", part="train")
async def _():
    model, backend = await registered("poet")
    for turn in range(3):
        groups = await grouped(model, rollout)
        assert await trained(model, backend, groups, learning_rate=1e-5) == turn + 1
        assert await model.get_step() == turn + 1


@example("training returns the metrics of the job", part="train", needs="settings of train()")
async def _():
    model, backend = await registered("measured")
    result = await backend.train(model, await grouped(model, rollout))
    loss = result.metrics.get("loss/train", result.metrics.get("loss"))
    reward = result.metrics.get("train/reward", result.metrics.get("reward"))
    assert loss > 0
    assert reward == 0.5


@example("training on captured exchanges, streamed and not", part="train", needs="capture of exchanges")
async def _():
    model, backend = await registered("listener")
    groups = await grouped(model, captured)
    trajectories = [each for group in groups for each in group.trajectories]
    trajectories += [await captured(model, 1.0, stream=True, stream_options={"include_usage": True})]
    assert all(len(each.exchanges.chat_completions) == 1 for each in trajectories)
    assert not any(each.messages_and_choices for each in trajectories)
    groups.append(art.TrajectoryGroup(trajectories[-1:]))
    assert await trained(model, backend, groups) == 1


@example("captured turns are one history of tokens", part="train", needs="tokens of captured exchanges")
async def _():
    model, _backend = await registered("talker")
    weather = {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}
    for stream in (False, True):
        streamed = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
        # The second turn answers with a call of a tool, and the third with its result in the prompt.
        for tools in ([], [{"type": "function", "function": weather}]):
            more = {**streamed, **({"tools": tools} if tools else {})}
            with art.Trajectory(reward=1.0) as trajectory:
                messages = [QUESTION]
                for question in ("And then?", "Anything else?", "Thanks."):
                    message = await said(model, messages, **more)
                    calls = message.get("tool_calls") or []
                    results = [{"role": "tool", "tool_call_id": call["id"], "content": "18 degrees"} for call in calls]
                    messages += [message, *results, {"role": "user", "content": question}]
            assert len(trajectory.exchanges.chat_completions) == 3
            assert trajectory.tokenize(model=model.get_inference_name())


@example("a group of which some trajectories failed", part="train")
async def _():
    model, backend = await registered("clumsy")
    [group] = await art.gather_trajectory_groups(
        [art.TrajectoryGroup([rollout(model, 0.0), failing(), rollout(model, 1.0)])], max_exceptions=1
    )
    assert len(group.trajectories) == 2 and "the tool broke" in group.exceptions[0].message
    broken = art.TrajectoryGroup([], exceptions=[ValueError("nothing left")])
    assert await trained(model, backend, [group, broken]) == 1


@example("a group and a trajectory without anything", part="train", needs="trajectories that leave out what is empty")
async def _():
    model, backend = await registered("empty")
    empty = art.TrajectoryGroup([])
    assert empty.model_dump(mode="json") == {}
    assert art.Trajectory().model_dump(mode="json") == {}
    group = art.TrajectoryGroup([await rollout(model, reward) for reward in (0.0, 1.0)])
    groups = [group, empty, art.TrajectoryGroup([art.Trajectory()])]
    assert await trained(model, backend, groups) == 1


@example("exchanges of every wire format are accepted", part="train", needs="capture of exchanges")
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
            "request": {"model": named, "prompt": QUESTION["content"], "logprobs": 1},
            "response": {"id": "cmpl-1", "object": "text_completion", "created": 1700000000,
                         "model": named, "choices": [{"finish_reason": "stop", "index": 0, "text": "4",
                         "logprobs": {"tokens": ["4"], "token_logprobs": [-0.1]},
                         "prompt_token_ids": [11], "token_ids": [21]}]},
        },
        "responses": {"request": {"model": named, "input": QUESTION["content"]}, "response": responses},
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
    assert await trained(model, backend, [art.TrajectoryGroup(trajectories)]) == 1


@example("training with every setting that train() takes", part="train", needs="settings of train()")
async def _():
    model, backend = await registered("tuned")
    groups = await grouped(model, rollout)
    settings = {
        "learning_rate": 1e-6,
        "normalize_advantages": False,
        "kl_penalty_coef": 0.1,
        "kl_penalty_step_lag": 2,
        "kl_ref_adapter_path": "/adapters/reference",
        "epsilon": 0.2,
        "epsilon_high": 0.3,
        "advantage_balance": 0.1,
        "scale_rewards": False,
        "importance_sampling_level": "geometric_average",
        "max_negative_advantage_importance_sampling_weight": 2.0,
        "mask_prob_ratio": True,
        "kimi_k2_tau": 0.5,
        "precalculate_logprobs": True,
        "allow_training_without_logprobs": True,
        "plot_tensors": True,
        "truncated_importance_sampling": 2.0,
        "scale_learning_rate_by_reward_std_dev": True,
        "packed_sequence_length": 4096,
        "num_trajectories_learning_rate_multiplier_power": 0.5,
        # The newer name of the same choice comes first: both together are refused.
        **({"loss_fn": "ppo"} if "loss_fn" in SETTINGS else {"ppo": True}),
    }
    known = {key: value for key, value in settings.items() if key in SETTINGS}
    assert await trained(model, backend, groups, **known) == 1
    if "kl_penalty_source" in SETTINGS:
        from_sample = {"kl_penalty_source": "sample", "kl_penalty_reference_step": 0}
        assert await trained(model, backend, groups, **from_sample) == 2


@example("an answer has the ids of its tokens, streamed and not", part="rollout", needs="token ids of answers")
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


@example("a checkpoint is asked by its step, on both hosts, and streamed", part="rollout", needs="names of single steps")
async def _():
    from art.openai import consume_chat_completion_stream

    model, _backend = await registered("poet")
    name = model.get_inference_name(step=2)
    assert name == "wandb-artifact:///local-team/demo/poet:step2"
    for url in (URL, INFERENCE_URL):
        client = art.Model(
            name="judge", project="demo", inference_api_key=KEY, inference_base_url=url
        ).openai_client()
        asked = {"model": name, "messages": [QUESTION], "temperature": 0}
        completion = await client.chat.completions.create(**asked)
        assert completion.choices[0].message.content
        stream = await client.chat.completions.create(
            **asked, stream=True, stream_options={"include_usage": True}
        )
        streamed = await consume_chat_completion_stream(stream)
        assert streamed.choices[0].message.content == completion.choices[0].message.content
        assert streamed.usage.completion_tokens == completion.usage.completion_tokens


@example("a checkpoint is asked within a lease", part="rollout", needs="leases of a step")
async def _():
    model, backend = await registered("poet")
    async with backend.adapter_lease(model, 1):
        named = model.get_inference_name()
        assert named.endswith(":step1")
        completion = await model.openai_client().chat.completions.create(
            model=named, messages=[QUESTION]
        )
    assert completion.choices[0].message.content


@example("checkpoints are listed both ways", part="checkpoints")
async def _():
    model, backend = await registered("poet")
    assert await steps_of(model, backend) == [0, 1, 2, 3]
    newest = backend._client.models.checkpoints.list(model_id=model.id, order="desc", limit=3)
    assert [each.step async for each in newest] == [3, 2, 1, 0]


@example("chosen checkpoints stay, and the others are deleted", part="checkpoints", needs="a choice of the checkpoints to keep")
async def _():
    model, backend = await registered("poet")
    await backend._delete_checkpoint_files(model, steps_to_keep=[0, 2, 3])
    assert await steps_of(model, backend) == [0, 2, 3]


@example("all checkpoints but the latest are deleted", part="checkpoints")
async def _():
    model, backend = await registered("poet")
    # Old versions keep the best checkpoints, and without such a metric all are equally good.
    await model.delete_checkpoints()
    steps = await steps_of(model, backend)
    assert steps[-1] == 3
    if HAS["a choice of the checkpoints to keep"]:
        assert steps == [3]
    deleted = await backend._client.models.checkpoints.delete(model_id=model.id, steps=[3, 99])
    assert (deleted.deleted_count, deleted.not_found_steps) == (1, [99])
    assert await model.get_step() == max([0, *steps[:-1]])


@example("trajectories are logged, and their metrics join the checkpoint's", part="log")
async def _():
    model, backend = await registered("logged")
    client = backend._client
    groups = await grouped(model, rollout)
    await client.models.log(model_id=model.id, trajectory_groups=groups, split="val")
    [checkpoint] = [each async for each in client.models.checkpoints.list(model_id=model.id)]
    assert checkpoint.metrics["val/reward"] == 0.5
    assert checkpoint.metrics["val/tries"] == 1


@example("a failure is raised as the client's own error", part="train")
async def _():
    model, backend = await registered("sim-fails")
    with pytest.raises(RuntimeError, match="^Training job failed: "):
        await trained(model, backend, await grouped(model, rollout))
    assert await model.get_step() == 0


@example("a role that does not exist is refused when the job is created", part="train", needs="messages that it does not check")
async def _():
    model, backend = await registered("critical")
    critic = {"role": "critic", "content": "Hm."}
    group = art.TrajectoryGroup([art.Trajectory(messages_and_choices=[critic], reward=1)])
    with pytest.raises(UnprocessableEntityError, match="literal_error"):
        await trained(model, backend, [group])


@example("supervised fine-tuning through its client, from an artifact", part="SFT", needs="a client for SFT jobs")
async def _():
    model, backend = await registered("scholar")
    client = backend._client
    job = await client.sft_training_jobs.create(
        model_id=model.id,
        training_data_url="wandb-artifact:///local-team/demo/scholar-sft-data-0123456789ab:v0",
        config={"batch_size": 2, "learning_rate": [1e-4, 5e-5]},
    )
    types, after = [], None
    while types[-1:] != ["training_ended"]:
        query = {} if after is None else {"after": after}
        async for event in client.sft_training_jobs.events.list(training_job_id=job.id, **query):
            types.append(event.type)
            after = event.id
    # One step for each learning rate.
    assert types == ["training_started", *["gradient_step"] * 2, "training_ended"]
    assert await model.get_step() == 1


@example("supervised fine-tuning, twice, each a step further", part="SFT", needs="train_sft()")
async def _():
    model, _backend = await registered("pupil")
    answer = {"role": "assistant", "content": "Four."}
    trajectories = [art.Trajectory(messages_and_choices=[QUESTION, answer], reward=1)] * 3
    await model.train_sft(trajectories)
    assert await model.get_step() == 1
    config = {"batch_size": 2, "learning_rate": [1e-4, 5e-5]}
    options = {}
    if "assistant_turns" in art.TrainSFTConfig.model_fields:
        config["assistant_turns"] = "last"
    if "log_metrics" in parameters(art.TrainableModel.train_sft):
        options["log_metrics"] = False
    await model.train_sft(trajectories, art.TrainSFTConfig(**config), **options)
    assert await model.get_step() == 2
    # Without trajectories there is nothing to start.
    await model.train_sft([])
    assert await model.get_step() == 2


@example("a fine-tuning job that fails is raised as the client's own error", part="SFT", needs="train_sft()")
async def _():
    model, _backend = await registered("sim-fails")
    answer = {"role": "assistant", "content": "Four."}
    with pytest.raises(RuntimeError, match="^SFT training job failed: "):
        await model.train_sft([art.Trajectory(messages_and_choices=[QUESTION, answer], reward=1)])


@example("a deleted model is gone", part="delete", needs="deletion of models")
async def _():
    model, backend = await registered("poet")
    await backend.delete(model)
    with pytest.raises(NotFoundError):
        await model.get_step()


if __name__ == "__main__":
    run(HAS)
