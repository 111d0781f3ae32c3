"""An async client of the control API."""

from __future__ import annotations

import asyncio
import re
import time as wall
import warnings
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

import httpx

import svtrain_emulator._job_verdicts as job_verdicts
import svtrain_emulator._log_verdicts as log_verdicts
import svtrain_emulator._shared as shared
import svtrain_emulator._verdicts as verdicts
from svtrain_emulator._decode import read
from svtrain_emulator._errors import (
    ClientCheckError,
    ClientCheckWarning,
    ControlError,
    NoSuchNameError,
    PendingError,
    UnreachableError,
)
from svtrain_emulator._generated import async_calls as calls
from svtrain_emulator._generated.models import (
    Clock,
    Entry,
    Fault,
    Info,
    Job,
    ListedRun,
    NamedScenario,
    SinkRecord,
)
from svtrain_emulator._open_runs import LOOK, give_up, has_arrived, looks_for, open_runs
from svtrain_emulator._verdicts import WebhookPattern
from svtrain_emulator._words import finding_text, shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    from typing_extensions import Self, Unpack

    from svtrain_emulator._generated import ClientChecks
    from svtrain_emulator._job_verdicts import Message
    from svtrain_emulator._log_verdicts import MetricValue
    from svtrain_emulator._shared import Duration, Scenario, Timeout

P = ParamSpec("P")

__tracebackhide__ = True  # By pytest: what fails there is the line of the test.

_ALL_ROWS = 100_000
_POLL = 0.01
"""Seconds between two looks at a sink."""

_OF_RUNS = re.compile(
    "GET /(artifacts|automations|client-checks|deliveries|har|pending|report|requests|runs|sink|snapshot"
    "|timeline|trace)|POST /clock/settle"
)
"""Calls whose answers say what runs have sent, or what followed from that."""


def _fail_with(message: str | None) -> None:
    if message is not None:
        raise AssertionError(message)


def _assertion(check: Callable[P, Awaitable[None]]) -> Callable[P, Awaitable[None]]:
    """Let an assertion fail at the line of the test, and as one, also if it names what does not exist."""

    @wraps(check)
    async def assert_it(*args: P.args, **named: P.kwargs) -> None:
        try:
            await check(*args, **named)
        except NoSuchNameError as error:
            raise AssertionError(str(error)) from None
        except ControlError as error:
            if error.is_of_input:
                raise AssertionError(error.detail) from None
            raise

    return assert_it


class AsyncClockCalls(calls.AsyncClockCalls):
    """The clock of the emulator."""

    async def advance(self, by: Duration) -> Clock:
        """Move virtual time by a duration: `"10m"`, or a `timedelta`."""
        return await self._move({"by": shared.duration_text(by)})

    async def advance_to(self, moment: datetime | str) -> Clock:
        """Move virtual time to a moment: a `datetime`, or a text in ISO 8601."""
        return await self._move({"to": shared.moment_text(moment)})

    async def _move(self, body: Mapping[str, str]) -> Clock:
        return read(Clock, await self._call("POST /clock/advance", body=body))


class AsyncScenarioCalls(calls.AsyncScenarioCalls):
    """The scenarios."""

    async def use(self, scenario: Scenario, *, reset: bool = False) -> NamedScenario:
        """Change the scenario until the next reset. Existing records stay, unless `reset` is true."""
        body = {**shared.scenario_fields(scenario), "reset": reset}
        return read(NamedScenario, (await self._call("POST /scenario", body=body))["scenario"])


class AsyncArtifactCalls(calls.AsyncArtifactCalls):
    """What programs uploaded, and the checkpoints."""

    async def download_all(self, artifact: str) -> dict[str, bytes]:
        """Return the contents of all files of an artifact, by their paths."""
        found = await self.get(artifact)
        return {each.path: await self.download(found.path, each.path) for each in found.files}


class AsyncFaultCalls(calls.AsyncFaultCalls):
    """The faults: what goes wrong with calls."""

    async def add(self, fault: str | Mapping[str, Any], /, **rule: Any) -> Fault:
        """Add a fault, written as in a scenario. It takes precedence over all others.

        Example:
            await svtrain.faults.add("status", status=503, calls=1)

        """
        body = {"fault": fault, **rule} if isinstance(fault, str) else {**fault, **rule}
        return read(Fault, await self._call("POST /faults", body=body))


class AsyncWebhookCalls(calls.AsyncWebhookCalls):
    """The webhooks: where the service sends events."""

    async def add(self, name: str, url: str, **webhook: Any) -> None:
        """Add a webhook, with the fields of a scenario. One of that name keeps what is not named.

        Example:
            await svtrain.webhooks.add("mine", "http://127.0.0.1:3000/hook", secret="SIGNING")

        """
        await self._call("POST /webhooks", body={"name": name, "url": url, **webhook})


