"""Eight tests of a training loop with openpipe-art. The loop stands first, and names no address."""

import asyncio

import art
import openai
import pytest
from art.rewards import ruler_score_group
from art.serverless.backend import ServerlessBackend

BASE_MODEL = "example/base-8b-instruct"
QUESTION = {"role": "user", "content": "Name a color."}


async def registered(folder):
    model = art.TrainableModel(
        name="poet", run_name="poet", project="demo", base_model=BASE_MODEL, base_path=str(folder)
    )
    backend = ServerlessBackend()
    await model.register(backend)
    return model, backend


async def rollout(model, reward):
    answer = await model.openai_client().chat.completions.create(
        model=model.get_inference_name(), messages=[QUESTION], logprobs=True
    )
    return art.Trajectory(messages_and_choices=[QUESTION, answer.choices[0]], reward=reward)


async def gathered(model, judged=None):
    rewards = (0.0, 0.5, 1.0)
    groups = [art.trajectory_group(rollout(model, reward) for reward in rewards)]
    return await art.gather_trajectory_groups(groups, after_each=judged)


async def judged(group):
    """The group with the rewards of a judge. While the judge is down, it is asked again."""
    while True:
        try:
            return await ruler_score_group(group, "openai/judge")
        except openai.APIError:
            await asyncio.sleep(10)


async def train(folder, steps, judged=None):
    """Trains up to a step, from where an earlier run of the program ended."""
    model, backend = await registered(folder)
    while await model.get_step() < steps:
        groups = await gathered(model, judged)
        result = await backend.train(model, groups)
        await model.log(groups, metrics=result.metrics, step=result.step, split="train")
    await backend.close()


pytestmark = pytest.mark.svtrain(intercept=True)


def test_trains_a_step(svtrain, tmp_path):
    asyncio.run(train(tmp_path, steps=1))
    svtrain.assert_ended(model="poet")
    assert svtrain.jobs.list()[0].checkpoint_step == 1


@pytest.mark.svtrain(scenario="failing-job")
def test_reports_a_failed_job(svtrain, tmp_path):
    with pytest.raises(RuntimeError, match="out of memory"):
        asyncio.run(train(tmp_path, steps=1))
    svtrain.assert_failed("out of memory")


@pytest.mark.svtrain(scenario="slow-start")
def test_waits_for_a_slow_job(svtrain, tmp_path):
    svtrain.skip_sleeps()
    asyncio.run(train(tmp_path, steps=1))
    svtrain.assert_ended(model="poet")


def test_a_refused_chat_ends_it(svtrain, tmp_path):
    svtrain.faults.add("status", status=403, match={"operation": "*ChatCompletion*"})
    with pytest.raises(openai.PermissionDeniedError):
        asyncio.run(train(tmp_path, steps=1))
    assert svtrain.jobs.list() == []


@pytest.mark.svtrain(scenario="judge-down", env=True)
def test_waits_for_a_judge_that_is_down(svtrain, tmp_path):
    # The client of the judge finds its address and its key there.
    svtrain.skip_sleeps()
    asyncio.run(train(tmp_path, steps=1, judged=judged))
    svtrain.assert_received_request(status=503)
    svtrain.assert_ended(model="poet")


def test_resumes_where_it_ended(svtrain, tmp_path):
    with svtrain.env():  # At its end, the runs of wandb end, as at the end of a program.
        asyncio.run(train(tmp_path, steps=1))
    asyncio.run(train(tmp_path, steps=2))
    assert [job.checkpoint_step for job in svtrain.jobs.list()] == [2, 1]


def test_fine_tunes_on_examples(svtrain, tmp_path):
    async def fine_tune():
        model, backend = await registered(tmp_path)
        answer = {"role": "assistant", "content": "Blue."}
        rows = [art.Trajectory(messages_and_choices=[QUESTION, answer], reward=1.0)] * 4
        await model.train_sft(rows, art.TrainSFTConfig(batch_size=2, learning_rate=1e-4))
        await backend.close()

    asyncio.run(fine_tune())
    assert svtrain.jobs.list()[0].kind == "sft"
    svtrain.assert_ended(model="poet")


def test_logs_metrics(svtrain, tmp_path):
    asyncio.run(train(tmp_path, steps=2))
    svtrain.assert_logged_metric("train/reward", value=0.5)
    svtrain.assert_logged_metric("training_step", value=2)
