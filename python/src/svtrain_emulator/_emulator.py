"""Emulators that this process starts, and their worlds."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import httpx

from svtrain_emulator._async_client import AsyncClient
from svtrain_emulator._environment import EnvironmentChange, proxied_variables, variables
from svtrain_emulator._generated.client import Client
from svtrain_emulator._process import EmulatorProcess
from svtrain_emulator._shared import (
    ClockMode,
    Scenario,
    check_scenario,
    control_root,
    duration_text,
    local_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Self

    from svtrain_emulator._generated.models import OpenedProxy
    from svtrain_emulator._sleeps import SkippedSleeps

# Connections of an async client belong to one event loop, and tests have loops of their own.
_NO_KEEPALIVE = httpx.Limits(max_keepalive_connections=0)


@dataclass(frozen=True)
class Addresses:
    """Where an emulator is, and how to use it."""

    training_url: str
    """The base URL of the training API. It ends in `/v1`."""

    inference_url: str
    """The base URL of the inference API. It ends in `/v1`."""

    api_key: str
    """A key that is accepted."""

    token: str | None = None
    """The control token, if the emulator asks for one."""


class _Addressed:
    """What an emulator knows about its addresses. The other base is a client."""

    def __init__(self, addresses: Addresses, *, world: str | None = None, http: Any = None) -> None:
        self.addresses = addresses
        url, token = addresses.training_url, addresses.token
        super().__init__(url, token=token, world=world, http=http)  # type: ignore[call-arg]

    @property
    def training_url(self) -> str:
        """The base URL of the training API. It ends in `/v1`."""
        return self.addresses.training_url

    @property
    def inference_url(self) -> str:
        """The base URL of the inference API. It ends in `/v1`."""
        return self.addresses.inference_url

    @property
    def api_key(self) -> str:
        """A key that is accepted. With worlds, it selects this one."""
        return self.addresses.api_key

    @property
    def dashboard_url(self) -> str:
        """The page that shows what happens."""
        return f"{control_root(self.addresses.training_url)}/"


class AsyncWorld(_Addressed, AsyncClient):
    """The async side of a world."""


class World(_Addressed, Client):
    """An emulator, or the part of it that belongs to one API key.

    It has its own clock, records, scenario, faults and trace. It is a client of the control API.
    """

    _asked = ""

    @cached_property
    def _changes(self) -> ExitStack:
        return ExitStack()

    @cached_property
    def aio(self) -> AsyncWorld:
        """The same world with async methods: `await svtrain.aio.settle()`."""
        http = httpx.AsyncClient(**local_options(), limits=_NO_KEEPALIVE)
        return AsyncWorld(self.addresses, world=self._world, http=http)

    def env(self, **added: str | None) -> EnvironmentChange:
        """Point common clients to this world, by environment variables.

        Sets base URLs and keys for `openai`, `litellm`, `wandb` and others, and excepts the emulator
        from proxies. What wandb writes is in a folder of its own. The change is undone at the end of
        `with`, or with the world: in a test, at its end.

        Args:
            added: More variables. `{training}`, `{inference}`, `{control}` and `{key}` are replaced.
                None removes a variable.

        Example:
            svtrain.env(MY_SERVICE_URL="{training}")

        """
        return self._change(lambda places, folder: variables(places, folder, added))

    def intercept(
        self, *, addresses: Sequence[str] = (), allow_hosts_out: Sequence[str] = ()
    ) -> EnvironmentChange:
        """Lead code that names no address to this world, by environment variables.

        A proxy on loopback answers the real hosts of the service. Other hosts are refused. Keys of yours
        are replaced by an invented one. `called_hosts` says what was called. The change is undone at the
        end of `with`, or with the world: in a test, at its end.

        Args:
            addresses: What is answered, such as `training=https://api.example.com/v1`. Default: the
                documented service.
            allow_hosts_out: Other hosts that may be called: names, `.example.com` for all below it, or
                `all`.

        Raises:
            ControlError: When an address cannot be used.

        Example:
            with emulator.intercept(allow_hosts_out=["huggingface.co"]):
                train()

        """
        how = 'intercept(allow_hosts_out=["{host}"])'
        opened = self.open_proxy(
            addresses=addresses, allow_hosts_out=allow_hosts_out, allow_with=how
        )
        return self._use_proxy(opened)

    def skip_sleeps(self) -> SkippedSleeps:
        """Let `time.sleep` and `asyncio.sleep` take no time, so that code that waits for minutes is quick.

        While code sleeps, `time.monotonic`, `time.time`, timeouts of asyncio and the clock of this world
        move on together. Threads of libraries sleep as usual, and so does a pause of 20 ms or less.
        Pauses of code that only polls a job which never ends get longer, up to its limit.
        It is undone at the end of `with`, or with the world: in a test, at its end.

        Example:
            svtrain.skip_sleeps()

        """
        from svtrain_emulator._sleeps import SkippedSleeps

        return self._changes.enter_context(SkippedSleeps(self._pass, self._is_stuck))

    def _pass(self, seconds: float) -> bool:
        """Let the time of a pause pass, without a word in the trace. Return whether nothing is scheduled."""
        by = duration_text(timedelta(seconds=seconds))
        clock = self._call("POST /clock/advance", body={"by": by, "note": False})
        return bool(clock["pending"] == 0)

    def _is_stuck(self) -> bool:
        """Whether a job does not end, and the code has asked for nothing since the last look."""
        # Not by a call that awaits what wandb holds: that takes time.
        counted = self._exchange("GET", "/requests/count", {"method": "POST", "path": "/v1/*"})
        before, self._asked = self._asked, counted.text
        is_open = any(each.status not in {"ended", "failed"} for each in self.jobs.list())
        return is_open and before == self._asked

    def _use_proxy(self, opened: OpenedProxy) -> EnvironmentChange:
        return self._change(
            lambda places, folder: proxied_variables(places, folder, opened.variables)
        )

    def _change(
        self, values: Callable[[Mapping[str, str], Path], Mapping[str, str | None]]
    ) -> EnvironmentChange:
        folder = Path(tempfile.mkdtemp(prefix="svtrain-env-"))
        places = {
            "training": self.training_url,
            "inference": self.inference_url,
            "control": self.control_url,
            "key": self.api_key,
        }
        return self._changes.enter_context(EnvironmentChange(values(places, folder), folder))

    def close(self) -> None:
        """Undo changes of the environment, and close the connections."""
        self._changes.close()
        super().close()


def _with_absolute_paths(scenario: dict[str, Any]) -> dict[str, Any]:
    """Return a scenario whose tokenizers do not depend on the folder of its file."""
    scenario = deepcopy(scenario)
    models = scenario.get("base_models")
    for model in models if isinstance(models, list) else ():
        if isinstance(model, dict) and isinstance(model.get("tokenizer"), str):
            model["tokenizer"] = str(Path(model["tokenizer"]).absolute())
    return scenario


def addresses_of(ready: dict[str, Any]) -> Addresses:
    """Return the addresses in what the emulator says when it is ready."""
    return Addresses(
        training_url=ready["trainingUrl"],
        inference_url=ready["inferenceUrl"],
        # The user configured keys and knows them.
        api_key=ready.get("apiKey", ""),
        token=ready.get("controlToken"),
    )


class _Own:
    """What the emulators that this process starts have in common."""

    def __init__(
        self,
        scenario: Scenario | None = None,
        *,
        seed: int | None = None,
        clock: ClockMode | None = "auto",
        speed: float | None = None,
        isolate: bool = False,
        contract: str | None = None,
        args: Sequence[str] = (),
    ) -> None:
        if isinstance(args, str):
            raise TypeError(
                f'args is "{args}"; expected a list of options, such as ["--serve-any-model"]'
            )
        check_scenario(scenario)
        named = {"--seed": seed, "--clock": clock, "--speed": speed, "--contract": contract}
        given = [f"{name}={value}" for name, value in named.items() if value is not None]
        isolated = ["--isolate", "api-key"] if isolate else []
        self._scenario = scenario
        self._options = [*given, *isolated, *args]
        self._process: EmulatorProcess | None = None
        self._begin()

    def _begin(self) -> None:
        """Start at once. An async emulator starts with `async with`."""

    def _start(self) -> Addresses:
        scenario = self._scenario
        with tempfile.TemporaryDirectory(prefix="svtrain-") as folder:
            if isinstance(scenario, dict):
                text = json.dumps(_with_absolute_paths(scenario))
                scenario = Path(folder) / "scenario.json"
                scenario.write_text(text, encoding="utf-8")
            chosen = [] if scenario is None else ["--scenario", str(scenario)]
            self._process = EmulatorProcess([*chosen, *self._options])
            return addresses_of(self._process.start())

    def _stop(self) -> None:
        if self._process is not None:
            self._process.stop()


class Emulator(_Own, World):
    """Starts an emulator on free ports, and stops it at the end.

    It is a context manager, and has a method for each call of the control API.

    Args:
        scenario: The name of a built-in scenario, the path of a file, or a whole scenario.
            Default: `happy-path`.
        seed: All ids, metrics and texts are drawn from it.
        clock: How time passes: `auto`, `instant`, `real` or `manual`. Default: `auto`, also if the
            scenario has a clock.
        speed: Seconds of the scenario per second of real time, for the clock `real`.
        isolate: Whether each API key has a world of its own.
        contract: The version of the contract of the service, such as `2026-01`. Default: the newest.
        args: More options of the command, such as `["--serve-any-model"]`.

    Raises:
        ProgramNotFoundError: When there is no Node.js or no emulator.
        StartError: When the emulator does not start. The message has what it printed.

    Example:
        with Emulator(scenario="failing-job") as emulator:
            emulator.jobs.create("poet")
            emulator.settle()
            emulator.assert_failed("out of memory")

    """

    def _begin(self) -> None:
        World.__init__(self, self._start())

    @property
    def pid(self) -> int | None:
        """The process id of the emulator, or None after it was stopped."""
        return None if self._process is None else self._process.pid

    def world(self, key: str) -> World:
        """Return the world of an API key. The emulator must have `isolate=True`."""
        return World(replace(self.addresses, api_key=key), world=key, http=self._http)

    def close(self) -> None:
        """Stop the emulator."""
        super().close()
        self._stop()


class AsyncEmulator(_Own, AsyncWorld):
    """Starts an emulator on free ports, and stops it at the end, with async methods.

    It takes what `Emulator` takes.

    Example:
        async with AsyncEmulator(scenario="failing-job") as emulator:
            await emulator.jobs.create("poet")
            await emulator.settle()
            await emulator.assert_failed("out of memory")

    """

    async def __aenter__(self) -> Self:
        addresses = await anyio.to_thread.run_sync(self._start)
        AsyncWorld.__init__(self, addresses)
        return self

    async def aclose(self) -> None:
        """Stop the emulator."""
        await super().aclose()
        await anyio.to_thread.run_sync(self._stop)

    def world(self, key: str) -> AsyncWorld:
        """Return the world of an API key. The emulator must have `isolate=True`."""
        return AsyncWorld(replace(self.addresses, api_key=key), world=key, http=self._http)
