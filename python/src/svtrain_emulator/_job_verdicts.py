"""Verdicts on jobs, on what their checkpoints answered, and on the calls of clients."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from svtrain_emulator._errors import NoSuchJobError
from svtrain_emulator._generated import ClientChecks
from svtrain_emulator._words import MOST, counted, did_you_mean, fields_text, has_no, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from svtrain_emulator._generated.models import Job, Lineage, LineageSample

__tracebackhide__ = True

Message = str | re.Pattern[str]
"""A part of a text, or a pattern that is searched in it."""

CHECKS = tuple(ClientChecks.__annotations__)
NEAREST = re.compile(r"^Within .*? requests arrived that match ", re.DOTALL)


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
    for each in jobs:
        if job in {None, each.id} and model in {None, each.model.name, each.model.id}:
            return each
    which = "" if job is None else f' "{job}"'
    which += "" if model is None else f' of a model "{model}"'
    if not jobs:
        raise NoSuchJobError(
            f"There is no job{which}. None was created; a job begins with createRlTrainingJob "
            "or createSftTrainingJob."
        )
    names = [each.model.name if job is None else each.id for each in jobs]
    hint = did_you_mean(model if job is None else job, names)
    listed = [f'  {each.id} of model "{each.model.name}", {each.status}' for each in jobs[:MOST]]
    raise NoSuchJobError("\n".join([f"There is no job{which}.{hint} There are:", *listed]))


def _samples_in(lineage: Lineage) -> list[LineageSample]:
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


def answer_message(lineage: Lineage, step: int, model: str | None) -> str | None:
    """Return the message for an answer that another checkpoint gave, or None if the right one did."""
    samples = _samples_in(lineage)
    found = [each for each in samples if model in {None, each.model}]
    if found and found[0].step == step:
        return None
    of = "" if model is None else f' of model "{model}"'
    expected = f"expected step {step}{of} to have given the latest answer"
    if not samples:
        return f"{expected}, but no chat was answered"
    hint = "" if found else did_you_mean(model, [each.model for each in samples])
    lines = [f"  {_giver(each)}: {shown(each.text)}" for each in samples[:MOST]]
    return "\n".join([f"{expected}.{hint} The latest answers:", *lines])


def _giver(sample: LineageSample) -> str:
    return f"{sample.model}, " + ("base model" if sample.step is None else f"step {sample.step}")


def request_message(pattern: Mapping[str, Any], times: int, found: Sequence[str]) -> str:
    """Return the message for a wrong number of requests."""
    verb = "matches" if times == 1 else "match"
    wanted = f"{counted(times, 'request')} that {verb} {fields_text(pattern)}"
    lines = [f"  {text}" for text in found]
    return "\n".join([f"expected {wanted}, but {len(found)} arrived:", *lines])


def settings_message(place: str, checks: Mapping[str, Any]) -> str | None:
    """Return the message for what is no client check or no setting of one, or None if all are."""
    for name, setting in checks.items():
        if name not in CHECKS:
            return has_no(place, name, CHECKS)
        if not isinstance(setting, bool) and setting not in (None, "fail"):
            return f'{place}: {name} is {shown(setting)}; expected True, False or "fail".'
    return None
