"""An async client of the control API."""

from __future__ import annotations

import asyncio
import time as wall
from typing import TYPE_CHECKING, Any, Literal, Protocol

import httpx

from svtrain_emulator._decode import read, read_list
from svtrain_emulator._errors import (
    ClientCheckError,
    ControlError,
    NoSuchJobError,
    PendingError,
    UnreachableError,
)
from svtrain_emulator._generated.models import (
    Agenda,
    ClientCheckFinding,
    Clock,
    Coverage,
    CurrentScenario,
    Delivery,
    Entry,
    Explained,
    ExploreStep,
    Fault,
    Info,
    Job,
    JobEvents,
    Model,
    NamedScenario,
    Pending,
    RequestDetail,
    RequestEntry,
    Restored,
    ScenarioChecked,
    Series,
    Settled,
    SinkRecord,
    TestOutcome,
    Timeline,
    Webhook,
    World,
)
from svtrain_emulator._shared import (
    Duration,
    Scenario,
    answer_of,
    body_of,
    control_root,
    duration_text,
    headers_for,
    local_options,
    moment_text,
    path_of,
    query_of,
    scenario_fields,
)
from svtrain_emulator._verdicts import (
    NEAREST,
    Message,
    WebhookPattern,
    failed_as_expected,
    finding_text,
    job_message,
    matching,
    nearest,
    no_such_job,
    order_message,
    request_message,
    shown,
    signature_message,
    webhook_message,
)

if TYPE_CHECKING:
    import builtins
    from collections.abc import Awaitable, Mapping, Sequence
    from datetime import datetime
    from types import TracebackType

    from typing_extensions import Self

ClockMode = Literal["real", "auto", "manual", "instant"]
JobKind = Literal["rl", "sft"]
JobStatus = Literal["queued", "running", "ended", "failed"]
DeliveryState = Literal["pending", "delivered", "failed", "cancelled"]
RunState = Literal["running", "finished", "failed"]

_POLL = 0.01
"""Seconds between two looks at a sink."""


