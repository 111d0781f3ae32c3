"""What wandb has open in this process. It is never imported for that."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Mapping

LOOK = 0.02
"""Seconds between two looks at what has arrived."""

_INTERVAL = 15.0
"""Seconds after which wandb sends what a run logged, if nothing says otherwise."""

_SENDING = 4.0
"""Seconds that it may need besides."""

_LATER = "updating run metadata"
"""What wandb says that it does while it has settings to send, which it does not do at once."""

_given_up: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
"""What did not arrive in time, by its run. Nobody waits for it again."""


def open_runs() -> list[Any]:
    """Return the runs that this process has open, the oldest first."""
    opened = getattr(sys.modules.get("wandb.sdk.wandb_setup"), "_singleton", None)
    # A fork has those of its parent, and cannot ask for them.
    is_own = getattr(opened, "_pid", None) == os.getpid()
    return list(getattr(opened, "_active_runs", ())) if is_own else []


def has_open_run() -> bool:
    """Return whether wandb has an open run. It belongs to whoever opened it."""
    return getattr(sys.modules.get("wandb"), "run", None) is not None or bool(open_runs())


def looks_for(run: Any) -> int:
    """Return after how many looks everything that a run logged has arrived."""
    interval = getattr(run.settings, "x_file_stream_transmit_interval", None)
    return round((_SENDING + max(interval or _INTERVAL, 1)) / LOOK)


def has_arrived(run: Any, record: Mapping[str, Any]) -> bool:
    """Return whether the emulator has what wandb holds of a run, or nobody waits for it any more."""
    return _held_by(run) in {"", _facts(record["summary"], record["config"]), _given_up.get(run)}


def give_up(run: Any) -> None:
    """Note that what wandb holds of a run does not arrive."""
    _given_up[run] = _held_by(run)


def _held_by(run: Any) -> str:
    """Return what wandb has of an open run: its last values and settings, and uploads that are not over."""
    # These parts of wandb are private. Without them, nothing is known to be held.
    held = ""
    with contextlib.suppress(Exception):
        held = _facts(run.summary._as_dict(), dict(run.config))
    with contextlib.suppress(Exception):
        held += "".join(_uploads(run))
    return held


def _facts(*values: Mapping[str, Any]) -> str:
    """Return values as a text that is the same on both sides: without what wandb adds, but with the step."""
    facts = [
        {key: each[key] for key in each if key == "_step" or not str(key).startswith("_")}
        for each in values
    ]
    # NaN is a number here, and a text there.
    return json.dumps(facts, sort_keys=True, default=str).replace('"', "")


def _uploads(run: Any) -> list[str]:
    messages = sys.modules["wandb.proto.wandb_internal_pb2"]
    request = messages.Request(operations=messages.OperationStatsRequest())
    interface = getattr(run, "_interface", None) or run._backend.interface

    async def ask() -> Any:
        handle = await interface.deliver_async(messages.Record(request=request))
        return await handle.wait_async(timeout=_SENDING)

    asked = sys.modules["wandb.sdk.wandb_setup"].singleton().asyncer.run(ask)
    doing = asked.response.operations_response.operation_stats.operations
    return [each.desc for each in doing if each.desc != _LATER]


def end_wandb() -> None:
    """End the runs of wandb that are open, and let it forget them and the variables that it has read."""
    if wandb := sys.modules.get("wandb"):
        if wandb.run is not None:
            wandb.finish()
        # Runs that are open beside it would end with errors in its log.
        for run in open_runs():
            run.finish()
        # It ends the program if its process failed.
        with contextlib.suppress(SystemExit):
            wandb.teardown()


def kill_wandb() -> None:
    """Do the same without a word to the service, as if the program was killed."""
    wandb = sys.modules.get("wandb")
    if wandb is None:
        return
    # These parts of wandb are private. Without them, it ends its runs itself.
    for run in open_runs():
        # A thread that asks its process would end with an error.
        with contextlib.suppress(Exception):
            run._run_status_checker.join()
    with contextlib.suppress(Exception):
        wandb.setup()._connection._proc._process.kill()
    with contextlib.suppress(Exception, SystemExit):
        wandb.teardown()
    with contextlib.suppress(Exception):
        wandb.sdk.lib.module.unset_globals()
