"""Makes what the repository does not have: the emulator, and the generated part of the client."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
PACKAGE = HERE / "src" / "svtrain_emulator"
PROGRAM = PACKAGE / "_node" / "program"
MADE = (PROGRAM / "dist" / "cli.js", PACKAGE / "_generated" / "client.py")
REPOSITORY = HERE.parent
BUILD = REPOSITORY / ".build" / "standalone.ts"
GENERATE = HERE / "scripts" / "generate.py"


class EmulatorBuildHook(BuildHookInterface[Any]):
    """Runs before a source distribution, a wheel and an editable installation.

    The wheel needs nothing from npm, and a wheel from a source distribution no Node.js.
    """

    def initialize(self, _version: str, _build_data: dict[str, Any]) -> None:
        """Make the files in a clone of the repository. A source distribution already has them."""
        if BUILD.exists():
            self._make()
        for file in MADE:
            if not file.exists():
                raise FileNotFoundError(
                    f"{file} is missing. Build the package in a clone of the repository."
                )

    def _make(self) -> None:
        if shutil.which("node") is None or not (REPOSITORY / "node_modules").exists():
            raise FileNotFoundError(
                "The build of the Python package needs Node.js and the packages of npm. "
                f"Run `npm ci && npm run build` in {REPOSITORY} first."
            )
        for command in (
            [sys.executable, str(GENERATE)],
            ["node", "--import", "tsx", str(BUILD), str(PROGRAM)],
        ):
            subprocess.run(command, cwd=REPOSITORY, check=True)
