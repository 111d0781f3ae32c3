"""Ask the judge about every request of the corpus again, and write down what it says.

The corpus is test/fixtures/validation/requests.json: one request a line, with a name that begins with its
subject. Writes, beside it: answers.json, one answer per request by name (its status, its `detail`, the
headers that matter, and what an accepted body was read as), and components.json, the judge's own OpenAPI
components without their prose. exact.json is both: requests, whose values stand for @ in a body, and the exact
text of their answers, so that 1 and 1.0, integers of any size, and orders of keys stay apart. To add a request,
add its line, and run this program.
"""

import base64
import json
import platform
import re
from pathlib import Path
from typing import Any

import fastapi
import pydantic
from fastapi.testclient import TestClient

from app import accepted, app

FIXTURES = Path(__file__).parents[2] / "fixtures" / "validation"
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


def expanded(text: str) -> str:
    return re.sub("{{([0-9]+)×(.*?)}}", lambda run: run[2] * int(run[1]), text)


def shortened(text: str) -> str:
    """Writes a long run of one character, or of two, as {{count×characters}}, to keep the file small."""
    for part in ("0_", "_1", "0", "1", " "):
        for count in (9000, 8999, 5001, 5000, 4999, 4301, 4300, 4299, 4298, 3000, 400, 399):
            text = text.replace(part * count, f"{{{{{count}×{part}}}}}")
    return text


def ask_exactly(client: TestClient, group: dict[str, Any], value: str) -> dict[str, Any]:
    text = expanded(group["body"]).replace("@", expanded(value))
    # Bytes are given in hexadecimal.
    body = bytes.fromhex(text[4:]) if text.startswith("hex:") else text.encode()
    accepted.clear()
    headers = {"authorization": "Bearer k", "content-type": "application/json"}
    request = client.build_request(group["method"], group["path"], headers=headers, content=body)
    response = client.send(request, follow_redirects=False)
    answer: dict[str, Any] = {"value": value, "status": response.status_code}
    if response.status_code != 200:
        answer["text"] = shortened(response.text)
    elif group["path"].endswith("/checkpoints"):
        answer["steps"] = shortened(str(accepted[-1].steps))
    return answer


def main():
    cases = json.loads((FIXTURES / "requests.json").read_text())
    groups = json.loads((FIXTURES / "exact.json").read_text())["groups"]
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
    lines = []
    for group in groups:
        rows = [ask_exactly(client, group, each["value"]) for each in group.pop("answers")]
        text = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        lines.append(f'{json.dumps(group)[:-1]}, "answers": [\n{text}\n]}}')
    all_groups = ",\n".join(lines)
    (FIXTURES / "exact.json").write_text(
        f'{{"judge": {json.dumps(judge)}, "groups": [\n{all_groups}\n]}}\n'
    )


if __name__ == "__main__":
    main()
