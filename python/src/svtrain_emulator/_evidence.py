"""What the report of a test shows: what happened, and where the page about it is."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from svtrain_emulator._emulator import World
from svtrain_emulator._errors import EmulatorError
from svtrain_emulator._interception import host_lines

if TYPE_CHECKING:
    import pytest

    from svtrain_emulator._markers import Settings
    from svtrain_emulator._pytest_session import Shared

_MOST_CALLS = 3

# The title and the failure are parts of an address, which has a limit.
_LONGEST_TITLE = 200
_LONGEST_FAILURE = 800


def story_of(world: World, item: pytest.Item, settings: Settings, shared: Shared) -> str:
    """Return what happened in the world of a test that failed."""
    try:
        hosts = host_lines(world.called_hosts()) if settings.intercept else []
        more = hosts or not_called(world, settings, shared)
        more += unnoticed(world, item, settings, failed=True)
        return "\n".join([world.trace().rstrip(), *more])
    except EmulatorError as error:
        return str(error)


def unnoticed(
    world: World, item: pytest.Item, settings: Settings, *, failed: bool = False
) -> list[str]:
    """Return which faults came to nothing, and which answers of a judge no rule gave."""
    # The scenario of all tests has faults for some of them.
    is_own = settings.scenario is not None or not item.config.getini("svtrain_scenario")
    # A test that passes needs no better answers.
    shown = {"fault": is_own, "answer": failed}
    return [each.text for each in world.pending().unnoticed if shown[each.what]]


def not_called(world: World, settings: Settings, shared: Shared) -> list[str]:
    """Say why no call of a test arrived, or nothing: its code sends another key, or calls elsewhere."""
    if world.requests.count() or world.jobs.list() or world.deliveries.list():
        return []
    if settings.intercept:
        return host_lines(world.called_hosts())
    whole = World(world.addresses, http=world._http)
    # The worlds of tests that are over are empty. Those of other workers are not.
    entries = whole.entries() if shared.is_alone else []
    calls = [
        f"{each.method} {each.path} {each.status}" for each in entries if each.kind == "request"
    ]
    some = ", ".join(list(dict.fromkeys(calls))[-_MOST_CALLS:])
    found = f" Calls of this session without it: {len(calls)}, such as {some}." if calls else ""
    return [
        f"No call arrived with the key of this test.{found}",
        "If its code sends another key, or none: send `Authorization: Bearer {svtrain.api_key}`",
        "If its code names no address of the emulator: @pytest.mark.svtrain(intercept=True)",
    ]


def write_page(world: World, item: pytest.Item, why: str, *, ended: bool = False) -> str | None:
    """Write the page of a failed test, if there is a folder for pages.

    A test ended if only its client checks failed.

    Return where the page is, or why it could not be written.
    """
    folder = item.config.getoption("--svtrain-report")
    if not folder:
        return None
    # The end of a failure says what was wrong.
    failure = why if len(why) <= _LONGEST_FAILURE else f"…{why[-_LONGEST_FAILURE:]}"
    name = re.sub(r"[^\w.-]+", "-", item.nodeid)[-100:].strip("-")
    # Tests may differ only in characters that a file name cannot have.
    name += f"-{hashlib.sha1(item.nodeid.encode(), usedforsecurity=False).hexdigest()[:8]}"
    path = Path(folder) / f"{name}.html"
    try:
        page = world.report(title=item.nodeid[:_LONGEST_TITLE], failure=failure, ended=ended)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except (EmulatorError, OSError) as error:
        return f"Failed to write the report: {error}"
    return f"Report: {path}"
