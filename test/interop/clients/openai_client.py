"""The official library: its client class subclassed, as the field's client does, and used as it is."""

import asyncio
import os
from typing import Any, Optional

import openai
import pytest
from examples import example, run
from openai import AsyncOpenAI, OpenAI
from openai._base_client import SyncAPIClient, make_request_options
from openai._exceptions import APIStatusError
from openai.pagination import AsyncCursorPage, SyncCursorPage
from recorder import BASE_MODEL, INFERENCE_URL, KEY, QUESTION, WEATHER, City, recording

URL = os.environ["SVTRAIN_BASE_URL"]
HELLO = [{"role": "user", "content": "hello"}]
# Asked so, the same question has the same answer.
GREEDY: dict[str, Any] = {"model": BASE_MODEL, "messages": HELLO, "temperature": 0}


class Item(openai.BaseModel):
    id: str
    step: Optional[int] = None
    type: Optional[str] = None


class Training(SyncAPIClient):
    """Knows nothing but how to authenticate and what to raise."""

    def __init__(self, key: str = KEY, url: str = URL):
        self.key = key
        super().__init__(
            version="1", base_url=url, _strict_response_validation=True, max_retries=3
        )

    def _auth_headers(self, security: Any = None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def _make_status_error(self, err_msg: str, *, body: Any, response: Any) -> APIStatusError:
        return OpenAI._make_status_error(self, err_msg, body=body, response=response)

    def create(self, name: str, **more: Any) -> Any:
        body = {"project": "demo", "name": name, "base_model": BASE_MODEL, **more}
        return self.post("/preview/models", cast_to=object, body=body)

    def train(self, name: str) -> tuple[str, str]:
        model = self.create(name, return_existing=True)
        groups = [{"trajectories": [{"reward": 1}, {"reward": 0}]}]
        body = {"model_id": model["id"], "trajectory_groups": groups}
        job = self.post("/preview/training-jobs", cast_to=object, body=body)
        while self.get(f"/preview/training-jobs/{job['id']}", cast_to=object)["status"] != "ended":
            pass
        return model["id"], job["id"]

    def all(self, path: str, **query: Any) -> list[Item]:
        options = make_request_options(query=query)
        page = SyncCursorPage[Item]
        return list(self.get_api_list(path, page=page, options=options, model=Item))


@example("a subclass of the library's client trains, and pages through events and checkpoints")
def _():
    client = Training()
    model_id, job_id = client.train("poet")
    for _turn in range(3):
        client.train("poet")
    checkpoints = f"/preview/models/{model_id}/checkpoints"
    for limit in (1, 2, 100):
        up = client.all(checkpoints, limit=limit, order="asc")
        assert [each.step for each in up] == [0, 1, 2, 3, 4]
        down = client.all(checkpoints, limit=limit, order="desc")
        assert [each.step for each in down] == [4, 3, 2, 1, 0]
        newer = client.all(checkpoints, limit=limit, after=up[2].id)
        assert [each.step for each in newer] == [3, 4]
        older = client.all(checkpoints, limit=limit, after=up[2].id, order="desc")
        assert [each.step for each in older] == [1, 0]
        types = [each.type for each in client.all(f"/preview/training-jobs/{job_id}/events")]
        assert types == ["training_started", "gradient_step", "gradient_step", "training_ended"]


@example("the asynchronous library pages in the same way")
async def _():
    client = AsyncOpenAI(base_url=URL, api_key=KEY)
    model = await client.post(
        "/preview/models",
        cast_to=object,
        body={"project": "demo", "name": "quick", "base_model": BASE_MODEL},
    )
    page = client.get_api_list(
        f"/preview/models/{model['id']}/checkpoints", model=Item, page=AsyncCursorPage[Item]
    )
    assert [each.step async for each in page] == [0]


@example("each status that the library retries is retried, and no other")
def _():
    client = Training()

    def attempts(status: int) -> int:
        options = {"headers": {"x-fail-first": str(status)}}
        try:
            response = client.get("/preview/base-models", cast_to=object, options=options)
            assert response
            return 2
        except APIStatusError as error:
            assert error.status_code == status
            return 1

    for status in (408, 409, 429, 500, 502, 503, 504, 524):
        assert attempts(status) == 2, status
    for status in (400, 401, 402, 403, 404, 422, 425):
        assert attempts(status) == 1, status


@example("a lost connection is tried again")
def _():
    options = {"headers": {"x-fail-first": "drop"}}
    assert Training().get("/preview/base-models", cast_to=object, options=options)


@example("errors are of the library's own types, and hold what the service said")
def _():
    client, base = Training(), "/preview/training-jobs"
    with pytest.raises(openai.AuthenticationError) as unknown:
        Training(key="wrong").create("poet")
    assert unknown.value.body == {"detail": "Not authenticated"}
    with pytest.raises(openai.NotFoundError) as absent:
        client.get(f"{base}/no-such-job", cast_to=object)
    assert absent.value.body == {"detail": "Training job not found"}
    with pytest.raises(openai.ConflictError):
        client.create("poet")
    with pytest.raises(openai.UnprocessableEntityError) as misfit:
        client.post(base, cast_to=object, body={"model_id": "x"})
    assert [each["loc"] for each in misfit.value.body["detail"]] == [
        ["body", "model_id"],
        ["body", "trajectory_groups"],
    ]
    with pytest.raises(openai.BadRequestError):
        model_id = client.create("pupil", return_existing=True)["id"]
        body = {"model_id": model_id, "training_data_url": "/no/such/file.jsonl"}
        client.post("/preview/sft-training-jobs", cast_to=object, body=body)
    with pytest.raises(openai.APIStatusError) as wrong_method:
        client.delete(base, cast_to=object)
    assert wrong_method.value.status_code == 405


@example("chat completions, on both hosts, of base models and checkpoints")
def _():
    for url in (URL, INFERENCE_URL):
        with OpenAI(base_url=url, api_key=KEY, project="local-team/demo") as client:
            for model in (BASE_MODEL, "artifact:///local-team/demo/poet:step1"):
                answer = client.chat.completions.create(
                    model=model, messages=HELLO, n=2, logprobs=True, max_tokens=5
                )
                assert [choice.index for choice in answer.choices] == [0, 1]
                assert all(choice.message.content for choice in answer.choices)
                assert answer.choices[0].logprobs.content[0].top_logprobs == []
                assert answer.usage.completion_tokens > 0


@example("streams, with and without usage, synchronous and not")
async def _():
    with OpenAI(base_url=INFERENCE_URL, api_key=KEY) as client:
        whole = client.chat.completions.create(**GREEDY)
        stream = client.chat.completions.create(**GREEDY, stream=True)
        # The last chunk tells the usage, asked or not, and has no choices.
        text = "".join(
            choice.delta.content or "" for chunk in stream for choice in chunk.choices
        )
        assert text == whole.choices[0].message.content
    async with AsyncOpenAI(base_url=INFERENCE_URL, api_key=KEY) as client:
        stream = await client.chat.completions.create(
            **GREEDY, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
        assert chunks[-1].choices == []
        assert chunks[-1].usage == whole.usage
    with OpenAI(base_url=INFERENCE_URL, api_key=KEY) as client:
        with client.chat.completions.stream(**GREEDY) as events:
            final = events.get_final_completion()
        assert final.choices[0].message.content == whole.choices[0].message.content


@example("served models are listed, and an unknown one is refused in its words")
def _():
    with OpenAI(base_url=INFERENCE_URL, api_key=KEY) as client:
        listed = [each.id for each in client.models.list()]
        assert BASE_MODEL in listed
        assert "artifact:///local-team/demo/poet:step4" in listed
        with pytest.raises(openai.NotFoundError) as unknown:
            client.chat.completions.create(model="no-such-model", messages=HELLO)
        assert "no-such-model" in unknown.value.message


@example("raw and streamed responses")
def _():
    with OpenAI(base_url=URL, api_key=KEY) as client:
        raw = client.chat.completions.with_raw_response.create(model=BASE_MODEL, messages=HELLO)
        assert raw.status_code == 200
        assert raw.headers["content-type"] == "application/json"
        assert raw.parse().choices[0].finish_reason == "stop"
        with client.chat.completions.with_streaming_response.create(
            model=BASE_MODEL, messages=HELLO
        ) as response:
            assert response.json()["object"] == "chat.completion"


@example("tool loop, whole and streamed, and answers of the exact types")
def _():
    with recording() as recorder, OpenAI(base_url=recorder.url, api_key=KEY) as client:
        for stream in (False, True):
            messages: list[Any] = [{"role": "user", "content": QUESTION}]
            given = []
            while len(messages) < 6:
                asked = {"model": BASE_MODEL, "messages": messages, "tools": [WEATHER]}
                if stream:
                    with client.chat.completions.stream(**asked) as events:
                        choice = events.get_final_completion().choices[0]
                else:
                    choice = client.chat.completions.create(**asked).choices[0]
                messages.append(choice.message.to_dict())
                if not choice.message.tool_calls:
                    break
                assert choice.finish_reason == "tool_calls"
                for call in choice.message.tool_calls:
                    given.append(City.model_validate_json(call.function.arguments))
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": "sunny"})
            assert len(given) == 1 and messages[-1]["content"]


@example("structured output, whole and streamed, and answers of the exact types")
def _():
    with recording() as recorder, OpenAI(base_url=recorder.url, api_key=KEY) as client:
        asked = {"model": BASE_MODEL, "messages": HELLO, "response_format": City}
        assert isinstance(client.chat.completions.parse(**asked).choices[0].message.parsed, City)
        with client.chat.completions.stream(**asked) as events:
            assert isinstance(events.get_final_completion().choices[0].message.parsed, City)


@example("chat with every option has answers of the exact types")
def _():
    with recording() as recorder, OpenAI(base_url=recorder.url, api_key=KEY) as client:
        asked = {
            "model": BASE_MODEL, "messages": HELLO, "logprobs": True, "top_logprobs": 3, "n": 2,
            "max_tokens": 5, "stop": ["."], "seed": 1, "user": "ann",
            "extra_body": {"return_token_ids": True, "return_tokens_as_token_ids": True},
        }  # fmt: skip
        whole = client.chat.completions.create(**asked)
        assert len(whole.choices) == 2
        with_usage = {"stream": True, "stream_options": {"include_usage": True}}
        chunks = list(client.chat.completions.create(**asked, **with_usage))
        assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens


@example("forty calls at once")
async def _():
    async with AsyncOpenAI(base_url=INFERENCE_URL, api_key=KEY) as client:
        calls = (client.chat.completions.create(**GREEDY) for _ in range(40))
        answers = await asyncio.gather(*calls)
        assert len({each.choices[0].message.content for each in answers}) == 1


run()
