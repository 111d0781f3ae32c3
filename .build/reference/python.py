"""Prints the page of the Python API, without its title. The standard input has the document of the control API."""

from __future__ import annotations

import ast
import copy
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "src" / "svtrain_emulator"
sys.path.insert(0, str(ROOT / "python" / "scripts"))
sys.dont_write_bytecode = True

from generate import files  # noqa: E402

# Longer arguments have no types: nobody would read them.
LONGEST = 240


def main() -> None:
    """Print the page."""
    texts = {path.name: text for path, text in files(json.load(sys.stdin)).items()}
    client, calls, models = (ast.parse(texts[f"{name}.py"]) for name in ("client", "calls", "models"))
    emulator, recipes, errors, plugin = (
        ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))
        for name in ("_emulator", "recipes", "_errors", "pytest_plugin")
    )
    classes = classes_of(client) | {f"calls.{name}": each for name, each in classes_of(calls).items()}
    own = classes_of(emulator)
    parts = [
        "## Fixtures",
        *map(described, filter(is_fixture, functions_in(plugin))),
        "## Settings of pytest",
        *settings_in(plugin),
        "## `Emulator`",
        described(own["Emulator"]),
        "`World` is what the fixture `svtrain` is. `AsyncEmulator` has the same methods for `await`.",
        listed(own["Emulator"], own["World"], own["_Addressed"]),
        "## `Client`",
        described(classes["Client"]),
        "An emulator and a world are clients, too. `AsyncClient` has the same methods for `await`.",
        listed(classes["Client"], classes["calls.Calls"]),
    ]
    for name, kind in groups_in(classes["calls.Calls"]):
        parts += [f"### `svtrain.{name}`", listed(classes.get(kind), classes[f"calls.{kind}"])]
    parts += ["## `recipes`", listed(recipes)]
    parts += ["## Errors", *(f"- `{name}`: {summary(each)}" for name, each in classes_of(errors).items())]
    parts += ["## Types", *map(typed, classes_of(models).values())]
    print(joined(parts))


def classes_of(module: ast.Module) -> dict[str, ast.ClassDef]:
    return {each.name: each for each in module.body if isinstance(each, ast.ClassDef)}


def functions_in(scope: ast.Module | ast.ClassDef) -> list[ast.FunctionDef]:
    """Return the functions that users call."""
    return [each for each in scope.body if isinstance(each, ast.FunctionDef) and each.name[0] != "_"]


def is_fixture(function: ast.FunctionDef) -> bool:
    return any("fixture" in ast.unparse(each) for each in function.decorator_list)


def groups_in(calls: ast.ClassDef) -> list[tuple[str, str]]:
    """Return the attributes with groups of calls, and their classes."""
    constructor = ast.unparse(next(each for each in calls.body if isinstance(each, ast.FunctionDef)))
    return re.findall(r"self\.(\w+) = (\w+)\(call\)", constructor)


def settings_in(plugin: ast.Module) -> list[str]:
    """Return a line for each setting and option that the plugin adds."""
    added = [
        each
        for each in ast.walk(plugin)
        if isinstance(each, ast.Call) and ast.unparse(each.func) in ("parser.addini", "group.addoption")
    ]
    lines = []
    for call in added:
        named = {each.arg: each.value for each in call.keywords}
        text = named.get("help") or call.args[1]
        lines.append(f"- `{ast.literal_eval(call.args[0])}`: {ast.literal_eval(text)}")
    return lines


def described(node: ast.ClassDef | ast.FunctionDef) -> str:
    """Return the declaration with its docstring."""
    shown = copy.copy(node)
    shown.body = node.body[:1]
    return f"```text\n{ast.unparse(shown)}\n```"


def listed(*scopes: ast.Module | ast.ClassDef | None) -> str:
    """Return a line for each function. What the first scopes have, the later ones lack."""
    lines: dict[str, str] = {}
    for scope in filter(None, scopes):
        for function in functions_in(scope):
            lines.setdefault(function.name, f"- `{signature(function)}`: {summary(function)}")
    return "\n".join(lines.values())


def signature(function: ast.FunctionDef) -> str:
    result = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    if any(ast.unparse(each) == "property" for each in function.decorator_list):
        return f"{function.name}{result}"
    own = copy.deepcopy(function.args)
    own.args = [each for each in own.args if each.arg != "self"]
    arguments = re.sub(r"(?<=[\w\]'])=(?=\S)", " = ", ast.unparse(own).replace("builtins.", ""))
    if len(arguments) > LONGEST:
        arguments = ", ".join(each.arg for each in [*own.args, *own.kwonlyargs])
    return f"{function.name}({arguments}){result}"


def summary(node: ast.ClassDef | ast.FunctionDef) -> str:
    """Return the first paragraph of a docstring."""
    return " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())


def typed(kind: ast.ClassDef) -> str:
    """Return a line with the fields of a type."""
    fields = [each.target.id for each in kind.body if isinstance(each, ast.AnnAssign)]
    return f"- `{kind.name}`: {', '.join(f'`{each}`' for each in fields)}"


def joined(parts: list[str]) -> str:
    """Join parts with empty lines, but not the lines of a list."""
    text = "\n\n".join(filter(None, parts))
    return re.sub(r"(^- .*)\n\n(?=- )", r"\1\n", text, flags=re.MULTILINE)


if __name__ == "__main__":
    main()
