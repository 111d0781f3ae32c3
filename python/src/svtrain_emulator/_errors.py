"""The errors of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from svtrain_emulator._words import finding_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from svtrain_emulator._generated.models import ClientCheckFinding


class EmulatorError(Exception):
    """The base class of the errors of this package."""


class ProgramNotFoundError(EmulatorError):
    """Raised when there is no program to start: no Node.js, or no emulator."""


class StartError(EmulatorError):
    """Raised when the emulator does not start. The message has what it printed."""


class ControlError(EmulatorError):
    """Raised when the emulator refuses a call.

    Attributes:
        status: 400: a wrong value. 401: the token. 403: the caller. 404: no such thing. 408: nothing
            came in time. 409: not possible now.
        detail: Why, in the words of the emulator.

    """

    def __init__(self, call: str, status: int, detail: str) -> None:
        super().__init__(f"Failed to {call}: {detail} (status {status})")
        self.status = status
        self.detail = detail

    @property
    def is_of_input(self) -> bool:
        """Whether another input helps: a value is wrong, or what it names does not exist."""
        return self.status in {400, 404}


class UnreachableError(EmulatorError):
    """Raised when no emulator answers."""

    def __init__(self, url: str, why: str) -> None:
        super().__init__(
            f"Failed to reach an emulator at {url}. {why} Start one with: svtrain-emulator"
        )


class NoSuchNameError(EmulatorError, LookupError, ValueError):
    """Raised when a name does not exist. The message has those that do. An assertion fails instead."""


class NoSuchJobError(NoSuchNameError):
    """Raised when there is no such job. The message lists the jobs that exist."""


class ClientCheckError(EmulatorError, AssertionError):
    """Raised when a client check fails.

    Attributes:
        findings: One sentence for each mistake.

    """

    def __init__(self, findings: Sequence[ClientCheckFinding], trace: str) -> None:
        self.findings = [finding_text(each) for each in findings]
        # A summary of tests shows the first line only.
        names = ", ".join(dict.fromkeys(each.check for each in findings))
        lines = [f"  {finding}" for finding in self.findings]
        super().__init__(
            "\n".join([f"The client checks failed: {names}", *lines, "", trace.rstrip()])
        )


class ClientCheckWarning(UserWarning):
    """Shown when a check of training data finds something. Its setting "fail" makes it an error."""


class PendingError(EmulatorError, AssertionError):
    """Raised when something is not finished, with a table of it."""
