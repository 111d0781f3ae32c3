"""Verdicts on what programs logged: runs, metrics and artifacts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from svtrain_emulator._errors import NoSuchNameError
from svtrain_emulator._words import MOST, counted, did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from svtrain_emulator._generated.models import ArtifactCollection, HistoryRow, ListedRun

Record = TypeVar("Record", "ListedRun", "ArtifactCollection")

MetricValue = float | str | Callable[[Any, int], bool]
"""A value of a metric, or a function that says whether a value at a step is right."""

_NO_RUN = ": none was started. openpipe-art starts one only with WANDB_API_KEY, as env=True sets"
_FINISH = "Call finish() on the run first. One that openpipe-art opened ends with its process."
_IS_OPEN = (
    " The run is open: what it logged with step= is sent when the next step begins, and what another "
    f"process logged some time later. {_FINISH}"
)
_TRAINED = "training_step"


def named_in(records: Sequence[Record], which: str | None, what: str) -> Record:
    """Return the newest record with this path or name. The records are in order, the newest first.

    Raises:
        NoSuchNameError: When there is none.

    """
    if which is None and records:
        return records[0]
    text = "" if which is None else f" {shown(which)}"
    key = "path" if which is not None and "/" in which else "name"
    names = [getattr(each, key) for each in records]
    if which in names:
        return records[names.index(which)]
    none = ": none was logged" if what == "artifact" else _NO_RUN
    known = f".{did_you_mean(which, names)} There are {', '.join(names[:MOST])}"
    raise NoSuchNameError(f"There is no {what}{text}{known if names else none}.")


def metric_message(
    run: ListedRun,
    rows: Sequence[HistoryRow],
    metric: str,
    step: int | None,
    training_step: int | None,
    value: MetricValue | None,
) -> str | None:
    """Return the message for a metric that a run did not log, or None if it did."""
    logged = [row for row in rows if metric in row.values]
    for row in logged:
        is_there = step in {None, row.step} and training_step in {None, row.values.get(_TRAINED)}
        if is_there and _is_value(value, row.values[metric], row.step):
            return None
    expected = f'expected {run.path} to have logged "{metric}"'
    expected += "" if step is None else f" at step {step}"
    expected += "" if training_step is None else f" at {_TRAINED} {training_step}"
    if callable(value):
        expected += " with a value that the function accepts"
    elif value is not None:
        expected += f" as {shown(value)}"
    if logged:
        return "\n".join([f"{expected}; it logged", *_nearest_rows(logged, metric, step)])
    names = sorted({name for row in rows for name in row.values})
    known = ", ".join(names) or "nothing"
    hint = did_you_mean(metric, names)
    more = _IS_OPEN if run.state == "running" and not hint else ""
    return f"{expected}, but it did not.{hint} It logged {known}.{more}"


def _nearest_rows(logged: Sequence[HistoryRow], metric: str, step: int | None) -> Iterator[str]:
    """Return a line for each of the last rows, or of those that are nearest to a step."""
    near = logged if step is None else sorted(logged, key=lambda row: -abs(row.step - step))
    if len(logged) > MOST:
        yield f"  … {len(logged) - MOST} more"
    for row in logged:
        if row in near[-MOST:]:
            yield _row_text(row, metric)
    yield from _step_hint(logged, step)


def _row_text(row: HistoryRow, metric: str) -> str:
    named = [f"{name} {value}" for name, value in _steps_in(row) if name != metric]
    also = f" ({', '.join(named)})" if named else ""
    return f"  step {row.step}{also}: {shown(row.values[metric])}"


def _steps_in(row: HistoryRow) -> list[tuple[str, Any]]:
    """Return the steps of the program that a row names, such as `training_step`."""
    return [(name, value) for name, value in row.values.items() if name.endswith("step")]


def _step_hint(logged: Sequence[HistoryRow], step: int | None) -> list[str]:
    """Say which row has the step that a test means, if the program counts its steps in another way."""
    if step is None or any(row.step == step for row in logged):
        return []
    return [
        f"step is the row of the run. {name} {step} is in row {row.step}: step={row.step}"
        for row in logged
        for name, value in _steps_in(row)
        if value == step
    ][:1]


def _is_value(wanted: MetricValue | None, value: Any, step: int) -> bool:
    if callable(wanted):
        return bool(wanted(value, step))
    if isinstance(wanted, float) and not math.isfinite(wanted):
        # It is a text in a history.
        return bool(value == {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(wanted)])
    return wanted is None or bool(value == wanted)


def run_message(run: ListedRun) -> str | None:
    """Return the message for a run that did not finish, or None if it did."""
    if run.state == "finished":
        return None
    code = "" if run.exit_code is None else f" with exit code {run.exit_code}"
    hint = f". {_FINISH}" if run.state == "running" else ""
    return (
        f"expected the run {run.path} to have finished; it is {run.state}{code}, "
        f"and has logged {counted(run.rows, 'row')}{hint}"
    )


def alias_message(found: ArtifactCollection, alias: str, version: str | None) -> str | None:
    """Return the message for an alias that an artifact does not have, or None if it does."""
    on = found.aliases.get(alias)
    if on is not None and version in {None, on}:
        return None
    where = "" if version is None else f" on {version}"
    hint = "" if on is not None else did_you_mean(alias, list(found.aliases))
    known = ", ".join(f"{name} ({each})" for name, each in found.aliases.items()) or "none"
    return (
        f'expected the artifact {found.path} to have the alias "{alias}"{where}.{hint} '
        f"Its aliases: {known}. Its versions: {', '.join(found.versions[:MOST])}."
    )
