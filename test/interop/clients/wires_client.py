"""The extension wires, called by the vendors' own libraries, and captured by the newest client for training."""

import json
import os
import tempfile
from typing import Any

import anthropic
import art
import httpx
import openai
import pytest
from art.serverless.backend import ServerlessBackend
from examples import example, run
from openai import AsyncOpenAI, OpenAI
from openai.types.responses import ResponseStreamEvent
from pydantic import BaseModel, TypeAdapter

URL, KEY = os.environ["SVTRAIN_BASE_URL"], os.environ["SVTRAIN_API_KEY"]
INFERENCE_URL = os.environ["SVTRAIN_INFERENCE_URL"]
BASE_MODEL = "example/base-8b-instruct"
# With this option the libraries refuse an answer whose types are wrong.
strict: dict[str, Any] = {"_strict_response_validation": True}


class City(BaseModel):
    name: str
    people: int


PARAMETERS = City.model_json_schema()
TEXT = "Where do most people live?"


def client() -> OpenAI:
    return OpenAI(base_url=INFERENCE_URL, api_key=KEY, max_retries=0, **strict)


def claude() -> anthropic.Anthropic:
    root = INFERENCE_URL.removesuffix("/v1")
    return anthropic.Anthropic(base_url=root, api_key=KEY, max_retries=0, **strict)


@example("completions: texts, token ids, log probabilities, echo")
def _():
    ask = client().completions.create
    one = ask(model=BASE_MODEL, prompt=TEXT, max_tokens=8, logprobs=2)
    assert one.usage.completion_tokens == 8 and one.choices[0].finish_reason == "length"
    logprobs = one.choices[0].logprobs
    assert "".join(logprobs.tokens) == one.choices[0].text
    assert all(len(top) == 2 for top in logprobs.top_logprobs)
    many = ask(model=BASE_MODEL, prompt=[TEXT, "Why?"], n=2, extra_body={"return_token_ids": True})
    assert [each.index for each in many.choices] == [0, 1, 2, 3]
    again = ask(model=BASE_MODEL, prompt=many.choices[0].prompt_token_ids, echo=True, max_tokens=1)
    assert again.choices[0].text.startswith(TEXT)


@example("completions: a stream brings the same text and the usage")
def _():
    asked = {"model": BASE_MODEL, "prompt": TEXT, "temperature": 0, "max_tokens": 12}
    whole = client().completions.create(**asked)
    # While a choice is not finished its reason is null, which the library's own types do not allow.
    loose = OpenAI(base_url=INFERENCE_URL, api_key=KEY)
    stream = loose.completions.create(**asked, stream=True, stream_options={"include_usage": True})
    chunks = list(stream)
    text = "".join(each.choices[0].text for each in chunks if each.choices)
    assert text == whole.choices[0].text
    assert chunks[-1].usage == whole.usage


@example("responses: text, items, instructions and log probabilities")
def _():
    create = client().responses.create
    one = create(
        model=BASE_MODEL,
        instructions="Be brief.",
        input=TEXT,
        include=["message.output_text.logprobs"],
        top_logprobs=2,
    )
    assert one.status == "completed" and one.output_text
    [part] = one.output[0].content
    assert "".join(each.token for each in part.logprobs) == part.text
    assert one.usage.total_tokens == one.usage.input_tokens + one.usage.output_tokens
    more = create(
        model=BASE_MODEL,
        input=[{"role": "user", "content": TEXT}, *one.output, {"role": "user", "content": "Why?"}],
        max_output_tokens=3,
    )
    assert more.status == "incomplete"
    assert more.incomplete_details.reason == "max_output_tokens"


@example("responses: every event has its type, and the helper rebuilds the response")
def _():
    adapter = TypeAdapter(ResponseStreamEvent)
    names = []
    with client().responses.stream(model=BASE_MODEL, input=TEXT, temperature=0) as stream:
        for number, event in enumerate(stream):
            assert event.sequence_number == number
            names.append(event.type)
        final = stream.get_final_response()
    body = {"model": BASE_MODEL, "input": TEXT, "stream": True, "temperature": 0}
    sent = httpx.post(
        f"{INFERENCE_URL}/responses", json=body, headers={"authorization": f"Bearer {KEY}"}
    )
    events = [line[6:] for line in sent.text.splitlines() if line.startswith("data: ")]
    for event in events:
        adapter.validate_json(event, strict=True)
    assert len(events) == len(names)
    assert list(dict.fromkeys(names)) == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    whole = client().responses.create(model=BASE_MODEL, input=TEXT, temperature=0)
    assert final.output_text == whole.output_text


