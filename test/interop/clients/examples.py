"""Runs a client's examples one after the other and prints, as JSON, what became of each."""

import asyncio
import inspect
import json
import sys
import traceback
from typing import Any, Callable

examples: list[tuple[str, Callable[..., Any]]] = []


def example(name: str):
    def add(function):
        examples.append((name, function))
        return function

    return add


async def run_all() -> list[dict[str, Any]]:
    results = []
    for name, function in examples:
        error = None
        try:
            result = function()
            if inspect.isawaitable(result):
                await result
        except BaseException:
            error = traceback.format_exc()
        results.append({"name": name, "error": error})
    return results


def run():
    # Clients print progress bars and notices of their own; the last line is ours.
    results = asyncio.run(run_all())
    sys.stdout.write("\n" + json.dumps(results) + "\n")
