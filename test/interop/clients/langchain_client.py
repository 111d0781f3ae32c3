"""langchain-openai, unmodified."""

from examples import example, run
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from recorder import BASE_MODEL, KEY, QUESTION, City, recording


@tool(args_schema=City)
def get_weather(city: str, days: int) -> str:
    """Says how the weather will be."""
    return f"sunny in {city} for {days} days"


def model_of(recorder, **more) -> ChatOpenAI:
    return ChatOpenAI(model=BASE_MODEL, base_url=recorder.url, api_key=KEY, **more)


@example("chat")
async def _():
    with recording() as recorder:
        for answer in (
            model_of(recorder, logprobs=True).invoke(QUESTION),
            await model_of(recorder).ainvoke(QUESTION),
        ):
            assert answer.content
            assert answer.usage_metadata["output_tokens"] > 0
            assert answer.response_metadata["finish_reason"] == "stop"


@example("stream")
async def _():
    with recording() as recorder:
        model = model_of(recorder, temperature=0, stream_usage=True)
        pieces = [piece async for piece in model.astream(QUESTION)]
        joined = pieces[0]
        for piece in pieces[1:]:
            joined += piece
        whole = await model.ainvoke(QUESTION)
        assert len(pieces) > 2
        assert joined.content == whole.content
        assert joined.usage_metadata["output_tokens"] == whole.usage_metadata["output_tokens"]


@example("tool loop, whole and streamed")
async def _():
    with recording() as recorder:
        model = model_of(recorder).bind_tools([get_weather])
        for stream in (False, True):
            messages = [HumanMessage(QUESTION)]
            calls = 0
            for _turn in range(3):
                if stream:
                    answer = None
                    async for piece in model.astream(messages):
                        answer = piece if answer is None else answer + piece
                else:
                    answer = await model.ainvoke(messages)
                messages.append(answer)
                if not answer.tool_calls:
                    break
                assert answer.invalid_tool_calls == []
                for call in answer.tool_calls:
                    calls += 1
                    result = await get_weather.ainvoke(call)
                    assert isinstance(result, ToolMessage)
                    messages.append(result)
            assert calls == 1
            assert messages[-1].content


@example("structured output, by schema and by tool")
async def _():
    with recording() as recorder:
        for method in ("json_schema", "function_calling"):
            model = model_of(recorder).with_structured_output(City, method=method)
            assert isinstance(await model.ainvoke(QUESTION), City)


if __name__ == "__main__":
    run()