class AsyncAutomationCalls(calls.AsyncAutomationCalls):
    """The automations: which event calls which webhook."""

    async def add(self, name: str, event: str, webhook: str, **automation: Any) -> None:
        """Add an automation, with the fields of a scenario. Replace one of the same name.

        Example:
            await svtrain.automations.add("over", "RUN_STATE", "mine", payload={"run": "${run_name}"})

        """
        body = {"name": name, "event": event, "webhook": webhook, **automation}
        await self._call("POST /automations", body=body)


class AsyncSinkCalls(calls.AsyncSinkCalls):
    """A receiver of webhooks in the process of the emulator."""

    async def _recorded(self, *, wait: bool = True) -> list[SinkRecord]:
        try:
            return await self.records(wait=wait)
        except ControlError as error:
            if error.status != httpx.codes.NOT_FOUND:
                raise
            raise NoSuchNameError(
                f"{error.detail} Call sink.open() before the events, or use the fixture svtrain_sink."
            ) from None

    async def wait(
        self,
        event: str | None = None,
        *,
        path: str | None = None,
        method: str | None = None,
        verdict: str | None = None,
        duplicate: bool | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        count: int = 1,
        timeout: Timeout = 10,
    ) -> list[SinkRecord]:
        """Wait for `count` deliveries that match, for at most `timeout` of real time: seconds, or a duration.

        With the clock `auto`, it runs what is scheduled, task by task, until they came.

        Raises:
            TimeoutError: When they did not come. The message has the nearest delivery.

        """
        pattern = WebhookPattern(event, path, method, verdict, duplicate, headers, body)
        seconds = shared.seconds_of(timeout)
        end = wall.monotonic() + seconds
        while True:
            records = await self._recorded(wait=False)
            found = verdicts.matching(records, pattern)
            if len(found) >= count:
                return found
            if await self._move_on():
                continue
            if wall.monotonic() > end:
                raise TimeoutError(
                    f"Within {seconds:g} s, {len(found)} of {count} deliveries like {pattern} came.\n"
                    f"{verdicts.nearest(records, pattern)}"
                )
            await asyncio.sleep(_POLL)

    async def _move_on(self) -> bool:
        """Run the next scheduled task, if clients move the clock. Return whether there was one."""
        is_moved_by_clients = (await self._call("GET /clock"))["mode"] == "auto"
        return is_moved_by_clients and bool((await self._call("POST /clock/next"))["happened"])


