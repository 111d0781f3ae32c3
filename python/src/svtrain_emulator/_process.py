"""The process of an emulator."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import threading
from collections import deque
from typing import IO, TYPE_CHECKING, Any

from svtrain_emulator._errors import StartError
from svtrain_emulator._program import NODE_FILES, PREFIX, Program, find_program

if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENCE = 5
"""Seconds that a stopping emulator has before it is killed."""

_WARNING = '"warning":{"name":'

_STOP_WITH_PARENT = NODE_FILES / "stop-with-parent.mjs"


class EmulatorProcess:
    """An emulator that runs until `stop`, or until this process ends in any way."""

    def __init__(self, options: Sequence[str], *, timeout: float = 30) -> None:
        self._options = list(options)
        self._timeout = timeout
        self._process: subprocess.Popen[str] | None = None
        self._owner = os.getpid()
        self._said: deque[str] = deque(maxlen=200)
        self._readers: list[threading.Thread] = []
        self._ready = threading.Event()
        self._answer: dict[str, Any] | None = None
        self._warnings: dict[str, str] = {}

    def start(self) -> dict[str, Any]:
        """Start the emulator on free ports. Return what it says when it is ready.

        Raises:
            ProgramNotFoundError: When there is no program to start.
            StartError: When it does not start. The message has what it printed.

        """
        program = find_program()
        command, environment = _command(program, self._options)
        # A group of its own: Ctrl-C in the terminal must not stop it before the tests that use it.
        apart: dict[str, Any] = {"start_new_session": True}
        if os.name == "nt":  # pragma: no cover
            apart = {"creationflags": 0x200}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            env=environment,
            **apart,
        )
        atexit.register(self.stop)
        self._read(self._process.stdout, self._note_line)
        self._read(self._process.stderr, self._said.append)
        self._ready.wait(self._timeout)
        if self._answer is None:
            raise StartError(self._why(self._process, command))
        return self._answer

    @property
    def pid(self) -> int | None:
        """The process id, or None before the start."""
        return None if self._process is None else self._process.pid

    @property
    def warnings(self) -> list[str]:
        """What the emulator warned of, each thing once."""
        return list(self._warnings.values())

    def stop(self) -> None:
        """Stop the emulator. Nothing happens if it does not run."""
        process, self._process = self._process, None
        if os.getpid() != self._owner:
            return  # This is a fork of the process that started it.
        atexit.unregister(self.stop)
        if process is None:
            return
        if process.poll() is None:
            process.terminate()
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for reader in self._readers:
            reader.join(PATIENCE)
        for stream in filter(None, (process.stdout, process.stderr)):
            stream.close()

    def _read(self, stream: IO[str] | None, note: Any) -> None:
        """Read the stream to its end, so that the emulator never waits for a reader."""

        def run() -> None:
            for line in stream or ():
                note(line.rstrip("\n"))
            self._ready.set()

        thread = threading.Thread(target=run, name="svtrain-emulator output", daemon=True)
        thread.start()
        self._readers.append(thread)

    def _note_line(self, line: str) -> None:
        if self._ready.is_set():
            self._note_warning(line)
            return
        try:
            entry = json.loads(line)
        except ValueError:
            self._said.append(line)
            return
        if isinstance(entry, dict) and entry.get("kind") == "ready":
            self._answer = entry
            self._ready.set()

    def _note_warning(self, line: str) -> None:
        # The log has thousands of lines in a session, and few warnings.
        if _WARNING not in line:
            return
        entry = json.loads(line)
        if entry["kind"] == "note":
            self._warnings.setdefault(entry["warning"]["name"], entry["text"])

    def _why(self, process: subprocess.Popen[str], command: Sequence[str]) -> str:
        code = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(1)
        self.stop()
        said = "\n".join(self._said).strip()
        if code is None:
            head = f"Failed to start the emulator: it was not ready after {self._timeout} seconds."
        else:
            head = f"Failed to start the emulator: it exited with {code}."
        return "\n".join(part for part in (head, said, f"Command: {' '.join(command)}") if part)


def _command(program: Program, options: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the command, and an environment in which Node.js stops when this process ends."""
    # Only the options that were passed count. A variable such as SVTRAIN_EMULATOR_PORT is for a command, and
    # so is svtrain.config.yaml.
    environment = {n: value for n, value in os.environ.items() if not n.startswith(PREFIX)}
    environment["SVTRAIN_EMULATOR_CONFIG"] = "none"
    preload = ["--import", _STOP_WITH_PARENT.as_uri()]
    ports = ["--log", "json", "--port", "0", "--inference-port", "0"]
    if program.is_node:
        node, *script = program.command
        return [node, *preload, *script, *ports, *options], environment
    present = environment.get("NODE_OPTIONS", "")
    environment["NODE_OPTIONS"] = " ".join([present, *preload]).strip()
    return [*program.command, *ports, *options], environment
