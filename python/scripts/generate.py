"""Writes the code that follows from other files, and that the repository does not have.

Types and calls follow from the OpenAPI document of the control API, what has no async from what has it. It
needs Node and the packages of npm, and no package of Python: the build of the package runs it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from calls import calls_source
from rows import NOTE, class_name, in_lines, is_wrapped, python_name, python_type, schemas_of

PACKAGE = Path(__file__).parent.parent / "src" / "svtrain_emulator"
REPOSITORY = PACKAGE.parents[2]

# The client raises an error, and returns the JSON of a snapshot as it is.
WITHOUT_TYPE = {"Base64Content", "ControlProblem", "Snapshot"}
# The client takes these as arguments, or does not have the call.
ARGUMENTS = re.compile(r"^(Advance|ClockChange|ScenarioChoice|Stream.*|.*Request)$")
# What only Python has.
METHODS = {"Job": "JobMethods", "SinkRecord": "SinkRecordMethods"}

MODELS_HEAD = f'''"""What the control API answers. {NOTE}"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from svtrain_emulator._methods import JobMethods, SinkRecordMethods

'''

MODELS_END = """
# One line of the trace.
Entry = RequestEntry | JobEntry | DeliveryEntry | ReceiptEntry | NoteEntry
"""

CHECKS_HEAD = f'''"""The names of client checks. {NOTE}"""

from __future__ import annotations

from typing import Literal, TypedDict


class ClientChecks(TypedDict, total=False):
    """How client checks run."""

'''


def schema_names(document: dict[str, Any]) -> list[str]:
    """Return the schemas that become classes."""
    return [
        name
        for name, schema in schemas_of(document).items()
        if not (is_wrapped(name, schema) or name in WITHOUT_TYPE or ARGUMENTS.match(name))
    ]


def models_source(document: dict[str, Any]) -> str:
    """Return the module with the types of what the control API answers."""
    schemas = schemas_of(document)
    classes = [class_source(name, schemas[name]) for name in ordered(document)]
    names = sorted([*map(class_name, schema_names(document)), "Entry"])
    listed = in_lines("__all__ = [", list(map(json.dumps, names)), "]")
    return "\n".join([f"{MODELS_HEAD}{listed}", "", *classes, MODELS_END])


def ordered(document: dict[str, Any]) -> list[str]:
    """Return the schemas so that each comes after those that it refers to."""
    schemas = schemas_of(document)
    done: list[str] = []

    def visit(name: str) -> None:
        for inner in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schemas[name])):
            if inner not in done and inner != name:
                visit(inner)
        if name not in done:
            done.append(name)

    for name in schema_names(document):
        visit(name)
    return done


def class_source(name: str, schema: dict[str, Any]) -> str:
    """Return a class."""
    base = METHODS.get(name)
    lines = [
        "",
        "@dataclass(frozen=True)",
        f"class {class_name(name)}{f'({base})' if base else ''}:",
        f'    """`{class_name(name)}` of the control API."""',
        "",
    ]
    return "\n".join([*lines, *fields_source(schema), ""])


def checks_source(document: dict[str, Any]) -> str:
    """Return the module with the names of client checks. Each session of pytest imports it."""
    row = document["paths"]["/_emulator/client-checks"]["get"]
    fields = {each["name"]: each["schema"] for each in row["parameters"]}
    lines = fields_source({"properties": fields, "required": fields})
    return CHECKS_HEAD + "\n".join([*lines, ""])


def fields_source(schema: dict[str, Any]) -> list[str]:
    """Return the fields of a class. Those that may be absent come last and are then None."""
    required = set(schema.get("required", []))
    lines = []
    fields = schema["properties"].items()
    for field, each in sorted(fields, key=lambda item: item[0] not in required):
        annotation = python_type(each)
        absent = "" if field in required else " | None = None"
        lines.append(f"    {python_name(field)}: {annotation}{absent}")
        if "description" in each:
            lines.append(f'    """{each["description"]}"""')
    return lines


def sync_source(source: str) -> str:
    """Return the client without async."""
    text = source
    for pattern, replacement in (
        (r"\bAsync(?=[A-Z])", ""),
        (r"\basync def\b", "def"),
        (r"\basync with\b", "with"),
        (r"\bawait ", ""),
        (r"\b__aenter__\b", "__enter__"),
        (r"\b__aexit__\b", "__exit__"),
        (r"\baclose\b", "close"),
        (r"\bAwaitable\[(\w+)\]", r"\1"),
        (r"\bAwaitable, ", ""),
        (r"^import asyncio$", "import time"),
        (r"\basyncio\.sleep\b", "time.sleep"),
        (r"\ban async\b", "a"),
        (r"\basync_calls as calls\b", "calls"),
        (r", with async\.", "."),
    ):
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    head, rest = text.split('"""\n', 1)
    return f'{head.removesuffix(f" {NOTE}")} {NOTE}"""\n{rest}'


def files(document: dict[str, Any]) -> dict[Path, str]:
    """Return the content of each generated file."""
    generated = PACKAGE / "_generated"
    source = (PACKAGE / "_async_client.py").read_text(encoding="utf-8")
    calls = calls_source(document)
    return {
        generated / "__init__.py": checks_source(document),
        generated / "models.py": models_source(document),
        generated / "async_calls.py": calls,
        generated / "calls.py": sync_source(calls),
        generated / "client.py": sync_source(source),
    }


def write(path: Path, text: str) -> None:
    """Write a file that differs, in one step: a program that runs meanwhile may import it."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def main() -> None:
    """Write the files."""
    command = ["node", "--import", "tsx", str(Path(".build", "control-document.ts"))]
    printed = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE).stdout
    for path, text in files(json.loads(printed)).items():
        write(path, text)


if __name__ == "__main__":
    main()