class AsyncClient(calls.AsyncCalls):
    """Controls an emulator in another process, with an async method for each call of the control API.

    The methods raise `ControlError` if the emulator refuses a call, and `UnreachableError` if no emulator
    answers.

    Args:
        url: Any URL on the training port, such as the base URL of the training API.
        token: The control token, if the emulator asks for one.
        world: An API key. Selects its world if each key has its own. Default: the emulator's own world.
        http: The client of httpx that sends the calls. Default: one of its own.

    Example:
        async with AsyncClient("http://127.0.0.1:4600") as client:
            job = await client.jobs.create("poet")

    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        world: str | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.control_url = shared.control_root(url)
        """The root of the control API. It ends in `/_emulator`."""
        self._headers = shared.headers_for(token, world)
        self._world = world
        self._owns_http = http is None
        self._http = http if http is not None else httpx.AsyncClient(**shared.local_options())
        super().__init__(self._send)
        # These have methods of this module.
        self.clock: AsyncClockCalls = AsyncClockCalls(self._call)
        self.scenarios: AsyncScenarioCalls = AsyncScenarioCalls(self._call)
        self.artifacts: AsyncArtifactCalls = AsyncArtifactCalls(self._call)
        self.faults: AsyncFaultCalls = AsyncFaultCalls(self._call)
        self.webhooks: AsyncWebhookCalls = AsyncWebhookCalls(self._call)
        self.automations: AsyncAutomationCalls = AsyncAutomationCalls(self._call)
        self.sink: AsyncSinkCalls = AsyncSinkCalls(self._call)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def reset(self, scenario: Scenario | None = None, *, seed: int | None = None) -> Info:
        """Start over with the scenario and the seed of the start.

        A scenario or a seed in this call is for this reset only.
        """
        body = shared.body_of({**shared.scenario_fields(scenario), "seed": seed})
        return read(Info, await self._call("POST /reset", body=body))

    async def entries(self, job: str | None = None) -> list[Entry]:
        """Return what happened, in order of time. `job` selects one job by its id."""
        answer = await self._call("GET /trace", query={"job": job, "format": "json"})
        return [read(Entry, each) for each in answer["entries"]]  # type: ignore[arg-type]

    async def job(self, model: str | None = None) -> Job:
        """Return the latest job of a model, or the latest of all.

        Raises:
            NoSuchJobError: When there is no such job.

        """
        return job_verdicts.job_in(await self.jobs.list(), model)

    @_assertion
    async def assert_started(self, *, model: str | None = None, job: str | None = None) -> None:
        """Assert that the training of the latest job, or of this one, started."""
        found = await self._which(model, job)
        if found.training_start is None:
            raise AssertionError(await self._story(found, "started"))

    @_assertion
    async def assert_ended(
        self, *, model: str | None = None, job: str | None = None, step: int | None = None
    ) -> None:
        """Assert that the latest job, or this one, ended successfully.

        `step` is the step that the model reached by it: that of its checkpoint.
        """
        found = await self._which(model, job)
        if found.status != "ended" or step not in {None, found.checkpoint_step}:
            what = "ended" if step is None else f"ended at step {step}"
            raise AssertionError(await self._story(found, what))

    @_assertion
    async def assert_failed(
        self, message: Message | None = None, *, model: str | None = None, job: str | None = None
    ) -> None:
        """Assert that the latest job, or this one, failed.

        `message` is a part of its error message, or a pattern.
        """
        found = await self._which(model, job)
        if not job_verdicts.failed_as_expected(found, message):
            what = "failed" if message is None else f"failed with {shown(message)}"
            raise AssertionError(await self._story(found, what))

    @_assertion
    async def assert_received_request(
        self,
        operation: str | None = None,
        *,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        job: str | None = None,
        times: int | None = None,
    ) -> None:
        """Assert that a matching request arrived, or exactly `times` of them."""
        pattern: dict[str, Any] = {
            "operation": operation,
            "method": method,
            "path": path,
            "status": status,
            "job": job,
        }
        found = await self.requests.list(**pattern, limit=10_000)
        if not found and times != 0:
            expected = await self._nearest_request(pattern)
            raise AssertionError(f"expected a request that matches {expected}")
        if times is not None and len(found) != times:
            texts, named = [each.text for each in found], shared.body_of(pattern)
            raise AssertionError(job_verdicts.request_message(named, times, texts))

    @_assertion
    async def assert_answered_by(self, step: int, *, model: str | None = None) -> None:
        """Assert that the checkpoint of a step gave the latest answer to a chat, or the latest of this model.

        Example:
            await svtrain.assert_answered_by(2, model="poet")

        """
        _fail_with(job_verdicts.answer_message(await self.lineage(), step, model))

    @_assertion
    async def assert_logged_metric(
        self,
        metric: str,
        *,
        run: str | None = None,
        step: int | None = None,
        training_step: int | None = None,
        value: MetricValue | None = None,
    ) -> None:
        """Assert that the latest run, or this one, logged a metric.

        `step` is the row of the run. `training_step` is the step of the training, which the row names.
        `value` is the value, or a function that says whether a value at a step is right.

        Example:
            await svtrain.assert_logged_metric("val/reward", value=lambda value, step: value > 0.5)

        """
        found = await self._run(run)
        rows = await self.runs.history(found.path, points=_ALL_ROWS)
        _fail_with(log_verdicts.metric_message(found, rows, metric, step, training_step, value))

    @_assertion
    async def assert_finished_run(self, run: str | None = None) -> None:
        """Assert that the latest run, or this one, finished: its program exited with 0."""
        _fail_with(log_verdicts.run_message(await self._run(run)))

    @_assertion
    async def assert_artifact_alias(
        self, artifact: str, alias: str, *, version: str | None = None
    ) -> None:
        """Assert that an artifact (path or name) has an alias, on any version or on this one."""
        collections = await self.artifacts.collections()
        found = log_verdicts.named_in(collections, artifact, "artifact")
        _fail_with(log_verdicts.alias_message(found, alias, version))

    async def _run(self, run: str | None) -> ListedRun:
        return log_verdicts.named_in(await self.runs.list(), run, "run")

    @_assertion
    async def assert_received_webhook(
        self,
        event: str | None = None,
        *,
        path: str | None = None,
        method: str | None = None,
        verdict: str | None = None,
        duplicate: bool | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        times: int | None = None,
    ) -> None:
        """Assert that a matching delivery arrived at the sink, or exactly `times` of them.

        `body` is a part of the payload: of objects, the fields that it names.
        """
        pattern = WebhookPattern(event, path, method, verdict, duplicate, headers, body)
        _fail_with(verdicts.webhook_message(await self.sink._recorded(), pattern, times))

    @_assertion
    async def assert_received_in_order(self, patterns: Sequence[Mapping[str, Any]]) -> None:
        """Assert that matching deliveries arrived in this order. Others may be between them.

        Example:
            await svtrain.assert_received_in_order([{"event": "RUN_STATE"}, {"body": {"alias": "best"}}])

        """
        wanted = [WebhookPattern.of(each) for each in patterns]
        _fail_with(verdicts.order_message(await self.sink._recorded(), wanted))

    @_assertion
    async def assert_validly_signed(self) -> None:
        """Assert that every delivery at the sink has a valid signature."""
        _fail_with(verdicts.signature_message(await self.sink._recorded()))

    @_assertion
    async def assert_client_checks(self, **checks: Unpack[ClientChecks]) -> None:
        """Assert that clients made no mistake that costs money or data with the real service.

        False turns a check off, and "fail" makes it an error. The checks of training data, those of runs
        and artifacts, forgotten_jobs, and early_retries are only warnings, unless the scenario or their
        setting says otherwise.

        Args:
            checks: Those that run otherwise than the scenario says. `ClientChecks` has them.

        Raises:
            ClientCheckError: When a check fails, with everything that was found.

        """
        _fail_with(job_verdicts.settings_message("assert_client_checks", checks))
        findings = await self.client_checks(**checks)
        for each in findings:
            if each.severity == "warn":
                warnings.warn(finding_text(each), ClientCheckWarning, stacklevel=3)
        if errors := [each for each in findings if each.severity == "fail"]:
            raise ClientCheckError(errors, await self.trace())

    @_assertion
    async def assert_budget(
        self,
        budget: str,
        *,
        prices: dict[str, Any] | str | None = None,
        steps: int | None = None,
    ) -> None:
        """Assert that the bill is within a budget, such as `2M-tokens`, or `5usd` with your prices.

        `prices` is an object, or the text of a price file.
        With `steps`, the upper end of the estimate counts.
        """
        bill = await self.bill(prices=prices, steps=steps, budget=budget)
        if bill.budget is None or not bill.budget.passed:
            raise AssertionError(bill.text)

    @_assertion
    async def assert_nothing_pending(self) -> None:
        """Assert that nothing is left over: jobs, faults, deliveries or requests.

        Raises:
            PendingError: When something is left over, with a table of it.

        """
        pending = await self.pending()
        if pending.pending:
            raise PendingError(pending.text)

    async def _which(self, model: str | None, job: str | None) -> Job:
        return job_verdicts.job_in(await self.jobs.list(), model, job)

    async def _story(self, job: Job, what: str) -> str:
        return job_verdicts.job_message(job, what, await self.trace(job.id))

    async def _nearest_request(self, pattern: Mapping[str, Any]) -> str:
        """Return the expected request in words, and the nearest one that arrived."""
        try:
            await self.requests.wait(**pattern, timeout="1ms")
        except ControlError as error:
            if error.status != httpx.codes.REQUEST_TIMEOUT:
                raise
            return job_verdicts.NEAREST.sub("", error.detail)
        return "this one, but it arrived too late"

    async def _wait_for(self, run: Any) -> None:
        """Wait until this world has what wandb holds of an open run, if the run is in this world."""
        path = f"/runs/{run.entity}/{run.project}/{run.id}"
        for _ in range(looks_for(run)):
            found = await self._exchange("GET", path)
            if not found.is_success or has_arrived(run, found.json()):
                return
            await asyncio.sleep(LOOK)
        give_up(run)

    async def _send(
        self,
        route: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> Any:
        method, pattern = route.split(" ", 1)
        path = shared.path_of(pattern, params or {})
        if _OF_RUNS.match(route):
            for run in open_runs():
                await self._wait_for(run)
        response = await self._exchange(method, path, shared.query_of(query or {}), body)
        return shared.answer_of(response, f"{method} /_emulator{path}")

    async def _exchange(
        self, method: str, path: str, query: Mapping[str, str] | None = None, body: Any = None
    ) -> httpx.Response:
        """Return what the emulator answers, also if it refuses the call."""
        root, headers = self.control_url, self._headers
        if self._http.is_closed:
            raise UnreachableError(root, "It was closed, such as at the end of its `with`.")
        try:
            response = await self._http.request(
                method, root + path, params=query, json=body, headers=headers
            )
            # Emulators before 0.3 do not mark their answers.
            if shared.MARK not in response.headers:
                info = await self._http.get(f"{root}/info", headers=headers)
                if shared.field_in(info, "name") != shared.MARK:
                    raise UnreachableError(root, shared.found_instead(response))
        except httpx.TransportError as error:
            why = f"({type(error).__name__}: {error}) Is it running, and is this its training port?"
            raise UnreachableError(root, why) from error
        return response
