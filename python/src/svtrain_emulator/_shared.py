"""What the client with async and the one without have in common."""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlsplit

from svtrain_emulator._errors import ControlError, NoSuchNameError
from svtrain_emulator._words import shown

if TYPE_CHECKING:
    import httpx

CheckSetting = bool | Literal["fail"]
"""How a client check runs: off, on, or as an error."""

Duration = str | timedelta
"""A duration: `"10m"`, `"1h30m"`, or a `timedelta`."""

Timeout = float | Duration
"""Seconds of real time, or a duration."""

Files = Mapping[str, str | bytes]
"""The contents of files by their paths."""

Scenario = str | Path | dict[str, Any]
"""The name of a built-in scenario, the path of a file, or a whole scenario."""

ClockMode = Literal["real", "auto", "manual", "instant"]
"""How time passes."""

__tracebackhide__ = True  # By pytest: what fails there is the line of the test.

MARK = "svtrain-emulator"
"""The header of all answers of the control API, and the name in its `GET /info`."""

_LONGEST = 200
"""Characters of an answer in the message of an error."""

TIMEOUT = 300.0
"""Seconds that a call may take. Calls that wait have limits of their own."""


def control_root(url: str) -> str:
    """Return the root of the control API. `url` is any URL on the training port."""
    with contextlib.suppress(ValueError):  # Of a port that is too high, for example.
        parts = urlsplit(url)
        if parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0:
            return f"{parts.scheme}://{parts.netloc}/_emulator"
    raise ValueError(f'url: "{url}" is not an http URL, such as http://127.0.0.1:4600')


def headers_for(token: str | None, world: str | None) -> dict[str, str]:
    """Return the headers of each call. The message of an error does not show the token."""
    for name, value in {"token": token, "world": world}.items():
        if value is not None and not (value.isascii() and value.isprintable()):
            raise ValueError(f"{name} has characters that no header can have; expected plain ASCII")
    headers = {"content-type": "application/json"}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    if world is not None:
        headers["svtrain-world"] = world
    return headers


def path_of(pattern: str, params: Mapping[str, str]) -> str:
    """Return the path with its parameters: `/jobs/{job_id}` becomes `/jobs/1b2c`."""
    for name, value in params.items():
        # The emulator decodes a path before it looks for the call.
        if not isinstance(value, str) or value in {"", ".", ".."} or "/" in value:
            allowed = 'a text without a slash, and not "", "." or ".."'
            raise NoSuchNameError(f"{name} is {shown(value)}; expected {allowed}")
    return pattern.format(**{name: quote(value, safe="") for name, value in params.items()})


def parts_of(path: str) -> dict[str, str]:
    """Return the parameters of `entity/project/name`, also after a scheme, or of a name alone."""
    parts = path.split("/")[-3:] if "/" in path else ["-", "-", path]
    entity, project, name = parts if len(parts) == 3 else ["", "", ""]
    if not (entity and project and name):
        raise ValueError(
            f'"{path}" is neither a name nor a path such as "entity/project/name": see list()'
        )
    return {"entity": entity, "project": project, "run": name, "artifact": name}


def query_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters that are set, as text."""
    return {
        name: json.dumps(value) if isinstance(value, bool) else str(value)
        for name, value in given.items()
        if value is not None
    }


def body_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are set. A mapping of another class, such as headers of httpx, becomes JSON."""
    return {
        name: dict(value) if isinstance(value, Mapping) else value
        for name, value in given.items()
        if value is not None
    }


def contents_of(files: Files) -> dict[str, str | dict[str, str]]:
    """Return the contents of files as the control API takes them.

    Raises:
        TypeError: When they are something else, such as a path.

    """
    if not isinstance(files, Mapping):
        raise TypeError(f"files is {files!r}; {_CONTENTS}")
    return {path: _content(path, content) for path, content in files.items()}


_CONTENTS = 'expected a dict of texts or bytes, such as {"a.txt": Path("a.txt").read_bytes()}'


def _content(path: str, content: str | bytes) -> str | dict[str, str]:
    if isinstance(content, str):
        return content
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise TypeError(f"files[{path!r}] is {content!r}; {_CONTENTS}")
    return {"base64": base64.b64encode(content).decode("ascii")}


