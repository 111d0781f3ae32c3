"""Ask the judge about every request of the corpus and write down what it says.

Writes, beside requests.json: answers.json, one answer per request by name (its status, its `detail`,
the headers that matter, and what an accepted body was read as), and components.json, the judge's own
OpenAPI components without their prose.
"""

import base64
import json
import platform
from typing import Any

import fastapi
import pydantic
from fastapi.testclient import TestClient

from app import accepted, app
from corpus import FIXTURES

RELEVANT = ("allow", "location", "www-authenticate")


def readable(value: Any) -> Any:
    """An accepted value as JSON, only what the request set; nothing if JSON has no word for it."""
    try:
        if isinstance(value, pydantic.BaseModel):
            value = value.model_dump(mode="json", exclude_unset=True, warnings=False)
        else:
            value = {key: item for key, item in value.items() if item is not None}
        json.dumps(value, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return None
    return value


def ask(client: TestClient, case: dict[str, Any]) -> dict[str, Any]:
    body = base64.b64decode(case["base64"]) if "base64" in case else case.get("body", "").encode()
    accepted.clear()
    request = client.build_request(
        case["method"], case["path"], headers=case["headers"], content=body or None
    )
    if "content-type" not in case["headers"]:
        request.headers.pop("content-type", None)
    response = client.send(request, follow_redirects=False)
    answer: dict[str, Any] = {"status": response.status_code}
    headers = {name: response.headers[name] for name in RELEVANT if name in response.headers}
    if headers:
        answer["headers"] = headers
    if response.status_code >= 400 and response.headers.get("content-type") == "application/json":
        if case["method"] != "HEAD":
            answer["detail"] = response.json()["detail"]
    if response.status_code == 200 and accepted:
        value = readable(accepted[-1])
        if value is not None:
            answer["value"] = value
    return answer


def without_prose(value: Any, *, named: bool = False) -> Any:
    """Drops descriptions and examples, but no field that happens to be called so."""
    if isinstance(value, list):
        return [without_prose(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: without_prose(item, named=key in ("properties", "schemas"))
        for key, item in value.items()
        if named or key not in ("description", "examples")
    }


def main():
    cases = json.loads((FIXTURES / "requests.json").read_text())
    client = TestClient(app, raise_server_exceptions=False)
    answers = {case["name"]: ask(client, case) for case in cases}
    judge = {
        "python": platform.python_version(),
        "fastapi": fastapi.__version__,
        "pydantic": pydantic.VERSION,
    }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(answers[name])}" for name in answers)
    (FIXTURES / "answers.json").write_text(
        f'{{"judge": {json.dumps(judge)}, "answers": {{\n{lines}\n}}}}\n'
    )
    schemas = without_prose(app.openapi()["components"]["schemas"], named=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(schemas[name])}" for name in schemas)
    (FIXTURES / "components.json").write_text(f"{{\n{lines}\n}}\n")
    statuses = [answer["status"] for answer in answers.values()]
    print({status: statuses.count(status) for status in sorted(set(statuses))})


if __name__ == "__main__":
    main()