@example("responses: a loop of tools, streamed and not")
def _():
    tool = {"type": "function", "name": "find", "parameters": PARAMETERS, "strict": True}
    create = client().responses.create
    asked: list[Any] = [{"role": "user", "content": TEXT}]
    one = create(model=BASE_MODEL, input=asked, tools=[tool])
    [call] = one.output
    assert call.type == "function_call" and City.model_validate_json(call.arguments)
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "Delhi"}
    last = create(model=BASE_MODEL, input=[*asked, call, result], tools=[tool])
    assert last.output_text
    named: Any = {"type": "function", "name": "find"}
    with client().responses.stream(
        model=BASE_MODEL, input=asked, tools=[tool], tool_choice=named
    ) as stream:
        for event in stream:
            if event.type == "response.function_call_arguments.done":
                assert City.model_validate_json(event.arguments)
        assert stream.get_final_response().output[0].name == "find"


@example("responses: structured output is parsed")
def _():
    parsed = client().responses.parse(model=BASE_MODEL, input=TEXT, text_format=City)
    assert isinstance(parsed.output_parsed, City)
    with client().responses.stream(model=BASE_MODEL, input=TEXT, text_format=City) as stream:
        assert isinstance(stream.get_final_response().output_parsed, City)


@example("messages: text, system, stop sequences and limits")
def _():
    create = claude().messages.create
    asked: Any = [{"role": "user", "content": TEXT}]
    one = create(model=BASE_MODEL, max_tokens=200, system="Be brief.", messages=asked)
    assert one.stop_reason == "end_turn" and one.content[0].type == "text"
    assert one.usage.input_tokens > 0
    short = create(model=BASE_MODEL, max_tokens=2, messages=asked)
    assert short.stop_reason == "max_tokens" and short.usage.output_tokens == 2
    stopped = create(model=BASE_MODEL, max_tokens=200, messages=asked, stop_sequences=[" "])
    assert stopped.stop_reason == "stop_sequence" and stopped.stop_sequence == " "
    counted = claude().messages.count_tokens(model=BASE_MODEL, messages=asked)
    assert counted.input_tokens == short.usage.input_tokens


@example("messages: the helper for streams rebuilds the message")
def _():
    asked: Any = [{"role": "user", "content": TEXT}]
    greedy = {"extra_body": {"temperature": 0}}
    settings: Any = {"model": BASE_MODEL, "max_tokens": 200, "messages": asked, **greedy}
    whole = claude().messages.create(**settings)
    with claude().messages.stream(**settings) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text == whole.content[0].text
    assert final.usage.output_tokens == whole.usage.output_tokens
    assert final.stop_reason == "end_turn"


@example("messages: a loop of tools, streamed and not")
def _():
    tool: Any = {"name": "find", "description": "Finds a city.", "input_schema": PARAMETERS}
    asked: Any = [{"role": "user", "content": TEXT}]
    settings: Any = {"model": BASE_MODEL, "max_tokens": 500, "tools": [tool]}
    one = claude().messages.create(**settings, messages=asked)
    assert one.stop_reason == "tool_use"
    [call] = one.content
    assert call.type == "tool_use" and City.model_validate(call.input)
    result: Any = {"type": "tool_result", "tool_use_id": call.id, "content": "Delhi"}
    asked += [{"role": "assistant", "content": one.content}, {"role": "user", "content": [result]}]
    last = claude().messages.create(**settings, messages=asked)
    assert last.stop_reason == "end_turn" and last.content[0].text
    choice: Any = {"type": "tool", "name": "find"}
    with claude().messages.stream(**settings, messages=asked, tool_choice=choice) as stream:
        final = stream.get_final_message()
    assert final.stop_reason == "tool_use" and City.model_validate(final.content[0].input)


@example("messages: structured output is parsed")
def _():
    asked: Any = [{"role": "user", "content": TEXT}]
    message = claude().messages.parse(
        model=BASE_MODEL, max_tokens=500, messages=asked, output_format=City
    )
    assert isinstance(message.parsed_output, City)


