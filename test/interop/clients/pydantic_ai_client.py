"""pydantic-ai, unmodified."""

from examples import example, run
from pydantic_ai import Agent, NativeOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from recorder import BASE_MODEL, KEY, QUESTION, City, recording


def model_of(recorder) -> OpenAIChatModel:
    return OpenAIChatModel(BASE_MODEL, provider=OpenAIProvider(base_url=recorder.url, api_key=KEY))


@example("chat")
async def _():
    with recording() as recorder:
        result = await Agent(model_of(recorder), instructions="Be brief.").run(QUESTION)
        assert result.output
        assert result.usage.output_tokens > 0


@example("stream")
async def _():
    with recording() as recorder:
        agent = Agent(model_of(recorder), model_settings={"temperature": 0})
        async with agent.run_stream(QUESTION) as streamed:
            pieces = [piece async for piece in streamed.stream_text(delta=True, debounce_by=None)]
        whole = await agent.run(QUESTION)
        assert len(pieces) > 1
        assert "".join(pieces) == whole.output


@example("tool loop, whole and streamed")
async def _():
    with recording() as recorder:
        agent = Agent(model_of(recorder))
        given: list[City] = []

        @agent.tool_plain
        def get_weather(city: str, days: int) -> str:
            """Says how the weather will be."""
            given.append(City(city=city, days=max(1, min(days, 7))))
            return "sunny"

        result = await agent.run(QUESTION)
        assert len(given) == 1 and result.output
        async with agent.run_stream(QUESTION) as streamed:
            assert await streamed.get_output()
        assert len(given) == 2


@example("structured output, by schema and by tool")
async def _():
    with recording() as recorder:
        for output in (NativeOutput(City), ToolOutput(City)):
            agent = Agent(model_of(recorder), output_type=output)
            result = await agent.run(QUESTION)
            assert isinstance(result.output, City)
            async with agent.run_stream(QUESTION) as streamed:
                assert isinstance(await streamed.get_output(), City)


if __name__ == "__main__":
    run()
