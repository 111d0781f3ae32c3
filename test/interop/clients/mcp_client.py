"""The official client of MCP finds out why a job fails, over HTTP and stdio.

The argument is a list of servers in JSON, each with the mode of the client and an address or a command. Prints the
protocol that was spoken with each.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def story(server, mode):
    async with Client(server, mode=mode) as client:

        async def text(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            answer = "\n".join(part.text for part in result.content)
            assert not result.is_error, answer
            return answer

        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "start_scenario" in names, names
        assert "seed: " in await text("get_status")
        await text("start_scenario", name="failing-job")
        await text("create_job", model="poet")
        await text("settle")
        failed = await text("read_job")
        assert "out of memory" in failed, failed
        await text("choose_scenario", name="happy-path")
        await text("create_job", model="poet")
        await text("settle")
        assert "status: ended" in await text("read_job")
        assert "out of memory" in await text("read_trace")
        refused = await client.call_tool("read_job", {"jobs": "x"})
        assert refused.is_error and "Did you mean" in refused.content[0].text
        page = await client.read_resource("svtrain-docs:///testing")
        assert page.contents[0].text.startswith("# ")
        return client.protocol_version


def server_of(place):
    if isinstance(place, str):
        return place
    return StdioServerParameters(command=place[0], args=place[1:])


servers = json.loads(sys.argv[1])
print(json.dumps([asyncio.run(story(server_of(place), mode)) for mode, place in servers]))
