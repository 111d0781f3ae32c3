"""litellm, unmodified. A model of the emulator has the prefix `openai/` here, which litellm removes."""

import asyncio
import json

import litellm
from examples import example, run
from recorder import BASE_MODEL, KEY, QUESTION, WEATHER, City, recording

ASKED = [{"role": "user", "content": QUESTION}]


def asked(recorder, **more) -> dict:
    return {
        "model": f"openai/{BASE_MODEL}",
        "api_base": recorder.url,
        "api_key": KEY,
        "messages": ASKED,
        **more,
    }


@example("chat")
def _():
    with recording() as recorder:
        answer = litellm.completion(**asked(recorder, logprobs=True, n=2))
        assert len(answer.choices) == 2
        assert answer.choices[0].message.content
        assert answer.choices[0].logprobs.content
        assert answer.usage.completion_tokens > 0


@example("chat with the prefix for vLLM servers")
async def _():
    with recording() as recorder:
        answer = await litellm.acompletion(**asked(recorder, model=f"hosted_vllm/{BASE_MODEL}"))
        assert answer.choices[0].message.content
        assert recorder.asked[0]["model"] == BASE_MODEL


@example("stream")
async def _():
    with recording() as recorder:
        whole = await litellm.acompletion(**asked(recorder, temperature=0))
        stream = await litellm.acompletion(
            **asked(recorder, temperature=0, stream=True, stream_options={"include_usage": True})
        )
        chunks = [chunk async for chunk in stream]
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        assert text == whole.choices[0].message.content
        joined = litellm.stream_chunk_builder(chunks, messages=ASKED)
        assert joined.usage.completion_tokens == whole.usage.completion_tokens


@example("tool loop, whole and streamed")
async def _():
    with recording() as recorder:
        for stream in (False, True):
            messages = [*ASKED]
            given = []
            for _turn in range(3):
                options = asked(recorder, messages=messages, tools=[WEATHER], stream=stream)
                answer = await litellm.acompletion(**options)
                if stream:
                    answer = litellm.stream_chunk_builder([chunk async for chunk in answer])
                message = answer.choices[0].message
                messages.append(message.model_dump(exclude_none=True))
                if not message.tool_calls:
                    break
                assert answer.choices[0].finish_reason == "tool_calls"
                for call in message.tool_calls:
                    given.append(City.model_validate_json(call.function.arguments))
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": "sunny"})
            assert len(given) == 1
            assert messages[-1]["role"] == "assistant" and messages[-1]["content"]


@example("structured output")
async def _():
    with recording() as recorder:
        answer = await litellm.acompletion(**asked(recorder, response_format=City))
        City.model_validate(json.loads(answer.choices[0].message.content), strict=True)


@example("forty calls at once")
async def _():
    with recording() as recorder:
        calls = (litellm.acompletion(**asked(recorder, temperature=0)) for _ in range(40))
        answers = await asyncio.gather(*calls)
        assert len({each.choices[0].message.content for each in answers}) == 1


if __name__ == "__main__":
    run()
