"""One emulator for all tests of a session, also for those in the workers of pytest-xdist."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import threading
from typing import TYPE_CHECKING, Any

from svtrain_emulator._errors import EmulatorError, StartError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from svtrain_emulator._emulator import Addresses
    from svtrain_emulator._process import EmulatorProcess

_OFFER = "_SVTRAIN_PYTEST_OFFER"
"""The variable that tells a worker of pytest-xdist where the emulator is, before it imports anything."""

START = 60
"""Seconds that a worker waits for the emulator to start."""


def shared_for(config: pytest.Config) -> Shared:
    """Return how this process comes to the shared emulator."""
    offer = getattr(config, "workerinput", {}).get("svtrain") or inherited_offer()
    if offer is not None:
        return Shared(offer=offer)
    contract = config.getini("svtrain_contract")
    chosen = ["--contract", contract] if contract else []
    return Shared(args=[*chosen, *config.getini("svtrain_args")])


def inherited_offer() -> dict[str, Any] | None:
    """Return how a worker of an intercepted session asks the main process for the emulator."""
    text = os.environ.get(_OFFER)
    if text is None or "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    offer: dict[str, Any] = json.loads(text)
    return offer


class Shared:
    """The shared emulator.

    The main process starts it when the first test needs it. A worker asks the main process for it, because
    the emulator must survive a worker that is killed.
    """

    def __init__(self, *, args: Sequence[str] = (), offer: dict[str, Any] | None = None) -> None:
        self._args = args
        self._offer = offer
        self._lock = threading.Lock()
        self._process: EmulatorProcess | None = None
        self._ready: dict[str, Any] | None = None
        self._failure: str | None = None
        self._door: socket.socket | None = None
        self._token = secrets.token_hex(16)

    def addresses(self) -> Addresses:
        """Return where the emulator is. Start it, if no test needed it before.

        Raises:
            EmulatorError: When it does not start.

        """
        from svtrain_emulator._emulator import addresses_of

        with self._lock:
            if self._failure is not None:
                raise StartError(self._failure)
            if self._ready is None:
                try:
                    self._ready = self._start() if self._offer is None else _ask(self._offer)
                except EmulatorError as error:
                    # Each test says it, without another try.
                    self._failure = str(error)
                    raise
            return addresses_of(self._ready)

    def offer(self) -> dict[str, Any]:
        """Return how a worker asks for the emulator."""
        if self._door is None:
            self._door = socket.create_server(("127.0.0.1", 0))
            threading.Thread(target=self._serve, name="svtrain-emulator door", daemon=True).start()
        return {"port": self._door.getsockname()[1], "token": self._token}

    def leave_offer(self) -> None:
        """Leave the offer to the workers that this process starts."""
        os.environ[_OFFER] = json.dumps(self.offer())

    def withdraw_offer(self) -> None:
        """Leave it to no other worker."""
        os.environ.pop(_OFFER, None)

    @property
    def is_alone(self) -> bool:
        """Whether no other process uses the emulator: a worker of pytest-xdist shares it with the others."""
        return self._offer is None

    @property
    def warnings(self) -> list[str]:
        """What the emulator warned of. A worker of pytest-xdist leaves it to the main process."""
        return [] if self._process is None else self._process.warnings

    def stop(self) -> None:
        """Stop the emulator, if this process started it."""
        door, self._door = self._door, None
        if door is not None:
            # A close alone would not wake the thread that waits in `accept`.
            with contextlib.suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)
            door.close()
        process, self._process = self._process, None
        self._ready = None
        if process is not None:
            process.stop()

    def _start(self) -> dict[str, Any]:
        from svtrain_emulator._process import EmulatorProcess

        self._process = EmulatorProcess(["--isolate", "api-key", "--clock", "auto", *self._args])
        return self._process.start()

    def _serve(self) -> None:
        door = self._door
        while door is not None:
            try:
                visitor, _ = door.accept()
            except OSError:
                return  # The session is over.
            threading.Thread(target=self._answer, args=(visitor,), daemon=True).start()

    def _answer(self, visitor: socket.socket) -> None:
        with visitor, contextlib.suppress(OSError):
            visitor.settimeout(START)
            if not secrets.compare_digest(_line_from(visitor), self._token):
                return
            try:
                self.addresses()
                answer: dict[str, Any] = {"ready": self._ready}
            except EmulatorError as error:
                answer = {"failure": str(error)}
            visitor.sendall(f"{json.dumps(answer)}\n".encode())


def _ask(offer: dict[str, Any]) -> dict[str, Any]:
    """Ask the main process for the emulator."""
    try:
        with socket.create_connection(("127.0.0.1", offer["port"]), timeout=START) as door:
            door.sendall(f"{offer['token']}\n".encode())
            answer = json.loads(_line_from(door))
    except (OSError, ValueError) as error:
        raise StartError(
            f"Failed to reach the main process of pytest, which starts the emulator: {error}."
        ) from error
    if "failure" in answer:
        raise StartError(answer["failure"])
    ready: dict[str, Any] = answer["ready"]
    return ready


def _line_from(connection: socket.socket) -> str:
    with connection.makefile(encoding="utf-8") as lines:
        return lines.readline().strip()
