"""Runs a client's examples one after the other and prints, as JSON, what became of each."""

import asyncio
import inspect
import json
import sys
import traceback
from typing import Any, Callable, Mapping

examples: list[dict[str, Any]] = []


def example(name: str, part: str | None = None, needs: str | None = None):
    """`part` is what the example shows, `needs` what the version of the client must have for it."""

    def add(function: Callable[..., Any]):
        examples.append({"name": name, "part": part, "needs": needs, "function": function})
        return function

    return add


async def run_all(has: Mapping[str, bool]) -> list[dict[str, Any]]:
    results = []
    for each in examples:
        function, needs = each.pop("function"), each.pop("needs")
        missing = needs if needs is not None and not has[needs] else None
        error = None
        if missing is None:
            try:
                result = function()
                if inspect.isawaitable(result):
                    await result
            except BaseException:
                error = traceback.format_exc()
        results.append({**each, "error": error, "missing": missing})
    return results


def run(has: Mapping[str, bool] = {}):
    # Clients print progress bars and notices of their own; the last line is ours.
    results = asyncio.run(run_all(has))
    sys.stdout.write("\n" + json.dumps(results) + "\n")
