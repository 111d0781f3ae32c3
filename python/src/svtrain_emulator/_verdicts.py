"""The words of failed assertions, and how webhooks are compared."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from svtrain_emulator._errors import ControlError, NoSuchJobError, NoSuchNameError

if TYPE_CHECKING:
    from svtrain_emulator._generated.models import (
        ArtifactCollection,
        ClientCheckFinding,
        HistoryRow,
        Job,
        Lineage,
        LineageSample,
        ListedRun,
        SinkRecord,
    )

Record = TypeVar("Record", "ListedRun", "ArtifactCollection")

MetricValue = float | str | Callable[[Any, int], bool]
"""A value of a metric, or a function that says whether a value at a step is right."""

Message = str | re.Pattern[str]
"""A part of a text, or a pattern that is searched in it."""


def fail_with(message: str | None) -> None:
    """Fail with a message, if there is one."""
    if message is not None:
        raise AssertionError(message)


def failure_of(error: Exception) -> Exception:
    """Return the error with which an assertion fails, without the lines of this package."""
    if isinstance(error, NoSuchNameError):
        return AssertionError(str(error))
    if isinstance(error, ControlError) and error.is_of_input:
        return AssertionError(error.detail)
    return error.with_traceback(None)


def counted(number: int, one: str) -> str:
    """Return `1 request`, or `2 requests`."""
    plural = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{number} {one if number == 1 else plural}"


def shown(value: Any) -> str:
    """Return a value as messages show it."""
    if isinstance(value, re.Pattern):
        return f"/{value.pattern}/"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def failed_as_expected(job: Job, message: Message | None) -> bool:
    """Return whether a job failed, with this message."""
    pattern = message if isinstance(message, re.Pattern) else re.compile(re.escape(message or ""))
    return job.status == "failed" and pattern.search(job.error_message or "") is not None


def job_message(job: Job, what: str, story: str) -> str:
    """Return the message for a job that is not in the expected state."""
    if job.status in {"queued", "running"}:
        state = f"is {job.status}"
    elif job.error_message is None:
        state = f"{job.status} at step {job.checkpoint_step}"
    else:
        state = f"{job.status} with {shown(job.error_message)}"
    return f"expected {job.name} to have {what}, but it {state}.\n\n{story.rstrip()}"


def job_in(jobs: Sequence[Job], model: str | None = None, job: str | None = None) -> Job:
    """Return the job with this id, or the latest of a model, or of all. The newest comes first.

    Raises:
        NoSuchJobError: When there is none.

    """
    wanted = model if job is None else job
    names = [(each.model.name, each.model.id) if job is None else (each.id,) for each in jobs]
    for each, own in zip(jobs, names, strict=True):
        if wanted is None or wanted in own:
            return each
    of_model = "" if model is None else f' of a model "{model}"'
    which = of_model if job is None else f' "{job}"'
    if not jobs:
        raise NoSuchJobError(
            f"There is no job{which}. None was created; a job begins with createRlTrainingJob "
            "or createSftTrainingJob."
        )
    hint = _did_you_mean(wanted, [own[0] for own in names])
    listed = [f'  {each.id} of model "{each.model.name}", {each.status}' for each in jobs]
    raise NoSuchJobError("\n".join([f"There is no job{which}.{hint} There are:", *listed[:_MOST]]))


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
    known = f".{_did_you_mean(which, names)} There are {', '.join(names[:_MOST])}"
    raise NoSuchNameError(f"There is no {what}{text}{known if names else none}.")


_MOST = 10
_NO_RUN = ": none was started. openpipe-art starts one only with WANDB_API_KEY, as env=True sets"


def _did_you_mean(written: str | None, names: Sequence[str], cutoff: float = 0.6) -> str:
    found = get_close_matches(written or "", names, 1, cutoff)
    return f' Did you mean "{found[0]}"?' if found else ""


def samples_in(lineage: Lineage) -> list[LineageSample]:
    """Return the answers to chats, the latest first, whether a job trained on them or not."""
    trained = [
        answer.sample
        for job in lineage.jobs
        for group in job.groups
        for trajectory in group.trajectories
        for answer in trajectory.answers
        if answer.sample is not None
    ]
    samples = {each.completion: each for each in [*trained, *lineage.unused]}.values()
    return sorted(samples, key=lambda each: (each.at, each.request or 0), reverse=True)


def answer_message(samples: Sequence[LineageSample], step: int, model: str | None) -> str | None:
    """Return the message for an answer that another checkpoint gave, or None if the right one did."""
    found = [each for each in samples if model in {None, each.model}]
    if found and found[0].step == step:
        return None
    of = "" if model is None else f' of model "{model}"'
    expected = f"expected step {step}{of} to have given the latest answer"
    if not samples:
        return f"{expected}, but no chat was answered"
    hint = "" if found else _did_you_mean(model, [each.model for each in samples])
    lines = [f"  {_giver(each)}: {shown(each.text)}" for each in samples[:_MOST]]
    return "\n".join([f"{expected}.{hint} The latest answers:", *lines])


def _giver(sample: LineageSample) -> str:
    return f"{sample.model}, " + ("base model" if sample.step is None else f"step {sample.step}")


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
    at_step = "" if step is None else f" at step {step}"
    at_step += "" if training_step is None else f" at {_TRAINED} {training_step}"
    as_value = "" if value is None else f" as {shown(value)}"
    if callable(value):
        as_value = " with a value that the function accepts"
    expected = f'expected {run.path} to have logged "{metric}"{at_step}{as_value}'
    if logged:
        near = logged if step is None else sorted(logged, key=lambda row: -abs(row.step - step))
        lines = [_row_text(row, metric) for row in logged if row in near[-_MOST:]]
        more = len(logged) - len(lines)
        others = [f"  … {more} more"] if more > 0 else []
        hint = _step_hint(logged, step)
        return "\n".join([f"{expected}; it logged", *others, *lines, *filter(None, [hint])])
    names = sorted({name for row in rows for name in row.values})
    known = ", ".join(names) or "nothing"
    hint = _did_you_mean(metric, names)
    return f"{expected}, but it did not.{hint} It logged {known}.{'' if hint else _open_hint(run)}"


_TRAINED = "training_step"


def _steps_in(row: HistoryRow) -> dict[str, Any]:
    """Return the steps of the program that a row names, such as `training_step`."""
    return {name: value for name, value in row.values.items() if name.endswith("step")}


def _row_text(row: HistoryRow, metric: str) -> str:
    named = [f"{name} {value}" for name, value in _steps_in(row).items() if name != metric]
    also = f" ({', '.join(named)})" if named else ""
    return f"  step {row.step}{also}: {shown(row.values[metric])}"


def _step_hint(logged: Sequence[HistoryRow], step: int | None) -> str:
    """Say which row has the step that a test means, if the program counts its steps in another way."""
    if step is None or any(row.step == step for row in logged):
        return ""
    for row in logged:
        for name, value in _steps_in(row).items():
            if value == step:
                return f"step is the row of the run. {name} {step} is in row {row.step}: step={row.step}"
    return ""


def _open_hint(run: ListedRun) -> str:
    if run.state != "running":
        return ""
    return (
        " The run is open: what it logged with step= is sent when the next step begins, and what another "
        f"process logged some time later. {_FINISH}"
    )


_FINISH = "Call finish() on the run first. One that openpipe-art opened ends with its process."


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
    hint = "" if on is not None else _did_you_mean(alias, list(found.aliases))
    known = ", ".join(f"{name} ({each})" for name, each in found.aliases.items()) or "none"
    return (
        f'expected the artifact {found.path} to have the alias "{alias}"{where}.{hint} '
        f"Its aliases: {known}. Its versions: {', '.join(found.versions[:_MOST])}."
    )


def pattern_text(pattern: Mapping[str, Any]) -> str:
    """Return what was expected, without what was not named."""
    return ", ".join(f"{name} {shown(value)}" for name, value in pattern.items()) or "anything"


def request_message(pattern: Mapping[str, Any], times: int | None, found: Sequence[str]) -> str:
    """Return the message for a wrong number of requests."""
    expected = "a request" if times is None else counted(times, "request")
    verb = "matches" if times in {None, 1} else "match"
    lines = [f"  {text}" for text in found]
    head = f"expected {expected} that {verb} {pattern_text(pattern)}, but {len(found)} arrived:"
    return "\n".join([head, *lines])


NEAREST = re.compile(r"^Within .*? requests arrived that match ", re.DOTALL)


def refuse_settings(checks: Mapping[str, Any]) -> None:
    """Refuse settings that no client check has.

    Raises:
        NoSuchNameError: For another setting than True, False and "fail".

    """
    for name, setting in checks.items():
        if not isinstance(setting, bool) and setting not in {None, "fail"}:
            raise NoSuchNameError(f'{name} is {shown(setting)}; expected True, False or "fail".')


def finding_text(finding: ClientCheckFinding) -> str:
    """Return a mistake of a client, and how to turn off its check."""
    return f"{finding.text} ({finding.check}=False allows it)"


EVENTS = (
    "CREATE_ARTIFACT",
    "LINK_ARTIFACT",
    "UNLINK_ARTIFACT",
    "ADD_ARTIFACT_ALIAS",
    "ADD_ARTIFACT_TAG",
    "REMOVE_ARTIFACT_TAG",
    "ADD_COLLECTION_TAG",
    "REMOVE_COLLECTION_TAG",
    "RUN_METRIC",
    "RUN_METRIC_CHANGE",
    "RUN_METRIC_ZSCORE",
    "RUN_STATE",
)
VERDICTS = ("valid", "missing", "invalid", "unverifiable")


@dataclass(frozen=True)
class WebhookPattern:
    """Matches deliveries by all the fields that it names. Texts are globs."""

    event: str | None = None
    path: str | None = None
    method: str | None = None
    verdict: str | None = None
    duplicate: bool | None = None
    headers: Mapping[str, str] | None = None
    body: Any = None

    def __post_init__(self) -> None:
        """Refuse what no delivery can have.

        Raises:
            NoSuchNameError: For another verdict, or an event that is nearly that of a scenario.

        """
        event, verdict = self.event, self.verdict
        # A payload of your own may have other events.
        if event is not None and event not in EVENTS and not set(event) & set("*?[{"):
            hint = _did_you_mean(event.upper(), EVENTS, 0.85)
            if hint:
                raise NoSuchNameError(f"event is {shown(event)}, which is not an event.{hint}")
        if verdict is not None and verdict not in VERDICTS:
            known = ", ".join(shown(each) for each in VERDICTS)
            hint = _did_you_mean(verdict, VERDICTS)
            raise NoSuchNameError(f"verdict is {shown(verdict)}; expected one of {known}.{hint}")

    def differences(self, record: SinkRecord) -> list[str]:
        """Return each place in which a delivery differs."""
        globs = [
            ("event", self.event, record.event),
            ("path", self.path, record.path),
            ("method", self.method and self.method.upper(), record.method),
            ("verdict", self.verdict, record.verdict),
        ]
        for name, expected in (self.headers or {}).items():
            globs.append((f"headers.{name.lower()}", expected, record.headers.get(name.lower())))
        found = [_difference(*each) for each in globs if not _fits(*each[1:])]
        repeats = record.duplicate_of is not None
        if self.duplicate is not None and self.duplicate is not repeats:
            found.append(_difference("duplicate", self.duplicate, repeats))
        if self.body is not None:
            found += _body_differences("body", self.body, record.json)
        return found

    def __str__(self) -> str:
        named = {name: value for name, value in vars(self).items() if value is not None}
        return "any" if not named else "{" + pattern_text(named) + "}"


def _difference(place: str, expected: Any, received: Any) -> str:
    return f"  {place}: expected {shown(expected)}, received {shown(received)}"


def _fits(glob: str | None, text: str | None) -> bool:
    if glob is None or text is None:
        return glob is None
    pattern = ".*".join(re.escape(part) for part in glob.split("*"))
    return re.fullmatch(pattern, text, re.DOTALL) is not None


def _body_differences(place: str, expected: Any, received: Any) -> list[str]:
    """Compare a part of a body: of objects, the fields that are named."""
    if isinstance(expected, Mapping):
        if not isinstance(received, Mapping):
            return [_difference(place, expected, received)]
        found: list[str] = []
        for name, value in expected.items():
            if name in received:
                found += _body_differences(f"{place}.{name}", value, received[name])
            else:
                found.append(f"  {place}.{name}: expected {shown(value)}, received nothing")
        return found
    if isinstance(expected, re.Pattern):
        fits = isinstance(received, str) and expected.search(received) is not None
        return [] if fits else [_difference(place, expected, received)]
    if isinstance(expected, list) and isinstance(received, list):
        if len(expected) != len(received):
            return [_difference(f"{place}: length", len(expected), len(received))]
        pairs = enumerate(zip(expected, received, strict=True))
        return [
            line
            for index, (one, other) in pairs
            for line in _body_differences(f"{place}[{index}]", one, other)
        ]
    return [] if expected == received else [_difference(place, expected, received)]


def matching(records: Sequence[SinkRecord], pattern: WebhookPattern) -> list[SinkRecord]:
    """Return the deliveries that match."""
    return [record for record in records if not pattern.differences(record)]


def nearest(records: Sequence[SinkRecord], pattern: WebhookPattern) -> str:
    """Return the delivery that comes closest, and every place in which it differs."""
    if not records:
        return "Nothing was received at all."
    # Of equally near ones, the latest: the test just caused it.
    found = min(reversed(records), key=lambda record: len(pattern.differences(record)))
    return "\n".join([f"The nearest is {found}", *pattern.differences(found)])


def webhook_message(
    records: Sequence[SinkRecord], pattern: WebhookPattern, times: int | None
) -> str | None:
    """Return the message for deliveries that did not arrive, or None if they did."""
    found = matching(records, pattern)
    if (times is None and found) or len(found) == times:
        return None
    wanted = "a delivery" if times is None else counted(times, "delivery")
    received = f"{len(found)} of {len(records)} received match"
    head = f"expected {wanted} like {pattern}; {received}"
    details = [f"  {record}" for record in found] or [nearest(records, pattern)]
    return "\n".join([head, *details])


def order_message(records: Sequence[SinkRecord], patterns: Sequence[WebhookPattern]) -> str | None:
    """Return the message for deliveries that did not arrive in this order, or None if they did."""
    start = 0
    last = None
    for number, pattern in enumerate(patterns, 1):
        rest = records[start:]
        found = next(iter(matching(rest, pattern)), None)
        if found is None:
            after = "" if last is None else f" after delivery {last.id}"
            expected = f"{len(patterns)} deliveries in order; number {number}, like {pattern}"
            lines = [f"expected {expected}, did not come{after}", nearest(rest, pattern)]
            early = matching(records[:start], pattern)
            if early:
                lines[1] = f"One like it came too early:\n  {early[-1]}"
            return "\n".join([*lines, "Received:", *[f"  {record}" for record in records]])
        start += rest.index(found) + 1
        last = found
    return None


def signature_message(records: Sequence[SinkRecord]) -> str | None:
    """Return the message for signatures that are not valid, or None if all are."""
    if not records:
        return "expected a valid signature; nothing was received at all"
    wrong = [record for record in records if record.verdict != "valid"]
    if not wrong:
        return None
    lines = [f"  {record}\n    {record.diagnosis or record.verdict}" for record in wrong]
    return "\n".join(["expected a valid signature", *lines])
