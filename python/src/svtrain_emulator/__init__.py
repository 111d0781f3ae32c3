"""An emulator of a serverless training service, for tests in Python.

With pytest, use the fixture `svtrain`. Without it, use `Emulator`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from svtrain_emulator._version import __version__

if TYPE_CHECKING:
    from svtrain_emulator._async_client import AsyncClient
    from svtrain_emulator._emulator import Addresses, AsyncEmulator, AsyncWorld, Emulator, World
    from svtrain_emulator._errors import (
        ClientCheckError,
        ClientCheckWarning,
        ControlError,
        EmulatorError,
        NoSuchJobError,
        NoSuchNameError,
        PendingError,
        ProgramNotFoundError,
        StartError,
        UnreachableError,
    )
    from svtrain_emulator._generated.client import Client
    from svtrain_emulator._generated.models import Delivery, Fault, Job, RequestEntry, SinkRecord

__all__ = [
    "Addresses",
    "AsyncClient",
    "AsyncEmulator",
    "AsyncWorld",
    "Client",
    "ClientCheckError",
    "ClientCheckWarning",
    "ControlError",
    "Delivery",
    "Emulator",
    "EmulatorError",
    "Fault",
    "Job",
    "NoSuchJobError",
    "NoSuchNameError",
    "PendingError",
    "ProgramNotFoundError",
    "RequestEntry",
    "SinkRecord",
    "StartError",
    "UnreachableError",
    "World",
    "__version__",
]


# Imported when they are used: the command and pytest start without them. The smallest come first.
_PLACES = ("_errors", "_generated.models", "_generated.client", "_async_client", "_emulator")


def __getattr__(name: str) -> Any:
    for place in _PLACES if name in __all__ else ():
        module = import_module(f"{__name__}.{place}")
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