class _Call(Protocol):
    def __call__(
        self,
        route: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> Awaitable[Any]: ...


class _AsyncPart:
    """A group of calls."""

    def __init__(self, call: _Call) -> None:
        self._call = call


class AsyncClockCalls(_AsyncPart):
    """The clock of the emulator."""

    async def state(self) -> Clock:
        """Return the mode, the speed, the time and the next scheduled task."""
        return read(Clock, await self._call("GET /clock"))

    async def advance(self, by: Duration) -> Clock:
        """Move virtual time by a duration: `"10m"`, or a `timedelta`."""
        return read(Clock, await self._call("POST /clock/advance", body={"by": duration_text(by)}))

    async def advance_to(self, moment: datetime | str) -> Clock:
        """Move virtual time to a moment: a `datetime`, or a text in ISO 8601."""
        return read(
            Clock, await self._call("POST /clock/advance", body={"to": moment_text(moment)})
        )

    async def next(self) -> bool:
        """Move virtual time to the next scheduled task and run it. Return whether there was one."""
        return bool((await self._call("POST /clock/next"))["happened"])


class AsyncScenarioCalls(_AsyncPart):
    """The scenarios."""

    async def list(self) -> builtins.list[NamedScenario]:
        """Return the built-in scenarios."""
        return read_list(NamedScenario, (await self._call("GET /scenarios"))["scenarios"])

    async def current(self, name: str | None = None) -> CurrentScenario:
        """Return the current scenario, or another one by name."""
        query = {"name": name}
        return read(CurrentScenario, await self._call("GET /scenario", query=query))

    async def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of scenarios."""
        return dict(await self._call("GET /scenario/schema"))

    async def check(self, yaml: str) -> ScenarioChecked:
        """Check the text of a scenario. This changes nothing."""
        return read(ScenarioChecked, await self._call("POST /scenario/check", body={"yaml": yaml}))

    async def use(self, scenario: Scenario, *, reset: bool = False) -> NamedScenario:
        """Change the scenario until the next reset. Existing records stay, unless `reset` is true."""
        body = {**scenario_fields(scenario), "reset": reset}
        return read(NamedScenario, (await self._call("POST /scenario", body=body))["scenario"])


class AsyncExploreCalls(_AsyncPart):
    """Explorations of what your code survives."""

    async def start(
        self,
        *,
        runs: int | None = None,
        time: Duration | None = None,
        seed: int | None = None,
        checks: Mapping[str, bool] | None = None,
    ) -> ExploreStep:
        """Start an exploration, and return its first trial. The world is ready for it.

        Run your code, and call `next`. `checks` turns client checks off: `{"duplicate_jobs": False}`.
        """
        body = {
            "runs": runs,
            "time": None if time is None else duration_text(time),
            "seed": seed,
            "checks": checks,
        }
        return read(ExploreStep, await self._call("POST /explore", body=body_of(body)))

    async def next(
        self, ended: Literal["success", "error", "timeout"], *, error: str | None = None
    ) -> ExploreStep:
        """Say how your code ended, and return the next trial, or the report."""
        body = body_of({"ended": ended, "error": error})
        return read(ExploreStep, await self._call("POST /explore/next", body=body))


class AsyncModelCalls(_AsyncPart):
    """The models."""

    async def list(self) -> builtins.list[Model]:
        """Return the models with their checkpoints, oldest first."""
        return read_list(Model, (await self._call("GET /models"))["models"])

    async def create(
        self,
        name: str,
        *,
        project: str | None = None,
        entity: str | None = None,
        base_model: str | None = None,
    ) -> Model:
        """Create a model. Refused with 409 if the name is taken."""
        body = {"name": name, "project": project, "entity": entity, "base_model": base_model}
        return read(Model, (await self._call("POST /models", body=body_of(body)))["models"][0])

    async def delete(self, model_id: str) -> None:
        """Delete a model (id or name) with its checkpoints. Its unfinished jobs fail."""
        await self._call("DELETE /models/{model_id}", params={"model_id": model_id})

    async def delete_checkpoint(self, model_id: str, step: int) -> Model:
        """Delete one checkpoint of a model (id or name)."""
        params = {"model_id": model_id, "step": str(step)}
        answer = await self._call("DELETE /models/{model_id}/checkpoints/{step}", params=params)
        return read(Model, answer["models"][0])


class AsyncJobCalls(_AsyncPart):
    """The training jobs."""

    async def list(
        self,
        *,
        model: str | None = None,
        status: JobStatus | None = None,
        limit: int | None = None,
    ) -> builtins.list[Job]:
        """Return the jobs, newest first."""
        query = {"model": model, "status": status, "limit": limit}
        return read_list(Job, (await self._call("GET /jobs", query=query))["jobs"])

    async def get(self, job_id: str) -> Job:
        """Return one job. Refused with 404 if no job has that id."""
        return read(Job, await self._call("GET /jobs/{job_id}", params={"job_id": job_id}))

    async def create(
        self,
        model: str | None = None,
        *,
        kind: JobKind | None = None,
        trajectories: int | None = None,
        trajectory_groups: Sequence[Mapping[str, Any]] | None = None,
        timeline: Sequence[Mapping[str, Any]] | None = None,
    ) -> Job:
        """Create a job, as a request does, and its model if it does not exist.

        `timeline` says what happens to it, as in a scenario. By default, the scenario decides.
        """
        body = {
            "model": model,
            "kind": kind,
            "trajectories": trajectories,
            "trajectory_groups": trajectory_groups,
            "timeline": timeline,
        }
        return read(Job, await self._call("POST /jobs", body=body_of(body)))

    async def fail(self, job_id: str, error_message: str | None = None) -> Job:
        """End a job now, as a failure. Refused with 409 if it is over."""
        body = body_of({"error_message": error_message})
        params = {"job_id": job_id}
        return read(Job, await self._call("POST /jobs/{job_id}/fail", params=params, body=body))

    async def finish(self, job_id: str) -> Job:
        """End a job now, with success. Refused with 409 if it is over."""
        return read(Job, await self._call("POST /jobs/{job_id}/finish", params={"job_id": job_id}))

    async def stall(self, job_id: str) -> Job:
        """Stop a job until it is resumed."""
        return read(Job, await self._call("POST /jobs/{job_id}/stall", params={"job_id": job_id}))

    async def resume(self, job_id: str) -> Job:
        """Continue a stalled job."""
        return read(Job, await self._call("POST /jobs/{job_id}/resume", params={"job_id": job_id}))

    async def events(
        self, job_id: str, *, from_: int | None = None, limit: int | None = None
    ) -> JobEvents:
        """Return a slice of the events of a job. A negative `from_` counts from the end."""
        query = {"from": from_, "limit": limit}
        params = {"job_id": job_id}
        return read(
            JobEvents, await self._call("GET /jobs/{job_id}/events", params=params, query=query)
        )

    async def metrics(self, job_id: str, *, points: int | None = None) -> Series:
        """Return the metrics of the gradient steps of a job as columns."""
        query = {"points": points}
        params = {"job_id": job_id}
        return read(
            Series, await self._call("GET /jobs/{job_id}/metrics", params=params, query=query)
        )


class AsyncFaultCalls(_AsyncPart):
    """The faults: what goes wrong with calls."""

    async def list(self) -> builtins.list[Fault]:
        """Return the faults of the scenario and those that were added."""
        return read_list(Fault, (await self._call("GET /faults"))["faults"])

    async def add(self, fault: str | Mapping[str, Any], /, **rule: Any) -> Fault:
        """Add a fault, written as in a scenario. It takes precedence over all others.

        Example:
            await svtrain.faults.add("status", status=503, calls=1)

        """
        body = {"fault": fault, **rule} if isinstance(fault, str) else {**fault, **rule}
        return read(Fault, await self._call("POST /faults", body=body))

    async def open(self, fault_id: str) -> Fault:
        """Open a fault, so that it takes effect."""
        params = {"fault_id": fault_id}
        return read(Fault, await self._call("POST /faults/{fault_id}/open", params=params))

    async def close(self, fault_id: str) -> Fault:
        """Close a fault, so that it has no effect until it is opened."""
        params = {"fault_id": fault_id}
        return read(Fault, await self._call("POST /faults/{fault_id}/close", params=params))

    async def remove(self, fault_id: str) -> None:
        """Remove a fault that was added. Faults of the scenario can only be closed."""
        await self._call("DELETE /faults/{fault_id}", params={"fault_id": fault_id})

    async def clear(self) -> None:
        """Remove all faults that were added. Faults of the scenario stay."""
        await self._call("DELETE /faults")


class AsyncSecretCalls(_AsyncPart):
    """The secrets of the team, which sign webhooks."""

    async def list(self) -> builtins.list[str]:
        """Return the names of the secrets. No call returns their values."""
        names: builtins.list[str] = (await self._call("GET /secrets"))["secrets"]
        return names

    async def set(self, name: str, value: str) -> None:
        """Add or rotate a secret."""
        await self._call("POST /secrets", body={"name": name, "value": value})

    async def remove(self, name: str) -> None:
        """Remove a secret. Webhooks that sign with it send unsigned deliveries from now on."""
        await self._call("DELETE /secrets/{name}", params={"name": name})


class AsyncWebhookCalls(_AsyncPart):
    """The webhooks: where the service sends events."""

    async def list(self) -> builtins.list[Webhook]:
        """Return the webhooks, and why any of them is disabled."""
        return read_list(Webhook, (await self._call("GET /webhooks"))["webhooks"])

    async def add(self, name: str, url: str, **webhook: Any) -> None:
        """Add a webhook, with the fields of a scenario. Replace one of the same name.

        Example:
            await svtrain.webhooks.add("mine", "http://127.0.0.1:3000/hook", secret="SIGNING")

        """
        await self._call("POST /webhooks", body={"name": name, "url": url, **webhook})

    async def remove(self, name: str) -> None:
        """Remove a webhook and its automations."""
        await self._call("DELETE /webhooks/{name}", params={"name": name})

    async def test(self, name: str, payload: str | Mapping[str, Any] | None = None) -> TestOutcome:
        """Send a test delivery and return the answer. Neither is recorded."""
        body = body_of({"payload": payload})
        params = {"name": name}
        return read(
            TestOutcome, await self._call("POST /webhooks/{name}/test", params=params, body=body)
        )

    async def explain(self, name: str, *, headers: Mapping[str, str], body: str) -> Explained:
        """Verify headers and a raw body with the secret of a webhook, and say what is wrong."""
        delivered = {"headers": dict(headers), "body": body}
        params = {"name": name}
        return read(
            Explained,
            await self._call("POST /webhooks/{name}/explain", params=params, body=delivered),
        )

    async def enable(self, name: str) -> None:
        """Enable a webhook again that answered 410."""
        await self._call("POST /webhooks/{name}/enable", params={"name": name})


class AsyncAutomationCalls(_AsyncPart):
    """The automations: which event calls which webhook."""

    async def list(self) -> builtins.list[dict[str, Any]]:
        """Return the automations, as in a scenario."""
        rules: builtins.list[dict[str, Any]] = (await self._call("GET /automations"))["automations"]
        return rules

    async def add(self, name: str, event: str, webhook: str, **automation: Any) -> None:
        """Add an automation, with the fields of a scenario. Replace one of the same name.

        Example:
            await svtrain.automations.add("ended", "RUN_STATE", "mine", states=["finished"])

        """
        body = {"name": name, "event": event, "webhook": webhook, **automation}
        await self._call("POST /automations", body=body)

    async def remove(self, name: str) -> None:
        """Remove an automation. Refused with 404 if no automation has that name."""
        await self._call("DELETE /automations/{name}", params={"name": name})


class AsyncDeliveryCalls(_AsyncPart):
    """What the emulator sent to webhooks."""

    async def list(
        self,
        *,
        webhook: str | None = None,
        automation: str | None = None,
        event: str | None = None,
        state: DeliveryState | None = None,
        job: str | None = None,
        limit: int | None = None,
    ) -> builtins.list[Delivery]:
        """Return the deliveries, oldest first."""
        query = {
            "webhook": webhook,
            "automation": automation,
            "event": event,
            "state": state,
            "job": job,
            "limit": limit,
        }
        return read_list(Delivery, (await self._call("GET /deliveries", query=query))["deliveries"])

    async def get(self, delivery_id: str) -> Delivery:
        """Return one delivery. Refused with 404 if no delivery has that id."""
        params = {"delivery_id": delivery_id}
        return read(Delivery, await self._call("GET /deliveries/{delivery_id}", params=params))

    async def resend(self, delivery_id: str) -> Delivery:
        """Send a delivery again, with the same id and the same bytes."""
        params = {"delivery_id": delivery_id}
        answer = await self._call("POST /deliveries/{delivery_id}/resend", params=params)
        return read(Delivery, answer)


class AsyncSinkCalls(_AsyncPart):
    """A receiver of webhooks in the process of the emulator."""

    async def open(self) -> None:
        """Attach a sink, unless there is one. From now on, it receives the webhooks.

        It receives the deliveries of webhooks of the scenario without a URL. If there are none, it
        receives every event of jobs and artifacts.
        """
        await self._call("POST /sink")

    async def records(self, *, limit: int | None = None) -> list[SinkRecord]:
        """Return what the sink received, oldest first. Refused with 404 if there is no sink."""
        answer = await self._call("GET /sink/records", query={"limit": limit})
        return read_list(SinkRecord, answer["records"])

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
        timeout: float = 10,
    ) -> list[SinkRecord]:
        """Wait for `count` deliveries that match, for at most `timeout` seconds of real time.

        With the clock `auto`, it runs what is scheduled, task by task, until they came.

        Raises:
            TimeoutError: When they did not come. The message has the nearest delivery.

        """
        pattern = WebhookPattern(event, path, method, verdict, duplicate, headers, body)
        end = wall.monotonic() + timeout
        while True:
            records = await self.records()
            found = matching(records, pattern)
            if len(found) >= count:
                return found
            if await self._move_on():
                continue
            if wall.monotonic() > end:
                raise TimeoutError(
                    f"Within {timeout} s, {len(found)} of {count} deliveries like {pattern} came.\n"
                    f"{nearest(records, pattern)}"
                )
            await asyncio.sleep(_POLL)

    async def _move_on(self) -> bool:
        """Run the next scheduled task, if clients move the clock. Return whether there was one."""
        if (await self._call("GET /clock"))["mode"] != "auto":
            return False
        return bool((await self._call("POST /clock/next"))["happened"])


class AsyncRequestCalls(_AsyncPart):
    """The requests that clients made."""

    async def list(
        self,
        operation: str | None = None,
        *,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        job: str | None = None,
        after: int | None = None,
        limit: int | None = None,
    ) -> builtins.list[RequestEntry]:
        """Return the latest requests, or with `after` the next ones, newest last."""
        query = {
            "operation": operation,
            "method": method,
            "path": path,
            "status": status,
            "job": job,
            "after": after,
            "limit": limit,
        }
        return read_list(RequestEntry, (await self._call("GET /requests", query=query))["requests"])

    async def get(self, request_id: int) -> RequestDetail:
        """Return one request with its headers and bodies, and why it was refused."""
        params = {"request_id": str(request_id)}
        return read(RequestDetail, await self._call("GET /requests/{request_id}", params=params))

    async def count(
        self,
        operation: str | None = None,
        *,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        job: str | None = None,
        after: int | None = None,
    ) -> int:
        """Return the number of matching requests."""
        query = {
            "operation": operation,
            "method": method,
            "path": path,
            "status": status,
            "job": job,
            "after": after,
        }
        return int((await self._call("GET /requests/count", query=query))["count"])

    async def wait(
        self,
        operation: str | None = None,
        *,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        job: str | None = None,
        after: int | None = None,
        count: int = 1,
        timeout: Duration = "10s",
    ) -> builtins.list[RequestEntry]:
        """Wait until `count` matching requests have arrived.

        Refused with 408 and the closest match after `timeout` of real time.
        """
        query = {
            "operation": operation,
            "method": method,
            "path": path,
            "status": status,
            "job": job,
            "after": after,
            "count": count,
            "timeout": duration_text(timeout),
        }
        answer = await self._call("GET /requests/wait", query=query)
        return read_list(RequestEntry, answer["requests"])


class AsyncClient:
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
        self.control_url = control_root(url)
        """The root of the control API. It ends in `/_emulator`."""
        self._headers = headers_for(token, world)
        self._token = token
        self._world = world
        self._owns_http = http is None
        self._http = http if http is not None else httpx.AsyncClient(**local_options())
        self.clock = AsyncClockCalls(self._call)
        self.scenarios = AsyncScenarioCalls(self._call)
        self.explore = AsyncExploreCalls(self._call)
        self.models = AsyncModelCalls(self._call)
        self.jobs = AsyncJobCalls(self._call)
        self.faults = AsyncFaultCalls(self._call)
        self.secrets = AsyncSecretCalls(self._call)
        self.webhooks = AsyncWebhookCalls(self._call)
        self.automations = AsyncAutomationCalls(self._call)
        self.deliveries = AsyncDeliveryCalls(self._call)
        self.sink = AsyncSinkCalls(self._call)
        self.requests = AsyncRequestCalls(self._call)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def ready(self) -> None:
        """Return when the emulator listens and the records of its scenario exist."""
        await self._call("GET /ready")

    async def info(self) -> Info:
        """Return version, seed, scenario and addresses."""
        return read(Info, await self._call("GET /info"))

    async def use_clock(self, mode: ClockMode, *, speed: float | None = None) -> Clock:
        """Change how time passes from now on.

        `speed` is seconds of the scenario per second of real time.
        """
        return read(
            Clock, await self._call("POST /clock", body=body_of({"mode": mode, "speed": speed}))
        )

    async def settle(self, *, within: Duration | None = None, most: int | None = None) -> Settled:
        """Run everything that is scheduled. Refused with 409 if tasks keep coming."""
        limit = None if within is None else duration_text(within)
        body = body_of({"within": limit, "most": most})
        return read(Settled, await self._call("POST /clock/settle", body=body))

    async def reset(self, scenario: Scenario | None = None, *, seed: int | None = None) -> Info:
        """Start over with the scenario and the seed of the start.

        A scenario or a seed in this call is for this reset only.
        """
        body = body_of({**scenario_fields(scenario), "seed": seed})
        return read(Info, await self._call("POST /reset", body=body))

    async def trigger(
        self,
        event: str,
        *,
        to: str | None = None,
        job_id: str | None = None,
        entity: str | None = None,
        project: str | None = None,
        registry: str | None = None,
        collection: str | None = None,
        version: int | None = None,
        alias: str | None = None,
        tag: str | None = None,
        author: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        run: str | None = None,
        state: RunState | None = None,
        metrics: Mapping[str, float] | None = None,
    ) -> list[str]:
        """Trigger an event. Return the ids of the deliveries that it caused."""
        body = {
            "event": event,
            "to": to,
            "job_id": job_id,
            "entity": entity,
            "project": project,
            "registry": registry,
            "collection": collection,
            "version": version,
            "alias": alias,
            "tag": tag,
            "author": author,
            "metadata": metadata,
            "run": run,
            "state": state,
            "metrics": metrics,
        }
        ids: list[str] = (await self._call("POST /trigger", body=body_of(body)))["deliveries"]
        return ids

    async def trace(self, job: str | None = None) -> str:
        """Return what happened and what is scheduled, as text. `job` selects one job by its id."""
        return str(await self._call("GET /trace", query={"job": job}))

    async def report(
        self,
        *,
        title: str | None = None,
        failure: str | None = None,
        reproduce: str | None = None,
        contents: Literal["shown", "redacted"] | None = None,
    ) -> str:
        """Return what happened as one HTML page, without keys and secrets.

        `contents="redacted"` leaves out prompts, messages, completions and trajectories.
        """
        query = {"title": title, "failure": failure, "reproduce": reproduce, "contents": contents}
        return str(await self._call("GET /report", query=query))

    async def har(self, *, contents: Literal["shown", "redacted"] | None = None) -> dict[str, Any]:
        """Return the requests in the format HAR 1.2, without keys and secrets."""
        answer: dict[str, Any] = await self._call("GET /har", query={"contents": contents})
        return answer

    async def entries(self, job: str | None = None) -> list[Entry]:
        """Return what happened, in order of time. `job` selects one job by its id."""
        answer = await self._call("GET /trace", query={"job": job, "format": "json"})
        return [read(Entry, each) for each in answer["entries"]]  # type: ignore[arg-type]

    async def timeline(self, job: str | None = None, *, limit: int | None = None) -> Timeline:
        """Return what happened and what is scheduled, in the order of the trace."""
        query = {"job": job, "limit": limit}
        return read(Timeline, await self._call("GET /timeline", query=query))

    async def agenda(self, job: str | None = None, *, limit: int | None = None) -> Agenda:
        """Return what is scheduled, the next task first."""
        query = {"job": job, "limit": limit}
        return read(Agenda, await self._call("GET /agenda", query=query))

    async def worlds(self) -> list[World]:
        """Return the worlds of the API keys that were used."""
        return read_list(World, (await self._call("GET /worlds"))["worlds"])

    async def coverage(self) -> Coverage:
        """Return which behaviors of the service clients of all worlds have met, and what closes each gap."""
        return read(Coverage, await self._call("GET /coverage"))

    async def coverage_text(self, *, gaps: bool = False) -> str:
        """Return the coverage as a table for people, or as a text with each gap."""
        query = {"format": "gaps" if gaps else "text"}
        return str(await self._call("GET /coverage", query=query))

    async def pending(self) -> Pending:
        """Return what is not finished, and a table of it."""
        return read(Pending, await self._call("GET /pending"))

    async def client_checks(
        self,
        *,
        duplicate_jobs: bool = True,
        backward_cursors: bool = True,
        skipped_events: bool = True,
        polls_past_the_end: bool = True,
        deliveries: bool = True,
    ) -> list[ClientCheckFinding]:
        """Return the mistakes of clients that cost money or data with the real service."""
        query = {
            "duplicate_jobs": duplicate_jobs,
            "backward_cursors": backward_cursors,
            "skipped_events": skipped_events,
            "polls_past_the_end": polls_past_the_end,
            "deliveries": deliveries,
        }
        answer = await self._call("GET /client-checks", query=query)
        return read_list(ClientCheckFinding, answer["findings"])

    async def snapshot(self, *, secrets: bool | None = None) -> dict[str, Any]:
        """Return all records and everything scheduled as one JSON value."""
        saved: dict[str, Any] = await self._call("GET /snapshot", query={"secrets": secrets})
        return saved

    async def restore(self, snapshot: Mapping[str, Any]) -> Restored:
        """Replace the current state by a snapshot. A refused snapshot changes nothing."""
        return read(Restored, await self._call("PUT /snapshot", body=snapshot))

    async def job(self, model: str | None = None) -> Job:
        """Return the latest job of a model, or the latest of all.

        Raises:
            NoSuchJobError: When there is no such job.

        """
        jobs = await self.jobs.list()
        for job in jobs:
            if model is None or model in {job.model.name, job.model.id}:
                return job
        raise NoSuchJobError(no_such_job(model, jobs))

    async def assert_started(self, *, model: str | None = None, job: str | None = None) -> None:
        """Assert that the training of the latest job, or of this one, started."""
        __tracebackhide__ = True
        found = await self._which(model, job)
        if found.training_start is None:
            raise AssertionError(await self._story(found, "started"))

    async def assert_ended(self, *, model: str | None = None, job: str | None = None) -> None:
        """Assert that the latest job, or this one, ended successfully."""
        __tracebackhide__ = True
        found = await self._which(model, job)
        if found.status != "ended":
            raise AssertionError(await self._story(found, "ended"))

    async def assert_failed(
        self, message: Message | None = None, *, model: str | None = None, job: str | None = None
    ) -> None:
        """Assert that the latest job, or this one, failed.

        `message` is a part of its error message, or a pattern.
        """
        __tracebackhide__ = True
        found = await self._which(model, job)
        if not failed_as_expected(found, message):
            what = "failed" if message is None else f"failed with {shown(message)}"
            raise AssertionError(await self._story(found, what))

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
        __tracebackhide__ = True
        found = await self.requests.list(
            operation, method=method, path=path, status=status, job=job, limit=10_000
        )
        if (times is None and found) or len(found) == times:
            return
        if not found:
            expected = await self._nearest_request(operation, method, path, status, job)
            raise AssertionError(f"expected a request that matches {expected}")
        named = {
            "operation": operation,
            "method": method,
            "path": path,
            "status": status,
            "job": job,
        }
        raise AssertionError(request_message(body_of(named), times, [each.text for each in found]))

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
        __tracebackhide__ = True
        pattern = WebhookPattern(event, path, method, verdict, duplicate, headers, body)
        message = webhook_message(await self._records(), pattern, times)
        if message is not None:
            raise AssertionError(message)

    async def assert_received_in_order(self, patterns: Sequence[Mapping[str, Any]]) -> None:
        """Assert that matching deliveries arrived in this order. Others may be between them.

        Example:
            await svtrain.assert_received_in_order([{"event": "RUN_STATE"}, {"body": {"alias": "best"}}])

        """
        __tracebackhide__ = True
        wanted = [WebhookPattern(**pattern) for pattern in patterns]
        message = order_message(await self._records(), wanted)
        if message is not None:
            raise AssertionError(message)

    async def assert_validly_signed(self) -> None:
        """Assert that every delivery at the sink has a valid signature."""
        __tracebackhide__ = True
        message = signature_message(await self._records())
        if message is not None:
            raise AssertionError(message)

    async def assert_client_checks(
        self,
        *,
        duplicate_jobs: bool = True,
        backward_cursors: bool = True,
        skipped_events: bool = True,
        polls_past_the_end: bool = True,
        deliveries: bool = True,
    ) -> None:
        """Assert that clients made no mistake that costs money or data with the real service.

        Raises:
            ClientCheckError: When a check fails, with everything that was found.

        """
        __tracebackhide__ = True
        findings = await self.client_checks(
            duplicate_jobs=duplicate_jobs,
            backward_cursors=backward_cursors,
            skipped_events=skipped_events,
            polls_past_the_end=polls_past_the_end,
            deliveries=deliveries,
        )
        if findings:
            raise ClientCheckError([finding_text(each) for each in findings], await self.trace())

    async def assert_nothing_pending(self) -> None:
        """Assert that nothing is left over: jobs, faults, deliveries or requests.

        Raises:
            PendingError: When something is left over, with a table of it.

        """
        __tracebackhide__ = True
        pending = await self.pending()
        if pending.pending:
            raise PendingError(pending.text)

    async def _which(self, model: str | None, job: str | None) -> Job:
        return await (self.job(model) if job is None else self.jobs.get(job))

    async def _story(self, job: Job, what: str) -> str:
        return job_message(job, what, await self.trace(job.id))

    async def _records(self) -> list[SinkRecord]:
        try:
            return await self.sink.records()
        except ControlError as error:
            if error.status != httpx.codes.NOT_FOUND:
                raise
            raise ControlError(
                "read what the webhook sink received",
                error.status,
                f"{error.detail} Call sink.open() before the events, or use the fixture svtrain_sink.",
            ) from None

    async def _nearest_request(
        self,
        operation: str | None,
        method: str | None,
        path: str | None,
        status: int | None,
        job: str | None,
    ) -> str:
        """Return the expected request in words, and the nearest one that arrived."""
        try:
            await self.requests.wait(
                operation, method=method, path=path, status=status, job=job, timeout="1ms"
            )
        except ControlError as error:
            if error.status != httpx.codes.REQUEST_TIMEOUT:
                raise
            return NEAREST.sub("", error.detail)
        return "this one, but it arrived too late"

    async def _call(
        self,
        route: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> Any:
        method, pattern = route.split(" ", 1)
        path = path_of(pattern, params or {})
        try:
            response = await self._http.request(
                method,
                self.control_url + path,
                params=query_of(query or {}),
                json=body,
                headers=self._headers,
            )
        except (httpx.ConnectError, httpx.RemoteProtocolError, httpx.ReadError) as error:
            raise UnreachableError(self.control_url) from error
        return answer_of(response, f"{method} /_emulator{path}")
