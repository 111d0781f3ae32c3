"""Builds the emulator for the wheel."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
PROGRAM = HERE / "src" / "svtrain_emulator" / "_node" / "program"
REPOSITORY = HERE.parent
BUILD = REPOSITORY / ".build" / "standalone.ts"


class EmulatorBuildHook(BuildHookInterface[Any]):
    """Bundles the emulator into the package, so that the wheel needs nothing from npm."""

    def initialize(self, _version: str, _build_data: dict[str, Any]) -> None:
        """Build the program from the repository. A source distribution already has it."""
        if BUILD.exists():
            self._build()
        elif not (PROGRAM / "dist" / "cli.js").exists():
            raise FileNotFoundError(
                f"The emulator is missing in {PROGRAM}. Build the wheel in a clone of the repository."
            )

    def _build(self) -> None:
        if not (REPOSITORY / "node_modules").exists():
            raise FileNotFoundError("Run `npm ci` first: the build of the emulator needs it.")
        command = ["node", "--import", "tsx", str(BUILD), str(PROGRAM)]
        subprocess.run(command, cwd=REPOSITORY, check=True)
