"""Writes the methods that send the arguments of a row of the control API, and read its answer.

A new row needs no line here. Its name, arguments, result and text follow from the OpenAPI document.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from typing import Any

from rows import (
    NOTE,
    class_name,
    field_inside,
    in_lines,
    is_wrapped,
    python_name,
    python_type,
    ref_name,
    schemas_of,
)


@dataclass(frozen=True)
class Special:
    """How the method of a row differs from what follows from the row."""

    name: str | None = None
    """The method, with its group: `jobs.get`."""
    positional: tuple[str, ...] = ()
    """Arguments without a name, after those of the path. Others are positional if they are required."""
    required: bool = False
    """Whether the positional ones must be passed."""
    by_name: bool = False
    """Whether required fields are passed by name."""
    types: dict[str, str] = field(default_factory=dict)
    """The types of arguments, if Python takes others."""
    defaults: bool = False
    """Whether the signature shows the defaults of the row. In others, None means: as the emulator does."""
    body: str | None = None
    """The argument that is the whole body."""
    path: tuple[str, str] | None = None
    """The argument that names all parts of the path at once, and its text."""
    take: str | None = None
    """What is returned of the answer: a field, or its only element."""
    note: str | None = None
    """What the summary of the row does not say."""


RUN = ("run", "Its path, entity/project/name, or its name alone.")
ARTIFACT = ("artifact", "entity/project/name:alias, or name:alias. A version is an alias, too.")

# The names and orders of arguments are older than this generator, and users rely on them.
SPECIAL = {
    "GET /clock": Special(name="clock.state"),
    "POST /clock": Special(name="use_clock", positional=("mode",), required=True),
    "POST /clock/next": Special(take="happened", note="Returns whether there was one."),
    "POST /clock/settle": Special(name="settle"),
    "GET /scenario": Special(name="scenarios.current", positional=("name",)),
    "PUT /snapshot": Special(
        name="restore", body="snapshot", note="A refused snapshot changes nothing."
    ),
    "GET /models": Special(note="The oldest model comes first."),
    "POST /models": Special(name="models.create", take="models[0]"),
    "DELETE /models/{model_id}": Special(name="models.delete"),
    "DELETE /models/{model_id}/checkpoints/{step}": Special(
        name="models.delete_checkpoint", take="models[0]"
    ),
    "POST /jobs": Special(positional=("model",)),
    "POST /deliveries/resend": Special(name="deliveries.resend_failed"),
    "POST /jobs/{job_id}/fail": Special(positional=("error_message",)),
    "GET /runs/{entity}/{project}/{run}": Special(path=RUN),
    "GET /runs/{entity}/{project}/{run}/history": Special(path=RUN, positional=("metric",)),
    "GET /runs/{entity}/{project}/{run}/file": Special(name="runs.download", path=RUN),
    "GET /artifacts/{entity}/{project}/{artifact}": Special(path=ARTIFACT),
    "GET /artifacts/{entity}/{project}/{artifact}/file": Special(
        name="artifacts.download", path=ARTIFACT
    ),
    "POST /artifacts": Special(
        types={"files": "Files"},
        note="Its `url` is what `training_data_url` takes.",
    ),
    "POST /webhooks/{name}/test": Special(positional=("payload",)),
    "POST /webhooks/{name}/explain": Special(by_name=True),
    "POST /trigger": Special(note="Returns the ids of the deliveries that it caused."),
    "POST /sink": Special(
        note="It receives the deliveries of webhooks of the scenario without a URL. If there are none, it "
        "receives every event of jobs and artifacts."
    ),
    "GET /sink/records": Special(note="The oldest record comes first."),
    **dict.fromkeys(("GET /requests", "GET /requests/count"), Special(positional=("operation",))),
    "GET /requests/{request_id}": Special(types={"request_id": "int"}),
    "GET /requests/wait": Special(
        positional=("operation",), types={"timeout": "Timeout"}, defaults=True
    ),
    "GET /trace": Special(positional=("job",)),
    "GET /timeline": Special(positional=("job",)),
    "GET /schedule": Special(positional=("job",), note="The next task comes first."),
    **dict.fromkeys(("GET /agenda", "GET /lineage"), Special(positional=("job",))),
    "POST /proxies": Special(name="open_proxy"),
    "POST /explore": Special(note="The world is ready for it. Run your code, and call `next`."),
}

# `_async_client.py` has their methods: they read scenario files and moments, or take parts of a scenario.
BY_HAND = {
    "POST /automations",
    "POST /clock/advance",
    "POST /faults",
    "POST /reset",
    "POST /scenario",
    "POST /webhooks",
}

# What the classes say. Another group says where its calls are.
GROUPS = {
    "clock": "The clock of the emulator.",
    "scenarios": "The scenarios.",
    "explore": "Explorations of what your code survives.",
    "models": "The models.",
    "jobs": "The training jobs.",
    "runs": "What programs logged.",
    "artifacts": "What programs uploaded, and the checkpoints.",
    "faults": "The faults: what goes wrong with calls.",
    "secrets": "The secrets of the team, which sign webhooks.",
    "webhooks": "The webhooks: where the service sends events.",
    "automations": "The automations: which event calls which webhook.",
    "deliveries": "What the emulator sent to webhooks.",
    "sink": "A receiver of webhooks in the process of the emulator.",
    "requests": "The requests that clients made.",
}
# Their paths have another word.
RENAMED = {"scenario": "scenarios"}

# The client returns JSON of a format of its own as it is.
AS_JSON = {"HarFile", "Snapshot"}
# The method chooses it, because its result depends on it.
CHOSEN = {"format"}
VERBS = {"list": "list", "read": "get"}
# What turns the value of an argument into what is sent.
FUNCTIONS = {"Files": "contents_of", "Duration": "duration_text", "Timeout": "timeout_text"}
SHARED = sorted(["body_of", "parts_of", *FUNCTIONS, *FUNCTIONS.values()])

HEAD = f'''"""The calls of the control API, with async. {NOTE}"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from svtrain_emulator._decode import read, read_list
MODELS
{in_lines("from svtrain_emulator._shared import (", SHARED, ")")}