@example("errors are of each library's own types, and hold what the service said")
def _():
    asked: Any = [{"role": "user", "content": TEXT}]
    with pytest.raises(anthropic.NotFoundError) as absent:
        claude().messages.create(model="nope", max_tokens=5, messages=asked)
    assert absent.value.body == {
        "type": "error",
        "error": {"type": "NotFoundError", "message": "The model `nope` does not exist."},
    }
    with pytest.raises(anthropic.BadRequestError):
        claude().messages.create(model=BASE_MODEL, max_tokens=0, messages=asked)
    with pytest.raises(openai.NotFoundError) as unstored:
        client().responses.create(model=BASE_MODEL, input="x", previous_response_id="resp_1")
    assert unstored.value.body["message"] == "Response with id 'resp_1' not found."
    with pytest.raises(openai.BadRequestError, match="suffix is not currently supported"):
        client().completions.create(model=BASE_MODEL, prompt="x", suffix="y")


async def registered(name: str) -> tuple[art.TrainableModel, ServerlessBackend]:
    backend = ServerlessBackend(api_key=KEY, base_url=URL)
    model = art.TrainableModel(
        name=name,
        run_name=name,
        project="demo",
        base_model=BASE_MODEL,
        base_path=tempfile.mkdtemp(),
    )
    await model.register(backend)
    return model, backend


CAPTURED: dict[str, dict[str, Any]] = {
    "completions": {"prompt": TEXT, "logprobs": 1, "max_tokens": 9},
    "responses": {"input": TEXT, "max_output_tokens": 9},
    "messages": {
        "messages": [{"role": "user", "content": TEXT}],
        "max_tokens": 9,
        "logprobs": True,
    },
}
TOKENS = {"return_token_ids": True, "return_tokens_as_token_ids": True}


async def captured(model: art.TrainableModel, wire: str, reward: float, **more) -> art.Trajectory:
    """A trajectory of one plain call over HTTP."""
    body = {"model": model.get_inference_name(), **CAPTURED[wire], **TOKENS, **more}
    with art.Trajectory(reward=reward) as trajectory:
        async with httpx.AsyncClient(headers={"authorization": f"Bearer {KEY}"}) as http:
            answer = await http.post(f"{INFERENCE_URL}/{wire}", json=body)
            answer.raise_for_status()
    [exchange] = getattr(trajectory.exchanges, wire)
    assert exchange.model == model.get_inference_name()
    return trajectory


@example("captured exchanges of every wire have exact tokens, streamed and not, and train")
async def _():
    from art.trajectories import _tokenize

    model, backend = await registered("polyglot")
    groups = []
    for wire in CAPTURED:
        # With anthropic 2.12, this client cannot read any stream of messages, and drops it.
        ways: list[dict[str, Any]] = [{}] if wire == "messages" else [{}, {"stream": True}]
        captures = [
            await captured(model, wire, reward, **way) for way in ways for reward in (0.0, 1.0)
        ]
        groups.append(art.TrajectoryGroup(captures))
        for trajectory in captures:
            [exchange] = getattr(trajectory.exchanges, wire)
            prompt, tokens, logprobs = tokens_of(_tokenize, wire, exchange.response)
            assert prompt and len(tokens) == len(logprobs) == 9, (wire, tokens, logprobs)
            assert all(each < 0 for each in logprobs)
    result = await backend.train(model, groups)
    assert result.step == 1


def tokens_of(tokenize, wire: str, response):
    if wire == "completions":
        return tokenize._completion_tokens(response)
    if wire == "messages":
        return tokenize._messages_tokens(response)
    [generation] = json.loads(response.model_dump_json())["token_generations"]
    tokens = generation["output_tokens"]
    assert tokenize._response_generations(response)
    return (
        generation["prompt_token_ids"],
        [each["token_id"] for each in tokens],
        [each["logprob"] for each in tokens],
    )


@example("calls of the library are captured as well")
async def _():
    model, backend = await registered("listener")
    asynchronous = AsyncOpenAI(base_url=INFERENCE_URL, api_key=KEY)
    trajectories = []
    for reward in (0.0, 1.0):
        with art.Trajectory(reward=reward) as trajectory:
            await asynchronous.responses.create(
                model=model.get_inference_name(), input=TEXT, extra_body=TOKENS
            )
        assert len(trajectory.exchanges.responses) == 1
        trajectories.append(trajectory)
    result = await backend.train(model, [art.TrajectoryGroup(trajectories)])
    assert result.step == 1


if __name__ == "__main__":
    run()