def duration_text(duration: Duration) -> str:
    """Return a duration as the control API takes it.

    Raises:
        TypeError: When it is a number, because nothing says of what.

    """
    if isinstance(duration, timedelta):
        return f"{round(duration / timedelta(milliseconds=1))}ms"
    if isinstance(duration, str):
        return duration
    raise TypeError(
        f'{duration!r} is not a duration. Pass a text such as "10m", or a datetime.timedelta.'
    )


_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")


def seconds_of(timeout: Timeout) -> float:
    """Return the seconds that a timeout has. Refuse a text that is no duration."""
    if not isinstance(timeout, str):
        return timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
    if not re.fullmatch(f"({_PART.pattern})+", timeout):
        raise ValueError(f'timeout is "{timeout}"; expected seconds, or a duration such as "1m30s"')
    return sum(float(amount) * _SECONDS[unit] for amount, unit in _PART.findall(timeout))


def timeout_text(timeout: Timeout) -> str:
    """Return a timeout as the control API takes it."""
    return f"{seconds_of(timeout):g}s"


def moment_text(moment: datetime | str) -> str:
    """Return a moment as the control API takes it. A `datetime` without a time zone is in UTC.

    Raises:
        TypeError: When it is something else.

    """
    if isinstance(moment, str):
        return moment
    if not isinstance(moment, datetime):
        raise TypeError(
            f'{moment!r} is not a moment. Pass a datetime, or a text such as "2026-01-01T00:00:04Z".'
        )
    aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return aware.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def check_scenario(scenario: Any) -> None:
    """Refuse what is no scenario with a `TypeError`."""
    if not isinstance(scenario, (str, Path, dict, type(None))):
        raise TypeError(
            f"scenario is {scenario!r}; expected the name of a built-in one, the path of a file, or a dict"
        )


def scenario_fields(scenario: Scenario | None) -> dict[str, Any]:
    """Return the fields of a body that choose a scenario. The emulator reads the text of a file."""
    check_scenario(scenario)
    if isinstance(scenario, str):
        path = Path(scenario)
        # The name of a folder may be that of a scenario, but not its path.
        if path.suffix in {".yaml", ".yml", ".json"} or (path.name != scenario and path.is_dir()):
            scenario = path
    if isinstance(scenario, Path):
        return {"yaml": scenario.read_text(encoding="utf-8")}
    return {"scenario": scenario}


# What the emulator says to those who make the calls by hand, or in TypeScript.
_IN_PYTHON: dict[str, str | Callable[[re.Match[str]], str]] = {
    r"GET /_emulator/scenarios lists": "scenarios.list() has",
    r"No call reads a file: .*": "One of your own is a dict, or the path of a .yaml, .yml or .json file.",
    r"(?<=1h30m, or )milliseconds": "a datetime.timedelta",
    r"(?<=\()\w+: false(?= allows it\))": lambda check: _as_argument(check[0]),
}


def _as_argument(setting: str) -> str:
    return re.sub("(?=[A-Z])", "_", setting).lower().replace(": false", "=False")


def _in_python(text: str) -> str:
    for words, own in _IN_PYTHON.items():
        text = re.sub(words, own, text)
    return text


def answer_of(response: httpx.Response, call: str) -> Any:
    """Return the JSON, the bytes or the text of an answer.

    Raises:
        ControlError: When the call was refused.

    """
    if not response.is_success:
        detail = field_in(response, "detail") or response.text[:_LONGEST]
        raise ControlError(call, response.status_code, _in_python(detail))
    if "json" in response.headers.get("content-type", ""):
        return response.json()
    if "octet-stream" in response.headers.get("content-type", ""):
        return response.content
    return _in_python(response.text)


def field_in(response: httpx.Response, name: str) -> str | None:
    """Return a text in an answer, or None if there is none, as in what another server answers."""
    with contextlib.suppress(ValueError):
        answer = response.json()
        found = answer.get(name) if isinstance(answer, dict) else None
        return found if isinstance(found, str) else None
    return None


def found_instead(response: httpx.Response) -> str:
    """Return what is known of another server that answered."""
    note = (field_in(response, "note") or "")[:_LONGEST]
    says = f', and says: "{note}"' if note else ""
    return (
        f"Another server answers there, with status {response.status_code}{says}. The training API "
        "of an emulator is at an address such as http://127.0.0.1:4600/v1."
    )


def local_options() -> dict[str, Any]:
    """Return the options of httpx for an emulator: no proxy, and no certificates to load."""
    return {"trust_env": False, "verify": False, "timeout": TIMEOUT}