if TYPE_CHECKING:
    import builtins
    from collections.abc import Awaitable, Mapping, Sequence

__tracebackhide__ = True


class _Call(Protocol):
    def __call__(
        self,
        route: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> Awaitable[Any]: ...


class _AsyncPart:
    """A group of calls."""

    def __init__(self, call: _Call) -> None:
        self._call = call
'''


@dataclass(frozen=True)
class Argument:
    """An argument of a method."""

    field: str
    place: str
    """`params`, `query`, `body`, `whole body`, or `whole path`."""
    annotation: str
    positional: bool
    default: str | None
    """Its source. None if the argument must be passed."""
    text: str | None

    @property
    def name(self) -> str:
        """The name in Python."""
        return python_name(self.field)

    @property
    def declaration(self) -> str:
        """The argument, as the signature has it."""
        if self.default is None:
            return f"{self.name}: {self.annotation}"
        absent = " | None" if self.default == "None" else ""
        return f"{self.name}: {self.annotation}{absent} = {self.default}"

    @property
    def sent(self) -> str:
        """The source of the value that is sent."""
        function = FUNCTIONS.get(self.annotation)
        if function is None:
            is_text = self.place != "params" or self.annotation == "str"
            return self.name if is_text else f"str({self.name})"
        text = f"{function}({self.name})"
        return f"None if {self.name} is None else {text}" if self.default == "None" else text


@dataclass(frozen=True)
class Row:
    """A row of the control API."""

    route: str
    """The method and the path below the root: `GET /jobs`."""
    operation: dict[str, Any]

    @property
    def special(self) -> Special:
        """How its method differs."""
        return SPECIAL.get(self.route, Special())

    @property
    def parts(self) -> list[str]:
        """The parts of the path."""
        return self.route.split(" /", 1)[1].split("/")

    @property
    def answers(self) -> dict[str, Any]:
        """The schemas of the answer, by content type."""
        return {
            kind: each.get("schema", {})
            for status, response in self.operation["responses"].items()
            if status.startswith("2")
            for kind, each in response["content"].items()
        }


def calls_source(document: dict[str, Any]) -> str:
    """Return the module with a method for each row."""
    rows = rows_of(document)
    unknown = {*SPECIAL, *BY_HAND} - {row.route for row in rows}
    if unknown:
        raise ValueError(
            f"scripts/calls.py names calls that the control API does not have: {sorted(unknown)}"
        )
    listed = {answer_name(row) for row in rows if row.route.startswith("GET ")}
    methods: dict[str, dict[str, str]] = {"": {}, **{group: {} for group in GROUPS}}
    with_ids = {row.parts[0] for row in rows if "{" in row.route}
    for row in rows:
        if row.route in BY_HAND:
            continue
        group, name = place_of(row, with_ids)
        if name in methods.setdefault(group, {}):
            raise ValueError(
                f"{row.route}: `{name}` is the name of another call. Add it to SPECIAL."
            )
        methods[group][name] = method_source(row, name, document, listed)
    groups = [group for group in methods if group]
    sources = [class_source(group, methods[group]) for group in groups]
    text = "".join([HEAD, *sources, client_source(groups, methods[""])])
    models = sorted(models_in(text, document))
    imported = in_lines("from svtrain_emulator._generated.models import (", models, ")")
    return text.replace("MODELS", imported, 1)


def rows_of(document: dict[str, Any]) -> list[Row]:
    """Return the rows that have a method. The stream is for the dashboard."""
    rows = [
        Row(f"{method.upper()} {path.removeprefix('/_emulator')}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    return [row for row in rows if "text/event-stream" not in row.answers]


def place_of(row: Row, with_ids: set[str]) -> tuple[str, str]:
    """Return the group and the name of a method. The group of a call of the client itself is empty.

    What has ids, such as jobs, is a group. Other groups are in `GROUPS`, so that no method becomes a group
    because a row gets a row below it.
    """
    if row.special.name is not None:
        group, _, name = row.special.name.rpartition(".")
        return group, name
    first, last = row.parts[0], row.parts[-1]
    group = RENAMED.get(first, first)
    if first not in with_ids and group not in GROUPS:
        return "", snake("_".join(row.parts))
    if len(row.parts) > 1 and not last.startswith("{"):
        return group, snake(last)
    verb = re.split(r"(?=[A-Z])", row.operation["operationId"].split("__")[0])[0]
    return group, VERBS.get(verb, verb)


def snake(part: str) -> str:
    """Return a part of a path as a name."""
    return python_name(part.replace("-", "_"))


def class_for(group: str) -> str:
    """Return the class of a group: `deliveries` becomes `AsyncDeliveryCalls`."""
    one = re.sub(r"ies$", "y", group).removesuffix("s")
    return f"Async{''.join(each.capitalize() for each in re.split('[-_]', one))}Calls"


def class_source(group: str, methods: dict[str, str]) -> str:
    """Return the class of a group."""
    text = GROUPS.get(group, f"The calls below `/{group}`.")
    source = "".join(methods.values())
    if "list" in methods:
        # In a class with a method `list`, the type has another name.
        source = re.sub(r"\blist\[", "builtins.list[", source)
    return f'\n\nclass {class_for(group)}(_AsyncPart):\n    """{text}"""\n{source}'


def client_source(groups: list[str], methods: dict[str, str]) -> str:
    """Return the class that a client builds on: it has the groups, and the calls without a group."""
    lines = [
        "\n\nclass AsyncCalls(_AsyncPart):",
        '    """All calls. A client says how they are sent."""\n',
        "    def __init__(self, call: _Call) -> None:",
        "        super().__init__(call)",
        *(f"        self.{snake(group)} = {class_for(group)}(call)" for group in groups),
    ]
    return "\n".join(lines) + "\n" + "".join(methods.values())


def method_source(row: Row, name: str, document: dict[str, Any], listed: set[str | None]) -> str:
    """Return the method of a row."""
    arguments = arguments_of(row, document)
    positional = [each.declaration for each in arguments if each.positional]
    named = [each.declaration for each in arguments if not each.positional]
    accepted = ["self", *positional, *(["*", *named] if named else [])]
    annotation, result = result_of(row, document, listed)
    head = in_lines(f"    async def {name}(", accepted, f") -> {annotation}:")
    typed = f": {annotation}" if result == AS_IT_IS else ""
    answer = f"answer{typed} = " if result else ""
    call = in_lines(
        f"        {answer}await self._call(", [f'"{row.route}"', *sent_with(arguments)], ")"
    )
    statements = [call, *(f"        {line}" for line in result)]
    return "\n".join(["", head, docstring(row, arguments), *statements, ""])


def sent_with(arguments: list[Argument]) -> list[str]:
    """Return what the call passes: the parameters of the path, the query and the body."""
    sent = [f"body={each.name}" for each in arguments if each.place == "whole body"]
    sent += [f"params=parts_of({each.name})" for each in arguments if each.place == "whole path"]
    for place in ("params", "query", "body"):
        here = [f'"{each.field}": {each.sent}' for each in arguments if each.place == place]
        start, end = ("body_of({", "})") if place == "body" else ("{", "}")
        if here:
            sent.append(in_lines(f"{' ' * 12}{place}={start}", here, end).lstrip())
    return sent


def arguments_of(row: Row, document: dict[str, Any]) -> list[Argument]:
    """Return the arguments of a method, those that must be passed first."""
    whole = row.special.path
    found = [
        argument(row, each["name"], "params" if each["in"] == "path" else "query", each)
        for each in row.operation.get("parameters", [])
        if each["name"] not in CHOSEN and not (whole and each["in"] == "path")
    ]
    if whole:
        found.insert(0, Argument(whole[0], "whole path", "str", True, None, whole[1]))
    content = row.operation.get("requestBody", {}).get("content", {})
    body = content.get("application/json", {}).get("schema", {})
    name = ref_name(body)
    schema = body if name is None else schemas_of(document)[name]
    fields = {} if row.special.body else schema.get("properties", {})
    for name, each in fields.items():
        required = name in schema.get("required", [])
        found.append(argument(row, name, "body", {"schema": each, "required": required}))
    if schema and not fields:
        name = row.special.body or "body"
        found.append(Argument(name, "whole body", "Mapping[str, Any]", True, None, None))
    # Positional ones with a default come after those without.
    return sorted(found, key=lambda each: (not each.positional, each.default is not None))


def argument(row: Row, name: str, place: str, given: dict[str, Any]) -> Argument:
    """Return the argument for a parameter, or for a field of the body."""
    special, schema = row.special, given["schema"]
    first = name in special.positional
    required = given.get("required", False) or (first and special.required)
    positional = first or place == "params" or (required and not special.by_name)
    default = repr(schema["default"]) if special.defaults and "default" in schema else "None"
    annotation = special.types.get(name, argument_type(schema))
    text = schema.get("description")
    if text is not None:
        text = text.replace("milliseconds", "a `timedelta`") if annotation == "Duration" else text
        text = text.replace(": false}", ": False}").replace(' as {"base64": "…"}', "")
        if "default" in schema and "efault" not in text:
            text = f"{text} Default: {schema['default']}."
    return Argument(name, place, annotation, positional, None if required else default, text)


def argument_type(schema: dict[str, Any]) -> str:
    """Return the annotation for a value that is passed. It may be of any kind that has the same fields."""
    kinds = [each.get("type") for each in schema.get("anyOf", [])]
    if sorted(map(str, kinds)) == ["number", "string"]:
        # A number would be milliseconds, which is the way of JavaScript.
        return "Duration"
    text = python_type(schema).replace("list[Any]", "Sequence[Mapping[str, Any]]")
    return text.replace("list[", "Sequence[").replace("dict[", "Mapping[")


def answer_name(row: Row) -> str | None:
    """Return the name of the schema of the answer in JSON."""
    return ref_name(row.answers.get("application/json", {}))


def result_of(row: Row, document: dict[str, Any], listed: set[str | None]) -> tuple[str, list[str]]:
    """Return the annotation of the result, and the statements that return it."""
    name = answer_name(row)
    schema = row.answers.get("application/json")
    formats = {
        each["name"]: each["schema"].get("default") for each in row.operation.get("parameters", [])
    }
    if "application/octet-stream" in row.answers:
        return "bytes", AS_IT_IS
    if schema is None or formats.get("format") == "text":
        return "str", AS_IT_IS
    if name is None or name in AS_JSON:
        return "dict[str, Any]", AS_IT_IS
    answer = schemas_of(document)[name]
    take = row.special.take
    if take is None:
        if not is_wrapped(name, answer):
            return class_name(name), [f"return read({class_name(name)}, answer)"]
        # A change answers all that is there after it, as the call that lists them does.
        take = field_inside(name, answer)
        if take is None or (name in listed and not row.route.startswith("GET ")):
            return "None", []
    key, _, first = take.partition("[")
    inner = answer["properties"][key]
    if first:
        model = python_type(inner["items"])
        return model, [f'return read({model}, answer["{key}"][{first})']
    item = ref_name(inner.get("items", {}))
    if item is not None:
        model = class_name(item)
        return f"list[{model}]", [f'return read_list({model}, answer["{key}"])']
    kind = python_type(inner)
    return kind, [f'found: {kind} = answer["{key}"]', "return found"]


AS_IT_IS = ["return answer"]


def docstring(row: Row, arguments: list[Argument]) -> str:
    """Return the text of a method: what the row says of itself, its arguments and its refusals."""
    # The client has an argument or a method for what the summary says about the query.
    summary = re.sub(r"; `\?.*$", "", row.operation["summary"])
    # A row answers, a method returns.
    summary = summary.replace("Answers", "Returns").replace("answers", "returns")
    # A call that reads is called by what it answers.
    if row.route.startswith("GET ") and not re.match(r"[A-Z][a-z]+s\b", summary):
        summary = f"Returns {summary[0].lower()}{summary[1:]}"
    blocks = [wrapped(f"{summary}.")]
    if row.special.note is not None:
        blocks.append(wrapped(row.special.note))
    described = [
        wrapped(f"    {each.name}: {each.text}", "        ") for each in arguments if each.text
    ]
    if described:
        blocks.append("\n".join(["Args:", *described]))
    refusals = [
        f"With status {status}: {response['description']}"
        for status, response in row.operation["responses"].items()
        if status in {"404", "408", "409"}
    ]
    if refusals:
        text = wrapped(f"    ControlError: {' '.join(refusals)}", "        ")
        blocks.append(f"Raises:\n{text}")
    ends = ["", "\n", "\n\n"]  # After one line, after text, and after a section.
    end = ends[2 if described or refusals else len(blocks) - 1]
    text = ("\n\n".join(blocks) + end).replace("\\", "\\\\")
    return textwrap.indent(f'"""{text}"""', " " * 8)


def wrapped(text: str, indent: str = "") -> str:
    """Return the text in lines that fit."""
    return textwrap.fill(text, 90, subsequent_indent=indent, break_on_hyphens=False)


def models_in(text: str, document: dict[str, Any]) -> set[str]:
    """Return the types of answers that the methods name."""
    names = {class_name(each) for each in schemas_of(document)}
    return names & set(re.findall(r"(?:read|read_list)\((\w+),", text))
