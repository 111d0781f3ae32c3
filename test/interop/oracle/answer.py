"""Ask the judge about many requests: one a line in the first file, one answer a line in the second.

The application is called as its server would call it, without a socket in between.
"""

import asyncio
import base64
import json
import sys
from typing import Any
from urllib.parse import unquote

from app import app

ORIGIN = ("testserver", 80)


def scope_of(case: dict[str, Any], body: bytes) -> dict[str, Any]:
    path, _, query = case["path"].partition("?")
    headers = {"host": ORIGIN[0], **case["headers"]}
    if body:
        headers["content-length"] = str(len(body))
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": case["method"],
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": ("testclient", 50000),
        "server": ORIGIN,
    }


async def ask(case: dict[str, Any]) -> dict[str, Any]:
    body = base64.b64decode(case["base64"]) if "base64" in case else case.get("body", "").encode()
    said: list[dict[str, Any]] = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]):
        said.append(message)

    try:
        await app(scope_of(case, body), receive, send)
    except Exception:
        # The framework answers 500 first, then raises again for the server's log.
        pass
    start = said[0]
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    # As text, so that numbers keep their digits and objects the order of their keys.
    written = b"".join(message.get("body", b"") for message in said[1:]).decode()
    return {"status": start["status"], "headers": headers, "body": written}


async def main(requests: str, answers: str):
    with open(requests) as source, open(answers, "w") as target:
        for line in source:
            target.write(json.dumps(await ask(json.loads(line))) + "\n")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
