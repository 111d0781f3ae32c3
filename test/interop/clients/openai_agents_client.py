"""openai-agents, unmodified, over chat completions."""

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, Runner, function_tool
from agents import set_tracing_disabled
from examples import example, run
from openai import AsyncOpenAI
from recorder import BASE_MODEL, KEY, QUESTION, City, recording

# Traces would go to the servers of OpenAI.
set_tracing_disabled(True)


def model_of(recorder) -> OpenAIChatCompletionsModel:
    client = AsyncOpenAI(base_url=recorder.url, api_key=KEY)
    return OpenAIChatCompletionsModel(model=BASE_MODEL, openai_client=client)


@example("chat")
async def _():
    with recording() as recorder:
        agent = Agent(name="Helper", instructions="Be brief.", model=model_of(recorder))
        result = await Runner.run(agent, QUESTION)
        assert result.final_output
        assert result.context_wrapper.usage.output_tokens > 0


@example("stream")
async def _():
    with recording() as recorder:
        settings = ModelSettings(temperature=0, include_usage=True)
        agent = Agent(name="Helper", model=model_of(recorder), model_settings=settings)
        streamed = Runner.run_streamed(agent, QUESTION)
        pieces = [
            event.data.delta
            async for event in streamed.stream_events()
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"
        ]
        whole = await Runner.run(agent, QUESTION)
        assert len(pieces) > 1
        assert "".join(pieces) == streamed.final_output == whole.final_output
        assert streamed.context_wrapper.usage.output_tokens > 0


@example("tool loop, whole and streamed")
async def _():
    with recording() as recorder:
        given: list[City] = []

        @function_tool
        def get_weather(city: City) -> str:
            """Says how the weather will be."""
            given.append(city)
            return "sunny"

        agent = Agent(name="Helper", model=model_of(recorder), tools=[get_weather])
        result = await Runner.run(agent, QUESTION)
        assert len(given) == 1 and result.final_output
        streamed = Runner.run_streamed(agent, QUESTION)
        async for _event in streamed.stream_events():
            pass
        assert len(given) == 2 and streamed.final_output


@example("structured output")
async def _():
    with recording() as recorder:
        agent = Agent(name="Helper", model=model_of(recorder), output_type=City)
        result = await Runner.run(agent, QUESTION)
        assert isinstance(result.final_output, City)


if __name__ == "__main__":
    run()
